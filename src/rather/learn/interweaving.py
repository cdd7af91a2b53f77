"""Moves of a population together with all its members.

Given everybody's vectors, the mean and the spread of a population are known almost exactly, so that a Gibbs step hardly
moves them: with few answers from each person, it is the vectors that must follow. So everybody also moves by the same
step, and everybody's utilities in a part of the prior are stretched by the same factor, while what sets people apart
is held fixed: an ancillarity-sufficiency interweaving strategy (Yu & Meng 2011).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from rather.learn.hierarchy import PARTS_AT_ONCE, Floats, Integers, Level, metropolis

if TYPE_CHECKING:
    from rather.learn.respondents import Respondents

# How much of the way back to its mean a common shift goes on average: with all of it, fewer are accepted.
RETURN = 0.7

# Deviations of the steps of the logarithm of a factor: all are tried of the common one, one of them of each part.
COMMON_STEPS = (0.3, 0.1, 0.03, 0.01)
PART_STEPS = (0.5, 0.2, 0.07)


def shifted(people: Respondents, level: Level, segment: Integers, curvature: Floats, rng: np.random.Generator) -> Level:
    """The level after a Metropolis-Hastings step of the mean of each segment, by which all its members move too.

    Given what sets people apart, the posterior of a mean is nearly Gaussian. A step
    `(1 - r) C gradient + sqrt(1 - r^2) C^(1/2) z` would always be accepted if it were, with covariance C.

    Args:
        people: Is changed.
        level: The last draw.
        segment: `(n,)`, which people belong to.
        curvature: `(d, d)`, about minus the second derivative of everybody's log-likelihood by a common shift.
        rng: Draws.
    """
    means = level.means.copy()
    stay = 1 - RETURN
    width = (1 - stay**2) ** 0.5
    for number, mean in enumerate(means):
        members = segment == number
        precision = float(members.mean()) * curvature + np.diag(level.reach**-2)
        covariance = np.linalg.inv(precision)
        noise = width * np.linalg.cholesky(covariance) @ rng.standard_normal(len(mean))
        density, slope = _density(people, level, members, mean, np.zeros_like(mean))
        step = RETURN * covariance @ slope + noise
        new, slope = _density(people, level, members, mean, step)
        back = -step - RETURN * covariance @ slope
        odds = (noise @ precision @ noise - back @ precision @ back) / (2 * width**2)
        if new - density + odds > math.log(max(rng.random(), 1e-300)):
            means[number] += step
            people.vectors[torch.from_numpy(members)] += torch.from_numpy(step).float()
    return replace(level, means=means)


def _density(
    people: Respondents, level: Level, members: npt.NDArray[np.bool_], mean: Floats, step: Floats
) -> tuple[float, Floats]:
    """Log-density of a segment's mean after a step by which all its members move, and its gradient `(d,)`."""
    value, slope = people.slope(torch.from_numpy(members), torch.from_numpy(step))
    moved = (mean + step) / level.reach
    return value - 0.5 * float(moved @ moved), slope.numpy() - moved / level.reach


def rescaled(people: Respondents, level: Level, segment: Integers, rng: np.random.Generator) -> Level:
    """The level after Metropolis steps of its scales, by which everybody's utilities are stretched.

    First of all parts of the prior together; then, of some parts, of all that it counts and of how far people differ
    from their mean in it.

    Args:
        people: Is changed.
        level: The last draw.
        segment: `(n,)`, which people belong to.
        rng: Draws.
    """
    logits = _Logits(people)
    by = metropolis(
        0.0,
        lambda value: logits.stretched(math.expm1(value), logits.linear) + level.stretched(value).log_scale_density,
        rng,
        COMMON_STEPS,
    )
    level = level.stretched(by)
    logits.stretch(math.expm1(by), logits.linear)
    vectors = people.vectors.double() * math.exp(by)
    numbers, centres = torch.from_numpy(level.parts), torch.from_numpy(segment)
    for part in rng.permutation(len(level.log_reach))[:PARTS_AT_ONCE].tolist():
        own = numbers == part
        for whole in (True, False):
            fixed = torch.zeros(()) if whole else torch.from_numpy(level.means)[centres][:, own]
            moving = vectors[:, own] - fixed
            by = _stretch(logits, logits.along(own, moving.float()), level, (part, whole), rng)
            vectors[:, own] = fixed + math.exp(by) * moving
            level = level.stretched_in(part, by, whole=whole)
    people.vectors = vectors.float()
    return level


def _stretch(
    logits: _Logits, along: Sequence[Tensor], level: Level, what: tuple[int, bool], rng: np.random.Generator
) -> float:
    """Stretch a part of the logits by a factor that a Metropolis step finds; its logarithm."""
    part, whole = what

    def log_density(value: float) -> float:
        prior = level.stretched_in(part, value, whole=whole).log_scale_density
        return logits.stretched(math.expm1(value), along) + prior

    by = metropolis(0.0, log_density, rng, (float(rng.choice(PART_STEPS)),))
    logits.stretch(math.expm1(by), along)
    return by


class _Logits:
    """The logits of everybody's answers, batch by batch, while utilities are stretched."""

    def __init__(self, people: Respondents) -> None:
        self._batches = people.batches
        self._factors = [people.factors[choices.people] for choices in self._batches]
        self.linear = [choices.slopes(people.vectors[None, choices.people])[0] for choices in self._batches]

    def along(self, dimensions: Tensor, vectors: Tensor) -> list[Tensor]:
        """What vectors `(n, s)` of everybody add in some of the dimensions."""
        return [choices.slopes_of(dimensions, vectors[choices.people]) for choices in self._batches]

    def stretched(self, change: float, along: Sequence[Tensor]) -> float:
        """Log-likelihood with so much more of something."""
        each = zip(self._batches, self.linear, along, self._factors, strict=True)
        return sum(
            float(choices.log_likelihood(linear + change * more, factors).double().sum())
            for choices, linear, more, factors in each
        )

    def stretch(self, change: float, along: Sequence[Tensor]) -> None:
        """Add so much more of something."""
        self.linear = [linear + change * more for linear, more in zip(self.linear, along, strict=True)]
