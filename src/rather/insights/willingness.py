"""Willingness to pay: what a value is worth in money, by what people give up for a lower price."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from rather.errors import UnknownNameError
from rather.insights.aspects import Aspect
from rather.insights.estimates import HIGH, Estimate, Replicates, population_means, summarised


@dataclass(frozen=True)
class Willingness:
    """What people would pay on average for a change of a column.

    Attributes:
        column: The column.
        value: What they get.
        instead_of: What they have otherwise.
        amount: In the unit of the price.
    """

    column: str
    value: str
    instead_of: str
    amount: Estimate


@dataclass(frozen=True)
class Pricing:
    """How people weigh a price.

    Attributes:
        column: The price.
        unit: Of the price.
        slope: What one more unit of price adds to utility: below 0 where people care.
        clear: Whether the slope is below 0 with a probability of at least 97.5 %. Otherwise nothing can be said in
            money.
        willingness: What values are worth, column by column; empty where it is not clear.
    """

    column: str
    unit: str
    slope: Estimate
    clear: bool
    willingness: tuple[Willingness, ...]


def price_of(aspects: Sequence[Aspect], name: str | None = None) -> Aspect | None:
    """The aspect that is the price: the one of this name, else the first column of money."""
    if name is None:
        return next((aspect for aspect in aspects if aspect.is_price and aspect.slope is not None), None)
    for aspect in aspects:
        if aspect.name.casefold() == name.casefold() and aspect.slope is not None:
            return aspect
    known = ", ".join(repr(aspect.name) for aspect in aspects if aspect.slope is not None)
    raise UnknownNameError(f"No column of numbers is called {name!r}. There are: {known or 'none'}.")


def pricing(draws: Tensor, aspects: Sequence[Aspect], price: Aspect, replicates: Replicates) -> Pricing:
    """What people would pay for every value instead of a column's first one (of tags, for having it).

    Mean difference in worth over mean worth of a unit of money. A mean of ratios would be ruled by the few who hardly
    care about the price.

    Args:
        draws: `(r, s, d)`.
        aspects: All columns.
        price: That of the price.
        replicates: For intervals.
    """
    assert price.slope is not None
    slopes = draws @ price.slope
    (slope,) = population_means(slopes[:, :, None], replicates)
    replicated = replicates.means(slopes[:, :, None])
    clear = float((replicated < 0).double().mean()) >= HIGH
    found: list[Willingness] = []
    if clear:
        for aspect in aspects:
            if aspect is not price:
                found += _of_column(draws, aspect, -replicated, -slope.value, replicates)
    return Pricing(price.name, price.unit, slope, clear, tuple(found))


def _of_column(
    draws: Tensor, aspect: Aspect, money: Tensor, mean_money: float, replicates: Replicates
) -> list[Willingness]:
    worths = aspect.worths(draws)
    if aspect.separate:
        gained, names, base = worths, aspect.values, "without"
    else:
        gained, names, base = worths[:, :, 1:] - worths[:, :, :1], aspect.values[1:], aspect.values[0]
    # A replicate whose slope is not below 0 has no price for anything: it counts as the largest amount there is.
    amounts = replicates.means(gained) / torch.where(money > 0, money, torch.full_like(money, 1e-12))
    found = summarised(amounts, gained.mean(dim=(0, 1)) / mean_money)
    return [Willingness(aspect.name, name, base, amount) for name, amount in zip(names, found, strict=True)]
