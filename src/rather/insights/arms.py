"""How the arms of a study compare: questions, who finished, regret, and how well hold-outs are predicted.

Intervals are at 95 %: of means by Student's t (Welch for differences), of shares by Wilson (1927), of differences of
shares by Newcombe's hybrid of two Wilson intervals (1998, method 10). A respondent answers several hold-outs, so these
are a sample of clusters: the hit rate is a ratio of sums, whose design effect shrinks the sample (Kish 1965).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import NormalDist

from rather.errors import InvalidInputError
from rather.insights.estimates import HIGH, Estimate

Z = NormalDist().inv_cdf(HIGH)


@dataclass(frozen=True)
class Interview:
    """How one interview went.

    Attributes:
        arm: Of its study.
        answered: Questions that were answered.
        finished: Whether it went on to the end.
        regret_left: The expected regret at the end, as a share of that before the first question; None if not known.
        holdouts: Hold-outs that were answered by an option.
        hits: Those of them that the other answers predict.
    """

    arm: str
    answered: int
    finished: bool
    regret_left: float | None
    holdouts: int = 0
    hits: int = 0


@dataclass(frozen=True)
class Measures:
    """Four numbers about some interviews, or differences of them; None where there is nothing to estimate from.

    Attributes:
        finished: Share of those who began.
        questions: Mean number of questions of those who finished.
        regret_left: Mean share of the expected regret that is left, of those who finished.
        hit_rate: Share of the hold-outs that the other answers predict, of those who finished.
    """

    finished: Estimate | None
    questions: Estimate | None
    regret_left: Estimate | None
    hit_rate: Estimate | None

    def as_data(self) -> dict[str, dict[str, float] | None]:
        """In plain JSON."""
        return {name: None if found is None else found.as_data() for name, found in vars(self).items()}


@dataclass(frozen=True)
class ComparedArm:
    """An arm of a study.

    Attributes:
        name: Of the arm; "" for interviews without one.
        began: Its interviews.
        finished: Those that went on to the end.
        holdouts: Hold-outs of those that were answered by an option.
        measures: Of the arm.
        differences: From the arm that it is compared with; None for that one.
    """

    name: str
    began: int
    finished: int
    holdouts: int
    measures: Measures
    differences: Measures | None


@dataclass
class _Sums:
    """Adds up interviews; as small for many as for a few."""

    began: int = 0
    finished: int = 0
    questions: "_Moments" = field(default_factory=lambda: _Moments())
    regret: "_Moments" = field(default_factory=lambda: _Moments())
    asking: int = 0
    holdouts: int = 0
    hits: int = 0
    holdouts_squared: int = 0
    hits_squared: int = 0
    products: int = 0

    def add(self, interview: Interview) -> None:
        self.began += 1
        if not interview.finished:
            return
        self.finished += 1
        self.questions.add(interview.answered)
        if interview.regret_left is not None:
            self.regret.add(interview.regret_left)
        if interview.holdouts:
            self.asking += 1
            self.holdouts += interview.holdouts
            self.hits += interview.hits
            self.holdouts_squared += interview.holdouts**2
            self.hits_squared += interview.hits**2
            self.products += interview.holdouts * interview.hits

    @property
    def effective_holdouts(self) -> float:
        """How many independent hold-outs tell as much: fewer, where the hits of a respondent go together."""
        rate, n = self.hits / self.holdouts, self.asking
        spread = self.hits_squared - 2 * rate * self.products + rate**2 * self.holdouts_squared
        if n < 2 or not 0 < rate < 1 or spread <= 0:
            return float(n)  # nothing to tell the spread from: one for each respondent
        variance = n / (n - 1) * spread / self.holdouts**2
        return min(float(self.holdouts), rate * (1 - rate) / variance)

    def measures(self) -> Measures:
        hits = wilson(self.hits / self.holdouts, self.effective_holdouts) if self.holdouts else None
        return Measures(
            wilson(self.finished / self.began, self.began) if self.began else None,
            self.questions.estimate(),
            self.regret.estimate(),
            hits,
        )


@dataclass
class _Moments:
    """Mean and variance in one pass (Welford 1962)."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def add(self, value: float) -> None:
        self.count += 1
        step = value - self.mean
        self.mean += step / self.count
        self.squares += step * (value - self.mean)

    @property
    def error(self) -> float:
        """The variance of the mean."""
        return self.squares / (self.count - 1) / self.count

    def estimate(self) -> Estimate | None:
        if self.count < 2:
            return None
        half = student(self.count - 1) * math.sqrt(self.error)
        return Estimate(self.mean, self.mean - half, self.mean + half)


def compare(interviews: Iterable[Interview], against: str | None = None) -> list[ComparedArm]:
    """Every arm with its measures, and how it differs from one of them; in one pass.

    Args:
        interviews: Those without an arm are an arm of their own, named "".
        against: The arm to compare with, by default the first in the order of their names.
    """
    sums: dict[str, _Sums] = {}
    for interview in interviews:
        sums.setdefault(interview.arm, _Sums()).add(interview)
    if not sums:
        return []
    base = against if against is not None else min(sums)
    if base not in sums:
        raise InvalidInputError(f"`against` must be one of the arms {', '.join(sorted(sums))}, got {base!r}.")
    order = sorted(sums, key=lambda name: (name != base, name))
    return [
        ComparedArm(
            name,
            sums[name].began,
            sums[name].finished,
            sums[name].holdouts,
            sums[name].measures(),
            None if name == base else _difference(sums[name], sums[base]),
        )
        for name in order
    ]


def _difference(mine: _Sums, base: _Sums) -> Measures:
    one, other = mine.measures(), base.measures()
    return Measures(
        newcombe(one.finished, other.finished),
        welch(mine.questions, base.questions),
        welch(mine.regret, base.regret),
        newcombe(one.hit_rate, other.hit_rate),
    )


def wilson(share: float, count: float) -> Estimate:
    """A share of so many, with Wilson's interval."""
    middle = share + Z**2 / (2 * count)
    half = Z * math.sqrt(share * (1 - share) / count + Z**2 / (4 * count**2))
    scale = 1 + Z**2 / count
    low, high = (middle - half) / scale, (middle + half) / scale
    # Without the share itself, rounding would leave it out of its interval at 0 and 1.
    return Estimate(share, min(max(0.0, low), share), max(min(1.0, high), share))


def newcombe(one: Estimate | None, other: Estimate | None) -> Estimate | None:
    """The difference of two shares that have Wilson's intervals."""
    if one is None or other is None:
        return None
    value = one.value - other.value
    low = value - math.hypot(one.value - one.low, other.high - other.value)
    high = value + math.hypot(one.high - one.value, other.value - other.low)
    return Estimate(value, low, high)


def welch(one: _Moments, other: _Moments) -> Estimate | None:
    """The difference of two means, whose variances may differ."""
    if min(one.count, other.count) < 2:
        return None
    value, variance = one.mean - other.mean, one.error + other.error
    if variance == 0:
        return Estimate(value, value, value)
    freedom = variance**2 / (one.error**2 / (one.count - 1) + other.error**2 / (other.count - 1))
    half = student(freedom) * math.sqrt(variance)
    return Estimate(value, value - half, value + half)


def student(freedom: float) -> float:
    """The 97.5 % quantile of Student's t: its expansion by Cornish and Fisher (1 degree: exactly)."""
    if freedom <= 1:
        return math.tan(math.pi * (HIGH - 0.5))
    if freedom <= 2:
        exact = 2 * (HIGH - 0.5) * math.sqrt(2 / (1 - (2 * HIGH - 1) ** 2))
        return exact + (2 - freedom) * (math.tan(math.pi * (HIGH - 0.5)) - exact)
    terms = (
        (Z**3 + Z) / 4,
        (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96,
        (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384,
        (79 * Z**9 + 776 * Z**7 + 1482 * Z**5 - 1920 * Z**3 - 945 * Z) / 92_160,
    )
    return Z + sum(term / freedom**power for power, term in enumerate(terms, 1))
