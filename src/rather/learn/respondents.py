"""Utility vectors and noise of many people given their answers: one Markov chain for each person, all moved at once.

Given everybody's vectors, the mean and the spread of a population are known almost exactly, so that they would hardly
move from one sweep to the next: with few answers each, it is the vectors that must follow. So they are moved together
too (interweaving, Yu & Meng 2011): everybody by the same shift, or everybody's utilities in a part of the prior by the
same factor, with what sets people apart held fixed (`shift`, `rescale`).

How readily people say "none" and "same" is learnt for all together (`usage`): whoever never says "none" would
otherwise seem to like everything that they were shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from rather.learn.hierarchy import DEVIATION, LOG_SIZE, PARTS_AT_ONCE, Floats, Integers, Level, expected_scales, metropolis

if TYPE_CHECKING:
    from rather.learn.choices import Choices

# A person's noise as a multiple of the typical one, which is that of the response model of their answers: answers tell
# only how large utilities are against noise, so that one of the two sets the scale.
NOISE_FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)

# Angles of the bracket that are tried. One person in a hundred needs more and stays until the next move, which leaves
# the posterior invariant too.
TRIES = 12

# Deviations of the steps of the logarithm of a scale: all are tried of the common one, one of them of each part.
SIZE_STEPS = (0.3, 0.1, 0.03, 0.01)
PART_STEPS = (0.5, 0.2, 0.07)

# How much of the way back to its mean a common shift takes, on average: less is accepted more often.
RETURN = 0.7

# Of the logarithms of how readily people say "none" and "same": their deviation beforehand, and the steps likewise.
USAGE_DEVIATION = 1.0
USAGE_STEPS = (0.6, 0.15)


class Respondents:
    """The state of n chains: vectors `(n, d)` and noise factors `(n,)`.

    Args:
        batches: The answers of all who gave one.
        count: How many people there are, n.
        dimensions: d.
        generator: Draws the vectors to start from, by `N(0, I)`.
    """

    def __init__(self, batches: Sequence[Choices], count: int, dimensions: int, generator: torch.Generator) -> None:
        self._plain = self._batches = batches
        self.usage = (0.0, 0.0)
        self.vectors = torch.randn(count, dimensions, generator=generator)
        self.noise = torch.full((count,), NOISE_FACTORS.index(1.0))
        """`(n,)`, indices of `NOISE_FACTORS`."""
        self.curvature: Floats = np.zeros((dimensions, dimensions))
        self.tried = self.accepted = 0

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def factors(self) -> Tensor:
        """`(n,)`, the noise of each person as a multiple of the usual one."""
        return torch.tensor(NOISE_FACTORS)[self.noise]

    def move(self, centres: Tensor, cholesky: Tensor, generator: torch.Generator, moves: int = 1) -> None:
        """Elliptical slice steps (Murray, Adams & MacKay 2010) under `y_i ~ N(centres[i], cholesky @ cholesky.T)`.

        Args:
            centres: `(n, d)`, the mean of each person's prior.
            cholesky: `(d, d)`, of their common covariance.
            generator: Draws the ellipses.
            moves: How many steps.
        """
        asked = torch.zeros(len(self), dtype=torch.bool)
        for choices in self._batches:
            asked[choices.people] = True
            own = centres[choices.people]
            vectors, factors = self.vectors[choices.people], self.factors[choices.people]
            noise = torch.randn(moves, *vectors.shape, generator=generator) @ cholesky.T
            # All at once: what takes time is reading the rows of everybody's answers.
            centre, linear, *turned = choices.slopes(torch.cat([own[None], vectors[None], noise])).unbind()
            log_likelihood = choices.log_likelihood(linear, factors)
            for white, slopes in zip(noise, turned, strict=True):
                ellipses = torch.stack([centre, linear - centre, slopes])
                angles, log_likelihood = _on_slice(choices, ellipses, factors, log_likelihood, generator)
                cos, sin = angles.cos()[:, None], angles.sin()[:, None]
                vectors = own + (vectors - own) * cos + white * sin
                linear = _along(ellipses, angles)
            self.vectors[choices.people] = vectors
        silent = (~asked).nonzero()[:, 0]
        self.vectors[silent] = (
            centres[silent] + torch.randn(len(silent), len(cholesky), generator=generator) @ cholesky.T
        )

    def redraw_noise(self, shares: Tensor, generator: torch.Generator) -> None:
        """Draw each person's noise given their vector: `(f,)` shares of people with each of the `NOISE_FACTORS`."""
        self.noise = torch.multinomial(shares.float(), len(self), replacement=True, generator=generator)
        for choices in self._batches:
            linear = choices.slopes(self.vectors[None, choices.people])[0]
            each = torch.ones(len(choices.people))
            logits = torch.stack([choices.log_likelihood(linear, factor * each) for factor in NOISE_FACTORS], dim=1)
            odds = torch.softmax(logits + shares.float().log(), dim=1)
            self.noise[choices.people] = torch.multinomial(odds, 1, generator=generator)[:, 0]

    def shift(self, level: Level, segment: Integers, generator: torch.Generator) -> Level:
        """Metropolis-Hastings steps of the mean of each segment, by which all its members move too.

        Given what sets people apart, the mean's posterior is nearly Gaussian, with about the covariance
        `C = (share * curvature + T^-2)^-1`. A step `(1 - r) C gradient + sqrt(1 - r^2) C^(1/2) z` would always be
        accepted if it were exactly so.
        """
        means = level.means.copy()
        for number in range(len(means)):
            members = torch.from_numpy(segment == number)
            if not members.any():
                continue
            precision = float(members.double().mean()) * self.curvature + np.diag(level.reach**-2)
            covariance = np.linalg.inv(precision)
            root = np.linalg.cholesky(covariance)
            stay = 1 - RETURN
            normal = torch.randn(len(precision), generator=generator, dtype=torch.float64).numpy()

            def density(
                offset: Floats, members: Tensor = members, number: int = number
            ) -> tuple[float, Floats]:
                value, slope = self._slope(members, offset)
                mean = means[number] + offset
                return value - 0.5 * float(((mean / level.reach) ** 2).sum()), slope - mean / level.reach**2

            zero = np.zeros(len(precision))
            now, slope = density(zero)
            drift = RETURN * covariance @ slope
            width = (1 - stay**2) ** 0.5
            step = drift + width * root @ normal
            new, slope_there = density(step)
            back = -step - RETURN * covariance @ slope_there
            reverse = -0.5 * float(back @ precision @ back) / width**2
            forward = -0.5 * float(normal @ normal)
            uniform = max(float(torch.rand((), generator=generator)), 1e-20)
            self.tried += 1
            if new - now + reverse - forward > math.log(uniform):
                self.accepted += 1
                means[number] += step
                self.vectors[members] += torch.from_numpy(step).float()
        return replace(level, means=means)

    def _slope(self, members: Tensor, offset: Floats) -> tuple[float, Floats]:
        """Log-likelihood of the answers of these people `(n,)` with their vectors moved, and its gradient."""
        value, slope = 0.0, torch.zeros(len(offset), dtype=torch.float64)
        for choices in self._batches:
            own = members[choices.people]
            vectors = self.vectors[choices.people] + torch.from_numpy(offset).float()
            factors = self.factors[choices.people]
            likelihoods, residuals = choices.residuals(choices.slopes(vectors[None])[0], factors)
            value += float(likelihoods[own].double().sum())
            slope += choices.gradient(residuals * own[:, None]).double()
        return value, slope.numpy()

    def measure_curvature(self) -> None:
        """How sharply everybody's answers bend with a common shift, `(d, d)`: what steps of the mean are scaled by."""
        found = torch.zeros_like(self.vectors[:0].T @ self.vectors[:0], dtype=torch.float64)
        for choices in self._batches:
            linear = choices.slopes(self.vectors[None, choices.people])[0]
            found += choices.curvature(linear, self.factors[choices.people]).double()
        self.curvature = found.numpy()

    def rescale(self, level: Level, segment: Integers, rng: np.random.Generator) -> Level:
        """Metropolis steps of the scales, by which everybody's utilities are stretched.

        First of all parts together, then of some parts each: all of it, and how far people differ from their mean.
        """
        parts = torch.from_numpy(level.parts)
        count = int(parts.max()) + 1
        factors = [self.factors[choices.people] for choices in self._batches]
        linear = [choices.slopes(self.vectors[None, choices.people])[0] for choices in self._batches]

        def of_answers(moved: Sequence[Tensor]) -> float:
            return sum(
                float(choices.log_likelihood(each, own).double().sum())
                for choices, own, each in zip(self._batches, factors, moved, strict=True)
            )

        def of_size(log_factor: float) -> float:
            apart = (level.log_size + log_factor - LOG_SIZE[0]) / LOG_SIZE[1]
            return of_answers([math.exp(log_factor) * each for each in linear]) - 0.5 * apart**2

        by = metropolis(0.0, of_size, rng, SIZE_STEPS)
        factor = math.exp(by)
        linear = [factor * each for each in linear]
        means, vectors = level.means * factor, self.vectors.double() * factor
        log_reach, log_spread, log_size = level.log_reach + by, level.log_spread + by, level.log_size + by
        expected_reach, expected_spread = expected_scales(log_size)
        for part in rng.permutation(count)[:PARTS_AT_ONCE]:
            own = parts == int(part)
            centres = torch.from_numpy(means)[torch.from_numpy(segment)][:, own]
            for whole in (True, False):
                held = torch.zeros_like(centres) if whole else centres
                moving = vectors[:, own] - held
                along = [choices.slopes_of(own, moving[choices.people].float()) for choices in self._batches]

                def log_density(
                    log_factor: float,
                    along: Sequence[Tensor] = along,
                    part: int = part,
                    whole: bool = whole,
                    linear: Sequence[Tensor] = linear,
                ) -> float:
                    change = math.expm1(log_factor)
                    of_prior = ((log_spread[part] + log_factor - expected_spread) / DEVIATION) ** 2
                    if whole:
                        of_prior += ((log_reach[part] + log_factor - expected_reach) / DEVIATION) ** 2
                    moved = [each + change * more for each, more in zip(linear, along, strict=True)]
                    return of_answers(moved) - 0.5 * of_prior

                by = metropolis(0.0, log_density, rng, (rng.choice(PART_STEPS),))
                if by == 0:
                    continue
                linear = [each + math.expm1(by) * more for each, more in zip(linear, along, strict=True)]
                vectors[:, own] = held + math.exp(by) * moving
                log_spread[part] += by
                if whole:
                    log_reach[part] += by
                    means[:, own.numpy()] *= math.exp(by)
                    centres = centres * math.exp(by)
        self.vectors = vectors.float()
        return replace(level, means=means, log_reach=log_reach, log_spread=log_spread, log_size=log_size)

    def redraw_usage(self, generator: torch.Generator) -> None:
        """Metropolis steps of how readily people say "none" and "same", given everything else."""
        linear = [choices.slopes(self.vectors[None, choices.people])[0] for choices in self._plain]

        def log_density(usage: tuple[float, float]) -> float:
            of_answers = sum(
                float(choices.used(usage).log_likelihood(slopes, self.factors[choices.people]).double().sum())
                for choices, slopes in zip(self._plain, linear, strict=True)
            )
            return of_answers - 0.5 * sum(each**2 for each in usage) / USAGE_DEVIATION**2

        at, density = self.usage, log_density(self.usage)
        for step in USAGE_STEPS:
            for index in range(2):
                normal, uniform = torch.randn((), generator=generator), torch.rand((), generator=generator)
                moved = at[index] + step * float(normal)
                proposed = (moved, at[1]) if index == 0 else (at[0], moved)
                if (new := log_density(proposed)) - density > math.log(max(float(uniform), 1e-20)):
                    at, density = proposed, new
        self.usage, self._batches = at, [choices.used(at) for choices in self._plain]


def _on_slice(
    choices: Choices, ellipses: Tensor, factors: Tensor, log_likelihood: Tensor, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """For each person an angle `(n,)` at which the likelihood is above a random level, and the log-likelihood there."""
    count = len(log_likelihood)
    draws = torch.rand(TRIES + 1, count, generator=generator).clamp_min(1e-20)  # the logarithm of 0 is -inf
    level = log_likelihood + draws[0].log()
    trial = draws[1] * 2 * math.pi
    low, high = trial - 2 * math.pi, trial.clone()
    angle, value = torch.zeros(count), log_likelihood.clone()
    left = torch.arange(count)
    for number in range(TRIES):
        # Most are found at once: the others alone are tried again.
        some = left if number else None
        along = _along(ellipses if some is None else ellipses[:, :, some], trial)
        tried = choices.log_likelihood(along, factors[left], some)
        found = tried >= level[left]
        angle[left[found]], value[left[found]] = trial[found], tried[found]
        rest = ~found
        left, trial = left[rest], trial[rest]
        if not len(left):
            break
        below = trial < 0
        low, high = torch.where(below, trial, low[rest]), torch.where(below, high[rest], trial)
        trial = torch.lerp(low, high, draws[min(number + 2, TRIES), left])
    return angle, value


def _along(ellipses: Tensor, angles: Tensor) -> Tensor:
    """Logits `(r, n, e)` at angles `(n,)` of ellipses `(3, r, n, e)`: `centre + offset cos + noise sin`."""
    centre, offset, noise = ellipses
    turned: Tensor = centre + offset * angles.cos()[:, None] + noise * angles.sin()[:, None]
    return turned
