"""Attributes: what can be said of an item in a few words.

"Would you rather watch a film that is funny or one that is dark?" compares two partial items. Each states one
attribute (or p of them) and leaves the rest equal: to a utility vector it is the sum of its attributes' vectors.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch import Tensor

from rather.errors import InvalidInputError
from rather.languages import ENGLISH, name_in
from rather.numerics.arrays import as_floats


class Wording(NamedTuple):
    """An attribute in one language: its text and phrase, as `Attribute` has them in English."""

    text: str
    phrase: str


# What is stressed in a phrase stands between these marks.
STRESS = "**"


@dataclass(frozen=True)
class Attribute:
    """One thing that may be said of an item.

    Attributes:
        text: In words, with its unit: "funny", "all-wheel drive", "200 to 300 hp".
        column: What it is about ("drive"). Two attributes about one column contradict each other; what can hold at
            the same time, such as the tags of a list, has a column of its own each.
        vector: `(d,)`, what it adds to an item vector.
        phrase: What follows the noun when it is said of an item, its value between `**`: "that is **funny**", "made by
            **Lenovo**", "with **16 GB** of memory"; "" where only the text itself reads well.
        topic: What the column is called in a sentence ("battery life"); "" where its name reads well.
        translate: What it says in another language, by the code of the language; None where only English is known.
    """

    text: str
    column: str
    vector: Tensor = field(repr=False, compare=False)
    phrase: str = ""
    topic: str = field(default="", repr=False)
    translate: Callable[[str], Wording] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise InvalidInputError(f"`text` of an attribute about {self.column!r} must not be empty.")
        if self.phrase and self.phrase.count(STRESS) != 2:
            raise InvalidInputError(
                f"`phrase` must have its value between two marks, as in 'that is **funny**', got {self.phrase!r}."
            )
        object.__setattr__(self, "vector", as_floats(self.vector, "vector", rank=1))

    @property
    def about(self) -> str:
        """What it is about, as one says it."""
        return self.topic or self.column

    def said(self, language: str) -> Wording:
        """The attribute in a language; in one that is not known, its text alone."""
        if language == ENGLISH:
            return Wording(self.text, self.phrase)
        return Wording(name_in(language, self.text), "") if self.translate is None else self.translate(language)


def unit_attributes(features: Sequence[str], phrase: str = "with **{}**") -> tuple[Attribute, ...]:
    """One attribute for each named dimension: the dimension is there, at 1.

    Args:
        features: The names.
        phrase: That of every attribute, with `{}` for the name: "that is **{}**".
    """
    vectors = torch.eye(len(features), dtype=torch.float32)
    named = zip(features, vectors, strict=True)
    return tuple(Attribute(name, name, vector, phrase.replace("{}", name)) for name, vector in named)


def validated_attributes(attributes: Sequence[Any], dimensions: int) -> tuple[Attribute, ...]:
    """The attributes, if each is one about items of this many dimensions; an error that names the first that is not."""
    seen: set[tuple[str, str]] = set()
    for index, attribute in enumerate(attributes):
        if not isinstance(attribute, Attribute):
            raise InvalidInputError(
                f"`attributes` must hold rather.Attribute objects, got {type(attribute).__name__} at index {index}."
            )
        if len(attribute.vector) != dimensions:
            raise InvalidInputError(
                f"`attributes` must have vectors of {dimensions} dimensions like the items, but "
                f"{attribute.text!r} has {len(attribute.vector)}."
            )
        if (attribute.column, attribute.text) in seen:
            raise InvalidInputError(
                f"`attributes` must be distinct, but {attribute.text!r} about {attribute.column!r} occurs twice."
            )
        seen.add((attribute.column, attribute.text))
    return tuple(attributes)


def column_numbers(attributes: Sequence[Attribute]) -> Tensor:
    """`(a,)`: two attributes with the same number contradict each other."""
    numbers: dict[str, int] = {}
    return torch.tensor([numbers.setdefault(attribute.column, len(numbers)) for attribute in attributes])


def attributes_hash(attributes: Sequence[Attribute]) -> str:
    """A hash of what is said and what it means: equal for equal attributes, in whichever process or file."""
    digest = hashlib.blake2b(digest_size=16)
    for attribute in attributes:
        digest.update(repr((attribute.text, attribute.column)).encode())
        digest.update(attribute.vector.contiguous().numpy().tobytes())
    return digest.hexdigest()
