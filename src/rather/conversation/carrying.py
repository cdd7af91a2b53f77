"""What became of a stored conversation in a catalogue that has changed since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from rather.errors import CatalogChangedError
from rather.languages import ENGLISH, message
from rather.model.catalog import Catalog
from rather.model.hints import Hint
from rather.model.questions import GONE, Option, Question
from rather.nouns import counted

# Of an item that was shown, relative to its length: what was saved and loaded in another format is this close, while
# training again moves every vector by far more.
SAME_VECTOR = 1e-4

# Labels that a sentence lists, and facts that it says of each.
MOST_LISTED = 5
MOST_FACTS = 3

# Longer facts are prose: that they changed is enough.
LONGEST_FACT = 40


@dataclass(frozen=True)
class CarriedOver:
    """What a stored conversation met in the catalogue and belief that it was loaded with.

    Attributes:
        name: What an item is called.
        catalog_changed: Whether the catalogue is another version of the one that the log was written about.
        belief_changed: Whether the starting belief is another one; the answers were applied to the given one.
        items_gone: Items that were shown and are no longer there. The answers about them count as before.
        items_changed: Items that were shown and have changed, as they were. The answers count as they were given.
        facts_changed: What has changed about each of them, such as "Price €899 → €799"; "" where nothing short is.
        attributes_gone: Attributes that were asked about and are no longer said of any item.
        values_gone: Values of columns for which there is no dimension any more.
        allowed_gone: How many of the allowed items are no longer there.
        question_dropped: Whether the open question showed something that is gone or has changed, and is replaced.
    """

    name: str = "item"
    catalog_changed: bool = False
    belief_changed: bool = False
    items_gone: tuple[Option, ...] = ()
    items_changed: tuple[Option, ...] = ()
    facts_changed: tuple[str, ...] = ()
    attributes_gone: tuple[str, ...] = ()
    values_gone: tuple[str, ...] = ()
    allowed_gone: int = 0
    question_dropped: bool = False

    @property
    def sentences(self) -> tuple[str, ...]:
        """All of it in words."""
        said = []
        if self.catalog_changed:
            said.append(_say("catalog_changed"))
        if self.belief_changed:
            said.append(_say("belief_changed"))
        if self.items_gone:
            said.append(_say("items_gone", listed=_listed([option.label for option in self.items_gone])))
        if self.items_changed:
            both = zip(self.items_changed, self.facts_changed, strict=True)
            changed = [f"{option.label} ({facts})" if facts else option.label for option, facts in both]
            said.append(_say("items_changed", listed=_listed(changed)))
        if self.attributes_gone:
            said.append(_say("attributes_gone", name=self.name, listed=_listed(self.attributes_gone)))
        if self.values_gone:
            said.append(_say("values_gone", listed=_listed(self.values_gone)))
        if self.allowed_gone:
            said.append(_say("allowed_gone", items=counted(self.allowed_gone, f"allowed {self.name}")))
        if self.question_dropped:
            said.append(_say("question_dropped"))
        return tuple(said)

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def items_now(questions: Sequence[Question | Hint], catalog: Catalog) -> tuple[tuple[Option, ...], tuple[Option, ...]]:
    """The items of these questions that are gone, and those that have changed, each once."""
    gone: dict[object, Option] = {}
    changed: dict[object, Option] = {}
    for question in questions:
        for index, row in enumerate(question.slate):
            option = question.options[index]
            if row == GONE:
                gone[option.id] = option
            elif _has_changed(option, question.vectors[index], row, catalog):
                changed[option.id] = option
    return tuple(gone.values()), tuple(changed.values())


def facts_changed(option: Option, catalog: Catalog) -> str:
    """What has changed about an item that is still there."""
    assert option.id is not None
    row = catalog.row(option.id)
    label, now = catalog.label(row), catalog.facts_of(row)
    both = [(name, text, now[name]) for name, text in option.facts.items() if name in now]
    changes = [
        f"{name} {text} → {other}"
        for name, text, other in both
        if text != other and max(len(text), len(other)) <= LONGEST_FACT
    ]
    return ", ".join(([f"→ {label}"] if _is_renamed(option, row, catalog) else []) + changes[:MOST_FACTS])


def attributes_gone(questions: Sequence[Question]) -> tuple[str, ...]:
    """The texts of attributes of these questions that the catalogue no longer has."""
    texts = [
        option.attributes[position]
        for question in questions
        for option, said in zip(question.options, question.attributes, strict=False)
        for position, index in enumerate(said)
        if index == GONE
    ]
    return tuple(dict.fromkeys(texts))


def validate_same_vectors(questions: Sequence[Question | Hint], catalog: Catalog) -> None:
    """Raise unless items that were shown and are still there have the vectors that they had.

    Dimensions without names can only be told by these: other vectors are those of a model that was trained again.
    """
    still_there = [
        (question.vectors[index], row, question.options[index].label)
        for question in questions
        for index, row in enumerate(question.slate)
        if row != GONE
    ]
    if not still_there:
        raise CatalogChangedError(
            "This log belongs to another catalogue, or to a version of it of which nothing that was shown is left: its "
            "dimensions have no names, so that nothing tells whether they still mean the same."
        )
    for vector, row, label in still_there:
        if not _same(vector, catalog.vectors(row)):
            raise CatalogChangedError(
                f"The item vectors have another meaning: that of {label!r} is no longer what it was when it was shown. "
                "Vectors that were trained again are those of another space."
            )


def _has_changed(option: Option, vector: Tensor, row: int, catalog: Catalog) -> bool:
    if _is_renamed(option, row, catalog):
        return True
    facts = catalog.facts_of(row)
    if option.facts or facts:
        # Not the vectors: the scale and the average of a table move a little with every row.
        return _without_image(option.facts) != _without_image(facts)
    return not _same(vector, catalog.vectors(row))


def _is_renamed(option: Option, row: int, catalog: Catalog) -> bool:
    """Whether an item has another label. Configurations have none: they are called by what tells them apart."""
    return catalog.configurator is None and option.label != catalog.label(row)


def _without_image(facts: Mapping[str, str]) -> dict[str, str]:
    """The facts of an item without its picture, which logs once had among them."""
    return {name: text for name, text in facts.items() if name != "image"}


def _same(one: Tensor, other: Tensor) -> bool:
    return bool(torch.linalg.vector_norm(one - other) <= SAME_VECTOR * torch.linalg.vector_norm(other))


def _listed(texts: Sequence[str]) -> str:
    shown = ", ".join(texts[:MOST_LISTED])
    return shown if len(texts) <= MOST_LISTED else _say("listed_more", listed=shown, more=len(texts) - MOST_LISTED)


def _say(key: str, **values: str | int) -> str:
    return message(ENGLISH, f"carried.{key}", **values)
