"""Comparatives: how an item may be wished otherwise, all else equal. "Like this one, but cheaper"."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import torch
from torch import Tensor

from rather.languages import ENGLISH, has_message, message, name_in
from rather.model.items import ItemStorage
from rather.model.statements import Toward


@dataclass(frozen=True)
class Comparative:
    """One way in which an item may be wished otherwise.

    Attributes:
        column: What changes ("price").
        toward: Which way.
        text: In words ("cheaper", "with more memory").
        step: `(d,)`, what a typical step that way adds to the item's vector.
        usual: Whether people wish this of most items, as "cheaper".
        translate: The words in another language, by the code of the language; None where only English is known.
    """

    column: str
    toward: Toward
    text: str
    step: Tensor = field(repr=False, compare=False)
    usual: bool = False
    translate: Callable[[str], str] | None = field(default=None, repr=False, compare=False)

    def said(self, language: str) -> str:
        """In words of a language."""
        return self.text if language == ENGLISH or self.translate is None else self.translate(language)


def comparative_in(language: str, words: str, toward: str, name: str) -> str:
    """Less or more of a named dimension, which English says in these words, in a language."""
    if language == ENGLISH:
        return words
    known = f"comparatives.{words}"
    key = known if has_message(language, known) else f"comparatives.{toward} {{name}}"
    return message(language, key, name=name_in(language, name))


class Comparatives(Protocol):
    """How each item of a catalogue may be wished otherwise."""

    def __call__(self, row: int) -> tuple[Comparative, ...]:
        """The comparatives of the item in this row, the most usual ones first."""
        ...


@dataclass(frozen=True, eq=False)
class FeatureComparatives:
    """More or less of each named dimension: a standard deviation over the items, within what items have.

    Attributes:
        storage: The items.
        features: The names of the d dimensions.
        words: For names that have comparatives of their own, less and more of it ("less dark", "darker").
    """

    storage: ItemStorage
    features: Sequence[str]
    words: dict[str, tuple[str, str]] = field(default_factory=dict)

    def __call__(self, row: int) -> tuple[Comparative, ...]:
        """See `Comparatives`."""
        low, high, spread = self.storage.feature_ranges
        item = self.storage.vectors(torch.tensor(row))
        sizes = {"more": torch.minimum(spread, high - item), "less": torch.minimum(spread, item - low)}
        # A tenth of a usual step is no difference that anybody means.
        possible = {toward: (size > 0.1 * spread).tolist() for toward, size in sizes.items()}
        steps = {"more": torch.diag(sizes["more"]), "less": torch.diag(-sizes["less"])}
        found = []
        for index, name in enumerate(self.features):
            less, more = self.words.get(name, (f"less {name}", f"more {name}"))
            towards: tuple[tuple[Toward, str], ...] = (("more", more), ("less", less))
            for toward, text in towards:
                if possible[toward][index]:
                    translate = partial(comparative_in, words=text, toward=toward, name=name)
                    found.append(Comparative(name, toward, text, steps[toward][index], translate=translate))
        return tuple(found)
