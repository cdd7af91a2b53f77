"""Distributions a person's utility vector may come from: densities, so that particles can be renewed.

A prior is a mixture of Gaussians with one shared covariance. One component is a Gaussian; one component per known
user is a kernel density estimate. Elliptical slice sampling needs exactly this shape: given its component, a
particle has a Gaussian prior.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from rather.arrays import as_floats
from rather.errors import InvalidInputError

# Centres kept by a kernel mixture. Each renewal compares every particle with every centre; beyond this a random
# subset describes the population as well as its particles can.
MOST_CENTRES = 2048


@dataclass(frozen=True, eq=False)
class Prior:
    """A mixture of Gaussians with centres `(c, d)`, log-weights `(c,)` and one Cholesky factor `(d, d)`."""

    centres: Tensor
    log_weights: Tensor
    cholesky: Tensor = field(repr=False)

    def draw_components(self, count: int, generator: torch.Generator) -> Tensor:
        """Components of `count` independent draws, `(count,)`."""
        return torch.multinomial(self.log_weights.exp(), count, replacement=True, generator=generator)

    def sample(self, count: int, generator: torch.Generator) -> Tensor:
        """`(count, d)` independent draws."""
        centres = self.centres[self.draw_components(count, generator)]
        return centres + self.noise(count, generator)

    def noise(self, count: int, generator: torch.Generator) -> Tensor:
        """`(count, d)` draws of the zero-mean Gaussian that surrounds each centre."""
        white = torch.randn(count, len(self.cholesky), generator=generator)
        return white @ self.cholesky.T

    def log_density(self, points: Tensor) -> Tensor:
        """Log-density at points `(m, d)`, shape `(m,)`."""
        d = points.shape[1]
        normaliser = -0.5 * d * math.log(2 * math.pi) - self.cholesky.diagonal().log().sum()
        return torch.logsumexp(self.component_logits(points), dim=1) + normaliser

    def component_logits(self, points: Tensor) -> Tensor:
        """Unnormalised log-probability of each component given points `(m, d)`, shape `(m, c)`."""
        return self.log_weights - 0.5 * torch.cdist(self._whitened(points), self._white_centres).square()

    @cached_property
    def _white_centres(self) -> Tensor:
        return self._whitened(self.centres)

    def _whitened(self, points: Tensor) -> Tensor:
        white: Tensor = torch.linalg.solve_triangular(self.cholesky, points.T, upper=False)
        return white.T


def gaussian_prior(mean: Any, covariance: Any) -> Prior:
    """A Gaussian with mean `(d,)` and positive definite covariance `(d, d)`."""
    centre = as_floats(mean, "mean", rank=1)
    matrix = as_floats(covariance, "cov", rank=2)
    if tuple(matrix.shape) != (len(centre), len(centre)):
        raise InvalidInputError(
            f"`cov` must be ({len(centre)}, {len(centre)}) to match `mean`, got {tuple(matrix.shape)}."
        )
    cholesky, failed = torch.linalg.cholesky_ex(matrix.double())
    if failed or not torch.allclose(matrix, matrix.T, rtol=1e-4, atol=1e-6):
        raise InvalidInputError("`cov` must be symmetric and positive definite.")
    return Prior(centre[None], torch.zeros(1), cholesky.float())


def kernel_prior(users: Tensor, generator: torch.Generator, bandwidth: float | None = None) -> Prior:
    """A kernel density around users `(m, d)` that keeps their mean and covariance (West's shrinkage).

    The kernel is `N(a u_i + (1 - a) mean, h^2 S)` with S the users' covariance and `a^2 + h^2 = 1`.

    Args:
        users: Utility vectors of known people.
        generator: Chooses the centres when there are more than `MOST_CENTRES`.
        bandwidth: h in (0, 1]; by default the one under which left-out users are likeliest.
    """
    covariance = _regular_covariance(users)
    cholesky = torch.linalg.cholesky(covariance)
    if len(users) > MOST_CENTRES:
        users = users[torch.randperm(len(users), generator=generator)[:MOST_CENTRES]]
    if bandwidth is None:
        bandwidth = _likeliest_bandwidth(users, cholesky)
    if not 0 < bandwidth <= 1:
        raise InvalidInputError(f"`bandwidth` must lie in (0, 1], got {bandwidth}.")
    return _kernels(users, cholesky, bandwidth)


def _kernels(users: Tensor, cholesky: Tensor, bandwidth: float) -> Prior:
    shrink = math.sqrt(1 - bandwidth**2)
    centres = shrink * users + (1 - shrink) * users.mean(dim=0)
    return Prior(centres, torch.full((len(users),), -math.log(len(users))), bandwidth * cholesky)


def _regular_covariance(users: Tensor) -> Tensor:
    """The users' covariance, with a little isotropic spread so that few or collinear users still have a density."""
    d = users.shape[1]
    centred = users - users.mean(dim=0)
    covariance = centred.T @ centred / max(len(users) - 1, 1)
    scale = covariance.diagonal().mean() if len(users) > 1 else users.square().mean()
    # Without the first term a Cholesky factor of rank-deficient users does not exist; 1 when all users are zero.
    floor = 1e-3 * float(scale) if float(scale) > 0 else 1.0
    return covariance + floor * torch.eye(d)


def _likeliest_bandwidth(users: Tensor, cholesky: Tensor) -> float:
    """The bandwidth of a small grid with the highest leave-one-out likelihood."""
    if len(users) < 3:
        return 1.0
    best, best_score = 1.0, -math.inf
    for bandwidth in (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        prior = _kernels(users, cholesky, bandwidth)
        logits = prior.component_logits(users).fill_diagonal_(-math.inf)
        score = float(torch.logsumexp(logits, dim=1).mean() - prior.cholesky.diagonal().log().sum())
        if score > best_score:
            best, best_score = bandwidth, score
    return best
