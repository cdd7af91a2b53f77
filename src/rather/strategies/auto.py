"""The default: the best question that a thorough search among the items that matter finds."""

import time
from dataclasses import dataclass

import torch
from torch import Tensor

from rather.strategies.discrete import TopExhaustive
from rather.strategies.pool import Pool, Ranked
from rather.strategies.problem import Problem, Strategy
from rather.strategies.rivals import mutual_information

PARTS: tuple[Strategy, ...] = (TopExhaustive(),)

# Slates next to the best one that are valued too: for each place this many other items.
NEIGHBOURS = 8

# Slates with nearly the highest EVOI that are compared by what they tell.
MOST_NEAR = 12

# Utilities that one exchange by all finalists may look at, some milliseconds' worth.
EXCHANGED_NUMBERS = 2**19

# Of the best slate's EVOI in the pool; a part's proposal within it is valued exactly.
NEAR = 0.05


@dataclass(frozen=True)
class Auto:
    """Greedy, query iteration and exchanges of single items, among the few items that matter for this belief.

    A pool of items is found by one scan for the mean of the belief, random groups of particles and single ones. In it,
    the greedy slate and the best items of random particles are replaced by their deep retrieval to a fixed point. A
    second scan adds what the whole catalogue has to offer after each answer to the best of them, and the very best then
    exchange one item at a time. Proposals of further methods take part on equal terms; each draws what it would draw
    alone.

    Attributes:
        parts: Methods that propose, cheapest first; their proposals are starts like the others.
        groups: Random groups of particles for whose means the best items enter the pool.
        depth: Items that enter for each.
        single: Particles whose own best item enters.
        drawn: Random particles whose best items make slates to start from; half as many in a pool that was screened.
        looked_up: Of the slates so found, for the answers to these the whole catalogue is searched.
        exchanges: At most this many for each of the finalists.
        finalists: At most this many slates take part in the exchanges; fewer where each exchange is much work.
        foresight: Share of EVOI that is given up, at most, for the question that tells most about the person (by mutual
            information): what is learnt beyond the next recommendation pays after later questions. For the first
            question, the last one for many people, a tenth of it.
        budget_ms: Start nothing further once this much time has passed. The question then depends on the machine's
            speed as well as on the seed; None does all the work.
    """

    parts: tuple[Strategy, ...] = PARTS
    groups: int = 48
    depth: int = 8
    single: int = 192
    drawn: int = 256
    looked_up: int = 16
    exchanges: int = 6
    finalists: int = 8
    foresight: float = 0.05
    budget_ms: float | None = None

    def __call__(self, problem: Problem) -> Tensor:
        """See `Strategy`."""
        clock = Clock(self.budget_ms)
        proposals: list[Tensor] = []
        for part in self.parts:
            proposals.append(part(problem.fork()))
            if clock.spent(1.0):
                return torch.cat(proposals)
        own = problem.fork()
        also = torch.cat([part.flatten() for part in proposals]) if proposals else torch.empty(0, dtype=torch.long)
        pool = Pool.screened(
            own,
            self.groups,
            self.depth,
            self.single,
            also,
            None if self.budget_ms is None else lambda: clock.spent(0.5),
        )
        found = pool.settled(torch.cat([pool.greedy(), self._starts(pool), *map(pool.places, proposals)]))
        if self.looked_up and not clock.spent(0.7):
            slates = pool.rows[found.best(self.looked_up)]
            pool = pool.enlarged(slates, self.depth)
            found = pool.settled(pool.places(slates))
        if self.exchanges and not clock.spent(0.8):
            found += pool.settled(pool.exchanged(found.best(self._most_finalists(pool)), self.exchanges))
        return pool.rows[self._finalists(pool, found, [pool.places(part) for part in proposals])]

    def _most_finalists(self, pool: Pool) -> int:
        numbers = pool.utilities.numel() * pool.problem.k
        return max(1, min(self.finalists, EXCHANGED_NUMBERS // numbers))

    def _finalists(self, pool: Pool, found: Ranked, proposals: list[Tensor]) -> Tensor:
        """The slates among which exact EVOI decides, as places in the pool."""
        best = found.best(1)
        # The next best question is often the best one but for an item.
        if len(pool.rows) > pool.problem.k:
            found += pool.settled(pool.neighbours(best[0], NEIGHBOURS), most_steps=1)
        fresh = found.without(pool.problem.asked, pool.rows)
        chosen = self._farsighted(fresh, pool) if len(fresh.values) else best
        return torch.cat([chosen, *(self._rivals(part, float(found.values.max()), pool) for part in proposals)])

    def _farsighted(self, found: Ranked, pool: Pool) -> Tensor:
        """Of the slates whose EVOI is nearly the highest, the one whose answer tells most about the person."""
        highest, now = float(found.values.max()), float(pool.additions.expected.max())
        share = self.foresight if pool.problem.belief.evidence else self.foresight / 10
        near = found.values >= highest - share * max(0.0, highest - now)
        slates = Ranked(found.slates[near], found.values[near]).best(MOST_NEAR)
        told = mutual_information(pool.rows[slates], pool.problem) if len(slates) > 1 else torch.zeros(1)
        return slates[told.argmax()][None]

    def _rivals(self, proposals: Tensor, best: float, pool: Pool) -> Tensor:
        """The best of a part's proposals, if it comes near the best slate: values in a pool are not quite exact."""
        valued = pool.settled(proposals, most_steps=1)
        now = float(pool.additions.expected.max())
        return valued.best(1) if float(valued.values.max()) - now >= (1 - NEAR) * (best - now) else proposals[:0]

    def _starts(self, pool: Pool) -> Tensor:
        problem = pool.problem
        # A pool that was screened has fewer slates that lead astray.
        drawn = self.drawn if len(pool.rows) == problem.available else self.drawn // 2
        count = max(1, drawn // problem.k)
        return pool.best_of_particles(problem.draw_particles(count * problem.k).view(count, problem.k))


@dataclass(frozen=True)
class Clock:
    """How much of a budget of milliseconds has passed since this was made; without a budget, none ever has."""

    budget_ms: float | None
    start: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", time.perf_counter())

    def spent(self, share: float) -> bool:
        """Whether at least this share of the budget has passed."""
        return self.budget_ms is not None and 1000 * (time.perf_counter() - self.start) >= share * self.budget_ms
