"""The default: the best question that a portfolio of cheap methods finds."""

import math
import time
from dataclasses import dataclass

import torch
from torch import Tensor

from rather.strategies.continuous import Continuous, Recommendation
from rather.strategies.discrete import QueryIteration, TopExhaustive, iterate
from rather.strategies.initialisers import balanced, mixed
from rather.strategies.problem import Problem, Strategy, neighbours, not_asked

PARTS: tuple[Strategy, ...] = (
    TopExhaustive(),
    QueryIteration(restarts=64, initialiser=mixed),
    Continuous(Recommendation.RETRIEVED, restarts=8, steps=20, initialiser=balanced),
)


@dataclass(frozen=True)
class Auto:
    """Seeds from several methods, then query iteration, then exchanges of single items.

    Every part's proposals are kept, and each part draws what it would draw alone, so the question is never worse in
    exact EVOI than the best part's.

    Attributes:
        parts: Methods that propose, cheapest first.
        exchanges: At most this many rounds of exchanging one item of a slate for a runner-up of deep retrieval.
        finalists: Slates that take part in the exchanges.
        budget_ms: Start no further part once this much time has passed. The question then depends on the machine's
            speed as well as on the seed; None does all the work.
    """

    parts: tuple[Strategy, ...] = PARTS
    exchanges: int = 5
    finalists: int = 4
    budget_ms: float | None = None

    def __call__(self, problem: Problem) -> Tensor:
        """See `Strategy`."""
        deadline = None if self.budget_ms is None else time.perf_counter() + self.budget_ms / 1000
        slates = self.parts[0](problem.fork())
        for part in self.parts[1:]:
            if _over(deadline):
                return slates
            slates = torch.cat([slates, iterate(part(problem.fork()), problem)])
        return self._exchanged(slates, problem, deadline)

    def _exchanged(self, slates: Tensor, problem: Problem, deadline: float | None) -> Tensor:
        """The slates, and the best few not asked yet after single exchanges that raise EVOI."""
        values, order = problem.evoi(slates).topk(min(self.finalists, len(slates)))
        best = slates[order]
        # A slate that was asked still takes part at first: the next best question is often it but for an item.
        best_value = -math.inf if len(not_asked(best[:1], problem)) == 0 else float(values[0])
        for _ in range(self.exchanges):
            if _over(deadline):
                break
            candidates = torch.cat([best, neighbours(best, problem)]).sort(dim=1).values
            fresh = not_asked(torch.unique(candidates, dim=0), problem)
            if not len(fresh):
                break
            values, order = problem.evoi(fresh).topk(min(self.finalists, len(fresh)))
            if float(values[0]) <= best_value:
                break
            best, best_value = fresh[order], float(values[0])
        return torch.cat([slates, best])


def _over(deadline: float | None) -> bool:
    return deadline is not None and time.perf_counter() > deadline
