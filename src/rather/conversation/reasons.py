"""Why an item is recommended, in words: "cheaper than what you passed on", "like Arrival, which you chose".

A reason is about something that differs between the item and what the person passed on, or what is recommended first;
that is known of both; and that the belief is confident the person prefers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch
from torch import Tensor

from rather.conversation.turns import Turn
from rather.conversation.wording import question_in
from rather.languages import ENGLISH, message
from rather.model.attributes import STRESS, Attribute
from rather.model.catalog import Catalog
from rather.model.questions import GONE, Question, Recommendation
from rather.model.responses import Answer, Choice
from rather.model.statements import Want
from rather.nouns import plural

if TYPE_CHECKING:
    from rather.conversation.session import Session
    from rather.model.belief import Belief
    from rather.model.columns import Column

Floats = np.ndarray[Any, np.dtype[np.float32]]

ReasonKind = Literal["chosen", "wanted", "shared", "compared", "like"]
Speaker = Literal["you", "they"]

MOST_REASONS = 3
# The least probability that the person prefers what a reason speaks of.
CONFIDENT = 0.7
# Two values that fewer items than this lie between are as good as equal.
VISIBLE_SHARE = 0.05
# Another reason about the column of an earlier one in the list counts for this share of what it adds.
REPEATED_SHARE = 0.5
# A reason that adds less than this share of what the strongest reason of the item adds is left out.
LEAST_SHARE = 0.1
# What more items have less of, most have less of.
MOST_ITEMS = 0.75


@dataclass(frozen=True)
class Reason:
    """Why an item is recommended.

    Attributes:
        kind: "chosen": the person chose this very item; "wanted": it has what they asked for, or chose in a question
            about attributes; "shared": it has something in common with what they chose; "compared": it is better in a
            column than what they passed on, than the first recommendation or than most items; "like": it resembles an
            item that they chose.
        text: In words, inside a sentence.
        column: The column that it is about, if it is about one.
        questions: The numbers of the questions whose answers it refers to.
    """

    kind: ReasonKind
    text: str
    column: str | None = None
    questions: tuple[int, ...] = ()


@dataclass(frozen=True)
class _Shown:
    """An item that the person has seen in a question; `row` is `GONE` if the catalogue no longer has it."""

    number: int
    row: int
    label: str
    vector: Tensor


@dataclass(frozen=True)
class _Candidate:
    """A reason that may be given, and what it adds to the expected utility of the item.

    Attributes:
        reason: The reason.
        gain: What it adds.
        personal: Whether it speaks of an answer.
        said: What it says, whomever it compares with: said of one item, it is not said of another.
    """

    reason: Reason
    gain: float
    personal: bool = True
    said: str = ""

    @property
    def key(self) -> str:
        """The same for two reasons that must not both be given in a list."""
        return self.said or self.reason.text


def reasons(
    session: Session, items: Sequence[Recommendation], speaker: Speaker = "you", language: str = ENGLISH
) -> list[tuple[Reason, ...]]:
    """For each of these items up to three reasons, the strongest first. No sentence occurs twice.

    Args:
        session: The conversation.
        items: Recommended items, best first.
        speaker: Who reads it: the person ("you chose"), or somebody else ("they chose").
        language: The language of the sentences.
    """
    if not session.steps:
        return [()] * len(items)
    answers = _Answers(session, speaker, language)
    said: set[str] = set()
    uses: Counter[str | None] = Counter()
    found = []
    for item in items:
        chosen = _strongest(answers.candidates(item, items[0]), said, uses)
        said.update(each.key for each in chosen)
        uses.update(each.reason.column for each in chosen)
        found.append(tuple(each.reason for each in chosen))
    return found


def _strongest(candidates: Iterable[_Candidate], said: set[str], uses: Counter[str | None]) -> list[_Candidate]:
    """The best candidates that were not said before, one for each column, the person's own choices first."""
    fresh = [each for each in candidates if each.key not in said]
    least = LEAST_SHARE * max((each.gain for each in fresh), default=0.0)

    def order(each: _Candidate) -> tuple[bool, bool, float]:
        gain = each.gain * REPEATED_SHARE ** uses[each.reason.column]
        return each.reason.kind != "chosen", not each.personal, -gain

    chosen: dict[str, _Candidate] = {}
    shared: set[int] = set()
    for each in sorted(fresh, key=order):
        if each.reason.kind == "shared":
            shared.update(each.reason.questions)
        elif each.reason.kind == "like" and shared.issuperset(each.reason.questions):
            continue  # it was said what the two have in common
        if each.key in {other.key for other in chosen.values()}:
            continue  # two columns may say the same, such as "more economical than most cars"
        if each.gain >= least or each.reason.kind == "chosen":
            chosen.setdefault(each.reason.column or each.reason.kind, each)
    return list(chosen.values())[:MOST_REASONS]


class _Answers:
    """What the answers of a conversation say about items."""

    def __init__(self, session: Session, speaker: Speaker, language: str) -> None:
        self.catalog: Catalog = session.policy.catalog
        self.belief: Belief = session.belief
        self._speaker, self._language = speaker, language
        self._hints = session.hints
        self._told = [(question_in(turn.question, self.catalog, language), turn.answer) for turn in session.turns]
        means = torch.stack([session.policy.prior.mean, *(step.belief.mean for step in session.steps)])
        answered = [isinstance(step, Turn) for step in session.steps]
        self._moves = (means[1:] - means[:-1])[answered]
        self.chosen, self.passed = _seen(self._told)
        noun = self.catalog.name
        self._noun = "one" if noun == "item" else noun

    def candidates(self, item: Recommendation, first: Recommendation) -> Iterator[_Candidate]:
        """All that could be said for an item."""
        vector = self.catalog.vectors([item.row])[0]
        for column in self.catalog.columns:
            yield from self._wanted(item, column)
            yield from self._shared(item, column)
            yield from self._compared(item, vector, column, first)
        yield from self._alike(item, vector)

    @cached_property
    def _wanted_attributes(self) -> dict[tuple[str, str], tuple[int, ...]]:
        """The attributes that the person asked for, and those that they chose with the numbers of their questions."""
        said = {each.statement.text for each in self._hints if isinstance(each.statement, Want)}
        return {(each.column, each.text): () for each in self.catalog.attributes if each.text in said} | {
            (attribute.column, attribute.text): (question.number,)
            for question, answer in self._told
            if question.kind == "attributes" and not isinstance(answer, Answer)
            for attribute in _attributes(question, int(answer), self.catalog)
        }

    def _wanted(self, item: Recommendation, column: Column) -> Iterator[_Candidate]:
        for attribute in column.attributes(item.row) if self._wanted_attributes else ():
            numbers = self._wanted_attributes.get((attribute.column, attribute.text))
            if numbers is None or not attribute.phrase:
                continue
            gain = self._preferred(attribute.vector)
            if gain is not None:
                text = self._text("wanted", phrase=self._phrase(attribute))
                yield _Candidate(Reason("wanted", text, column.name, numbers), gain, said=attribute.phrase)

    def _shared(self, item: Recommendation, column: Column) -> Iterator[_Candidate]:
        chosen = [each for each in self.chosen if each.row != GONE]
        if not chosen or any(each.row == item.row for each in chosen):
            return
        passed = [{_name(own) for own in column.attributes(each.row)} for each in self._passed_but(item)]
        for attribute in column.attributes(item.row):
            if not attribute.phrase or (passed and all(_name(attribute) in own for own in passed)):
                continue
            alike = [each for each in chosen if _name(attribute) in map(_name, column.attributes(each.row))]
            gain = self._preferred(attribute.vector) if alike else None
            if gain is not None:
                text = self._shared_text(attribute, alike, len(chosen))
                numbers = tuple(each.number for each in alike)
                yield _Candidate(Reason("shared", text, column.name, numbers), gain, said=attribute.phrase)

    def _shared_text(self, attribute: Attribute, alike: Sequence[_Shown], total: int) -> str:
        about = {"noun": self._noun, "phrase": self._phrase(attribute)}
        if len(alike) == 1:
            return self._text("shared_with_one", **about, label=alike[0].label)
        if len(alike) == total:
            return self._text("shared_with_all", **about, count=self._count(total))
        return self._text("shared_with_some", **about, count=self._count(len(alike)), total=self._count(total))

    def _compared(
        self, item: Recommendation, vector: Tensor, column: Column, first: Recommendation
    ) -> Iterator[_Candidate]:
        share = column.share_below(item.row)
        less, more = column.compared(self._language)
        if share is None or not more:
            return
        yield from self._compared_with_passed(item, vector, column, share)
        if first.row != item.row:
            yield from self._compared_with_first(vector, column, share, first)
        if 1 - MOST_ITEMS < share < MOST_ITEMS:
            return
        gain = self._preferred((vector - self.catalog.average)[column.dimensions], column)
        if gain is not None:
            words = more if share >= MOST_ITEMS else less
            text = self._text("compared_with_most", comparison=words, nouns=plural(self.catalog.name))
            yield _Candidate(Reason("compared", text, column.name), gain, personal=False)

    def _compared_with_passed(
        self, item: Recommendation, vector: Tensor, column: Column, share: float
    ) -> Iterator[_Candidate]:
        passed = [
            (each, below) for each in self._passed_but(item) if (below := column.share_below(each.row)) is not None
        ]
        of_less, of_more = column.compared(self._language)
        less = [each for each, below in passed if share - below >= VISIBLE_SHARE]
        more = [each for each, below in passed if below - share >= VISIBLE_SHARE]
        others, words = (less, of_more) if len(less) > len(more) else (more, of_less)
        if 3 * len(others) <= 2 * len(passed):
            return
        average = torch.stack([each.vector for each in others]).mean(dim=0)
        gain = self._preferred((vector - average)[column.dimensions], column)
        if gain is None:
            return
        numbers = tuple(dict.fromkeys(each.number for each in others))
        text = self._text(_template(len(others), len(passed)), comparison=words, label=others[0].label)
        yield _Candidate(Reason("compared", text, column.name, numbers), gain)

    def _compared_with_first(
        self, vector: Tensor, column: Column, share: float, first: Recommendation
    ) -> Iterator[_Candidate]:
        other = column.share_below(first.row)
        if other is None or abs(share - other) < VISIBLE_SHARE:
            return
        gain = self._preferred((vector - self.catalog.vectors([first.row])[0])[column.dimensions], column)
        if gain is not None:
            less, more = column.compared(self._language)
            words = more if share > other else less
            text = self._text("compared_with_first", comparison=words, label=first.named)
            yield _Candidate(Reason("compared", text, column.name), gain, personal=False)

    def _alike(self, item: Recommendation, vector: Tensor) -> Iterator[_Candidate]:
        """The answers that chose this item, or one like it.

        An answer moves the mean of the belief from a to b, and with it the expected utility of an item x, relative to
        the average item c, by `(x - c) @ (b - a)`.
        """
        raised = (self._moves @ (vector - self.catalog.average)).tolist()
        chosen = [
            (question, question.options[answer], gain)
            for (question, answer), gain in zip(self._told, raised, strict=True)
            if question.kind == "items" and not isinstance(answer, Answer)
        ]
        own = [question for question, option, _ in chosen if option.id == item.id]
        if own:
            over = list(
                dict.fromkeys(each.named for question in own for each in question.options if each.id != item.id)
            )
            text = self._chosen_text(over)
            gain = max(0.0, *(gain for _, option, gain in chosen if option.id == item.id))
            yield _Candidate(Reason("chosen", text, None, tuple(question.number for question in own)), gain)
        last = {option.id: question.number for question, option, _ in chosen}  # as what they have in common names it
        for _, option, gain in chosen:
            if gain > 0 and not own:
                text = self._text("like", label=option.named)
                yield _Candidate(Reason("like", text, None, (last[option.id],)), gain, personal=False)

    def _chosen_text(self, over: Sequence[str]) -> str:
        if len(over) < 3:
            return self._text("chosen" if len(over) == 1 else "chosen_over_two", passed=over[0], other=over[-1])
        return self._text("chosen_over_several", passed=over[-1], count=self._count(len(over) - 1))

    def _passed_but(self, item: Recommendation) -> list[_Shown]:
        return [each for each in self.passed if each.row not in (GONE, item.row)]

    def _preferred(self, difference: Tensor, column: Column | None = None) -> float | None:
        """What a difference `(d,)`, or one in a column, is expected to add; None unless it is probably positive."""
        if column is not None and len(difference) == 1:
            return self._preferred_in_one(float(difference), column.dimensions.start)
        # NumPy's small products take a fraction of the time of PyTorch's, and there are hundreds of them.
        particles, weights = self._weighted_particles
        worth = (particles if column is None else particles[:, column.dimensions]) @ difference.numpy()
        return float(worth @ weights) if float((worth > 0) @ weights) >= CONFIDENT else None

    def _preferred_in_one(self, difference: float, dimension: int) -> float | None:
        """The same for a difference in a single dimension, whose sign decides how sure it is."""
        positive, negative, mean = self._signs
        sure = (positive if difference > 0 else negative)[dimension] if difference else 0.0
        return difference * mean[dimension] if sure >= CONFIDENT else None

    @cached_property
    def _weighted_particles(self) -> tuple[Floats, Floats]:
        return self.belief.particles.numpy(), self.belief.weights.numpy()

    @cached_property
    def _signs(self) -> tuple[list[float], list[float], list[float]]:
        """For each dimension the probabilities that more, and that less, is preferred, and the mean of its weight."""
        particles, weights = self._weighted_particles
        return (
            (weights @ (particles > 0)).tolist(),
            (weights @ (particles < 0)).tolist(),
            (weights @ particles).tolist(),
        )

    def _phrase(self, attribute: Attribute) -> str:
        text, phrase = attribute.said(self._language)
        return (phrase or text).replace(STRESS, "")

    def _count(self, count: int) -> str:
        words = message(self._language, "list.numbers").split()
        return words[count] if count < len(words) else str(count)

    def _text(self, template: str, **places: str) -> str:
        return message(self._language, f"reasons.{self._speaker}.{template}", **places)


def _seen(told: Sequence[tuple[Question, Choice]]) -> tuple[list[_Shown], list[_Shown]]:
    """The items that were chosen, and those that were passed on and never chosen; each once."""
    chosen: dict[object, _Shown] = {}
    passed: dict[object, _Shown] = {}
    for question, answer in told:
        if question.kind == "attributes" or question.task == "holdout" or answer in (Answer.SAME, Answer.SKIP):
            continue
        for index, option in enumerate(question.options):
            shown = _Shown(question.number, question.slate[index], option.named, question.vectors[index])
            (chosen if index == answer else passed)[option.id] = shown
    return list(chosen.values()), [shown for id, shown in passed.items() if id not in chosen]


def _template(others: int, all_passed: int) -> str:
    """How many of those that were passed on are spoken of."""
    if others < all_passed:
        return "compared_with_most_passed"
    return "compared_with_one" if all_passed == 1 else "compared_with_passed"


def _attributes(question: Question, option: int, catalog: Catalog) -> list[Attribute]:
    return [catalog.attributes[index] for index in question.attributes[option] if index != GONE]


def _name(attribute: Attribute) -> tuple[str, str]:
    return attribute.column, attribute.text
