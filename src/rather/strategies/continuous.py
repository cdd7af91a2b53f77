"""Continuous EVOI optimisation: one network (the paper's Fig. 2), three choices.

Query items X `(b, k, d)` and recommended items Y `(b, k, d)` are the weights of two layers through which the
particles pass; the output is the expected utility of getting y_i after choosing x_i,

    f(X, Y) = sum_j w_j sum_i softmax_i(x_i @ u_j / tau) y_i @ u_j                      (Eq. 4 in matrix form)

Gradient ascent moves X inside a ball; the variants differ in what Y is:

    Y = X                           ContFree, and with a pull towards real items ContReg
    Y free                          the reference algorithm (Alg. 2)
    Y = deep retrieval of X         ContDeepRetr at every step, ContAlter every few steps

and the optimum is projected on the catalogue by DeepRetrUniq. Where lists are recommended, Y holds k lists of s items:
free ones, the best ones after each choice, or such as begin with the chosen option (see `recommended_lists`). Restarts
are the batch b. Where a utility model makes item vectors of inputs, X moves through these instead: the same gradients,
passed on by automatic differentiation.
"""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import torch
from torch import Tensor

from rather import value
from rather.model.belief import Belief
from rather.model.responses import Logistic
from rather.retrieval import nearest_items
from rather.strategies.hypothetical import hypothetical_slates
from rather.strategies.initialisers import Initialiser, balanced
from rather.strategies.problem import Problem
from rather.strategies.projection import deep_retrieval_unique
from rather.strategies.recommended_lists import FreeLists, RecommendationLayer, RetrievedLists


class RecommendedSlate(Enum):
    """How the recommendation slate Y is represented."""

    EQUAL = "the query slate itself"
    FREE = "free variables of its own"
    RETRIEVED = "deep retrieval of the query slate"


class Gradients(NamedTuple):
    """f `(b,)` and its gradients with respect to X and Y, `(b, k, d)` each."""

    value: Tensor
    query: Tensor
    recommendation: Tensor


def slate_network(query: Tensor, recommendation: Tensor, belief: Belief, temperature: float) -> Gradients:
    """f(X, Y) and its gradients in closed form.

    With p_ij the softmax and s_ij = y_i @ u_j:  df/dy_i = sum_j w_j p_ij u_j  and
    df/dx_i = 1/tau sum_j w_j p_ij (s_ij - sum_l p_lj s_lj) u_j.

    Args:
        query: X `(b, k, d)`.
        recommendation: Y `(b, k, d)`.
        belief: Particles u and weights w.
        temperature: tau.
    """
    logits = value.utilities(query, belief) / temperature
    share = torch.softmax(logits, dim=1)
    weighted = share * belief.weights.to(share.dtype)
    # Y = X is the common case: its utilities are the logits already.
    scores = logits * temperature if recommendation is query else value.utilities(recommendation, belief)
    gained = weighted * scores
    per_particle = gained.sum(dim=1, keepdim=True)
    towards_query = (gained - share * per_particle) / temperature
    b, k, d = query.shape
    both = torch.cat([towards_query.view(b * k, -1), weighted.view(b * k, -1)]) @ belief.particles.to(share.dtype)
    slopes = both.view(2, b, k, d)
    return Gradients(per_particle.sum(dim=(1, 2)), slopes[0], slopes[1])


class SingleItems:
    """One item after each choice: the recommendation layer of the paper.

    Args:
        kind: What Y is.
        slates: Where it starts, `(b, k, d)`.
        problem: Where to search.
        softmax: Splits the particles among the options.
        every: With retrieved Y: steps from one deep retrieval to the next.
    """

    def __init__(self, kind: RecommendedSlate, slates: Tensor, problem: Problem, softmax: Logistic, every: int) -> None:
        self._kind, self._problem, self._softmax, self._every = kind, problem, softmax, every
        self._free = hypothetical_slates(slates, problem) if kind is RecommendedSlate.FREE else None
        self._retrieved = slates

    def _recommended(self, query: Tensor, step: int) -> Tensor:
        if self._free is not None:
            return self._free.vectors
        if self._kind is RecommendedSlate.EQUAL:
            return query
        if step % self._every == 0:
            found = value.deep_retrieval(query, self._problem.belief, self._softmax, self._problem.search)
            self._retrieved = found.vectors[:, :, 0]
        return self._retrieved

    def uphill(self, query: Tensor, step: int, rate: float) -> Tensor:
        """See `RecommendationLayer`."""
        slopes = slate_network(query, self._recommended(query, step), self._problem.belief, self._softmax.temperature)
        if self._free is not None:
            self._free.climb(slopes.recommendation, rate)
        return slopes.query + slopes.recommendation if self._kind is RecommendedSlate.EQUAL else slopes.query


@dataclass(frozen=True)
class Continuous:
    """Gradient ascent over hypothetical slates, projected on the catalogue.

    Attributes:
        recommendation: What Y is.
        retrieve_every: With retrieved Y: gradient steps between two deep retrievals.
        pull: Weight of the squared distance to the nearest item (the paper's lambda), relative to the utility
            scale; 0 leaves X free.
        restarts: Starting slates; the best projected one by exact EVOI is asked.
        initialiser: Where they start.
        steps: Gradient steps (Adam).
        step_size: First learning rate, relative to the root mean square of item coordinates; falls linearly to 0.
        temperature: Of the softmax while optimising, relative to the spread of utilities. A sharper one than the
            person's has no gradient to follow; a softer one no longer tells apart who would choose what.
    """

    recommendation: RecommendedSlate
    retrieve_every: int = 1
    pull: float = 0.0
    restarts: int = 10
    initialiser: Initialiser = balanced
    steps: int = 60
    step_size: float = 0.3
    temperature: float = 0.1

    def __call__(self, problem: Problem) -> Tensor:
        """See `Strategy`."""
        slates = self.optimise(self.initialiser(problem, self.restarts), problem)
        return deep_retrieval_unique(slates, problem, self._softmax(problem))

    def _softmax(self, problem: Problem) -> Logistic:
        return Logistic(self.temperature * problem.utility_spread)

    def optimise(self, slates: Tensor, problem: Problem) -> Tensor:
        """Hypothetical slates `(b, k, d)` after gradient ascent from the given ones."""
        query = hypothetical_slates(slates, problem)
        layer = self._layer(slates, query.vectors, problem)
        for step in range(self.steps):
            rate = self.step_size * (1 - step / self.steps)
            uphill = layer.uphill(query.vectors, step, rate)
            if self.pull:
                uphill = uphill - self._pull(query.vectors, problem)
            query.climb(uphill, rate)
        return query.vectors

    def _layer(self, slates: Tensor, query: Tensor, problem: Problem) -> RecommendationLayer:
        """What is recommended after each choice from X, which starts at `query`."""
        softmax, kind = self._softmax(problem), self.recommendation
        if problem.recommends_one:
            return SingleItems(kind, slates, problem, softmax, self.retrieve_every)
        if kind is RecommendedSlate.RETRIEVED:
            return RetrievedLists(problem, softmax, self.retrieve_every)
        return FreeLists(query, problem, softmax, headed=kind is RecommendedSlate.EQUAL)

    def _pull(self, query: Tensor, problem: Problem) -> Tensor:
        """Gradient of `lambda * sum_i min_z |x_i - z|^2`, with lambda relative to utility over squared distance."""
        # When all items are zero there is nowhere to be pulled from: the ball is a point.
        weight = self.pull * problem.utility_spread / max(problem.catalog.largest_norm**2, 1e-12)
        return 2 * weight * (query - nearest_items(query, problem.catalog, problem.allowed))
