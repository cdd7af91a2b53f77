"""Must-haves: what can be asked for, found in the facts of a catalogue, and the items that have it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from rather.errors import RatherError
from rather.model.catalog import Catalog
from rather.model.filters import NumberColumn, ValueColumn
from rather.server.http import schema
from rather.server.http.problems import ProblemError

# Beyond this many values a list to choose from helps nobody, and the texts are names or sentences.
MOST_VALUES = 200

_NUMBER = re.compile(r"\s*([-+]?\d+(?:\.\d+)?)\s*([^\d\s,]{0,12})\s*")


@dataclass(frozen=True)
class NumberFilter:
    """A fact that is a number for every item which has it."""

    values: Tensor
    unit: str | None

    def mask(self, wanted: schema.Filter) -> Tensor:
        """`(n,)`: within the bounds; an item without the fact is not (NaN compares false)."""
        low = -torch.inf if wanted.minimum is None else wanted.minimum
        high = torch.inf if wanted.maximum is None else wanted.maximum
        return (self.values >= low) & (self.values <= high)

    def option(self, name: str) -> schema.FilterOption:
        """What can be asked for."""
        known = self.values[~self.values.isnan()]
        low, high = float(known.min()), float(known.max())
        return schema.FilterOption(attribute=name, kind="number", values=[], minimum=low, maximum=high, unit=self.unit)


@dataclass(frozen=True)
class ValueFilter:
    """A fact with few values, or several of them at once ("drama, war").

    Attributes:
        rows: The items that have each value.
        items: How many items there are in all.
        tags: Whether an item may have several.
    """

    rows: Mapping[str, Sequence[int]]
    items: int
    tags: bool

    def mask(self, wanted: schema.Filter) -> Tensor:
        """`(n,)`: has one of the values."""
        mask = torch.zeros(self.items, dtype=torch.bool)
        for value in wanted.any_of or ():
            mask[torch.as_tensor(self.rows.get(value, ()), dtype=torch.long)] = True
        return mask

    def option(self, name: str) -> schema.FilterOption:
        """What can be asked for, the most frequent first."""
        counts = sorted(((len(rows), value) for value, rows in self.rows.items()), key=lambda pair: (-pair[0], pair[1]))
        values = [schema.FilterValue(value=value, items=count) for count, value in counts]
        return schema.FilterOption(attribute=name, kind="tags" if self.tags else "category", values=values)


ItemFilter = NumberFilter | ValueFilter


@dataclass(frozen=True)
class CatalogFilters:
    """The filters of one catalogue."""

    catalog: Catalog

    @cached_property
    def columns(self) -> dict[str, ItemFilter]:
        """By name, in the order the facts are shown."""
        if self.catalog.filters is not None:
            columns = self.catalog.filters.columns(MOST_VALUES)
            return {column.name: _of_column(column, len(self.catalog)) for column in columns}
        facts = self.catalog.facts
        names = list(dict.fromkeys(name for item in facts for name in item))
        found = {name: _of_facts([item.get(name, "") for item in facts]) for name in names}
        return {name: column for name, column in found.items() if column is not None}

    def options(self) -> list[schema.FilterOption]:
        """What can be asked for."""
        return [column.option(name) for name, column in self.columns.items()]

    def mask(self, filters: Sequence[schema.Filter], where: str | None) -> Tensor | None:
        """`(n,)` boolean, the items that have all of it; None when nothing is asked for."""
        if where is not None and where.strip():
            if self.catalog.filters is None:
                raise refused("This catalogue takes no `where` expression. Use `filters`.")
            mask = self._where(where)
        elif filters:
            mask = torch.ones(len(self.catalog), dtype=torch.bool)
        else:
            return None
        for wanted in filters:
            mask = mask & self._column(wanted).mask(wanted)
        return mask

    def _where(self, expression: str) -> Tensor:
        try:
            return self.catalog.where(expression)
        except RatherError as error:
            raise refused(str(error)) from None

    def _column(self, wanted: schema.Filter) -> ItemFilter:
        column = self.columns.get(wanted.attribute)
        if column is None:
            known = ", ".join(self.columns) or "none"
            raise refused(f"No filter is called {wanted.attribute!r}. There are: {known}.")
        if isinstance(column, NumberFilter) == (wanted.any_of is not None):
            bounds = "`minimum` and `maximum`" if isinstance(column, NumberFilter) else "`any_of`"
            raise refused(f"The filter {wanted.attribute!r} takes {bounds}.")
        return column


def refused(detail: str) -> ProblemError:
    """A must-have that makes no sense for its catalogue."""
    return ProblemError(422, "invalid-filter", detail, "See the catalogue's attributes for its filters.")


def _of_column(column: NumberColumn | ValueColumn, items: int) -> ItemFilter:
    if isinstance(column, NumberColumn):
        return NumberFilter(column.values, column.unit or None)
    return ValueFilter(column.rows, items, tags=column.several)


def _of_facts(texts: Sequence[str]) -> ItemFilter | None:
    """A fact of every item, as it is shown, as a filter."""
    if not any(texts):
        return None
    return _number_column(texts) or _value_column(texts)


def _number_column(texts: Sequence[str]) -> NumberFilter | None:
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
    return NumberFilter(torch.tensor(values, dtype=torch.float64), unit or None)


def _value_column(texts: Sequence[str]) -> ValueFilter | None:
    tags = sum(", " in text for text in texts) * 5 >= len(texts)
    column = _with_tags([text.split(", ") if tags else [text] for text in texts])
    # Names and sentences, which hardly two items share, are nothing to choose from.
    if column is None or len(column.rows) * 2 > len(texts):
        return None
    return replace(column, tags=tags)


def _with_tags(tags: Sequence[Sequence[str] | None]) -> ValueFilter | None:
    rows: dict[str, list[int]] = {}
    for row, values in enumerate(tags):
        for value in dict.fromkeys(values or ()):
            if value:
                rows.setdefault(value, []).append(row)
    return ValueFilter(rows, len(tags), tags=True) if 0 < len(rows) <= MOST_VALUES else None
