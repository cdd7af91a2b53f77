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


class ItemFilters(Protocol):
    """What a catalogue needs to be filtered."""

    def where(self, expression: str) -> Tensor:
        """Which items satisfy an expression such as `price < 30000 and drive == 'AWD'`, a boolean mask `(n,)`."""
        ...

    def columns(self, most_values: int) -> Sequence[NumberColumn | ValueColumn]:
        """What can be filtered by without an expression; no column of more than `most_values` values."""
        ...
