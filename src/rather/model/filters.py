"""What the items of a catalogue can be filtered by."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from torch import Tensor

from rather.model.allowed import Allowed


@dataclass(frozen=True)
class NumberColumn:
    """A number known of each item.

    Attributes:
        name: What to call it.
        values: `(n,)` float64, NaN where it is missing.
        unit: "" if it has none.
    """

    name: str
    values: Tensor = field(repr=False)
    unit: str = ""

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest of the numbers."""
        known = self.values[~self.values.isnan()]
        return float(known.min()), float(known.max())


@dataclass(frozen=True)
class ValueColumn:
    """A column of a few values.

    Attributes:
        name: What to call it.
        rows: The rows of the items that have each value.
        several: Whether an item may have several values (tags).
    """

    name: str
    rows: Mapping[str, Sequence[int]] = field(repr=False)
    several: bool = False

    @property
    def values(self) -> Collection[str]:
        """The values."""
        return self.rows.keys()

    @property
    def counts(self) -> list[tuple[str, int]]:
        """How many items have each value, the most frequent first."""
        return sorted(((value, len(rows)) for value, rows in self.rows.items()), key=lambda pair: (-pair[1], pair[0]))


@dataclass(frozen=True)
class CountedColumn:
    """A column of a few values of which only the numbers of items are known, because there are too many to list.

    Attributes:
        name: What to call it.
        items: How many items have each value.
    """

    name: str
    items: Mapping[str, int] = field(repr=False)
    several: ClassVar[bool] = False

    @property
    def values(self) -> Collection[str]:
        """The values."""
        return self.items.keys()

    @property
    def counts(self) -> list[tuple[str, int]]:
        """How many items have each value, the most frequent first."""
        return sorted(self.items.items(), key=lambda pair: (-pair[1], pair[0]))


FilterColumn = NumberColumn | ValueColumn | CountedColumn


class ItemFilters(Protocol):
    """What a catalogue needs to be filtered."""

    def where(self, expression: str) -> Allowed:
        """Which items satisfy an expression such as `price < 30000 and drive == 'AWD'`: a mask `(n,)`, or rules."""
        ...

    def columns(self, most_values: int) -> Sequence[FilterColumn]:
        """What can be filtered by without an expression; no column of more than `most_values` values."""
        ...
