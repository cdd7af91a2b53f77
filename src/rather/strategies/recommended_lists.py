"""The recommendation layer of the network where lists are recommended: k lists of s items.

With F the value of a list (`rather.value.list_value`), Y_i the list after choosing x_i and p_ij as in the network of
single items,

    f(X, Y) = sum_i F(Y_i; w p_i),   p_ij = softmax_i(x_i @ u_j / tau),

which is the network of single items where the lists are of one item.
"""

from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from rather import value
from rather.model.belief import Belief
from rather.model.responses import Logistic
from rather.strategies.hypothetical import HypotheticalSlates, hypothetical_items
from rather.strategies.problem import Problem


class RecommendationLayer(Protocol):
    """What is recommended after each choice, Y, while X moves."""

    def uphill(self, query: Tensor, step: int, rate: float) -> Tensor:
        """The gradient `(b, k, d)` of f with respect to X `(b, k, d)`; what Y has of its own takes a step as well.

        Args:
            query: X.
            step: Its number, from 0.
            rate: How far to step, relative to the scale of the items.
        """
        ...


class ListGradients(NamedTuple):
    """f `(b,)` and its gradients with respect to X `(b, k, d)` and the items of Y `(b, k, s, d)`."""

    value: Tensor
    query: Tensor
    lists: Tensor


def list_network(
    query: Tensor, listed: Tensor, belief: Belief, temperature: float, objective: value.Objective
) -> ListGradients:
    """f(X, Y) and its gradients, by automatic differentiation with respect to utilities.

    Args:
        query: X `(b, k, d)`.
        listed: Utilities `(b, k, s, m)` of the items of Y.
        belief: Particles u and weights w.
        temperature: tau.
        objective: What a list is worth.
    """
    asked, listed = value.utilities(query, belief).detach().requires_grad_(), listed.detach().requires_grad_()
    with torch.enable_grad():
        weights = torch.softmax(asked / temperature, dim=1) * belief.weights.to(asked.dtype)
        values = value.list_value(objective, listed, weights).sum(dim=1)
        slopes = torch.autograd.grad(values.sum(), (asked, listed))
    particles = belief.particles.to(asked.dtype)
    return ListGradients(values.detach(), slopes[0] @ particles, slopes[1] @ particles)


def lists_after(query: Tensor, problem: Problem, response: Logistic) -> value.Lists:
    """The best lists `(b * k, s)` after each choice from X `(b, k, d)`."""
    b, k, _ = query.shape
    chosen = value.exponentials(response.log_probabilities(value.utilities(query, problem.belief)))[:, :k]
    weights = (chosen * problem.belief.weights).reshape(b * k, -1)
    return problem.list_pool.best_lists(problem.objective, weights, problem.objective.size, exchange=False)


class RetrievedLists:
    """The best lists of the catalogue after each choice, found again every few steps.

    Args:
        problem: Where to find them.
        softmax: Splits the particles among the options.
        every: Steps from one search to the next.
    """

    def __init__(self, problem: Problem, softmax: Logistic, every: int) -> None:
        self._problem, self._softmax, self._every = problem, softmax, every
        self._listed = torch.empty(0)

    def uphill(self, query: Tensor, step: int, rate: float) -> Tensor:
        """See `RecommendationLayer`."""
        problem = self._problem
        if step % self._every == 0:
            found = lists_after(query, problem, self._softmax).utilities
            self._listed = found.view(*query.shape[:2], *found.shape[1:])
        return list_network(query, self._listed, problem.belief, self._softmax.temperature, problem.objective).query


class FreeLists:
    """Lists of items that need not exist. They start at the best lists of the catalogue and climb with X.

    Args:
        query: Where X starts, `(b, k, d)`.
        problem: Where lists start.
        softmax: Splits the particles among the options.
        headed: Whether the chosen option is the first item of its list, and only the others move by themselves: for a
            list of one, Y = X.
    """

    def __init__(self, query: Tensor, problem: Problem, softmax: Logistic, *, headed: bool) -> None:
        self._problem, self._softmax, self._headed = problem, softmax, headed
        rows = lists_after(query, problem, softmax).rows[:, int(headed) :]
        self._others: HypotheticalSlates | None = None
        if rows.shape[1]:
            self._others = hypothetical_items(rows.reshape(len(query), -1), problem)

    def lists(self, query: Tensor) -> Tensor:
        """The items `(b, k, s, d)` of Y."""
        b, k, d = query.shape
        parts = [query[:, :, None]] if self._headed else []
        if self._others is not None:
            parts.append(self._others.vectors.view(b, k, -1, d))
        return torch.cat(parts, dim=2)

    def uphill(self, query: Tensor, step: int, rate: float) -> Tensor:
        """See `RecommendationLayer`."""
        problem = self._problem
        listed = self.lists(query) @ problem.belief.particles.T
        slopes = list_network(query, listed, problem.belief, self._softmax.temperature, problem.objective)
        if self._others is not None:
            self._others.climb(slopes.lists[:, :, int(self._headed) :].flatten(1, 2), rate)
        return slopes.query + slopes.lists[:, :, 0] if self._headed else slopes.query
