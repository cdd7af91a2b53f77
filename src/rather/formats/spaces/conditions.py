"""Expressions about configurations as formulas: each condition is tried on every value of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rather.errors import InvalidInputError
from rather.formats.spaces.rules import TRUE, Formula, PairOf, TotalWithin, one_of
from rather.formats.tables import filter_conditions
from rather.formats.tables.filter_conditions import LiteralValue, Truth
from rather.formats.tables.filter_expressions import parsed
from rather.formats.tables.table_columns import TableColumn


@dataclass(frozen=True, eq=False)
class SpaceConditions:
    """What conditions mean in a product space; implements `rather.formats.tables.filter_expressions.Conditions`.

    Attributes:
        columns: The columns of a table that has every value of every column; decisions first, then totals.
        sizes: How many values each decision has.
        amounts: All amounts that each total may have, in its smallest unit.
    """

    columns: tuple[TableColumn, ...]
    sizes: tuple[int, ...]
    amounts: tuple[tuple[int, ...], ...]

    def formula(self, expression: str, name: str = "`where`") -> Formula:
        """What an expression means; `name` is what messages call it."""
        return parsed(expression, self.columns, self, name)

    def missing(self, column: TableColumn) -> Formula:
        """Nothing is missing in a configuration."""
        return ~TRUE

    def yes(self, column: TableColumn) -> Formula:
        """See `Conditions.yes`."""
        return self._about(column, filter_conditions.yes(column))

    def one_of(self, column: TableColumn, values: Sequence[LiteralValue]) -> Formula:
        """See `Conditions.one_of`."""
        return self._about(column, filter_conditions.one_of(column, values))

    def contained(self, value: LiteralValue, column: TableColumn) -> Formula:
        """See `Conditions.contained`."""
        return self._about(column, filter_conditions.contained(value, column))

    def compared(self, left: TableColumn | LiteralValue, sign: str, right: TableColumn | LiteralValue) -> Formula:
        """See `Conditions.compared`."""
        if isinstance(left, TableColumn) and isinstance(right, TableColumn):
            return self._pair(left, sign, right)
        column = left if isinstance(left, TableColumn) else right
        assert isinstance(column, TableColumn), "a comparison has a column on one side"
        return self._about(column, filter_conditions.compared(left, sign, right))

    def _about(self, column: TableColumn, truth: Truth) -> Formula:
        """A condition on one column, from what it says of every row of the table of values."""
        index = self._index(column)
        if index < len(self.sizes):
            size = self.sizes[index]
            return one_of(index, np.flatnonzero(truth.true[:size]).tolist(), size)
        total = index - len(self.sizes)
        amounts = self.amounts[total]
        return TotalWithin(total, amounts, tuple(truth.true[: len(amounts)].tolist()))

    def _pair(self, left: TableColumn, sign: str, right: TableColumn) -> Formula:
        first, second = self._index(left), self._index(right)
        if max(first, second) >= len(self.sizes):
            raise InvalidInputError("a total can be compared with a value, not with another column")
        sizes = self.sizes[first], self.sizes[second]
        if left.kind in filter_conditions.MEASURED and right.kind in filter_conditions.MEASURED:
            values = left.numbers[: sizes[0], None], right.numbers[None, : sizes[1]]
        else:
            filter_conditions.compared(left, sign, right)  # rejects what cannot be compared
            texts = [
                np.array([column.text(row) for row in range(size)], dtype=object)
                for column, size in zip((left, right), sizes, strict=True)
            ]
            values = texts[0][:, None], texts[1][None, :]
        holds = np.broadcast_to(filter_conditions.SIGNS[sign](*values), sizes).astype(bool)
        if first == second:
            return one_of(first, np.flatnonzero(holds.diagonal()).tolist(), sizes[0])
        pairs = frozenset(zip(*(axis.tolist() for axis in holds.nonzero()), strict=True))
        return PairOf(first, second, pairs, sizes)

    def _index(self, column: TableColumn) -> int:
        return next(index for index, each in enumerate(self.columns) if each is column)
