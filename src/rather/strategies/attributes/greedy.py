"""Greedy for questions about attributes."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from rather.strategies.attributes.pooled import PooledEvoi, best_swaps, recommendable
from rather.strategies.clock import Clock
from rather.strategies.problem import Problem

# Up to this many items, additions are judged on all of them.
SMALL_CATALOG = 512


@dataclass(frozen=True)
class GreedyAttributes:
    """Start with the attribute of highest utility variance, then add the attribute that gives the highest EVOI.

    Attributes are dealt out in turn: the first round gives each of the k options its first attribute, the second its
    second, up to p. Until an option has all of its attributes it is compared with those it has, so that every addition
    is judged by the EVOI of a question that could be asked.

    Attributes:
        budget_ms: Add nothing further once this much time has passed; what is missing is then filled in by variance.
    """

    budget_ms: float | None = None

    def __call__(self, problem: Problem) -> Tensor:
        """See `Strategy`."""
        clock = Clock(self.budget_ms)
        out_of_time = None if self.budget_ms is None else lambda: clock.spent(0.5)
        evoi = PooledEvoi.of(problem, recommendable(problem, out_of_time, SMALL_CATALOG))
        return grown(problem, evoi, lambda: clock.spent(0.8))


def grown(
    problem: Problem, evoi: PooledEvoi, out_of_time: Callable[[], bool], sieve: PooledEvoi | None = None
) -> Tensor:
    """The slate that grows by the best attribute at a time, `(1, k, p)`.

    Args:
        problem: What is asked about.
        evoi: Judges additions.
        out_of_time: Ends it.
        sieve: See `best_swaps`.
    """
    space, variance = problem.attributes.space, problem.attributes.variance
    slate = torch.full((1, problem.k, space.p), -1)
    slate[0, 0, -1] = variance.argmax()
    for turn in range(1, problem.k * space.p):
        if out_of_time():
            break
        option, options = turn % problem.k, min(turn + 1, problem.k)
        # Items are in ascending order: what is not stated yet comes first.
        items, valid = space.swaps(slate[:, :options], option, 0)
        if valid.any():
            found = best_swaps(slate[:, :options], option, 0, valid, evoi, sieve)
            added = items[0, found.attributes[0]]
            values = found.values[0].masked_fill(space.impossible(added), -torch.inf)
            if values.max() > -torch.inf:
                slate[0, option] = added[values.argmax()]
    # Where time or attributes run out, options say too little, or the same; the projection corrects that.
    scores = (variance / (2 * variance.max().clamp_min(1e-30))).repeat(1, problem.k, 1)
    padded = torch.nn.functional.pad(scores, (0, 1)).scatter_(2, slate.remainder(scores.shape[2] + 1), 1.0)
    return space.projected(padded[:, :, :-1])
