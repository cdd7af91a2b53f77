"""What the items of a catalogue can be filtered by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from torch import Tensor


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
    def counts(self) -> list[tuple[str, int]]:
        """How many items have each value, the most frequent first."""
        return sorted(((value, len(rows)) for value, rows in self.rows.items()), key=lambda pair: (-pair[1], pair[0]))


class ItemFilters(Protocol):
    """What a catalogue needs to be filtered."""

    def where(self, expression: str) -> Tensor:
        """Which items satisfy an expression such as `price < 30000 and drive == 'AWD'`, a boolean mask `(n,)`."""
        ...

    def columns(self, most_values: int) -> Sequence[NumberColumn | ValueColumn]:
        """What can be filtered by without an expression; no column of more than `most_values` values."""
        ...
