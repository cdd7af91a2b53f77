"""Questions and recommendations, as plain data for people, pages and logs."""

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from torch import Tensor

from rather.errors import InvalidInputError
from rather.model.catalog import Catalog, ItemId
from rather.model.notebook import html_table

QuestionKind = Literal["items", "attributes"]
TaskKind = Literal["fixed", "holdout"]

GONE = -1
"""In a question from an earlier version of a catalogue: the index of what is no longer in it."""


class Words(NamedTuple):
    """A piece of a sentence; stressed where it is what the person chooses between."""

    text: str
    stressed: bool = False


def plain(words: Iterable[Words]) -> str:
    """The sentence without stress."""
    return "".join(piece.text for piece in words)


@dataclass(frozen=True)
class Option:
    """One of the things a person may choose.

    Attributes:
        label: What to show first.
        facts: What else to show ("year": "1942").
        id: The item's id; None for an option made of attributes.
        attributes: What an option made of attributes says, one text for each attribute.
        link: The address of the item's own page, if it has one.
        images: The addresses of its pictures.
        phrase: How a sentence names an option that has no name ("one made by Lenovo", "the steel city bike"), "" where
            the label does.
    """

    label: str
    facts: Mapping[str, str]
    id: ItemId | None
    attributes: tuple[str, ...] = ()
    link: str | None = None
    images: tuple[str, ...] = ()
    phrase: str = ""

    @property
    def named(self) -> str:
        """The option inside a sentence."""
        return self.phrase or self.label


def item_option(catalog: Catalog, row: int, label: str | None = None, phrase: str = "") -> Option:
    """The item in a row of a catalogue as it is shown, perhaps under another label than its own."""
    shown = catalog.label(row) if label is None else label
    link, images = catalog.link_of(row), catalog.images_of(row)
    return Option(shown, catalog.facts_of(row), catalog.ids[row], link=link, images=images, phrase=phrase)


@dataclass(frozen=True, repr=False)
class Question:
    """A slate of k options, asked as question `number` (from 1) of a session.

    The options are items of the catalogue, or partial items that state a few attributes and leave the rest equal.

    Attributes:
        number: Its number in the session, from 1; `Session.tell` accepts it instead of the question.
        slate: The rows of the k items in the catalogue, `GONE` for an item that is no longer in it; empty in a question
            about attributes.
        options: What to show of each.
        evoi: What the answer is expected to add to the utility of the recommendation.
        vectors: `(k, d)`, what each option is to a utility vector.
        attributes: For each of the k options the indices of its attributes in `catalog.attributes`, `GONE` for those
            that are no longer there; empty in a question about items.
        words: The question as a sentence, in pieces that say what to stress.
        task: Set where everybody is asked it: "fixed", or "holdout" if its answer teaches nothing.
        predicted: Of a hold-out, for each of the k options how likely it was held to be chosen when it was asked.
    """

    number: int
    slate: tuple[int, ...]
    options: tuple[Option, ...]
    evoi: float
    vectors: Tensor = field(repr=False, compare=False)
    attributes: tuple[tuple[int, ...], ...] = ()
    words: tuple[Words, ...] = field(default=(), repr=False, compare=False)
    task: TaskKind | None = None
    predicted: tuple[float, ...] = ()

    @property
    def kind(self) -> QuestionKind:
        """What the options are."""
        return "attributes" if self.attributes else "items"

    @property
    def lead(self) -> str:
        """How the question begins, inside a sentence: "would you rather watch"."""
        start = self.start
        return start[0].lower() + start[1:]

    @property
    def start(self) -> str:
        """How the question begins: "Would you rather watch"."""
        return self.words[0].text.strip(" ,:") if self.words else "Would you rather have"

    @property
    def names_noun(self) -> bool:
        """Whether it begins with what it is about: "Which bicycle would you rather ride: …"."""
        return bool(self.words) and self.words[0].text.endswith(": ")

    @property
    def text(self) -> str:
        """The question as a sentence: "Would you rather watch a film that is funny or one that is dark?"."""
        return plain(self.words)

    @property
    def compared(self) -> tuple[Any, ...]:
        """Rows of the items, or for each option the indices of its attributes."""
        return self.attributes if self.kind == "attributes" else self.slate

    @property
    def is_current(self) -> bool:
        """Whether all that it compares is still in the catalogue."""
        if self.kind == "attributes":
            return all(GONE not in option for option in self.attributes)
        return GONE not in self.slate

    @property
    def about(self) -> dict[str, Any]:
        """What it compares, as a log has it: rows of items, or indices of attributes."""
        if self.kind == "attributes":
            return {"attributes": [list(option) for option in self.attributes]}
        return {"items": list(self.slate)}

    def __len__(self) -> int:
        return len(self.options)

    def __repr__(self) -> str:
        return f"Question({self.number}, {self.text!r}, evoi={self.evoi:.3g})"

    def _repr_html_(self) -> str:
        names = list(dict.fromkeys(name for option in self.options for name in option.facts))
        rows = [
            [index, option.label, *(option.facts.get(name, "") for name in names)]
            for index, option in enumerate(self.options)
        ]
        return html_table(f"{self.number}. {self.text}", ["choice", "", *names], rows)


def question_number(question: Question | int) -> int:
    """The number of a question, which may be given in its place."""
    try:
        return question.number if isinstance(question, Question) else operator.index(question)
    except TypeError:
        raise InvalidInputError(f"`question` must be a question or its number, got {question!r}.") from None


@dataclass(frozen=True)
class Recommendation:
    """An item and how sure we are of it.

    Attributes:
        row: Its row in the catalogue.
        id: Its id.
        label: What to show.
        facts: What else to show.
        expected_utility: Mean over the belief.
        spread: Standard deviation over the belief.
        probability_best: The probability that no allowed item is better.
        match: How well it matches: 1 for the person's best allowed item, 0 for an average one. Ordered as the ranking.
        probability_good: The probability that it is nearer to the person's best item than to an average one.
        link: The address of its own page, if it has one.
        images: The addresses of its pictures.
        phrase: How a sentence names it if it has no name ("the steel city bike"), "" where the label does.
    """

    row: int
    id: ItemId
    label: str
    facts: Mapping[str, str]
    expected_utility: float
    spread: float
    probability_best: float
    match: float
    probability_good: float
    link: str | None = None
    images: tuple[str, ...] = ()
    phrase: str = ""

    @property
    def named(self) -> str:
        """The item inside a sentence."""
        return self.phrase or self.label
