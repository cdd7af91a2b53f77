"""Columns of repeated values as a list of the different ones and a number for each row."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from rather.languages import ENGLISH
from rather.publishing.packing import Array, smallest

Value = TypeVar("Value", bound=Hashable)

ByLanguage = dict[str, Any]


@dataclass
class Arrays:
    """The arrays of a file by name."""

    named: dict[str, Array] = field(default_factory=dict)

    def add(self, name: str, array: Array) -> str:
        """Store an array under a name."""
        self.named[name] = array
        return name

    def coded(self, name: str, values: Iterable[Value]) -> tuple[list[Value], str]:
        """The different values in the order in which they occur, and the name of the array of their numbers."""
        known: dict[Value, int] = {}
        numbers = [known.setdefault(value, len(known)) for value in values]
        return list(known), self.add(name, smallest(np.array(numbers, dtype=np.uint32)))


def by_language(languages: Sequence[str], say: Callable[[str], Any]) -> ByLanguage:
    """What is said in each language; a language that says the same as English is left out."""
    english = say(ENGLISH)
    others = {language: say(language) for language in languages if language != ENGLISH}
    return {ENGLISH: english, **{language: said for language, said in others.items() if said != english}}
