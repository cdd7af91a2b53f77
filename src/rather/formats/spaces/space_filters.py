"""The columns of a product space as filters: must-haves are rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor

from rather.formats.spaces.compiling import Compiled
from rather.formats.spaces.valid import ValidConfigurations
from rather.formats.tables.column_kinds import ColumnKind, Role
from rather.formats.tables.table_columns import TableColumn
from rather.model.allowed import AllowedConfigurations
from rather.model.configured_items import Configurations
from rather.model.filters import CountedColumn, FilterColumn, NumberColumn, ValueColumn

# Up to this many configurations, what can be filtered by is listed for each; a published page needs that.
MOST_LISTED = 20_000

# Filters whose configurations are kept.
MAX_FILTERS = 64


@dataclass(frozen=True, eq=False)
class SpaceFilters:
    """Filters over the columns of a product space; implements `rather.model.filters.ItemFilters`.

    Attributes:
        valid: The configurations.
        with_effects: Configurations with what their choices add to item vectors.
    """

    valid: ValidConfigurations
    with_effects: Callable[[Compiled], Configurations] = field(repr=False)
    _found: dict[tuple[str, ...], Configurations] = field(default_factory=dict, init=False, repr=False)

    def __reduce__(self) -> tuple[type[SpaceFilters], tuple[ValidConfigurations, Callable[[Compiled], Configurations]]]:
        # Another process starts with an empty cache.
        return SpaceFilters, (self.valid, self.with_effects)

    def where(self, expression: str) -> AllowedConfigurations:
        """Which configurations satisfy an expression, as rules; see `rather.formats.tables.filter_expressions`."""
        expressions = (expression,)
        return AllowedConfigurations(expressions, self.filtered(expressions), self._everything, self.filtered)

    def filtered(self, expressions: tuple[str, ...]) -> Configurations:
        """The configurations that satisfy all of these."""
        found = self._found.get(expressions)
        if found is None:
            found = self.with_effects(self.valid.filtered(expressions))
            # Copied first: other threads add to it.
            for oldest in list(self._found)[: len(self._found) + 1 - MAX_FILTERS]:
                self._found.pop(oldest, None)
            self._found[expressions] = found
        return found

    def columns(self, most_values: int) -> Sequence[FilterColumn]:
        """All columns that are not ignored; no option of more than `most_values` values."""
        if self._everything.diagram.count <= MOST_LISTED:
            return self._listed(most_values)
        found: list[FilterColumn] = []
        for index, column in enumerate(self.valid.values):
            if column.role is Role.IGNORE:
                continue
            if index >= len(self.valid.space.decisions) or column.kind is ColumnKind.NUMBER:
                found.append(self._numbers(index, column))
            elif len(self.valid.space.decisions[index].values) <= most_values:
                found.append(CountedColumn(column.display_name, self._items(index, column)))
        return found

    def _listed(self, most_values: int) -> list[FilterColumn]:
        """The same with what each configuration has, as of a table."""
        diagram = self._everything.diagram
        cells = self.valid.table(diagram.choices(torch.arange(diagram.count)))
        found: list[FilterColumn] = []
        for index, column in enumerate(self.valid.values):
            own = cells[column.name]
            if column.role is Role.IGNORE:
                continue
            if index >= len(self.valid.space.decisions) or column.kind is ColumnKind.NUMBER:
                numbers = torch.tensor([float(each) for each in own], dtype=torch.float64)
                found.append(NumberColumn(column.display_name, numbers, column.unit))
                continue
            values = self.valid.space.decisions[index].values
            if len(values) <= most_values:
                having = {
                    column.text(value): [row for row, each in enumerate(own) if each == values[value]]
                    for value in range(len(values))
                }
                found.append(ValueColumn(column.display_name, {text: rows for text, rows in having.items() if rows}))
        return found

    def _numbers(self, index: int, column: TableColumn) -> NumberColumn:
        """The numbers that valid configurations have."""
        decisions = len(self.valid.space.decisions)
        if index < decisions:
            numbers = torch.from_numpy(column.numbers[: len(self.valid.space.decisions[index].values)].copy())
            numbers = numbers[self._shares(index) > 0]
        else:
            low, high = self.valid.total_bounds(index - decisions)
            numbers = torch.tensor([low, high], dtype=torch.float64)
        return NumberColumn(column.display_name, numbers, column.unit)

    def _items(self, index: int, column: TableColumn) -> dict[str, int]:
        shares = self._shares(index) * self._everything.diagram.count
        return {column.text(value): round(items) for value, items in enumerate(shares.tolist()) if items > 0}

    def _shares(self, decision: int) -> Tensor:
        """The share of configurations that have each value of a decision, `(values,)`."""
        compiled = self.valid.compiled
        layer = compiled.order.index(decision)
        values = torch.tensor([each.value for each in compiled.settled[layer]])
        shares = torch.zeros(len(self.valid.space.decisions[decision].values), dtype=torch.float64)
        return shares.index_add_(0, values, compiled.diagram.shares[layer])

    @cached_property
    def _everything(self) -> Configurations:
        return self.with_effects(self.valid.compiled)
