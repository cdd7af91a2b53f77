"""The paper's discrete methods: they propose slates of catalogue items without leaving the catalogue."""

import itertools
import math
import time
from dataclasses import dataclass

import torch
from torch import Tensor

from rather import value
from rather.errors import TooManySlatesError
from rather.model.items import BLOCK_ROWS
from rather.model.personal_noise import Softmax
from rather.numerics.threads import on_all_threads
from rather.strategies.additions import Additions, is_plain_softmax
from rather.strategies.initialisers import Initialiser, rand_user_top_item, top_items_of_random_particles
from rather.strategies.problem import Problem
from rather.strategies.projection import deep_retrieval_unique

# Slates that an exhaustive search evaluates in one batch.
SLATE_BATCH = 4096

# Slates on which an exhaustive search that is rejected measures how long it would take.
TIMED_SLATES = 512


@dataclass(frozen=True)
class Random:
    """k options at random, items or partial items."""

    def __call__(self, problem: Problem) -> Tensor:
        """See `Strategy`."""
        return problem.random_slates(1)


@dataclass(frozen=True)
class RandUserTopItem:
    """The best item of each of k particles drawn from the belief.

    Attributes:
        restarts: Slates drawn, of which the best by EVOI is asked.
    """

    restarts: int = 1

    def __call__(self, problem: Problem) -> Tensor:
        """See `Strategy`."""
        return top_items_of_random_particles(problem, self.restarts)


@dataclass(frozen=True)
class TopExhaustive:
    """Top5Exhaustive: all slates among the items of highest expected utility.

    Attributes:
        top: How many of the best items; at least k are taken.
    """

    top: int = 5

    def __call__(self, problem: Problem) -> Tensor:
        """See `Strategy`."""
        count = min(max(self.top, problem.k), problem.available)
        rows = problem.search(problem.belief.mean[None], count).rows[0]
        return torch.tensor(list(itertools.combinations(rows.tolist(), problem.k)))


@dataclass(frozen=True)
class Greedy:
    """Start from the item of highest expected utility; append the item that most raises the slate's (EUS).

    Tries every item, or those that a retriever with a shortlist ever finds.

    Attributes:
        batch_entries: Utilities held at once, candidates x particles x options.
    """

    batch_entries: int = value.BATCH_ENTRIES // 4

    def __call__(self, problem: Problem) -> Tensor:
        """See `Strategy`."""
        slate = problem.search(problem.belief.mean[None], 1).rows[0]
        while len(slate) < problem.k:
            slate = torch.cat([slate, self._best_addition(slate, problem)])
        return slate[None]

    def _best_addition(self, slate: Tensor, problem: Problem) -> Tensor:
        """The row `(1,)` that, appended to the slate, gives the highest EUS."""
        value_of = _appended if is_plain_softmax(problem.response) else _appended_one_by_one
        numbers_each = len(problem.belief) * (1 if value_of is _appended else len(slate) + 1)
        batch_size = max(1, min(BLOCK_ROWS, self.batch_entries // numbers_each))

        def best(rows: Tensor) -> tuple[float, int]:
            values = value_of(rows, slate, problem).masked_fill_(torch.isin(rows, slate), -torch.inf)
            top = int(values.argmax())
            return float(values[top]), int(rows[top])

        blocks = on_all_threads(best, torch.split(problem.candidates, batch_size))
        # The first of equals, as trying one candidate after the other would find.
        return torch.tensor([max(blocks, key=lambda block: block[0])[1]])


def _appended(rows: Tensor, slate: Tensor, problem: Problem) -> Tensor:
    """EUS of the slate `(j,)` with each of the rows appended, under plain softmax answers, in closed form."""
    particles, weights = problem.belief.particles.T, problem.belief.weights
    assert isinstance(problem.response, Softmax)
    additions = Additions(problem.catalog.vectors(rows) @ particles, weights, problem.response.temperature)
    return additions.appended(additions.slates((problem.catalog.vectors(slate) @ particles)[None]))[0]


def _appended_one_by_one(rows: Tensor, slate: Tensor, problem: Problem) -> Tensor:
    """The same under any response model."""
    slates = torch.cat([slate.expand(len(rows), -1), rows[:, None]], dim=1)
    return value.slate_expected_utility(problem.vectors(slates), problem.belief, problem.response)


@dataclass(frozen=True)
class QueryIteration:
    """Replace a slate by its deep retrieval until nothing changes; from several starts.

    Under noiseless answers no step lowers EVOI (Theorem 1); under noise one might, so each start keeps its best.

    Attributes:
        restarts: How many starts.
        initialiser: Where they start.
        most_steps: Stops a cycle that noise can cause.
    """

    restarts: int = 10
    initialiser: Initialiser = rand_user_top_item
    most_steps: int = 30

    def __call__(self, problem: Problem) -> Tensor:
        """See `Strategy`."""
        return iterate(
            deep_retrieval_unique(self.initialiser(problem, self.restarts), problem), problem, self.most_steps
        )


def iterate(slates: Tensor, problem: Problem, most_steps: int = 30) -> Tensor:
    """All slates `(b, k)` met while each of the given ones is replaced by its deep retrieval to a fixed point."""
    met, moving = [slates], slates
    for _ in range(most_steps):
        replaced = deep_retrieval_unique(problem.vectors(moving), problem)
        moving = replaced[(replaced.sort(dim=1).values != moving.sort(dim=1).values).any(dim=1)]
        if not len(moving):
            break
        met.append(moving)
    distinct: Tensor = torch.unique(torch.cat(met).sort(dim=1).values, dim=0)
    return distinct


@dataclass(frozen=True)
class ExhaustiveSearch:
    """Every slate of k options, items or partial items: the optimum, where it can be had.

    Attributes:
        most_slates: Reject problems with more slates than this, with their number and an estimate of the time.
        batch_size: Slates evaluated at once.
    """

    most_slates: int = 2_000_000
    batch_size: int = SLATE_BATCH

    def __call__(self, problem: Problem) -> Tensor:
        """See `Strategy`."""
        options = problem.options
        if options.slates > self.most_slates:
            raise TooManySlatesError(
                f"Exhaustive search over {options.count:,} {options.noun}s would evaluate {options.slates:,} slates of "
                f"{problem.k}, about {duration(options.slates * _seconds_per_slate(problem))} here; the limit is "
                f"{self.most_slates:,}. Choose another strategy, fewer options (a filter, a smaller k or p), or raise "
                "`most_slates`."
            )
        best, best_value = next(options.batches(1))[0], -math.inf
        for batch in options.batches(self.batch_size):
            fresh = problem.fresh(batch)
            if not len(fresh):
                continue
            values = problem.evoi(fresh)
            top = int(values.argmax())
            if float(values[top]) > best_value:
                best, best_value = fresh[top], float(values[top])
        return best[None]


def _seconds_per_slate(problem: Problem) -> float:
    sample = problem.fork().random_slates(TIMED_SLATES)
    start = time.perf_counter()
    problem.evoi(sample)
    return (time.perf_counter() - start) / len(sample)


def duration(seconds: float) -> str:
    """Seconds in words: "3 hours"."""
    for unit, length in (("years", 31_557_600), ("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{seconds:,.0f} seconds"
