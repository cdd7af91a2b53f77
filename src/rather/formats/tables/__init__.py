"""Any table as a catalogue: read it, find what its columns are, and turn each row into a vector.

Names are imported when first used: looking at a table needs no torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rather.formats.tables.column_kinds import ColumnKind as ColumnKind
    from rather.formats.tables.column_kinds import Direction as Direction
    from rather.formats.tables.column_kinds import Role as Role
    from rather.formats.tables.encoded_table import Table as Table
    from rather.formats.tables.encoded_table import catalog_from_table as catalog_from_table
    from rather.formats.tables.prior import table_prior as table_prior
    from rather.formats.tables.prior import utility_prior as utility_prior
    from rather.formats.tables.settings import ColumnSpec as ColumnSpec
    from rather.formats.tables.settings import Spec as Spec
    from rather.formats.tables.table_columns import Column as Column
    from rather.formats.tables.writing import write_table as write_table

_HOMES = {
    "table_columns": ("Column",),
    "column_kinds": ("Direction", "ColumnKind", "Role"),
    "prior": ("table_prior", "utility_prior"),
    "settings": ("ColumnSpec", "Spec"),
    "encoded_table": ("Table", "catalog_from_table"),
    "writing": ("write_table",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = list(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'rather.formats.tables' has no attribute {name!r}")
    return getattr(import_module(f"rather.formats.tables.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
