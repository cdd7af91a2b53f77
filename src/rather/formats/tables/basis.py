"""From a column to parameters: the utility of an item is linear in these, not in the raw values.

A number has a parameter for each of a few knots, its utility there; between knots the utility is interpolated. If
everybody wants more (or less) of it, each parameter is instead what the step from one knot to the next adds. Categories
and tags have a parameter for each value. A missing value has a parameter of its own.

Each basis also defines how its parameters are distributed over people. The scale is the same for all: for an average
person the best and the worst value of a column differ by 1. Otherwise a column of thirty makes would outweigh four
columns of yes/no, merely because the best of thirty draws is far out.
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# The correlation of the utilities at two knots i and j is exp(-((i - j) / reach)^2 / 2). With a reach of 2.5 knots,
# half of the usual six, most curves are monotone or have a single peak: 0.92 for neighbours, 0.14 from end to end. With
# more than six knots the reach grows in proportion.
REACH, REACH_SHARE = 2.5, 0.5
# Keeps covariances of smooth curves invertible in single precision.
NUGGET = 1e-3
# The average distance between the best and the worst of 1, 2, ... knots of variance 1 (1 for a single knot, which has
# no other); hardly larger for more than six.
CURVE_RANGES = (1.0, 0.32, 0.61, 0.87, 1.11, 1.30)
# With a direction, the best end has 1 more utility than the worst, with a standard deviation of half of it.
STEP_SPREAD, STEP_CORRELATION = 0.5, 0.8
# The standard deviation between the utility of "unknown" and that of an average value.
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
        """The number of parameters p."""
        ...

    def rows(self, values: Any) -> Floats:
        """The n values in these parameters, `(n, p)`; zeros where a value is missing."""
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
        """One parameter for each knot."""
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
        """Neighbouring knots have similar utilities."""
        knot = np.arange(self.size)
        reach = max(REACH, REACH_SHARE * (self.size - 1))
        covariance = np.exp(-0.5 * ((knot[:, None] - knot) / reach) ** 2) + NUGGET * np.eye(self.size)
        return Gaussian(np.zeros(self.size), covariance / CURVE_RANGES[min(self.size, 6) - 1] ** 2)


@dataclass(frozen=True)
class Steps:
    """Monotone in a number: s_j goes from 0 to 1 between knots j and j + 1, or from 1 to 0 if less is better.

    Parameters at or above 0 make the utility monotone.
    """

    knots: tuple[float, ...]
    less: bool = False

    @property
    def size(self) -> int:
        """One parameter for each step."""
        return len(self.knots) - 1

    def rows(self, values: Floats) -> Floats:
        """`(n,)` numbers to `(n, p)`."""
        knots = np.asarray(self.knots)
        with np.errstate(over="ignore"):  # far beyond two close knots overflows, and is clipped to 1
            climbed = np.clip((values[:, None] - knots[:-1]) / np.diff(knots), 0, 1)
        return np.where(np.isnan(values)[:, None], 0.0, 1 - climbed if self.less else climbed)

    def prior(self) -> Gaussian:
        """Every step adds utility; how much differs more between people than between steps."""
        step = 1 / self.size
        number = np.arange(self.size)
        correlation = STEP_CORRELATION ** np.abs(number[:, None] - number)
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
        """As often liked as disliked; for `sign` 1 (-1) liked (disliked) by nearly everybody."""
        spread = math.sqrt(math.pi / 2) if self.sign == 0 else STEP_SPREAD  # the mean of |N(0, pi / 2)| is 1
        return Gaussian(np.array([float(self.sign)]), np.array([[spread**2]]))


@dataclass(frozen=True)
class Indicators:
    """One parameter for each of `count` values; rows are given as `(n, count)` of 0 and 1.

    Attributes:
        count: How many.
        exclusive: Whether a row has one of them (a category) or any number (tags, each a yes/no of its own).
    """

    count: int
    exclusive: bool = True

    @property
    def size(self) -> int:
        """One parameter for each value."""
        return self.count

    def rows(self, values: Floats) -> Floats:
        """Already 0 and 1."""
        return values

    def prior(self) -> Gaussian:
        """Independent of each other."""
        variance = 1 / expected_range(self.count) ** 2 if self.exclusive and self.count > 1 else math.pi / 2
        return Gaussian(np.zeros(self.count), variance * np.eye(self.count))


def expected_range(count: int) -> float:
    """The average distance between the highest and the lowest of `count` standard normal draws.

    `E[range] = integral of 1 - F(x)^count - (1 - F(x))^count`, with F the normal distribution function.
    """
    points = np.linspace(-8, 8, 3201)
    below = np.array([0.5 * math.erfc(-point / math.sqrt(2)) for point in points])
    return float(np.trapezoid(1 - below**count - (1 - below) ** count, points))


def with_unknown(prior: Gaussian, average: Floats) -> Gaussian:
    """A prior with one more parameter, the utility of "unknown": that of an average value with some noise.

    Args:
        prior: Of the p parameters of present values.
        average: `(p,)`, the average row of present values.
    """
    mean = np.append(prior.mean, average @ prior.mean)
    across = prior.covariance @ average
    corner = average @ across + UNKNOWN_SPREAD**2
    return Gaussian(mean, np.block([[prior.covariance, across[:, None]], [across[None], np.array([[corner]])]]))


def readable(value: float, tolerance: float, *, as_year: bool = False) -> float:
    """The roundest number within `tolerance` of a value: a multiple of 1, 2 or 5 times the largest power of ten.

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


# A number with at most this many distinct values, each occurring twice on average, has a knot at each.
FEW_VALUES = 8
BUCKETS = 5
# If more than this share of the values is the lowest one (0 for "has none"), it is a bucket of its own.
SPIKE_SHARE = 0.15


@dataclass(frozen=True)
class Grid:
    """The knots of a number.

    Attributes:
        knots: Ascending; where the utility curve may bend.
        edges: The knots at which one bucket ends and the next begins; none if every value is a bucket.
    """

    knots: tuple[float, ...]
    edges: tuple[float, ...] = ()


def grid_of(values: Floats, edges: tuple[float, ...] | None = None, *, as_year: bool = False) -> Grid:
    """The knots of a number: its bucket edges, and on either side an end that leaves 2 % of the values beyond it.

    Args:
        values: Present values.
        edges: Bucket edges, if given. By default every value is a knot if there are few, else readable quantiles are.
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
    """Readable numbers that divide the values into some five buckets of similar size."""
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
    """A round number of at most `value`, closer to it than to `lowest`: only `lowest` itself is below it."""
    middle = (value + lowest) / 2
    rounded = readable(middle, 0.9 * (value - middle))
    return rounded if lowest < rounded and middle <= rounded <= value else value
