"""Shares of preference: who would choose which of some items, and what if one of them were different."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from rather.errors import InvalidInputError
from rather.insights.estimates import Estimate, Replicates, population_means
from rather.insights.items import Item


@dataclass(frozen=True)
class Share:
    """The share of people who would choose an item.

    Attributes:
        item: Which one.
        first_choice: If everybody takes what is best for them.
        logit: If people are as unsteady as in their answers, so that a close second is often taken.
    """

    item: Item
    first_choice: Estimate
    logit: Estimate


def first_choices(utilities: Tensor) -> Tensor:
    """Who takes which item, `(r, s, i)` of 0 and 1; equally good items share."""
    best = utilities == utilities.amax(dim=2, keepdim=True)
    return best / best.sum(dim=2, keepdim=True)


def logit_choices(utilities: Tensor, temperatures: Tensor) -> Tensor:
    """How likely each item is taken, `(r, s, i)`: `exp(u_i / t) / sum_j exp(u_j / t)`, with a t for each person."""
    return torch.softmax(utilities / temperatures[:, None, None], dim=2)


def shares(
    draws: Tensor, vectors: Tensor, items: Sequence[Item], temperatures: Tensor, replicates: Replicates
) -> tuple[Share, ...]:
    """The shares of i items among each other.

    Args:
        draws: `(r, s, d)`.
        vectors: `(i, d)`.
        items: Which they are.
        temperatures: `(r,)`, the noise in the answers of each respondent, in units of utility.
        replicates: For intervals.
    """
    if len(vectors) < 2:
        raise InvalidInputError(f"Shares need at least two items to choose from, got {len(vectors)}.")
    utilities = draws @ vectors.T
    first = population_means(first_choices(utilities), replicates)
    logit = population_means(logit_choices(utilities, temperatures), replicates)
    return tuple(Share(*row) for row in zip(items, first, logit, strict=True))


def share_changes(
    draws: Tensor,
    before: Tensor,
    after: Tensor,
    items: Sequence[Item],
    temperatures: Tensor,
    replicates: Replicates,
) -> tuple[Share, ...]:
    """By how much shares change, item by item, if vectors `(i, d)` become others `(j, d)`; new items come last."""
    now, then = draws @ before.T, draws @ after.T
    first = _changes(first_choices(now), first_choices(then), replicates)
    logit = _changes(logit_choices(now, temperatures), logit_choices(then, temperatures), replicates)
    return tuple(Share(*row) for row in zip(items, first, logit, strict=True))


def _changes(now: Tensor, then: Tensor, replicates: Replicates) -> list[Estimate]:
    padded = torch.nn.functional.pad(now, (0, then.shape[2] - now.shape[2]))
    return population_means(then - padded, replicates)
