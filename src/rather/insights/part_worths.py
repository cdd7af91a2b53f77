"""Part-worths: what each value of a column adds to utility. Importances: how much each column decides."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from rather.insights.aspects import Aspect
from rather.insights.estimates import Estimate, Replicates, population_means


@dataclass(frozen=True)
class PartWorths:
    """What the values of a column are worth on average.

    Attributes:
        column: Its name.
        values: What they are called.
        worths: Of each value, against an average item; of tags, against an item without.
        numbers: The values as numbers, ascending, where they have an order.
        liked_by: The share of people for whom each value is worth more than an average item.
    """

    column: str
    values: tuple[str, ...]
    worths: tuple[Estimate, ...]
    numbers: tuple[float, ...] | None
    liked_by: tuple[float, ...]


@dataclass(frozen=True)
class Importance:
    """The share of a column in what makes items better or worse, from 0 to 1."""

    column: str
    share: Estimate


def part_worths(draws: Tensor, aspects: Sequence[Aspect], replicates: Replicates) -> tuple[PartWorths, ...]:
    """The part-worths of all columns over a population, for draws `(r, s, d)`."""
    found = []
    for aspect in aspects:
        worths = aspect.worths(draws)
        liked = (worths > 0).to(draws.dtype).mean(dim=(0, 1)).tolist()
        means = tuple(population_means(worths, replicates))
        found.append(PartWorths(aspect.name, aspect.values, means, aspect.numbers, tuple(liked)))
    return tuple(found)


def importance_shares(draws: Tensor, aspects: Sequence[Aspect]) -> Tensor:
    """For each respondent and draw the range of every column over the sum of ranges, `(r, s, c)`."""
    ranges = torch.stack([aspect.ranges(draws) for aspect in aspects], dim=2)
    return ranges / ranges.sum(dim=2, keepdim=True).clamp_min(1e-12)


def importances(draws: Tensor, aspects: Sequence[Aspect], replicates: Replicates) -> tuple[Importance, ...]:
    """How much each column decides on average, the most important first."""
    if not aspects:
        return ()
    shares = population_means(importance_shares(draws, aspects), replicates)
    found = [Importance(aspect.name, share) for aspect, share in zip(aspects, shares, strict=True)]
    return tuple(sorted(found, key=lambda each: -each.share.value))
