"""The default: the best question that a portfolio of cheap methods finds."""

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
    QueryIteration(restarts=20, initialiser=mixed),
    Continuous(Recommendation.RETRIEVED, retrieve_every=5, restarts=10, steps=30, initialiser=balanced),
)


@dataclass(frozen=True)
class Auto:
    """Seeds from several methods, then query iteration, then exchanges of single items.

    Every part's proposals are kept, and each part draws what it would draw alone, so the question is never worse in
    exact EVOI than the best part's.

    Attributes:
        parts: Methods that propose, cheapest first.
        exchanges: At most this many rounds of exchanging one item of the best slate.
        budget_ms: Start no further part once this much time has passed. The question then depends on the machine's
            speed as well as on the seed; None does all the work.
    """

    parts: tuple[Strategy, ...] = PARTS
    exchanges: int = 5
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
        """The slates and, last, the best of them not asked yet after single exchanges that raise EVOI."""
        values = problem.evoi(slates)
        best, best_value = slates[values.argmax()], float(values.max())
        if frozenset(best.tolist()) in problem.asked:
            # The next best question is most often the best one but for an item.
            fresh = not_asked(torch.cat([slates, neighbours(best[None], problem)]), problem)
            if not len(fresh):
                return slates
            values = problem.evoi(fresh)
            best, best_value = fresh[values.argmax()], float(values.max())
        for _ in range(self.exchanges):
            if _over(deadline):
                break
            candidates = not_asked(neighbours(best[None], problem), problem)
            if not len(candidates):
                break
            values = problem.evoi(candidates)
            if float(values.max()) <= best_value:
                break
            best, best_value = candidates[values.argmax()], float(values.max())
        return torch.cat([slates, best[None]])


def _over(deadline: float | None) -> bool:
    return deadline is not None and time.perf_counter() > deadline
