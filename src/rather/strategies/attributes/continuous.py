"""ContPartial: gradient ascent over relaxed partial items.

A relaxed partial item is a point x_i in [0, 1]^a, to what degree it has each of the a attributes; to a utility
vector it is `x_i @ S`. The ascent is on

    EVOI(X S) - lambda sum_i || sort(x_i) - j ||_1          j: p ones last, zeros before   (Eq. partial_cont)

with exact deep retrieval at every step, and a lambda that grows until every option has p attributes and no other.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from rather import value
from rather.model.responses import Logistic
from rather.strategies.clock import Clock
from rather.strategies.continuous import slate_network
from rather.strategies.hypothetical import Adam
from rather.strategies.problem import Problem


class Distance(NamedTuple):
    """sum_i || sort(x_i) - j ||_1 `(b,)` and its gradient `(b, k, a)`."""

    value: Tensor
    gradient: Tensor


def distance_from_partial(relaxed: Tensor, p: int) -> Distance:
    """How far relaxed slates `(b, k, a)` are from items of p whole attributes, in l1.

    Sorting puts the p largest against ones and the rest against zeros; the gradient is the sign of each difference.
    """
    largest = relaxed.topk(p, dim=2).indices
    difference = relaxed - torch.zeros_like(relaxed).scatter_(2, largest, 1.0)
    return Distance(difference.abs().sum(dim=(1, 2)), difference.sign())


@dataclass(frozen=True)
class ContPartial:
    """Gradient ascent (Adam) from random points, rounded to the p largest of each item.

    The paper's settings are 100 restarts and 100 steps.

    Attributes:
        restarts: Starting slates, uniform in [0, 1]; the best rounded one by exact EVOI is asked.
        steps: Gradient steps.
        step_size: Learning rate.
        weight: The first lambda, relative to the spread of utilities.
        growth: What lambda is multiplied by after each step.
        temperature: Of the softmax while optimising, relative to the spread of utilities.
        particles: The ascent uses at most this many, drawn by weight; the best is still chosen on all.
        items: The ascent searches all items while there are no more than this, else a shortlist.
        budget_ms: Take no further step once most of this time has passed; None takes all.
    """

    restarts: int = 20
    steps: int = 100
    step_size: float = 0.2
    weight: float = 0.01
    growth: float = 1.1
    temperature: float = 0.1
    particles: int = 4096
    items: int = 65_536
    budget_ms: float | None = None

    def __call__(self, problem: Problem) -> Tensor:
        """See `Strategy`."""
        shape = (self.restarts, problem.k, len(problem.catalog.attributes))
        relaxed = torch.rand(shape, generator=problem.generator, dtype=torch.float32)
        return problem.attributes.space.projected(self.optimise(relaxed, problem))

    def optimise(self, relaxed: Tensor, problem: Problem) -> Tensor:
        """Relaxed slates `(b, k, a)` after gradient ascent from the given ones."""
        clock = Clock(self.budget_ms)
        thinned = problem.thinned(self.particles, self.items)
        softmax = Logistic(self.temperature * problem.utility_spread)
        weight = self.weight * problem.utility_spread
        move = Adam(relaxed)
        for _ in range(self.steps):
            if clock.spent(0.8):
                break
            uphill = evoi_gradient(relaxed, thinned, softmax)
            uphill -= weight * distance_from_partial(relaxed, problem.attributes.p).gradient
            relaxed = (relaxed + self.step_size * move(uphill)).clamp_(0.0, 1.0)
            weight *= self.growth
        return relaxed


def evoi_gradient(relaxed: Tensor, problem: Problem, softmax: Logistic) -> Tensor:
    """The gradient of EVOI in relaxed slates, `(b, k, a)`, under softmax answers.

    The best item after each answer is a constant where it is unique, so that the network's gradient in the query
    slate is that of EVOI; the chain rule through `X S` multiplies it by S transposed.
    """
    query = problem.catalog.average + relaxed @ problem.attributes.matrix
    found = value.deep_retrieval(query, problem.belief, softmax, problem.search)
    slopes = slate_network(query, found.vectors[:, :, 0], problem.belief, softmax.temperature)
    return slopes.query @ problem.attributes.matrix.T
