"""The level above people: what is drawn of a population given the utility vectors of its members.

In coordinates in which the catalogue's own prior is `N(0, I)`, the members of segment g are `N(mu_g, Sigma)` with

    mu_g ~ N(0, tau I),    Sigma ~ inverse Wishart with mean (1 - tau) I and nu degrees of freedom.

So a person of a population of which nothing is known has mean 0 and covariance `tau I + (1 - tau) I = I`: the
catalogue's prior. How much of the spread lies between populations (tau), and how close their covariance is to that of
the catalogue's prior (nu), are learnt too, on grids. They are drawn with Sigma integrated out, which is so close to its
mean that it would hold them where they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

TAUS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85)

# Degrees of freedom above the number of dimensions: from hardly any opinion to one that a hundred people outweigh. With
# 1,000 the chain stays at the prior's covariance, whatever people answer.
FREEDOMS = (4, 10, 30, 100)


@dataclass(frozen=True, eq=False)
class Level:
    """A draw of the population.

    Attributes:
        means: `(g, d)`, of the segments.
        covariance: `(d, d)`, of the people of each segment.
        shares: `(g,)`, of people in each segment.
        tau: Share of the prior's variance that lies between populations.
        freedom: Degrees of freedom of the prior of the covariance.
    """

    means: Floats
    covariance: Floats
    shares: Floats
    tau: float
    freedom: float

    @classmethod
    def start(cls, segments: int, dimensions: int) -> Level:
        """The catalogue's own prior."""
        shares = np.full(segments, 1 / segments)
        return cls(np.zeros((segments, dimensions)), np.eye(dimensions), shares, 0.35, dimensions + 30.0)


@dataclass(frozen=True, eq=False)
class Expected:
    """What a draw was expected to be: averages of these are more precise than averages of draws.

    Attributes:
        means: `(g, d)`.
        means_covariance: `(g, d, d)`, how far the means may be off.
        covariance: `(d, d)`.
    """

    means: Floats
    means_covariance: Floats
    covariance: Floats


def redrawn(
    level: Level, vectors: Floats, segment: npt.NDArray[np.int64], rng: np.random.Generator
) -> tuple[Level, Expected]:
    """A Gibbs step of everything above people.

    Args:
        level: The last draw.
        vectors: `(n, d)`, of all people.
        segment: `(n,)`, which they belong to.
        rng: Draws.
    """
    g, d = level.means.shape
    counts = np.bincount(segment, minlength=g)
    shares = rng.dirichlet(1.0 + counts)
    apart = vectors - level.means[segment]
    level = _with_strength(level, apart, rng)
    covariance, expected = _covariance(level, apart, rng)
    precision = np.linalg.inv(covariance)
    means, expected_means, spreads = np.zeros((g, d)), np.zeros((g, d)), np.zeros((g, d, d))
    for number in range(g):
        total = vectors[segment == number].sum(axis=0)
        spreads[number] = np.linalg.inv(counts[number] * precision + np.eye(d) / level.tau)
        expected_means[number] = spreads[number] @ (precision @ total)
        means[number] = expected_means[number] + np.linalg.cholesky(spreads[number]) @ rng.standard_normal(d)
    drawn = replace(level, means=means, covariance=covariance, shares=shares)
    return drawn, Expected(expected_means, spreads, expected)


def redrawn_segments(level: Level, vectors: Floats, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """The segment of each person `(n,)` given their vector `(n, d)`."""
    if len(level.shares) == 1:
        return np.zeros(len(vectors), dtype=np.int64)
    factor = np.linalg.cholesky(level.covariance)
    apart = np.linalg.solve(factor, (vectors[:, None] - level.means).reshape(-1, vectors.shape[1]).T)
    logits = np.log(level.shares) - 0.5 * (apart**2).sum(axis=0).reshape(len(vectors), -1)
    # The largest of logits with Gumbel noise is a draw by their odds.
    return np.asarray((logits + rng.gumbel(size=logits.shape)).argmax(axis=1))


def _covariance(level: Level, apart: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """A draw of the covariance given `apart = z - mu`, `(n, d)`, and its expectation."""
    n, d = apart.shape
    scale = _scale(level.tau, level.freedom, d) * np.eye(d) + apart.T @ apart
    freedom = level.freedom + n
    # Bartlett: the inverse is Wishart, `F A A' F'` with F F' the inverse of the scale and A triangular.
    factor = np.linalg.cholesky(np.linalg.inv(scale))
    lower = np.tril(rng.standard_normal((d, d)), -1)
    np.fill_diagonal(lower, np.sqrt(rng.chisquare(freedom - np.arange(d))))
    root = np.linalg.inv(factor @ lower)
    return root.T @ root, scale / (freedom - d - 1)


def _with_strength(level: Level, apart: Floats, rng: np.random.Generator) -> Level:
    """With tau and the degrees of freedom drawn given the means and `apart = z - mu`, `(n, d)`."""
    g, d = level.means.shape
    grid = [(tau, float(d + extra)) for tau in TAUS for extra in FREEDOMS]
    squares = float((level.means**2).sum())
    spread = np.linalg.eigvalsh(apart.T @ apart).clip(0)
    logits = np.array(
        [
            -0.5 * (g * d * math.log(tau) + squares / tau)
            + _log_marginal(freedom, _scale(tau, freedom, d), len(apart), spread)
            for tau, freedom in grid
        ]
    )
    # The largest of logits with Gumbel noise is a draw by their odds.
    tau, freedom = grid[int((logits + rng.gumbel(size=len(grid))).argmax())]
    return replace(level, tau=tau, freedom=freedom)


def _scale(tau: float, freedom: float, dimensions: int) -> float:
    """Of the inverse Wishart's scale matrix, which is that times I, for a mean of `(1 - tau) I`."""
    return (freedom - dimensions - 1) * (1 - tau)


def _log_marginal(freedom: float, scale: float, people: int, spread: Floats) -> float:
    """Log-density of people around their means with the covariance integrated out, but for a constant.

    `|scale I|^(nu / 2) |scale I + S|^(-(nu + n) / 2) Gamma_d((nu + n) / 2) / Gamma_d(nu / 2)`.

    Args:
        freedom: Degrees of freedom, nu.
        scale: Of the scale matrix.
        people: How many, n.
        spread: `(d,)`, the eigenvalues of S, their summed squares.
    """
    d = len(spread)
    gammas = _log_gammas(freedom, people, d)
    determinants = freedom * d * math.log(scale) - (freedom + people) * float(np.log(scale + spread).sum())
    return 0.5 * determinants + gammas


@lru_cache(maxsize=256)
def _log_gammas(freedom: float, people: int, dimensions: int) -> float:
    """`log Gamma_d((nu + n) / 2) - log Gamma_d(nu / 2)`, the same in every sweep."""
    return sum(math.lgamma((freedom + people - i) / 2) - math.lgamma((freedom - i) / 2) for i in range(dimensions))
