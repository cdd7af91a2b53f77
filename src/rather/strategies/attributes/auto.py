"""The default for questions about attributes: a greedy slate and random ones, improved by swaps."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from rather import value
from rather.strategies.attributes.greedy import grown
from rather.strategies.attributes.pooled import PooledEvoi, best_swaps, recommendable
from rather.strategies.clock import Clock
from rather.strategies.discrete import ExhaustiveSearch
from rather.strategies.problem import Problem

# Particles and items on which long lists of swaps are ranked.
SIEVE_PARTICLES = 384
SIEVE_ITEMS = 24

# Items that enter the pool for each answer to the most promising slates.
LOOKED_UP = 2

# Slates of which the best by exact EVOI is asked.
PROPOSED = 4

# A swap must raise EVOI by more than this share: less is rounding, and could go on for ever.
LEAST_GAIN = 1e-6


@dataclass(frozen=True)
class AutoAttributes:
    """The greedy slate and random ones, improved by swapping single attributes; the best few go on to the end.

    Where there are few slates it evaluates all of them. Else slates are judged by `PooledEvoi`: the first round of
    swaps on a few particles, later ones on all of up to 1024, and the last few slates on all particles and items.

    Attributes:
        fewest_starts: Slates of random attributes, drawn in proportion to the variance of their utility, that go
            through the first round of swaps; the best end is often not reached from the best start.
        most_starts: As many of them if that is little work.
        work: What the first round may cost, in slates judged x answers x particles, before there are fewer starts; ten
            million take some thirty milliseconds.
        kept: How many of them go on, beside the greedy slate; at least a quarter does. The worse half stops after each
            further round.
        sweeps: At most this many further rounds through all attributes of a slate.
        few: Look at all slates where that is no more work than this, in slates x answers x (particles + items).
        budget_ms: Start nothing further once this much time has passed. The question then depends on the machine's
            speed as well as on the seed; None does all the work.
    """

    fewest_starts: int = 8
    most_starts: int = 48
    work: int = 10_000_000
    kept: int = 5
    sweeps: int = 6
    few: int = 4_000_000
    budget_ms: float | None = None

    def __call__(self, problem: Problem) -> Tensor:
        """See `Strategy`."""
        clock = Clock(self.budget_ms)
        answers = problem.k + len(problem.response.extras)
        if problem.options.slates * answers * (len(problem.belief) + problem.available) <= self.few:
            return ExhaustiveSearch()(problem)
        rows = recommendable(problem, None if self.budget_ms is None else lambda: clock.spent(0.5))
        evoi = PooledEvoi.of(problem, rows)
        sieve = evoi.thinned(SIEVE_PARTICLES, SIEVE_ITEMS, problem.fork().generator)
        greedy = grown(problem, evoi, lambda: clock.spent(0.5), sieve)
        starts = varied_slates(problem, self._starts(problem, answers * len(sieve.options.belief)))
        first = swap(torch.cat([greedy, starts]), problem, sieve, 1, lambda: clock.spent(0.6))
        kept = head(first.slates, evoi(first.slates), max(self.kept, len(starts) // 4))
        best = distinct(torch.cat([greedy, kept]))
        if len(rows) < problem.available and not clock.spent(0.7):
            evoi = PooledEvoi.of(problem, _with_best_after(best, rows, problem))
        found = swap(best, problem, evoi, self.sweeps, lambda: clock.spent(0.8), sieve, fewest=1)
        return head(*found, PROPOSED)

    def _starts(self, problem: Problem, numbers: int) -> int:
        """How many random slates to start from, where judging one takes so many numbers."""
        swaps = problem.k * problem.attributes.p * len(problem.catalog.attributes)
        return max(self.fewest_starts, min(self.most_starts, self.work // (swaps * numbers)))


class Found(NamedTuple):
    """Slates `(b, k, p)` and what they are worth `(b,)`."""

    slates: Tensor
    values: Tensor


def varied_slates(problem: Problem, count: int) -> Tensor:
    """`count` slates of attributes drawn without replacement in proportion to the variance of their utility."""
    shape = (count, problem.k, len(problem.catalog.attributes))
    # The largest of log-weight plus Gumbel noise are such a draw.
    noise = -torch.empty(shape, dtype=torch.float32).exponential_(generator=problem.generator).log()
    return problem.attributes.space.projected(problem.attributes.variance.clamp_min(1e-30).log() + noise)


def swap(
    slates: Tensor,
    problem: Problem,
    evoi: PooledEvoi,
    sweeps: int,
    out_of_time: Callable[[], bool] = lambda: False,
    sieve: PooledEvoi | None = None,
    fewest: int | None = None,
) -> Found:
    """Coordinate ascent: each attribute of each slate `(b, k, p)` in turn becomes the one of highest EVOI.

    Slates that meet go on as one. A slate that has been asked may be where it starts, but not where it ends.

    Args:
        slates: Where to start.
        problem: What is asked about.
        evoi: Judges swaps.
        sweeps: At most this many rounds through all attributes of a slate.
        out_of_time: Ends it.
        sieve: See `best_swaps`.
        fewest: If given, the worse half of the slates stops after each round, until this many are left.

    Returns:
        Where they end; minus infinity for what has been asked.
    """
    now = Found(slates, evoi(slates).masked_fill_(problem.was_asked(slates), -torch.inf))
    done: list[Found] = []
    for _ in range(sweeps):
        before = now.values
        for option, position in itertools.product(range(problem.k), range(problem.attributes.p)):
            if out_of_time():
                return _joined([*done, now])
            now = _swapped(now, option, position, problem, evoi, sieve)
        moved = now.values > before
        if fewest is not None:
            ahead = torch.zeros_like(moved)
            ahead[now.values.topk(min(len(moved), max(fewest, len(moved) // 2))).indices] = True
            moved &= ahead
        done.append(Found(now.slates[~moved], now.values[~moved]))
        now = _distinct(Found(now.slates[moved], now.values[moved]))
        if not len(now.slates):
            break
    return _joined([*done, now])


def _swapped(
    now: Found, option: int, position: int, problem: Problem, evoi: PooledEvoi, sieve: PooledEvoi | None
) -> Found:
    """After the best swap of one attribute of each slate, where it raises EVOI."""
    space = problem.attributes.space
    items, valid = space.swaps(now.slates, option, position)
    swaps = best_swaps(now.slates, option, position, valid, evoi, sieve)
    rows, slates = torch.arange(len(items)), now.slates.clone()
    while True:
        best, column = swaps.values.max(dim=1)
        slates[:, option] = items[rows, swaps.attributes[rows, column]]
        again = (problem.was_asked(slates) | space.impossible(slates[:, option])) & (best > -torch.inf)
        if not again.any():
            break
        swaps.values[rows[again], column[again]] = -torch.inf
    better = best > now.values * (1 + LEAST_GAIN)
    return Found(torch.where(better[:, None, None], slates, now.slates), torch.where(better, best, now.values))


def _with_best_after(slates: Tensor, rows: Tensor, problem: Problem) -> Tensor:
    """Rows of items, and those of the best items of all after each answer to the slates."""
    directions = value.directions_after(problem.options.utilities(slates), problem.belief, problem.response)
    found = problem.search(directions.flatten(0, 1), min(LOOKED_UP, problem.available)).rows
    every: Tensor = torch.unique(torch.cat([rows, found.flatten()]))
    return every


def head(slates: Tensor, values: Tensor, count: int) -> Tensor:
    """The `count` distinct slates of highest value, best first."""
    return distinct(slates[values.argsort(descending=True)])[:count]


def distinct(slates: Tensor) -> Tensor:
    """The slates without those that differ from an earlier one in the order of their items only."""
    return slates[_first_of_each(slates)]


def _distinct(found: Found) -> Found:
    rows = _first_of_each(found.slates)
    return Found(found.slates[rows], found.values[rows])


def _first_of_each(slates: Tensor) -> Tensor:
    first: dict[tuple[tuple[int, ...], ...], int] = {}
    for row, slate in enumerate(slates.tolist()):
        first.setdefault(tuple(sorted(map(tuple, slate))), row)
    return torch.tensor([*first.values()], dtype=torch.long)


def _joined(parts: list[Found]) -> Found:
    return Found(torch.cat([part.slates for part in parts]), torch.cat([part.values for part in parts]))
