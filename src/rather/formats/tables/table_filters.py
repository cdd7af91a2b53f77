"""The columns of a table as filters of its catalogue."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from rather.formats.tables.column_kinds import AMOUNTS, ColumnKind, Role
from rather.formats.tables.filter_expressions import where_mask
from rather.formats.tables.table_columns import TableColumn
from rather.model.filters import NumberColumn, ValueColumn


@dataclass(frozen=True)
class TableFilters:
    """Filters over the columns of a table; implements `rather.model.filters.ItemFilters`."""

    table_columns: tuple[TableColumn, ...]

    def where(self, expression: str) -> Tensor:
        """Which rows satisfy a filter expression, `(n,)`; see `rather.formats.tables.filter_expressions`."""
        return torch.from_numpy(where_mask(expression, self.table_columns))

    def columns(self, most_values: int) -> Sequence[NumberColumn | ValueColumn]:
        """The columns that are not ignored and hold numbers, dates, yes/no, categories or tags."""
        found = (_filter_column(column, most_values) for column in self.table_columns if column.role is not Role.IGNORE)
        return [column for column in found if column is not None]


def _filter_column(column: TableColumn, most_values: int) -> NumberColumn | ValueColumn | None:
    if column.kind in (*AMOUNTS, ColumnKind.DEGREE, ColumnKind.DATE):
        values = torch.from_numpy(column.numbers.copy())
        return None if bool(values.isnan().all()) else NumberColumn(column.display_name, values, column.unit)
    if column.kind is ColumnKind.YES_NO:
        yes = {"yes": np.flatnonzero(column.numbers == 1).tolist(), "no": np.flatnonzero(column.numbers == 0).tolist()}
        return ValueColumn(column.display_name, yes)
    if column.kind is ColumnKind.CATEGORY and len(column.cells.distinct) <= most_values:
        codes = column.cells.codes
        rows = {text: np.flatnonzero(codes == code).tolist() for code, text in enumerate(column.cells.distinct)}
        return ValueColumn(column.display_name, rows)
    if column.kind is ColumnKind.TAGS:
        tagged: dict[str, list[int]] = {}
        for row, tags in enumerate(column.tags):
            for tag in tags or ():
                tagged.setdefault(tag, []).append(row)
        return ValueColumn(column.display_name, tagged, several=True) if 0 < len(tagged) <= most_values else None
    return None
