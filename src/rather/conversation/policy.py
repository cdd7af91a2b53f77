"""Which question is next, of whichever kind: about items, or about attributes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from rather.conversation import wording
from rather.conversation.reading_cost import ReadingCost
from rather.errors import NoQuestionLeftError
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.questions import Option, Question
from rather.model.responses import ResponseModel
from rather.numerics.randomness import derive_generator
from rather.retrieval import Retriever
from rather.strategies import PartialProblem, PartialStrategy, Problem, Strategy, choose, choose_partial
from rather.strategies.partial.problem import name_of_slate

AskKind = Literal["items", "attributes", "auto"]
"""What to ask about: items, attributes, or each time whichever is worth more net of its reading cost."""


@dataclass(frozen=True, eq=False)
class Asking:
    """What may be asked, and how the next question is chosen; see `Session` for the attributes."""

    catalog: Catalog
    response: ResponseModel
    k: int
    seed: int
    strategy: Strategy
    retriever: Retriever
    allowed: Tensor | None
    kind: AskKind
    p: int
    partial_strategy: PartialStrategy

    def __call__(self, belief: Belief, asked: Sequence[Question], reading_cost: ReadingCost) -> Question:
        """The next question: of each kind the best by EVOI, of these the best net of reading cost."""
        questions = []
        spent: NoQuestionLeftError | None = None
        for problem in self.problems(belief, asked):
            try:
                questions.append(self._chosen(problem, len(asked) + 1))
            except NoQuestionLeftError as error:
                spent = error
        if spent is not None and not questions:
            raise spent
        return max(questions, key=lambda question: question.evoi - reading_cost.of(question))

    def _chosen(self, problem: Problem, number: int) -> Question:
        if isinstance(problem, PartialProblem):
            partial = choose_partial(self.partial_strategy, problem)
            return self.attribute_question(number, partial.slate, partial.evoi)
        chosen = choose(self.strategy, problem)
        return self.item_question(number, chosen.slate, chosen.evoi)

    def problems(self, belief: Belief, asked: Sequence[Question]) -> list[Problem]:
        """What there is to choose between; the kind that is easier to read first, so that it wins a tie."""
        problems: list[Problem] = []
        if self.kind == "attributes" or (self.kind == "auto" and self.catalog.attributes):
            problems.append(self._partial_problem(belief, asked))
        if self.kind != "attributes":
            problems.append(self._item_problem(belief, asked))
        return problems

    def _item_problem(self, belief: Belief, asked: Sequence[Question]) -> Problem:
        slates = frozenset(frozenset(question.slate) for question in asked if question.kind == "items")
        generator = derive_generator(self.seed, "ask", len(asked) + 1)
        parts = (self.catalog, belief, self.response, self.k, generator, self.retriever, self.allowed)
        return Problem(*parts, slates)

    def _partial_problem(self, belief: Belief, asked: Sequence[Question]) -> PartialProblem:
        slates = frozenset(name_of_slate(question.attributes) for question in asked if question.kind == "attributes")
        generator = derive_generator(self.seed, "ask attributes", len(asked) + 1)
        parts = (self.catalog, belief, self.response, self.k, generator, self.retriever, self.allowed)
        return PartialProblem(*parts, slates, self.p)

    def item_question(self, number: int, slate: Sequence[int], evoi: float) -> Question:
        """The question about the items of these rows."""
        catalog = self.catalog
        options = tuple(Option(catalog.label(row), catalog.facts_of(row), catalog.ids[row]) for row in slate)
        words = wording.item_question([option.label for option in options])
        return Question(number, tuple(slate), options, evoi, catalog.vectors(slate), words=words)

    def attribute_question(self, number: int, slate: Sequence[Sequence[int]], evoi: float) -> Question:
        """The question about partial items of these attributes."""
        said = [[self.catalog.attributes[place] for place in item] for item in slate]
        options = tuple(
            Option(wording.option_label(item), {}, None, tuple(attribute.text for attribute in item)) for item in said
        )
        added = torch.stack([torch.stack([attribute.vector for attribute in item]).sum(dim=0) for item in said])
        words = wording.attribute_question(self.catalog.name, said)
        attributes = tuple(tuple(item) for item in slate)
        return Question(number, (), options, evoi, self.catalog.average + added, attributes, words)


def about(question: Question) -> dict[str, Any]:
    """What a question compares, as a log has it."""
    if question.kind == "attributes":
        return {"attributes": [list(item) for item in question.attributes]}
    return {"items": list(question.slate)}
