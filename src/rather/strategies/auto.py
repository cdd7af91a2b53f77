"""The default: the best question that a thorough search among the items that matter finds."""

import time
from dataclasses import dataclass

import torch
from torch import Tensor

from rather.strategies.discrete import TopExhaustive
from rather.strategies.pool import Pool, Ranked
from rather.strategies.problem import Problem, Strategy, not_asked

PARTS: tuple[Strategy, ...] = (TopExhaustive(),)

# Slates next to the best one that are valued when the best has been asked: for each place this many other items.
NEIGHBOURS = 4

# Of the best slate's EVOI in the pool; a part's proposal within it is valued exactly.
NEAR = 0.05


@dataclass(frozen=True)
class Auto:
    """Greedy, query iteration and exchanges of single items, among the few items that matter for this belief.

    A pool of items is found by one scan for the mean of the belief and for random groups of particles. In it, the
    greedy slate and the best items of random particles are replaced by their deep retrieval to a fixed point, and the
    best of those then exchange one item at a time. Proposals of further methods take part on equal terms; each draws
    what it would draw alone.

    Attributes:
        parts: Methods that propose, cheapest first; their proposals are starts like the others.
        groups: Random groups of particles for whose means the best items enter the pool.
        depth: Items that enter for each.
        restarts: Slates of random particles' best items to start from.
        exchanges: At most this many for each of the finalists.
        finalists: Slates that take part in the exchanges.
        budget_ms: Start nothing further once this much time has passed. The question then depends on the machine's
            speed as well as on the seed; None does all the work.
    """

    parts: tuple[Strategy, ...] = PARTS
    groups: int = 192
    depth: int = 8
    restarts: int = 16
    exchanges: int = 6
    finalists: int = 1
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
            own, self.groups, self.depth, also, None if self.budget_ms is None else lambda: clock.spent(0.5)
        )
        return pool.rows[self._finalists(pool, [pool.places(part) for part in proposals], clock)]

    def _finalists(self, pool: Pool, proposals: list[Tensor], clock: "Clock") -> Tensor:
        """The slates among which exact EVOI decides, as places in the pool."""
        problem = pool.problem
        ranked = pool.settled(torch.cat([pool.greedy(), self._starts(pool), *proposals]))
        if self.exchanges and not clock.spent(0.8):
            swapped = pool.settled(pool.exchanged(ranked.best(self.finalists), self.exchanges))
            ranked = Ranked(torch.cat([ranked.slates, swapped.slates]), torch.cat([ranked.values, swapped.values]))
        best = ranked.best(self.finalists + len(problem.asked))
        if problem.asked and frozenset(pool.rows[best[0]].tolist()) in problem.asked:
            # The next best question is often the one that was asked but for an item.
            nearby = torch.cat([best, pool.neighbours(best[0], NEIGHBOURS)])
            best = pool.settled(nearby, most_steps=1).best(len(nearby))
        fresh = pool.places(not_asked(pool.rows[best], problem))[: self.finalists]
        finalists = [fresh if len(fresh) else best[:1]]
        return torch.cat([*finalists, *(self._rivals(part, float(ranked.values.max()), pool) for part in proposals)])

    def _rivals(self, proposals: Tensor, best: float, pool: Pool) -> Tensor:
        """The best of a part's proposals, if it comes near the best slate: values in a pool are not quite exact."""
        valued = pool.settled(proposals, most_steps=1)
        now = float(pool.additions.expected.max())
        return valued.best(1) if float(valued.values.max()) - now >= (1 - NEAR) * (best - now) else proposals[:0]

    def _starts(self, pool: Pool) -> Tensor:
        problem = pool.problem
        particles = problem.draw_particles(self.restarts * problem.k)
        return pool.best_of_particles(particles.view(self.restarts, problem.k))


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
