"""From a column to parameters: the utility of an item is linear in these, not in the raw values.

A number has one parameter for each of a few knots, its worth there; in between the worth is interpolated. Where all
people want more (or less) of it, each parameter is instead what the step from one knot to the next adds. Categories
and tags have one parameter for each value. A missing value has a parameter of its own.

Each basis also says how its parameters are distributed over people. The scale is the same everywhere: for an average
person the best and the worst value of a column differ by 1. Without that, a column of thirty makes would outweigh
four columns of yes and no, merely because the best of thirty draws lies far out.
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# Correlation of the worths at two knots i and j is exp(-((i - j) / reach)^2 / 2). A reach of 2.5 knots, half of the
# usual six, makes most curves rise, fall or have one peak: 0.92 for neighbours, 0.14 from end to end. More knots than
# six reach as far in proportion.
REACH, REACH_SHARE = 2.5, 0.5
# Keeps covariances of smooth curves invertible in single precision.
NUGGET = 1e-3
# How far apart the best and the worst of 1, 2, ... knots lie on average, when each has variance 1 (1 for a single
# knot, which has no other); hardly further for more than six.
CURVE_RANGES = (1.0, 0.32, 0.61, 0.87, 1.11, 1.30)
# With a direction, the best end is worth 1 more than the worst, give or take half of it.
STEP_SPREAD, STEP_CORRELATION = 0.5, 0.8
# How far the worth of "unknown" lies from the worth of an average value.
UNKNOWN_SPREAD = 0.25


@dataclass(frozen=True)
class Gaussian:
    """Mean `(p,)` and covariance `(p, p)` of parameters over people."""

    mean: Floats
    covariance: Floats


class Basis(Protocol):
    """A column's parameters."""

    @property
    def size(self) -> int:
        """How many parameters p."""
        ...

    def rows(self, values: Any) -> Floats:
        """What each of n values is in these parameters, `(n, p)`; zeros where a value is missing."""
        ...

    def prior(self) -> Gaussian:
        """How the parameters are distributed over people."""
        ...


@dataclass(frozen=True)
class Hats:
    """Piecewise linear in a number: h_j is 1 at knot j, 0 at its neighbours; constant beyond the outermost knots."""

    knots: tuple[float, ...]

    @property
    def size(self) -> int:
        """One parameter a knot."""
        return len(self.knots)

    def rows(self, values: Floats) -> Floats:
        """`(n,)` numbers to `(n, p)`; each row of a present value sums to 1."""
        knots = np.asarray(self.knots)
        present = ~np.isnan(values)
        if len(knots) == 1:
            return present[:, None].astype(np.float64)
        clipped = np.clip(values[present], knots[0], knots[-1])
        left = np.clip(np.searchsorted(knots, clipped, side="right") - 1, 0, len(knots) - 2)
        share = (clipped - knots[left]) / (knots[left + 1] - knots[left])
        rows = np.zeros((len(values), len(knots)))
        index = np.flatnonzero(present)
        rows[index, left] = 1 - share
        rows[index, left + 1] = share
        return rows

    def prior(self) -> Gaussian:
        """Neighbouring knots have similar worth."""
        place = np.arange(self.size)
        reach = max(REACH, REACH_SHARE * (self.size - 1))
        covariance = np.exp(-0.5 * ((place[:, None] - place) / reach) ** 2) + NUGGET * np.eye(self.size)
        return Gaussian(np.zeros(self.size), covariance / CURVE_RANGES[min(self.size, 6) - 1] ** 2)


@dataclass(frozen=True)
class Steps:
    """Monotone in a number: s_j rises from 0 to 1 between knots j and j + 1, or falls where less is better.

    Parameters at or above 0 make the utility monotone.
    """

    knots: tuple[float, ...]
    less: bool = False

    @property
    def size(self) -> int:
        """One parameter a step."""
        return len(self.knots) - 1

    def rows(self, values: Floats) -> Floats:
        """`(n,)` numbers to `(n, p)`."""
        knots = np.asarray(self.knots)
        with np.errstate(over="ignore"):  # far beyond two close knots is infinitely many steps, clipped to one
            rise = np.clip((values[:, None] - knots[:-1]) / np.diff(knots), 0, 1)
        return np.where(np.isnan(values)[:, None], 0.0, 1 - rise if self.less else rise)

    def prior(self) -> Gaussian:
        """Every step adds; how much differs between people more than between steps."""
        step = 1 / self.size
        place = np.arange(self.size)
        correlation = STEP_CORRELATION ** np.abs(place[:, None] - place)
        return Gaussian(np.full(self.size, step), (STEP_SPREAD * step) ** 2 * correlation)


@dataclass(frozen=True)
class Degree:
    """Linear in a number from `low` (0) to `high` (1): how strongly something applies, or yes against no."""

    low: float = 0.0
    high: float = 1.0
    sign: int = 0

    @property
    def size(self) -> int:
        """One parameter."""
        return 1

    def rows(self, values: Floats) -> Floats:
        """`(n,)` numbers to `(n, 1)`."""
        return np.nan_to_num((values - self.low) / (self.high - self.low))[:, None]

    def prior(self) -> Gaussian:
        """Liked as often as disliked, or for `sign` 1 (-1) liked (disliked) by nearly all."""
        spread = math.sqrt(math.pi / 2) if self.sign == 0 else STEP_SPREAD  # the mean of |N(0, pi / 2)| is 1
        return Gaussian(np.array([float(self.sign)]), np.array([[spread**2]]))


@dataclass(frozen=True)
class Indicators:
    """One parameter for each of `count` values; rows come as `(n, count)` of 0 and 1.

    Attributes:
        count: How many.
        exclusive: Whether a row has one of them (a category) or any number (tags, each a yes/no of its own).
    """

    count: int
    exclusive: bool = True

    @property
    def size(self) -> int:
        """One parameter a value."""
        return self.count

    def rows(self, values: Floats) -> Floats:
        """Already 0 and 1."""
        return values

    def prior(self) -> Gaussian:
        """Independent of each other."""
        variance = 1 / expected_range(self.count) ** 2 if self.exclusive and self.count > 1 else math.pi / 2
        return Gaussian(np.zeros(self.count), variance * np.eye(self.count))


def expected_range(count: int) -> float:
    """How far the highest and the lowest of `count` standard normal draws lie apart on average.

    `E[range] = integral of 1 - F(x)^count - (1 - F(x))^count`, with F the normal distribution function.
    """
    points = np.linspace(-8, 8, 3201)
    below = np.array([0.5 * math.erfc(-point / math.sqrt(2)) for point in points])
    return float(np.trapezoid(1 - below**count - (1 - below) ** count, points))


def with_unknown(prior: Gaussian, average: Floats) -> Gaussian:
    """A prior with one more parameter, the worth of "unknown": that of an average value, give or take.

    Args:
        prior: Of the p parameters of present values.
        average: `(p,)`, the mean row of present values.
    """
    mean = np.append(prior.mean, average @ prior.mean)
    across = prior.covariance @ average
    corner = average @ across + UNKNOWN_SPREAD**2
    return Gaussian(mean, np.block([[prior.covariance, across[:, None]], [across[None], np.array([[corner]])]]))


def readable(value: float, tolerance: float, *, as_year: bool = False) -> float:
    """The roundest number within `tolerance` of a value: the coarsest of steps 1, 2 and 5 times a power of ten.

    Years are rounded to whole ones, or within a year to months.
    """
    if not tolerance > 1e-290:  # powers of ten end near 1e-308
        return value
    exponent = math.floor(math.log10(tolerance)) + 1
    steps = [factor * 10.0**power for power in range(exponent, exponent - 3, -1) for factor in (5, 2, 1)]
    if as_year:
        steps = [step for step in steps if step >= 1] + [1 / 2, 1 / 4, 1 / 12]
    for step in steps:
        rounded = float(f"{round(value / step) * step:.12g}")
        if abs(rounded - value) <= tolerance:
            return rounded
    return value


# A number of at most this many different values, each found twice on average, has a knot at each.
FEW_VALUES = 8
BUCKETS = 5
# When more than this share of the values is the lowest one (0 for "has none"), it is a bucket of its own.
SPIKE_SHARE = 0.15


@dataclass(frozen=True)
class Grid:
    """Where a number's parameters lie.

    Attributes:
        knots: Rising; where the worth may bend.
        edges: Those knots at which one bucket ends and the next begins; none where every value is a bucket.
    """

    knots: tuple[float, ...]
    edges: tuple[float, ...] = ()


def grid_of(values: Floats, edges: tuple[float, ...] | None = None, *, as_year: bool = False) -> Grid:
    """The bucket edges of a number, and an end on either side that leaves 2 % of the values beyond it.

    Args:
        values: Present values.
        edges: Told bucket edges; by default every value is a knot where there are few, else readable quantiles are.
        as_year: The values are years.
    """
    distinct = np.unique(values)
    if edges is None and len(distinct) <= max(3, min(FEW_VALUES, len(values) // 2)):
        return Grid(tuple(distinct.tolist()))
    inner = edges if edges is not None else bucket_edges(values, as_year=as_year)
    low, high = (float(end) for end in np.quantile(values, [0.02, 0.98]))
    low = low if low < inner[0] else float(distinct[0])
    high = high if high > inner[-1] else float(distinct[-1])
    first = readable(low, 0.2 * (inner[0] - low), as_year=as_year)
    last = readable(high, 0.2 * (high - inner[-1]), as_year=as_year)
    return Grid((first,) * (low < inner[0]) + inner + (last,) * (high > inner[-1]), inner)


def bucket_edges(values: Floats, *, as_year: bool = False) -> tuple[float, ...]:
    """Readable numbers that cut the values into some five buckets of about equally many."""
    lowest = values.min()
    shares = np.arange(1, BUCKETS) / BUCKETS
    spike = bool((values == lowest).mean() > SPIKE_SHARE)
    if spike:
        values = values[values > lowest]
        shares = np.arange(BUCKETS - 1) / (BUCKETS - 1)
    exact = np.unique(np.quantile(values, shares, method="inverted_cdf"))
    exact = exact[exact > lowest]
    if len(exact) == 0:
        exact = np.array([values[values > lowest].min()])
    ends = np.concatenate([[lowest], exact, [values.max()]])
    gaps = np.diff(ends)
    room = [0.2 * min(gap for gap in (left, right) if gap > 0) for left, right in pairwise(gaps)]
    rounded = [readable(float(edge), float(space), as_year=as_year) for edge, space in zip(exact, room, strict=True)]
    if spike:
        rounded[0] = _readable_below(float(exact[0]), float(lowest))
    return tuple(rounded)


def _readable_below(value: float, lowest: float) -> float:
    """A round number at most `value`, and nearer to it than to `lowest`: only `lowest` itself lies below it."""
    middle = (value + lowest) / 2
    rounded = readable(middle, 0.9 * (value - middle))
    return rounded if lowest < rounded and middle <= rounded <= value else value
