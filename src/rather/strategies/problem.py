"""What a strategy is given, and how its proposals become the one question that is asked.

One problem, two kinds of option: items of the catalogue, or partial items that state p attributes each. Slates are
tensors `(b, k)` of rows for items and `(b, k, p)` of attribute indices for partial items.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, Self

import torch
from torch import Tensor

from rather import value
from rather.errors import InvalidInputError, NoQuestionLeftError
from rather.model.allowed import Allowed, count_allowed
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.personal_noise import NoiseOfEach, PersonalNoise
from rather.model.responses import ResponseModel
from rather.retrieval import ExactRetriever, Found, Retriever, exact_retriever
from rather.retrieval.protocol import has_candidates, has_favourites, is_screening
from rather.strategies.attributes.options import AttributeOptions
from rather.strategies.items import ItemOptions

# Items that recommended lists are made of while questions are valued; a smaller catalogue is looked at as a whole.
POOLED_ITEMS = 128

Slate = frozenset[Hashable]
"""What is compared, whatever its order: rows of items, or sets of attribute indices."""


class Options(Protocol):
    """All that a question may offer to choose between, and slates of k of them."""

    noun: str
    """What one option is called."""

    @property
    def count(self) -> int:
        """How many options there are."""
        ...

    @property
    def slates(self) -> int:
        """How many slates of k there are, whatever their order."""
        ...

    def vectors(self, slates: Tensor) -> Tensor:
        """What the options are to a utility vector, `(b, k, d)`."""
        ...

    def utilities(self, slates: Tensor) -> Tensor:
        """What the options are worth to each particle, `(b, k, m)`."""
        ...

    def random(self, count: int, generator: torch.Generator) -> Tensor:
        """`count` slates of k distinct options."""
        ...

    def batches(self, size: int) -> Iterator[Tensor]:
        """All slates, in batches of `size`."""
        ...

    def name(self, slate: Any) -> Slate:
        """The same for every order of the options of a slate, given as nested lists."""
        ...


@dataclass(frozen=True, eq=False)
class Problem:
    """Which slate of k options to ask about next.

    Attributes:
        catalog: All items.
        belief: What we hold about the person.
        response: How the person answers. `PersonalNoise` becomes a temperature for each particle of the belief.
        k: Options on a slate.
        generator: The only source of randomness.
        retriever: Finds the best items for a direction; by default exactly.
        allowed: The items that may be asked about and recommended, `(n,)` boolean, or rules; None allows all.
        asked: Slates not to ask again.
        p: Attributes that each option states; None compares items.
        objective: What the recommendation after the answer is worth; by default, as in the paper, its best item.
    """

    catalog: Catalog
    belief: Belief
    response: ResponseModel
    k: int
    generator: torch.Generator
    retriever: Retriever = field(default=None)  # type: ignore[assignment]  # filled in below
    allowed: Allowed | None = None
    asked: frozenset[Slate] = frozenset()
    p: int | None = None
    objective: value.Objective = field(default_factory=value.BestItem)

    def __post_init__(self) -> None:
        if self.retriever is None:
            object.__setattr__(self, "retriever", exact_retriever(self.catalog))
        validate_dimensions(self.belief, self.catalog)
        object.__setattr__(self, "response", response_for(self.belief, self.response))
        _ = self.options  # rejects a k or p that does not fit

    @cached_property
    def options(self) -> Options:
        """What may be asked about."""
        return self.items if self.p is None else self.attributes

    @cached_property
    def items(self) -> ItemOptions:
        """The items that may be asked about."""
        return ItemOptions(self.catalog, self.belief, self.k, self.allowed)

    @cached_property
    def attributes(self) -> AttributeOptions:
        """The partial items that may be asked about."""
        assert self.p is not None, "this problem is about items"
        return AttributeOptions(self.catalog, self.belief, self.k, self.p)

    @property
    def rows(self) -> Tensor:
        """The rows of the items that may be asked about, ascending."""
        return self.items.rows

    @cached_property
    def available(self) -> int:
        """How many items may be recommended."""
        return count_allowed(self.allowed, len(self.catalog))

    @cached_property
    def candidates(self) -> Tensor:
        """The rows to try one by one, ascending: those of a retriever that keeps a shortlist, else all `rows`."""
        if has_candidates(self.retriever):
            return self.retriever.candidates(self.allowed)
        return self.rows

    @cached_property
    def utility_spread(self) -> float:
        """The scale of utility: its standard deviation over items and belief."""
        return value.utility_spread(self.catalog, self.belief)

    def search(self, directions: Tensor, count: int) -> Found:
        """Deep retrieval among the allowed items: every strategy's way to the catalogue."""
        return self.retriever.top(directions, count, self.allowed)

    def screen(self, directions: Tensor, count: int) -> Tensor:
        """Rows `(b, count)` of good items: the best, unless the retriever finds others much faster."""
        if is_screening(self.retriever):
            return self.retriever.screen(directions, count, self.allowed)
        return self.search(directions, count).rows

    def favourites(self, particles: Tensor) -> Tensor | None:
        """Rows `(b,)` of the best items of these particles, given by their rows; None if there is no shortlist."""
        if not has_favourites(self.retriever):
            return None
        return self.retriever.favourites(self.belief.particles[particles], self.allowed).rows[:, 0]

    def vectors(self, slates: Tensor) -> Tensor:
        """What the options of slates are to a utility vector, `(b, k, d)`."""
        return self.options.vectors(slates)

    @property
    def recommends_one(self) -> bool:
        """Whether the recommendation is the paper's, a single item of highest expected utility."""
        return isinstance(self.objective, value.BestItem)

    @cached_property
    def list_pool(self) -> value.Pool:
        """The items that recommended lists are made of."""
        if self.available <= POOLED_ITEMS:
            return value.Pool.of_found(self.belief, self.search(self.belief.mean[None], self.available), is_whole=True)
        drawn = self.belief.particles[self.fork().draw_particles(POOLED_ITEMS // 2)]
        top = self.search(self.belief.mean[None], POOLED_ITEMS // 4)
        return value.Pool.of_found(self.belief, self.search(drawn, 1), top)

    def evoi(self, slates: Tensor) -> Tensor:
        """EVOI `(b,)` of slates: exact for a single item, for lists by the best ones that are found."""
        if not self.recommends_one:
            return self._evoi_of_lists(self.options.utilities(slates))
        size = value.slates_per_batch(self.k, self.belief, self.response)
        directions = [
            value.directions_after(self.options.utilities(batch), self.belief, self.response)
            for batch in torch.split(slates, size)
        ]
        return value.evoi_after(torch.cat(directions), self.belief, self.search)

    def evoi_of_vectors(self, slates: Tensor) -> Tensor:
        """`evoi` `(b,)` of slates of option vectors `(b, k, d)`, which may be hypothetical."""
        if not self.recommends_one:
            return self._evoi_of_lists(value.utilities(slates, self.belief))
        return value.evoi(slates, self.belief, self.response, self.search)

    def _evoi_of_lists(self, utilities: Tensor) -> Tensor:
        probabilities = value.exponentials(self.response.log_probabilities(utilities))
        return value.evoi_of_lists(self.objective, probabilities, self.belief, self.list_pool)

    def was_asked(self, slates: Tensor) -> Tensor:
        """`(b,)` boolean, which of the slates have been asked."""
        if not self.asked:
            return torch.zeros(len(slates), dtype=torch.bool)
        return torch.tensor([self.options.name(slate) in self.asked for slate in slates.tolist()], dtype=torch.bool)

    def fresh(self, slates: Tensor) -> Tensor:
        """Those of the slates that have not been asked."""
        return slates if not self.asked else slates[~self.was_asked(slates)]

    def random_slates(self, count: int) -> Tensor:
        """`count` slates of k distinct options."""
        return self.options.random(count, self.generator)

    def neighbours(self, slates: Tensor) -> Tensor:
        """Slates that differ from one of these in one item (a runner-up of its deep retrieval) or one attribute."""
        return item_neighbours(slates, self) if self.p is None else self.attributes.space.neighbours(slates)

    def draw_particles(self, count: int) -> Tensor:
        """Rows of `count` particles drawn from the belief with replacement."""
        return torch.multinomial(self.belief.weights, count, replacement=True, generator=self.generator)

    def fork(self) -> Self:
        """The same problem with a copy of the generator: what one part draws does not change what the next does."""
        generator = torch.Generator()
        generator.set_state(self.generator.get_state())
        return replace(self, generator=generator)

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


def response_for(belief: Belief, response: ResponseModel) -> ResponseModel:
    """How the particles of a belief answer while questions are chosen, also if the model was another belief's.

    Under `PersonalNoise` with one temperature for each: all levels for each would take as many times as long.
    """
    model = response.model if isinstance(response, NoiseOfEach) else response
    return belief.drawn_noise(model) if isinstance(model, PersonalNoise) else response


def validate_dimensions(belief: Belief, catalog: Catalog) -> None:
    """Utility vectors and item vectors must have the same length."""
    if belief.particles.shape[1] != catalog.dimensions:
        raise InvalidInputError(
            f"`belief` must have {catalog.dimensions} dimensions like the catalogue, got {belief.particles.shape[1]}."
        )


Strategy = Callable[[Problem], Tensor]
"""Proposes slates, b >= 1, of distinct options each; the best by exact EVOI that was not asked yet is asked."""


@dataclass(frozen=True)
class Chosen:
    """The slate to ask and its exact EVOI.

    Attributes:
        slate: Rows of items, or for each option the indices of its attributes.
        evoi: What the answer is expected to add to the utility of the recommendation.
    """

    slate: tuple[Any, ...]
    evoi: float


def choose(strategy: Strategy, problem: Problem) -> Chosen:
    """The best by exact EVOI of a strategy's proposals that have not been asked yet.

    When all have been, their neighbours and then random slates stand in, so that a question never repeats while any is
    left.
    """
    if len(problem.asked) >= problem.options.slates:
        raise NoQuestionLeftError(f"All {len(problem.asked)} possible slates have been asked.")
    proposals = strategy(problem)
    slates = problem.fresh(proposals)
    if not len(slates):
        slates = problem.fresh(problem.neighbours(proposals))
    while not len(slates):
        slates = problem.fresh(problem.random_slates(64))
    values = problem.evoi(slates)
    best = int(values.argmax())
    return Chosen(_nested_tuple(slates[best].tolist()), max(0.0, float(values[best])))


def item_neighbours(slates: Tensor, problem: Problem) -> Tensor:
    """Every slate of rows `(b, k)` with one item exchanged for one of the runners-up of its deep retrieval."""
    count = min(problem.available, 2 * problem.k)
    found = value.deep_retrieval(problem.vectors(slates), problem.belief, problem.response, problem.search, count)
    exchanged = [
        [*slate[:slot], row, *slate[slot + 1 :]]
        for slate, lists in zip(slates.tolist(), found.rows.tolist(), strict=True)
        for slot in range(problem.k)
        for row in lists[slot]
        if row not in slate
    ]
    return torch.tensor(exchanged, dtype=torch.long).view(-1, problem.k)


def _nested_tuple(slate: list[Any]) -> tuple[Any, ...]:
    return tuple(tuple(option) if isinstance(option, list) else option for option in slate)
