"""How good a ranking is in stars, and whether stated probabilities come true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

BINS = 10
"""Of stated probabilities, equally wide."""


def ranked(scores: Tensor, allowed: Tensor, stars: Mapping[int, float]) -> list[float]:
    """The stars of the allowed items in the order of their scores `(n,)`, highest first."""
    rows = allowed.nonzero()[:, 0]
    order = scores[rows].argsort(descending=True, stable=True)
    return [stars[row] for row in rows[order].tolist()]


def star_regret(stars: Sequence[float], length: int) -> float:
    """What the best of the first `length` items misses of the best of all."""
    return max(stars) - max(stars[:length])


def star_ndcg(stars: Sequence[float], length: int = 10) -> float:
    """Normalised discounted cumulative gain of the first `length` items; an item gains `2^stars - 1`.

    `sum_i (2^stars_i - 1) / log2(i + 1)`, divided by the same sum for the best order.
    """
    gains = torch.tensor(stars, dtype=torch.float64).exp2() - 1
    discount = 1 / torch.log2(torch.arange(min(length, len(stars)), dtype=torch.float64) + 2)
    ideal = gains.sort(descending=True).values[:length] @ discount
    return float(gains[:length] @ discount / ideal)


def favourite_hit(stars: Sequence[float], length: int = 10) -> float:
    """The probability that a favourite, drawn from the items with the most stars, is among the first `length`."""
    favourites = [given == max(stars) for given in stars]
    return sum(favourites[:length]) / sum(favourites)


def binned(stated: Sequence[tuple[float, bool]]) -> dict[str, list[float]]:
    """For each bin of probability: how often one was stated, their sum, and how often it came true."""
    counts = torch.zeros(3, BINS, dtype=torch.float64)
    for probability, true in stated:
        index = min(BINS - 1, int(probability * BINS))
        counts[:, index] += torch.tensor([1.0, probability, float(true)], dtype=torch.float64)
    return dict(zip(("stated", "stated_sum", "came_true"), counts.tolist(), strict=True))


def calibration_error(stated: Sequence[float], stated_sum: Sequence[float], came_true: Sequence[float]) -> float:
    """Expected calibration error: the mean gap of a bin between what was stated and what happened, by its share."""
    total = sum(stated)
    return sum(abs(said - true) for said, true in zip(stated_sum, came_true, strict=True)) / total if total else 0.0
