"""Any table as a catalogue: read it, infer what its columns are, and turn each row into a vector.

Names are imported when first used: inspecting a table needs no torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rather.formats.tables.column_kinds import ColumnKind as ColumnKind
    from rather.formats.tables.column_kinds import Direction as Direction
    from rather.formats.tables.column_kinds import Role as Role
    from rather.formats.tables.encoded_table import EncodedTable as EncodedTable
    from rather.formats.tables.encoded_table import encode_table as encode_table
    from rather.formats.tables.settings import ColumnSettings as ColumnSettings
    from rather.formats.tables.settings import TableSettings as TableSettings
    from rather.formats.tables.table_columns import TableColumn as TableColumn

_HOMES = {
    "column_kinds": ("ColumnKind", "Direction", "Role"),
    "encoded_table": ("EncodedTable", "encode_table"),
    "settings": ("ColumnSettings", "TableSettings"),
    "table_columns": ("TableColumn",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = list(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'rather.formats.tables' has no attribute {name!r}")
    return getattr(import_module(f"rather.formats.tables.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
