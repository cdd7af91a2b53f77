"""Columns: what items can be compared by, in words ("cheaper", "more suspenseful")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import torch
from torch import Tensor

from rather.languages import ENGLISH
from rather.model.attributes import Attribute
from rather.model.comparatives import comparative_in

if TYPE_CHECKING:
    from rather.model.items import ItemStorage

# Items whose values say how common a value is.
SAMPLED_ITEMS = 1_000

# Items of which a column keeps what it said; more than are recommended and shown in a few hundred conversations.
CACHED_ROWS = 10_000


class Column(Protocol):
    """What items can be compared by: a column of a table, or a dimension with a name.

    Attributes:
        name: What people call it; where it is shown as a fact, the name of that fact.
        dimensions: The dimensions of the item vectors that it fills.
        more: What an item with more of it is, before "than": "dearer", "with more memory"; "" without an order.
        less: The same of an item with less of it.
    """

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    @property
    def dimensions(self) -> slice:
        """The dimensions that it fills."""
        ...

    @property
    def more(self) -> str:
        """What an item with more of it is."""
        ...

    @property
    def less(self) -> str:
        """What an item with less of it is."""
        ...

    def compared(self, language: str) -> tuple[str, str]:
        """What an item with less and with more of it is, in a language."""
        ...

    def share_below(self, row: int) -> float | None:
        """The share of items that have less of it than the one in this row; None where it is unknown or unordered."""
        ...

    def text(self, row: int, language: str = ENGLISH) -> str | None:
        """What to show of it on a card, in words; None for what is only a number to us."""
        ...

    def attributes(self, row: int) -> Sequence[Attribute]:
        """What can be said about it of the item in this row; nothing where it is unknown."""
        ...


@dataclass(frozen=True, eq=False)
class FeatureColumn:
    """A dimension with a name; implements `Column`.

    Attributes:
        index: Of the dimension.
        name: Of the dimension.
        attribute: What is said of an item that has it.
        storage: The items.
        words: What an item with less and with more of it is: "less dark", "darker".
    """

    index: int
    name: str
    attribute: Attribute | None
    storage: ItemStorage
    words: tuple[str, str]

    @property
    def dimensions(self) -> slice:
        """The one dimension."""
        return slice(self.index, self.index + 1)

    @property
    def more(self) -> str:
        """What an item with more of it is: "funnier"; "" for what is no matter of degree, such as "a musical"."""
        return self.words[1] if self._comes_in_degrees else ""

    @property
    def less(self) -> str:
        """What an item with less of it is: "less funny"."""
        return self.words[0] if self._comes_in_degrees else ""

    def compared(self, language: str) -> tuple[str, str]:
        """What an item with less and with more of it is, in a language."""
        if not self.more:
            return "", ""
        return comparative_in(language, self.less, "less", self.name), comparative_in(
            language, self.more, "more", self.name
        )

    def share_below(self, row: int) -> float | None:
        """The share of items that have less of it."""
        return self._about(row)[0]

    def text(self, row: int, language: str = ENGLISH) -> str | None:
        """Nothing: a coordinate says little to a person."""
        return None

    def attributes(self, row: int) -> Sequence[Attribute]:
        """Its attribute, if the item is nearer to the highest value than to the lowest."""
        return () if self.attribute is None or not self._about(row)[1] else (self.attribute,)

    @property
    def _comes_in_degrees(self) -> bool:
        quality = self.name if self.attribute is None else self.attribute.text
        return not quality.startswith(("a ", "an ", "the ", "based on "))

    def _about(self, row: int) -> tuple[float, bool]:
        """The share of items with less of it, and whether it is nearer to the highest value.

        Both are asked for again and again while reasons are looked for.
        """
        if (known := self._known.get(row)) is not None:
            return known
        ranges, ordered = self.storage.feature_ranges, self._sorted
        value = float(self.storage.vectors(torch.tensor([row]))[0, self.index])
        rounding = 1e-6 * float(ordered[-1] - ordered[0])
        share = int(torch.searchsorted(ordered, value - rounding)) / len(ordered)
        if len(self._known) >= CACHED_ROWS:
            self._known.clear()
        self._known[row] = found = share, value > float(ranges.low[self.index] + ranges.high[self.index]) / 2
        return found

    @cached_property
    def _known(self) -> dict[int, tuple[float, bool]]:
        return {}

    @cached_property
    def _sorted(self) -> Tensor:
        n = self.storage.shape[0]
        return self.storage.vectors(torch.arange(0, n, max(1, n // SAMPLED_ITEMS)))[:, self.index].sort().values


def feature_columns(
    features: Sequence[str],
    attributes: Sequence[Attribute],
    storage: ItemStorage,
    words: Mapping[str, tuple[str, str]],
) -> tuple[FeatureColumn, ...]:
    """One column for each named dimension, with the attribute that says this dimension alone."""
    alone: dict[int, Attribute] = {}
    for attribute in attributes:
        filled = attribute.vector.nonzero()[:, 0].tolist()
        if len(filled) == 1:
            alone.setdefault(filled[0], attribute)
    return tuple(
        FeatureColumn(index, name, alone.get(index), storage, words.get(name, (f"less {name}", f"more {name}")))
        for index, name in enumerate(features)
    )
