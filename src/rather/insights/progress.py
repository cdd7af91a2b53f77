"""How conversations went: how many began, answered, finished, where people left, and how long they took."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

# Values of a campaign or arm that are listed, those with the most conversations first.
MOST_GROUPS = 100


@dataclass(frozen=True)
class Course:
    """How one conversation went.

    Attributes:
        began: When; None where it is not known.
        answered: Answers that were not taken back.
        finished: Whether the stopping rule ended it, or every question had been asked.
        seconds: From the start to the last answer; None where it is not known.
        campaign: What a study noted.
        arm: What a study noted.
    """

    began: datetime | None
    answered: int
    finished: bool
    seconds: float | None = None
    campaign: str = ""
    arm: str = ""


@dataclass(frozen=True)
class Durations:
    """Seconds from the start to the last answer: median and quartiles."""

    median: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Counts:
    """Numbers about some conversations.

    Attributes:
        began: All of them.
        answered: Those with at least one answer.
        finished: Those that were asked to the end.
        answers: The mean number of answers of those with any.
        seconds: How long those with at least one answer took; None where times are not known.
    """

    began: int
    answered: int
    finished: int
    answers: float
    seconds: Durations | None


@dataclass(frozen=True)
class Progress:
    """How conversations went.

    Attributes:
        total: All of them.
        left_at: Those that did not finish, by the number of the question that was open when they left.
        by_day: Day by day, in UTC, ascending.
        by_campaign: Empty where a study noted none.
        by_arm: Empty where a study noted none.
    """

    total: Counts
    left_at: dict[int, int]
    by_day: dict[str, Counts]
    by_campaign: dict[str, Counts]
    by_arm: dict[str, Counts]


@dataclass
class _Tally:
    """Adds up courses: eight bytes for the duration of each, whatever else they hold."""

    began: int = 0
    answered: int = 0
    finished: int = 0
    answers: int = 0
    seconds: array[float] = field(default_factory=lambda: array("d"))

    def add(self, course: Course) -> None:
        self.began += 1
        self.answered += course.answered > 0
        self.finished += course.finished
        self.answers += course.answered
        if course.answered and course.seconds is not None:
            self.seconds.append(course.seconds)

    def counts(self) -> Counts:
        mean = self.answers / self.answered if self.answered else 0.0
        return Counts(self.began, self.answered, self.finished, mean, _durations(self.seconds))


def progress(courses: Iterable[Course]) -> Progress:
    """Counts courses in one pass."""
    total, left = _Tally(), Counter[int]()
    days: dict[str, _Tally] = {}
    campaigns: dict[str, _Tally] = {}
    arms: dict[str, _Tally] = {}
    for course in courses:
        total.add(course)
        if not course.finished:
            left[course.answered + 1] += 1
        groups = ((days, "" if course.began is None else course.began.date().isoformat()),)
        for tallies, name in (*groups, (campaigns, course.campaign), (arms, course.arm)):
            if name not in tallies:
                tallies[name] = _Tally()
            tallies[name].add(course)
    by_day = {day: days[day].counts() for day in sorted(days) if day}
    return Progress(total.counts(), dict(sorted(left.items())), by_day, _groups(campaigns), _groups(arms))


def _groups(tallies: dict[str, _Tally]) -> dict[str, Counts]:
    """Of each value the counts, "" for those without one; nothing where nobody has one."""
    if set(tallies) <= {""}:
        return {}
    order = sorted(tallies, key=lambda name: (-tallies[name].began, name))[:MOST_GROUPS]
    return {name: tallies[name].counts() for name in order}


def _durations(seconds: array[float]) -> Durations | None:
    if not seconds:
        return None
    lower, median, upper = np.quantile(np.frombuffer(seconds), [0.25, 0.5, 0.75]).tolist()
    return Durations(median, lower, upper)
