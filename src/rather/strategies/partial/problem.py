"""What a strategy for partial comparisons is given, and how its proposals become the one question that is asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import torch
from torch import Tensor

from rather import value
from rather.errors import InvalidInputError, NoQuestionLeftError
from rather.model.attributes import column_numbers
from rather.model.catalog import Catalog
from rather.retrieval import ExactRetriever
from rather.strategies.partial.space import PartialSpace
from rather.strategies.problem import Problem, Slate

# Attribute utilities kept at most, in numbers (128 MiB of float32); beyond, they are computed from vectors.
KEPT_NUMBERS = 2**25

# A long list of candidates is ranked on so many particles and items, and its head then on all of them.
RANKING_PARTICLES = 1024
RANKING_ITEMS = 512
RANKING_HEAD = 32


@dataclass(frozen=True, eq=False)
class PartialProblem(Problem):
    """Which slate of k partial items to ask about next. Slates are `(b, k, p)` places of the catalogue's attributes.

    Attributes:
        p: Attributes that each partial item makes.
    """

    p: int = 1

    def _validate_k(self) -> None:
        if not self.catalog.attributes:
            raise InvalidInputError(
                "This catalogue has no attributes, so there are no attributes to ask about. "
                "Give it `features` (names of its dimensions) or `attributes`, or ask about items."
            )
        _ = self.space  # refuses a k or p that does not fit

    @cached_property
    def space(self) -> PartialSpace:
        """The slates there are."""
        return PartialSpace(column_numbers(self.catalog.attributes), self.k, self.p, self.catalog.together)

    @cached_property
    def attributes(self) -> Tensor:
        """`(a, d)`, what each attribute adds to an item vector."""
        return torch.stack([attribute.vector for attribute in self.catalog.attributes])

    @cached_property
    def attribute_utilities(self) -> Tensor:
        """`(a, m)`, what each attribute is worth to each particle."""
        return self.attributes @ self.belief.particles.T

    @cached_property
    def attribute_variance(self) -> Tensor:
        """`(a,)`, the variance of each attribute's utility over the belief."""
        centred = self.belief.particles - self.belief.mean
        spread = (centred * self.belief.weights[:, None]).T @ centred
        return ((self.attributes @ spread) * self.attributes).sum(dim=1)

    def vectors(self, slates: Tensor) -> Tensor:
        """Vectors `(b, k, d)` of slates: otherwise average items of which the attributes hold.

        Any other uniform completion gives the same choice among the options. The average item is the one that makes
        sense of "none of these", where the outside option is worth as much as an average item.
        """
        return self.catalog.average + self.attributes[slates].sum(dim=2)

    def evoi(self, slates: Tensor) -> Tensor:
        """Exact EVOI `(b,)` of slates `(b, k, p)`."""
        if len(self.attributes) * len(self.belief) > KEPT_NUMBERS:
            return self.evoi_of_vectors(self.vectors(slates))
        # Adding p rows of known utilities is cheaper than a product over d coordinates.
        average = self.belief.particles @ self.catalog.average
        at_a_time = value.slates_at_a_time(self.k, self.belief, self.response)
        directions = [
            value.directions_after(self._added_utilities(part) + average, self.belief, self.response)
            for part in torch.split(slates, at_a_time)
        ]
        return value.best_after(torch.cat(directions), self.belief, self.search) - self.best_expected_utility

    def _added_utilities(self, slates: Tensor) -> Tensor:
        """`(b, k, m)`, the utilities of partial items over that of an average item."""
        total = self.attribute_utilities[slates[:, :, 0]]
        for place in range(1, self.p):
            total += self.attribute_utilities[slates[:, :, place]]
        return total

    def random_slates(self, count: int) -> Tensor:
        """`count` random slates, `(count, k, p)`."""
        return self.space.random(count, self.generator)

    def was_asked(self, slates: Tensor) -> Tensor:
        """`(b,)` boolean, which of the slates have been asked."""
        if not self.asked:
            return torch.zeros(len(slates), dtype=torch.bool)
        return torch.tensor([name_of_slate(slate) in self.asked for slate in slates.tolist()], dtype=torch.bool)

    def thinned(self, particles: int, items: int) -> Self:
        """A cheaper problem that ranks slates almost alike: fewer particles, and only items good for some of them.

        It is the problem itself where there are no more particles and items than that.
        """
        fork = self.fork()
        belief, retriever, allowed = self.belief, self.retriever, self.allowed
        if len(belief) > particles:
            belief = belief.resampled(particles, fork.generator)
        if self.available > items:
            drawn = self.belief.particles[fork.draw_particles(items // 4)]
            rows = torch.unique(self.search(torch.cat([self.belief.mean[None], drawn]), 4).rows)
            retriever, allowed = ExactRetriever(Catalog(self.catalog.vectors(rows))), None
        if belief is self.belief and retriever is self.retriever:
            return self
        return replace(self, belief=belief, retriever=retriever, allowed=allowed)

    @cached_property
    def ranking(self) -> Self:
        """The thinned problem on which long lists of candidates are ranked."""
        return self.thinned(RANKING_PARTICLES, RANKING_ITEMS)

    def best_of(self, vectors: Tensor) -> int:
        """The place of the best by EVOI of slates of vectors `(b, k, d)`; a long list is ranked first."""
        places = torch.arange(len(vectors))
        if self.ranking is not self and len(vectors) > RANKING_HEAD:
            places = self.ranking.evoi_of_vectors(vectors).topk(RANKING_HEAD).indices
        return int(places[self.evoi_of_vectors(vectors[places]).argmax()])


PartialStrategy = Callable[[PartialProblem], Tensor]
"""Proposes slates `(b, k, p)`, b >= 1, of the problem's space; the best by exact EVOI is asked."""


@dataclass(frozen=True)
class ChosenPartial:
    """The slate to ask, as places of attributes, and its exact EVOI."""

    slate: tuple[tuple[int, ...], ...]
    evoi: float


def name_of_slate(slate: Sequence[Sequence[int]]) -> Slate:
    """What `PartialProblem.asked` holds of a slate: the same for every order of items and of attributes."""
    return frozenset(frozenset(item) for item in slate)


def choose_partial(strategy: PartialStrategy, problem: PartialProblem) -> ChosenPartial:
    """The best by exact EVOI of a strategy's proposals that have not been asked yet.

    When all have been, slates that differ from them in one attribute and then random ones stand in, so that a
    question never repeats while any is left.
    """
    if len(problem.asked) >= problem.space.slates:
        raise NoQuestionLeftError(f"All {len(problem.asked)} possible slates have been asked.")
    proposals = strategy(problem)
    slates = proposals[~problem.was_asked(proposals)]
    if not len(slates):
        nearby = problem.space.neighbours(proposals)
        slates = nearby[~problem.was_asked(nearby)]
    while not len(slates):
        drawn = problem.random_slates(64)
        slates = drawn[~problem.was_asked(drawn)]
    values = problem.evoi(slates)
    best = int(values.argmax())
    return ChosenPartial(tuple(tuple(item) for item in slates[best].tolist()), max(0.0, float(values[best])))
