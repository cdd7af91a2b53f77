"""The level above people: what is drawn of a population given the utility vectors of its members.

In coordinates in which the catalogue's own prior is `N(0, I)`, and in the parts of it that it takes for independent
(the columns of a table), the members of segment g are `N(mu_g, D Q D)` with

    mu_g ~ N(0, t_b^2) in every dimension of part b,   D = diag(d_b),   Q ~ inverse Wishart with mean I,

    log t_b = s + r + x_b,   log d_b = s + log sqrt(1 - SHARE) + y_b,

    s ~ N(-0.16, 0.4^2),   r ~ N(log sqrt(SHARE) - 0.64, 0.8^2),

    x, y ~ N(OFFSET, 0.3^2) with probability 0.8, N(OFFSET, 0.8^2) with 0.2.

So a person of a population of which nothing is known has mean 0 and covariance I: the catalogue's prior. What each part
counts for the population (t) and how far its people differ in it (d) are learnt part by part: where one column decides,
people agree about it and it matters far more than the prior expects, while others matter less. With one scale for all,
the others would hold it where it is. Most parts are expected to be much as the prior says, and a few far from it, so
that a few people do not change all of them.

Scales and degrees of freedom are drawn with Q integrated out, which is so close to what people look like that it would
hold them where they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

# The share of the prior's variance that is expected to lie between populations.
SHARE = 0.35

# Of the logarithm of how far means lie from the prior's, as a multiple of the common scale: the mean of its square is
# SHARE. Held at that, five people of a population that is as the prior says would make it seem another.
LOG_BETWEEN = (0.5 * math.log(SHARE) - 0.64, 0.8)

# Of the logarithms of the scales of each part around the common ones: their deviations where they are much as expected
# and where they are not, and the share of these. The offset makes the mean of their squares 1.
USUAL, UNUSUAL, UNUSUAL_SHARE = 0.3, 0.8, 0.2
OFFSET = -0.5 * math.log((1 - UNUSUAL_SHARE) * math.exp(2 * USUAL**2) + UNUSUAL_SHARE * math.exp(2 * UNUSUAL**2))

# Of the logarithm of the common scale, which is how large utilities are against the noise in answers: the mean of its
# square is 1.
LOG_SIZE = (-0.16, 0.4)

# Parts of the prior of which a scale is redrawn in a step: tables can have a hundred.
PARTS_AT_ONCE = 8

# Deviations of the steps of a logarithm that are tried.
STEPS = (0.6, 0.2, 0.07)

# Degrees of freedom above the number of dimensions: from hardly any opinion to one that a hundred people outweigh. With
# 1,000 the chain stays at the prior's covariance, whatever people answer.
FREEDOMS = (4, 10, 30, 100)


@dataclass(frozen=True, eq=False)
class Level:
    """A draw of the population.

    Attributes:
        parts: `(d,)`, the number of the independent part of the prior that each dimension belongs to.
        means: `(g, d)`, of the segments.
        log_reach: `(b,)`, logarithms of how far means lie from the prior's in each part, t.
        log_spread: `(b,)`, logarithms of how far people lie from their mean, d.
        log_size: The common scale, s.
        log_between: How far means lie from the prior's as a multiple of it, r.
        inner: `(d, d)`, Q.
        shares: `(g,)`, of people in each segment.
        freedom: Degrees of freedom of the prior of Q.
    """

    parts: Integers
    means: Floats
    log_reach: Floats
    log_spread: Floats
    log_size: float
    log_between: float
    inner: Floats
    shares: Floats
    freedom: float

    @classmethod
    def start(cls, parts: Integers) -> Level:
        """The catalogue's own prior, in one segment."""
        d, b = len(parts), int(parts.max()) + 1
        reach, spread = np.full(b, LOG_BETWEEN[0]), np.full(b, 0.5 * math.log(1 - SHARE))
        return cls(parts, np.zeros((1, d)), reach, spread, 0.0, LOG_BETWEEN[0], np.eye(d), np.ones(1), d + 30.0)

    @property
    def reach(self) -> Floats:
        """`(d,)`, t of each dimension."""
        return np.exp(self.log_reach)[self.parts]

    @property
    def spread(self) -> Floats:
        """`(d,)`, d of each dimension."""
        return np.exp(self.log_spread)[self.parts]

    @property
    def covariance(self) -> Floats:
        """`(d, d)`, of the people of each segment."""
        return self.spread[:, None] * self.inner * self.spread

    @property
    def log_scale_density(self) -> float:
        """Of the logarithms of all scales, but for a constant."""
        parts = log_odds(self.log_reach - self.usual_reach).sum() + log_odds(self.log_spread - self.usual_spread).sum()
        of_size = (self.log_size - LOG_SIZE[0]) / LOG_SIZE[1]
        between = (self.log_between - LOG_BETWEEN[0]) / LOG_BETWEEN[1]
        return float(parts) - 0.5 * (of_size**2 + between**2)

    @property
    def usual_reach(self) -> float:
        """The mean of the logarithm of t."""
        return self.log_size + self.log_between + OFFSET

    @property
    def usual_spread(self) -> float:
        """The mean of the logarithm of d."""
        return self.log_size + 0.5 * math.log(1 - SHARE) + OFFSET

    def stretched(self, by: float) -> Level:
        """With all utilities times `exp(by)`."""
        return replace(
            self,
            means=self.means * math.exp(by),
            log_reach=self.log_reach + by,
            log_spread=self.log_spread + by,
            log_size=self.log_size + by,
        )

    def stretched_in(self, part: int, by: float, *, whole: bool) -> Level:
        """With utilities in a part, or only how far people differ from their mean in it, times `exp(by)`."""
        one = np.arange(len(self.log_reach)) == part
        level = replace(self, log_spread=self.log_spread + by * one)
        if not whole:
            return level
        factors = np.exp(by * one)[self.parts]
        return replace(level, log_reach=self.log_reach + by * one, means=self.means * factors)


def log_odds(apart: Floats) -> Floats:
    """Log-density of logarithms of scales that are so far from their means, but for a constant."""
    usual = -0.5 * (apart / USUAL) ** 2
    unusual = -0.5 * (apart / UNUSUAL) ** 2 + math.log(UNUSUAL_SHARE * USUAL / ((1 - UNUSUAL_SHARE) * UNUSUAL))
    return np.logaddexp(usual, unusual)


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


def redrawn(level: Level, vectors: Floats, segment: Integers, rng: np.random.Generator) -> tuple[Level, Expected]:
    """A Gibbs step of everything above people.

    Args:
        level: The last draw.
        vectors: `(n, d)`, of all people.
        segment: `(n,)`, which they belong to.
        rng: Draws.
    """
    g, d = level.means.shape
    counts = np.bincount(segment, minlength=g)
    apart = vectors - level.means[segment]
    scatter = apart.T @ apart
    level = _with_spread(level, scatter, len(vectors), rng)
    inner, expected_inner = _inner(level, scatter, len(vectors), rng)
    level = replace(level, inner=inner, shares=rng.dirichlet(1.0 + counts))
    precision = np.linalg.inv(level.covariance)
    means, expected_means, spreads = np.zeros((g, d)), np.zeros((g, d)), np.zeros((g, d, d))
    for number in range(g):
        total = vectors[segment == number].sum(axis=0)
        spreads[number] = np.linalg.inv(counts[number] * precision + np.diag(level.reach**-2))
        expected_means[number] = spreads[number] @ (precision @ total)
        means[number] = expected_means[number] + np.linalg.cholesky(spreads[number]) @ rng.standard_normal(d)
    spread = level.spread
    expected = Expected(expected_means, spreads, spread[:, None] * expected_inner * spread)
    return _with_reach(replace(level, means=means), rng), expected


def redrawn_segments(level: Level, vectors: Floats, rng: np.random.Generator) -> Integers:
    """The segment of each person `(n,)` given their vector `(n, d)`."""
    if len(level.shares) == 1:
        return np.zeros(len(vectors), dtype=np.int64)
    factor = np.linalg.cholesky(level.covariance)
    apart = np.linalg.solve(factor, (vectors[:, None] - level.means).reshape(-1, vectors.shape[1]).T)
    logits = np.log(level.shares) - 0.5 * (apart**2).sum(axis=0).reshape(len(vectors), -1)
    # The largest of logits with Gumbel noise is a draw by their odds.
    return np.asarray((logits + rng.gumbel(size=logits.shape)).argmax(axis=1))


def metropolis(
    at: float, log_density: Callable[[float], float], rng: np.random.Generator, steps: Sequence[float] = STEPS
) -> float:
    """The number after a Metropolis step of each of these deviations."""
    density = log_density(at)
    for step in steps:
        proposed = at + step * rng.standard_normal()
        if (new := log_density(proposed)) - density > math.log(max(rng.random(), 1e-300)):
            at, density = proposed, new
    return at


def _inner(level: Level, scatter: Floats, people: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """A draw of Q given the scatter `(d, d)` of people around their means, and its expectation."""
    d = len(scatter)
    spread = level.spread
    scale = (level.freedom - d - 1) * np.eye(d) + scatter / (spread[:, None] * spread)
    freedom = level.freedom + people
    # Bartlett: the inverse is Wishart, `F A A' F'` with F F' the inverse of the scale and A triangular.
    factor = np.linalg.cholesky(np.linalg.inv(scale))
    lower = np.tril(rng.standard_normal((d, d)), -1)
    np.fill_diagonal(lower, np.sqrt(rng.chisquare(freedom - np.arange(d))))
    root = np.linalg.inv(factor @ lower)
    return root.T @ root, scale / (freedom - d - 1)


def _with_spread(level: Level, scatter: Floats, people: int, rng: np.random.Generator) -> Level:
    """With the degrees of freedom and the spread of each part drawn given the scatter around the means."""
    d = len(scatter)
    white = scatter / (level.spread[:, None] * level.spread)
    freedoms = [float(d + extra) for extra in FREEDOMS]
    logits = np.array([_log_marginal(freedom, white, people) for freedom in freedoms])
    freedom = freedoms[int((logits + rng.gumbel(size=len(freedoms))).argmax())]
    log_spread = level.log_spread.copy()
    expected = level.usual_spread
    for part in rng.permutation(len(log_spread))[:PARTS_AT_ONCE]:
        own = level.parts == part

        def log_density(value: float, part: int = part, own: npt.NDArray[np.bool_] = own) -> float:
            inverse = np.exp(-log_spread)[level.parts]
            inverse[own] = math.exp(-value)
            of_people = _log_marginal(freedom, scatter * (inverse[:, None] * inverse), people)
            of_prior = float(log_odds(np.array(value - expected)))
            return of_people + of_prior - people * int(own.sum()) * value

        log_spread[part] = metropolis(float(log_spread[part]), log_density, rng, STEPS[1:])
    return replace(level, log_spread=log_spread, freedom=freedom)


def _with_reach(level: Level, rng: np.random.Generator) -> Level:
    """With the reach of each part drawn given the means, and what is common to all parts."""
    log_reach = level.log_reach.copy()
    at = level.usual_reach
    for part in range(len(log_reach)):
        own = level.means[:, level.parts == part]

        def log_density(value: float, own: Floats = own) -> float:
            of_means = -own.size * value - 0.5 * float((own**2).sum()) * math.exp(-2 * value)
            return of_means + float(log_odds(np.array(value - at)))

        log_reach[part] = metropolis(float(log_reach[part]), log_density, rng)
    level = replace(level, log_reach=log_reach)

    def with_between(value: float) -> Level:
        """The reach of all parts follows: around many of them, it would hardly move by itself."""
        return replace(level, log_between=value, log_reach=level.log_reach + value - level.log_between)

    def density_between(value: float) -> float:
        moved = with_between(value)
        squares = float(((level.means / moved.reach) ** 2).sum())
        return moved.log_scale_density - len(level.means) * float(np.log(moved.reach).sum()) - 0.5 * squares

    level = with_between(metropolis(level.log_between, density_between, rng))
    size = metropolis(level.log_size, lambda value: replace(level, log_size=value).log_scale_density, rng)
    level = replace(level, log_size=size)
    between = metropolis(level.log_between, lambda value: replace(level, log_between=value).log_scale_density, rng)
    return replace(level, log_between=between)


def _log_marginal(freedom: float, white: Floats, people: int) -> float:
    """Log-density of n people around their means, divided by D, with Q integrated out, but for a constant.

    `|c I|^(nu / 2) |c I + S|^(-(nu + n) / 2) Gamma_d((nu + n) / 2) / Gamma_d(nu / 2)` with `c = nu - d - 1`.

    Args:
        freedom: Degrees of freedom, nu.
        white: `(d, d)`, S, their scatter.
        people: How many, n.
    """
    d = len(white)
    scale = freedom - d - 1
    _, determinant = np.linalg.slogdet(scale * np.eye(d) + white)
    return 0.5 * (freedom * d * math.log(scale) - (freedom + people) * float(determinant)) + _log_gammas(
        freedom, people, d
    )


@lru_cache(maxsize=256)
def _log_gammas(freedom: float, people: int, dimensions: int) -> float:
    """`log Gamma_d((nu + n) / 2) - log Gamma_d(nu / 2)`, the same in every sweep."""
    return sum(math.lgamma((freedom + people - i) / 2) - math.lgamma((freedom - i) / 2) for i in range(dimensions))
