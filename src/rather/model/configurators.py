"""Configuring: what is chosen about the items of a product space, and what its rules say.

Items of a list are picked as they are. A configuration is a choice in each of some decisions, so that one of them can
be changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rather.languages import ENGLISH
from rather.model.attributes import Wording


@dataclass(frozen=True)
class Choosable:
    """One decision about every item.

    Attributes:
        column: Its name, also in rules.
        name: What people read.
        layer: Which layer of the diagram takes it.
        values: What can be chosen, as ids say it ("carbon", "28", "yes").
        is_shown_only: Whether nothing is learned about it.
    """

    column: str
    name: str
    layer: int
    values: tuple[str, ...]
    is_shown_only: bool = False


@dataclass(frozen=True)
class Amount:
    """What a total comes to for an item.

    Attributes:
        column: Of the total.
        name: What people read.
        amount: The number.
        text: In words, with its unit.
    """

    column: str
    name: str
    amount: float
    text: str


class Configurator(Protocol):
    """What can be chosen about the items of a catalogue."""

    @property
    def decisions(self) -> Sequence[Choosable]:
        """All decisions, in the order in which they are shown."""
        ...

    def position(self, decision: Choosable, value: Any) -> int:
        """The position of a value among those of a decision; an error says which there are."""
        ...

    def text(self, decision: Choosable, position: int, language: str = ENGLISH) -> str:
        """A value as it is shown: "28 mm"."""
        ...

    def wording(self, decision: Choosable, position: int, language: str = ENGLISH) -> Wording:
        """A value as it is said of an item: "with **28 mm** tyres"."""
        ...

    def amounts(self, row: int, language: str = ENGLISH) -> Sequence[Amount]:
        """What the totals that are shown come to for an item."""
        ...

    def difference(self, column: str, amount: float, language: str = ENGLISH) -> str:
        """A difference between two amounts of a total, with its sign: "+€120"."""
        ...

    def broken(self, positions: Mapping[str, int], expressions: Sequence[str]) -> Sequence[str]:
        """Those of the rules, and of further expressions, that an item with these values would break.

        Args:
            positions: Of every decision, by column, the position of its value.
            expressions: Must-haves.
        """
        ...

    def clashing(self, positions: Mapping[str, int], expressions: Sequence[str]) -> Sequence[str]:
        """Rules and expressions that together allow no item with these values; each of them is needed for that.

        Args:
            positions: Of some decisions, by column.
            expressions: Must-haves.
        """
        ...

    def said(self, rule: str, language: str = ENGLISH) -> str:
        """A rule in words: "frame: carbon only goes with brakes: not rim"."""
        ...
