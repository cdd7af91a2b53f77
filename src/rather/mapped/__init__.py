"""Catalogues larger than memory: item vectors that stay in their file, and what one look at them told.

A mapped file is read by the operating system page by page as it is searched; several processes that map the same one
share its pages, and what is not in use gives way when memory is short.
"""

from rather.mapped.columns import Column
from rather.mapped.examining import Examined, examine
from rather.mapped.items import ItemFile

__all__ = ["Column", "Examined", "ItemFile", "examine"]
