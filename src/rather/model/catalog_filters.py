"""The filters of a catalogue, from its table or from the facts of its items, and the items that match them."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Protocol

import torch
from torch import Tensor

from rather.errors import InvalidInputError
from rather.model.allowed import Allowed, both_allowed
from rather.model.catalog import Catalog
from rather.model.configured_items import ConfiguredItems
from rather.model.filters import FilterColumn as FilterColumn
from rather.model.filters import NumberColumn, ValueColumn

# A longer list of values is no help to choose from, and its texts are usually names or sentences.
MOST_VALUES = 200

_NUMBER = re.compile(r"\s*([-+]?\d+(?:\.\d+)?)\s*([^\d\s,]{0,12})\s*")


class Filter(Protocol):
    """What an item must have, in terms of one column."""

    @property
    def attribute(self) -> str:
        """The name of the column."""
        ...

    @property
    def any_of(self) -> Sequence[str] | None:
        """For a column of values: the item has one of these."""
        ...

    @property
    def minimum(self) -> float | None:
        """For a column of numbers: not below this."""
        ...

    @property
    def maximum(self) -> float | None:
        """For a column of numbers: not above this."""
        ...


@dataclass(frozen=True)
class CatalogFilters:
    """The filters of one catalogue."""

    catalog: Catalog

    @cached_property
    def columns(self) -> dict[str, FilterColumn]:
        """What can be filtered by: columns by name, in the order the facts are shown."""
        if self.catalog.filters is not None:
            columns = self.catalog.filters.columns(MOST_VALUES)
        else:
            facts = self.catalog.facts
            names = dict.fromkeys(name for item in facts for name in item)
            found = (_column_of_facts(name, [item.get(name, "") for item in facts]) for name in names)
            columns = [column for column in found if column is not None]
        return {column.name: column for column in columns}

    def mask(self, filters: Sequence[Filter], where: str | None) -> Allowed | None:
        """The items that match the expression and all filters; None when there is nothing to match."""
        has_expression = where is not None and bool(where.strip())
        if not has_expression and not filters:
            return None
        if isinstance(self.catalog.storage, ConfiguredItems):
            given = [where] if where is not None and has_expression else []
            expressions = [*given, *(expression_of(self._column(wanted), wanted) for wanted in filters)]
            return reduce(both_allowed, map(self._matching_expression, expressions))
        mask: Allowed = torch.ones(len(self.catalog), dtype=torch.bool)
        if where is not None and has_expression:
            mask = both_allowed(mask, self._matching_expression(where))
        for wanted in filters:
            mask = both_allowed(mask, self._matching(wanted))
        return mask

    def _matching_expression(self, where: str) -> Allowed:
        if self.catalog.filters is None:
            raise InvalidInputError("This catalogue takes no `where` expression. Use `filters`.")
        return self.catalog.filters.where(where)

    def _matching(self, wanted: Filter) -> Tensor:
        column = self._column(wanted)
        if isinstance(column, NumberColumn):
            return _in_bounds(column, wanted)
        assert isinstance(column, ValueColumn), "columns of counts alone belong to product spaces"
        return self._with_value(column, wanted)

    def _column(self, wanted: Filter) -> FilterColumn:
        """The column that a filter is about."""
        column = self.columns.get(wanted.attribute)
        if column is None:
            known = ", ".join(self.columns) or "none"
            raise InvalidInputError(f"No filter is called {wanted.attribute!r}. There are: {known}.")
        if isinstance(column, NumberColumn) == (wanted.any_of is not None):
            bounds = "`minimum` and `maximum`" if isinstance(column, NumberColumn) else "`any_of`"
            raise InvalidInputError(f"The filter {wanted.attribute!r} takes {bounds}.")
        return column

    def _with_value(self, column: ValueColumn, wanted: Filter) -> Tensor:
        mask = torch.zeros(len(self.catalog), dtype=torch.bool)
        for value in wanted.any_of or ():
            mask[torch.as_tensor(column.rows.get(value, ()), dtype=torch.long)] = True
        return mask


def expression_of(column: FilterColumn, wanted: Filter) -> str:
    """A filter as an expression."""
    name = f"`{column.name}`"
    if not isinstance(column, NumberColumn):
        texts = ["'" + re.sub(r"(['\\])", r"\\\1", value) + "'" for value in wanted.any_of or ()]
        return f"{name} in ({', '.join(texts)})"
    bounds = [f"{name} >= {wanted.minimum!r}"] if wanted.minimum is not None else []
    bounds += [f"{name} <= {wanted.maximum!r}"] if wanted.maximum is not None else []
    return " and ".join(bounds) or f"{name} is not missing"


def _in_bounds(column: NumberColumn, wanted: Filter) -> Tensor:
    """`(n,)`; an item without the number is not (NaN compares false)."""
    low = -torch.inf if wanted.minimum is None else wanted.minimum
    high = torch.inf if wanted.maximum is None else wanted.maximum
    return (column.values >= low) & (column.values <= high)


def _column_of_facts(name: str, texts: Sequence[str]) -> FilterColumn | None:
    """A fact as a column, from the text that each item shows; None for one that cannot be filtered by."""
    if not any(texts):
        return None
    return _number_column(name, texts) or _value_column(name, texts)


def _number_column(name: str, texts: Sequence[str]) -> NumberColumn | None:
    values, units = [], Counter[str]()
    for text in texts:
        match = _NUMBER.fullmatch(text) if text else None
        if text and match is None:
            return None
        values.append(float(match[1]) if match else float("nan"))
        units.update([match[2]] if match else [])
    if len(units) != 1:
        return None
    (unit,) = units
    return NumberColumn(name, torch.tensor(values, dtype=torch.float64), unit)


def _value_column(name: str, texts: Sequence[str]) -> ValueColumn | None:
    several = sum(", " in text for text in texts) * 5 >= len(texts)
    rows: dict[str, list[int]] = {}
    for row, text in enumerate(texts):
        for value in dict.fromkeys(text.split(", ") if several else [text]):
            if value:
                rows.setdefault(value, []).append(row)
    # Names and sentences, which hardly any two items share, are nothing to choose from.
    if not rows or len(rows) > MOST_VALUES or len(rows) * 2 > len(texts):
        return None
    return ValueColumn(name, rows, several)
