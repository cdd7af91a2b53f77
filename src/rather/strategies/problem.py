"""What a strategy is given, and how its proposals become the one question that is asked."""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import torch
from torch import Tensor

from rather import value
from rather.errors import InvalidInputError, NoQuestionLeftError
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.responses import ResponseModel
from rather.retrieval import ExactRetriever, Found, Retriever
from rather.retrieval.protocol import Shortlisting

Slate = frozenset[Hashable]
"""What is compared, whatever its order: rows of items, or partial items."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Which slate of k items to ask about next.

    Attributes:
        catalog: All items.
        belief: What we hold about the person.
        response: How the person answers.
        k: Items on a slate.
        generator: The only source of randomness.
        retriever: Finds the best items for a direction; by default exactly.
        allowed: `(n,)` boolean, the items that may be asked about and recommended; None allows all.
        asked: Slates not to ask again.
    """

    catalog: Catalog
    belief: Belief
    response: ResponseModel
    k: int
    generator: torch.Generator
    retriever: Retriever = field(default=None)  # type: ignore[assignment]  # filled in below
    allowed: Tensor | None = None
    asked: frozenset[Slate] = frozenset()

    def __post_init__(self) -> None:
        if self.retriever is None:
            object.__setattr__(self, "retriever", ExactRetriever(self.catalog))
        validate_dimensions(self.belief, self.catalog)
        self._validate_k()

    def _validate_k(self) -> None:
        if not 2 <= self.k <= self.available:
            raise InvalidInputError(
                f"`k` must be 2..{self.available} (the items that may be asked about), got {self.k}."
            )

    @cached_property
    def available(self) -> int:
        """How many items may be asked about."""
        return len(self.catalog) if self.allowed is None else int(self.allowed.count_nonzero())

    @cached_property
    def rows(self) -> Tensor:
        """The rows of the items that may be asked about, rising."""
        if self.allowed is None:
            return torch.arange(len(self.catalog))
        return self.allowed.nonzero()[:, 0]

    @cached_property
    def candidates(self) -> Tensor:
        """The rows to try one by one, rising: those of a retriever that keeps a shortlist, else all `rows`."""
        if isinstance(self.retriever, Shortlisting):
            return self.retriever.candidates(self.allowed)
        return self.rows

    @property
    def best_expected_utility(self) -> float:
        """EU*: the value of recommending now, computed once."""
        # By hand: up to Python 3.11 a cached_property computes under one lock for all problems of the process, and a
        # search that waits for those of other sessions would wait for ever.
        known: float | None = self.__dict__.get("_best_expected_utility")
        if known is None:
            known = float(value.best_expected_utility(self.belief, self.search))
            self.__dict__["_best_expected_utility"] = known
        return known

    @cached_property
    def utility_spread(self) -> float:
        """The scale of utility: its standard deviation over items and belief."""
        return value.utility_spread(self.catalog, self.belief)

    def search(self, directions: Tensor, count: int) -> Found:
        """Deep retrieval among the allowed items: every strategy's way to the catalogue."""
        return self.retriever.top(directions, count, self.allowed)

    def vectors(self, slates: Tensor) -> Tensor:
        """Item vectors `(b, k, d)` of slates of rows `(b, k)`."""
        return self.catalog.vectors(slates)

    def evoi(self, slates: Tensor) -> Tensor:
        """Exact EVOI `(b,)` of slates of rows `(b, k)`."""
        return self.evoi_of_vectors(self.vectors(slates))

    def evoi_of_vectors(self, slates: Tensor) -> Tensor:
        """Exact EVOI `(b,)` of slates of item vectors `(b, k, d)`, which may be hypothetical."""
        return value.evoi(slates, self.belief, self.response, self.search)

    def random_slates(self, count: int) -> Tensor:
        """`count` slates of k distinct items, `(count, k)`."""
        if self.available <= 4 * self.k:  # few enough that rejection would dawdle
            shape = (count, self.available)
            order = torch.rand(shape, generator=self.generator, dtype=torch.float32).argsort(dim=1)
            return self.rows[order[:, : self.k]]
        picks = torch.randint(self.available, (count, self.k), generator=self.generator)
        while len(clash := _rows_with_repeats(picks)):
            picks[clash] = torch.randint(self.available, (len(clash), self.k), generator=self.generator)
        return picks if self.allowed is None else self.rows[picks]

    def draw_particles(self, count: int) -> Tensor:
        """Rows of `count` particles drawn from the belief with replacement."""
        return torch.multinomial(self.belief.weights, count, replacement=True, generator=self.generator)

    def fork(self) -> Self:
        """The same problem with a copy of the generator: what one part draws does not change what the next does."""
        generator = torch.Generator()
        generator.set_state(self.generator.get_state())
        return replace(self, generator=generator)


def validate_dimensions(belief: Belief, catalog: Catalog) -> None:
    """Utility vectors and item vectors must have the same length."""
    if belief.particles.shape[1] != catalog.dimensions:
        raise InvalidInputError(
            f"`belief` must have {catalog.dimensions} dimensions like the catalogue, got {belief.particles.shape[1]}."
        )


Strategy = Callable[[Problem], Tensor]
"""Proposes slates of rows `(b, k)`, b >= 1, each of k distinct allowed items; the best by exact EVOI is asked."""


@dataclass(frozen=True)
class Chosen:
    """The slate to ask, as rows, and its exact EVOI."""

    slate: tuple[int, ...]
    evoi: float


def choose(strategy: Strategy, problem: Problem) -> Chosen:
    """The best by exact EVOI of a strategy's proposals that have not been asked yet.

    When all have been, their neighbours (one item exchanged for a runner-up of deep retrieval) and then random slates
    stand in, so that a question never repeats while any is left.
    """
    if len(problem.asked) >= math.comb(problem.available, problem.k):
        raise NoQuestionLeftError(f"All {len(problem.asked)} possible slates have been asked.")
    proposals = strategy(problem)
    slates = not_asked(proposals, problem)
    if not len(slates):
        slates = not_asked(neighbours(proposals, problem), problem)
    while not len(slates):
        slates = not_asked(problem.random_slates(64), problem)
    values = problem.evoi(slates)
    best = int(values.argmax())
    return Chosen(tuple(slates[best].tolist()), max(0.0, float(values[best])))


def neighbours(slates: Tensor, problem: Problem) -> Tensor:
    """Every slate with one item exchanged for one of the runners-up of its deep retrieval."""
    count = min(problem.available, 2 * problem.k)
    found = value.deep_retrieval(problem.vectors(slates), problem.belief, problem.response, problem.search, count)
    exchanged = [
        [*slate[:place], row, *slate[place + 1 :]]
        for slate, lists in zip(slates.tolist(), found.rows.tolist(), strict=True)
        for place in range(problem.k)
        for row in lists[place]
        if row not in slate
    ]
    return torch.tensor(exchanged, dtype=torch.long).view(-1, problem.k)


def not_asked(slates: Tensor, problem: Problem) -> Tensor:
    """Those of the slates `(b, k)` that have not been asked yet."""
    if not problem.asked:
        return slates
    keep = [frozenset(slate) not in problem.asked for slate in slates.tolist()]
    return slates[torch.tensor(keep, dtype=torch.bool)]


def _rows_with_repeats(picks: Tensor) -> Tensor:
    ordered = picks.sort(dim=1).values
    return (ordered[:, 1:] == ordered[:, :-1]).any(dim=1).nonzero()[:, 0]
