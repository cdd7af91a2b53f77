"""Catalogues larger than memory: item vectors that stay in their file, and what one look at them told.

A mapped file is read by the operating system page by page as it is searched; several processes that map the same one
share its pages, and what is not in use gives way when memory is short.
"""

from rather.formats.vectors.arrow_columns import Column
from rather.formats.vectors.item_facts import Examined, examine
from rather.formats.vectors.memory_mapped import ItemFile

__all__ = ["Column", "Examined", "ItemFile", "examine"]
