"""Utility vectors and noise of many people given their answers: one Markov chain for each person, all moved at once.

How readily people say "none" and "same" is learnt for all together (`usage`): whoever never says "none" would
otherwise seem to like everything that they were shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from rather.learn.choices import Choices

# A person's noise as a multiple of the typical one, which is that of the response model of their answers: answers tell
# only how large utilities are against noise, so that one of the two sets the scale.
NOISE_FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)

# Angles of the bracket that are tried. One person in a hundred needs more and stays until the next move, which leaves
# the posterior invariant too.
TRIES = 12

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
        self._plain = self.batches = batches
        self.usage = (0.0, 0.0)
        self.vectors = torch.randn(count, dimensions, generator=generator)
        self.noise = torch.full((count,), NOISE_FACTORS.index(1.0))
        """`(n,)`, indices of `NOISE_FACTORS`."""

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
        for choices in self.batches:
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
        for choices in self.batches:
            linear = choices.slopes(self.vectors[None, choices.people])[0]
            each = torch.ones(len(choices.people))
            logits = torch.stack([choices.log_likelihood(linear, factor * each) for factor in NOISE_FACTORS], dim=1)
            odds = torch.softmax(logits + shares.float().log(), dim=1)
            self.noise[choices.people] = torch.multinomial(odds, 1, generator=generator)[:, 0]

    def slope(self, members: Tensor, step: Tensor) -> tuple[float, Tensor]:
        """Log-likelihood of the answers of some people `(n,)` after the same step `(d,)`, and its gradient by it."""
        value, slope = 0.0, torch.zeros(len(step), dtype=torch.float64)
        for choices in self.batches:
            own = members[choices.people]
            vectors = self.vectors[choices.people] + step.float()
            linear = choices.slopes(vectors[None])[0]
            likelihoods, residuals = choices.residuals(linear, self.factors[choices.people])
            value += float(likelihoods[own].double().sum())
            slope += choices.gradient(residuals * own[:, None]).double()
        return value, slope

    def curvature(self) -> Tensor:
        """Minus the second derivative `(d, d)` of the log-likelihood by a step that all people take."""
        d = self.vectors.shape[1]
        found = torch.zeros(d, d, dtype=torch.float64)
        for choices in self.batches:
            linear = choices.slopes(self.vectors[None, choices.people])[0]
            found += choices.curvature(linear, self.factors[choices.people]).double()
        return found

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
        self.usage, self.batches = at, [choices.used(at) for choices in self._plain]


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
