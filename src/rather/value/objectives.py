"""What a recommendation is worth: the best item of the paper, or anything else that is differentiable (its point d).

A recommendation is a list of s items. An objective says what the list is worth to every particle, from the utilities of
its items; what it is worth to a belief is the average over the particles,

    F(Y; w) = sum_j w_j worth_j(Y @ u_j),

and the value of a question is what its answer is expected to add to the best list: with w_r the weights of the
particles times the probability of answer r, `EVOI = sum_r max_Y F(Y; w_r) - max_Y F(Y; w)`.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor

from rather.errors import InvalidInputError


@runtime_checkable
class Objective(Protocol):
    """What a list of items is worth. `rather.testing.check_objective` checks one of your own."""

    @property
    def size(self) -> int:
        """Items that are recommended at a time, s."""
        ...

    @property
    def depth(self) -> int:
        """How many of their own best items, at most s, make the best list for somebody whose utilities are known."""
        ...

    def worth(self, utilities: Tensor, weights: Tensor) -> Tensor:
        """What lists are worth to each particle, `(..., m)`.

        It never falls as a utility rises, and is differentiable almost everywhere.

        Args:
            utilities: `(..., s, m)`, of the items of a list, best placed first; also of shorter lists.
            weights: `(..., m)`, not negative, with a sum of at most 1. Objectives that are averages need them not.
        """
        ...


@runtime_checkable
class Joins(Protocol):
    """An objective for which one imagined item may stand for several."""

    def join(self, first: Tensor, second: Tensor) -> Tensor:
        """Utilities `(..., m)` of an item that is worth as much as these two together, in any list."""
        ...


@runtime_checkable
class Linear(Protocol):
    """An objective that is a weighted sum of utilities: the items of highest expected utility are the best list."""

    @property
    def discounts(self) -> Tensor:
        """`(s,)`, what each slot counts; positive and descending."""
        ...


def list_value(objective: Objective, utilities: Tensor, weights: Tensor) -> Tensor:
    """F(Y; w) `(...)` from the utilities `(..., s, m)` of lists and weights `(..., m)`."""
    return (objective.worth(utilities, weights) * weights).sum(dim=-1)


@dataclass(frozen=True)
class BestItem:
    """The utility of a single item: the paper's objective."""

    @property
    def size(self) -> int:
        """One."""
        return 1

    depth = size

    @cached_property
    def discounts(self) -> Tensor:
        """See `Linear.discounts`."""
        return torch.ones(1)

    def worth(self, utilities: Tensor, weights: Tensor) -> Tensor:
        """The utility of the first item."""
        return utilities[..., 0, :]


class _OfTheBest:
    """What is worth as much as the best item of a list."""

    @property
    def depth(self) -> int:
        """One: nothing adds to a person's best item."""
        return 1

    def join(self, first: Tensor, second: Tensor) -> Tensor:
        """The better one."""
        return torch.maximum(first, second)


@dataclass(frozen=True)
class BestOfList(_OfTheBest):
    """The utility of the best item of a list: people see all of it and take one.

    `max_i y_i @ u`. Its expectation is submodular in the list, so the greedy list is within 1 - 1/e of the best.

    Attributes:
        size: Items on the list.
    """

    size: int = 5

    def __post_init__(self) -> None:
        _validate_size(self.size)

    def worth(self, utilities: Tensor, weights: Tensor) -> Tensor:
        """The utility of the best item."""
        return _best(utilities)


@dataclass(frozen=True)
class SmoothBestOfList:
    """The same for people who choose from the list with noise, or a smooth stand-in for the maximum.

    `t log sum_i exp(y_i @ u / t)`: the surplus of a logit choice. It also counts how many good items there are.

    Attributes:
        temperature: The noise t, in units of utility; the smaller, the closer to `BestOfList`.
        size: Items on the list.
    """

    temperature: float
    size: int = 5

    def __post_init__(self) -> None:
        _validate_size(self.size)
        _validate_positive("temperature", self.temperature)

    @property
    def depth(self) -> int:
        """All: another good item always adds something."""
        return self.size

    def worth(self, utilities: Tensor, weights: Tensor) -> Tensor:
        """The surplus."""
        return self.temperature * torch.logsumexp(utilities / self.temperature, dim=-2)

    def join(self, first: Tensor, second: Tensor) -> Tensor:
        """The surplus of the two."""
        return self.temperature * torch.logaddexp(first / self.temperature, second / self.temperature)


@dataclass(frozen=True)
class DiscountedList:
    """A ranked list in which lower slots are looked at less, as in NDCG.

    `sum_i (y_i @ u / log2(i + 1)) / sum_i (1 / log2(i + 1))`.

    Attributes:
        size: Items on the list.
    """

    size: int = 5

    def __post_init__(self) -> None:
        _validate_size(self.size)

    @property
    def depth(self) -> int:
        """All: every slot counts."""
        return self.size

    @cached_property
    def discounts(self) -> Tensor:
        """See `Linear.discounts`."""
        raw = 1 / torch.log2(torch.arange(2, self.size + 2, dtype=torch.float32))
        return raw / raw.sum()

    def worth(self, utilities: Tensor, weights: Tensor) -> Tensor:
        """The discounted sum."""
        discounts = self.discounts[: utilities.shape[-2]].to(utilities.dtype)
        return (utilities * discounts[:, None]).sum(dim=-2)


@dataclass(frozen=True)
class Satisfaction(_OfTheBest):
    """The probability that the best item of a list is good enough.

    `sigmoid((max_i y_i @ u - threshold) / width)`: a step where the width is small.

    Attributes:
        threshold: The utility that is good enough.
        width: How gradually an item becomes good enough, in units of utility.
        size: Items on the list.
    """

    threshold: float
    width: float
    size: int = 1

    def __post_init__(self) -> None:
        _validate_size(self.size)
        _validate_finite("threshold", self.threshold)
        _validate_positive("width", self.width)

    def worth(self, utilities: Tensor, weights: Tensor) -> Tensor:
        """How satisfied each particle is, in 0..1."""
        return torch.sigmoid((_best(utilities) - self.threshold) / self.width)


@dataclass(frozen=True)
class RiskAverse(_OfTheBest):
    """The utility of the best item of a list, averaged over those for whom the list does worst: CVaR.

    `max_c E[c - max(0, c - best) / share]` (Rockafellar & Uryasev 2000). Being a maximum of averages, it never loses by
    asking.

    Attributes:
        share: Of the probability that counts, in (0, 1]; 1 is `BestOfList`.
        size: Items on the list.
    """

    share: float = 0.2
    size: int = 1

    def __post_init__(self) -> None:
        _validate_size(self.size)
        _validate_finite("share", self.share)
        if not 0 < self.share <= 1:
            raise InvalidInputError(f"`share` must lie in (0, 1], got {self.share}.")

    def worth(self, utilities: Tensor, weights: Tensor) -> Tensor:
        """The best utility, times how much of each particle is among the worst; on average, the CVaR."""
        best = _best(utilities)
        best, weights = best + torch.zeros_like(weights), weights + torch.zeros_like(best)
        order = best.detach().argsort(dim=-1)
        ordered = weights.gather(-1, order)
        passed = ordered.cumsum(dim=-1)
        counted = (self.share * passed[..., -1:] - (passed - ordered)).clamp_min(0).minimum(ordered)
        shares = torch.zeros_like(counted).scatter(-1, order, counted / ordered.clamp_min(1e-30))
        worth: Tensor = best * shares / self.share
        return worth


def _best(utilities: Tensor) -> Tensor:
    """The best utility in lists `(..., s, m)`, `(..., m)`; a list of one is common and needs no search."""
    return utilities[..., 0, :] if utilities.shape[-2] == 1 else utilities.amax(dim=-2)


def _validate_size(size: Any) -> None:
    if not isinstance(size, Integral):
        raise InvalidInputError(f"`size` must be a whole number, got {size!r}.")
    if size < 1:
        raise InvalidInputError(f"`size` must be at least 1, got {size}.")


def _validate_finite(name: str, number: Any) -> None:
    if not isinstance(number, Real) or not math.isfinite(number):
        raise InvalidInputError(f"`{name}` must be a finite number, got {number!r}.")


def _validate_positive(name: str, number: Any) -> None:
    _validate_finite(name, number)
    if number <= 0:
        raise InvalidInputError(f"`{name}` must be above 0, got {number}.")
