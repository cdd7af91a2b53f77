"""How conversations went: how many began, answered, finished, where people left, and how long they took."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

import numpy as np

# Values of a campaign or arm that are listed, those with the most conversations first.
MOST_GROUPS = 100

# Values that are counted at a time. A link may carry any campaign, and each takes a kilobyte.
MOST_COUNTED = 10_000


class Course(NamedTuple):
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
class Step:
    """What became of people at one question.

    Attributes:
        number: Of the question.
        asked: How many people saw it.
        left: How many of them left without an answer to it.
    """

    number: int
    asked: int
    left: int


@dataclass(frozen=True)
class Counts:
    """Numbers about some conversations.

    Attributes:
        began: All of them.
        answered: Those with at least one answer.
        finished: Those that were asked to the end.
        answers: The mean number of answers of those with any.
        seconds: How long those with at least one answer took; None where times are not known.
        steps: Question by question, how many saw it and how many left there.
    """

    began: int
    answered: int
    finished: int
    answers: float
    seconds: Durations | None
    steps: tuple[Step, ...]

    @property
    def most_left_at(self) -> Step | None:
        """The question at which most people left; None where nobody has left."""
        step = max(self.steps, key=lambda each: each.left, default=None)
        return step if step is not None and step.left else None


@dataclass(frozen=True)
class Progress:
    """How conversations went.

    Attributes:
        total: All of them.
        by_day: Day by day, in UTC, ascending.
        by_campaign: Empty where a study noted none.
        by_arm: Empty where a study noted none.
    """

    total: Counts
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
    asked_last: Counter[int] = field(default_factory=Counter)
    left: Counter[int] = field(default_factory=Counter)

    def add(self, course: Course) -> None:
        self.began += 1
        self.answered += course.answered > 0
        self.finished += course.finished
        self.answers += course.answered
        if course.answered and course.seconds is not None:
            self.seconds.append(course.seconds)
        last = course.answered + (not course.finished)
        self.asked_last[last] += 1
        self.left[last] += not course.finished

    def counts(self) -> Counts:
        mean = self.answers / self.answered if self.answered else 0.0
        return Counts(self.began, self.answered, self.finished, mean, _durations(self.seconds), self._steps())

    def _steps(self) -> tuple[Step, ...]:
        found, asked = list[Step](), self.began - self.asked_last[0]
        for number in range(1, max(self.asked_last, default=0) + 1):
            found.append(Step(number, asked, self.left[number]))
            asked -= self.asked_last[number]
        return tuple(found)


def progress(courses: Iterable[Course]) -> Progress:
    """Counts courses in one pass."""
    total = _Tally()
    days: dict[str, _Tally] = {}
    campaigns: dict[str, _Tally] = {}
    arms: dict[str, _Tally] = {}
    for course in courses:
        total.add(course)
        groups = ((days, "" if course.began is None else course.began.date().isoformat()),)
        for tallies, name in (*groups, (campaigns, course.campaign), (arms, course.arm)):
            if name not in tallies:
                if len(tallies) >= MOST_COUNTED:
                    _drop_rarest(tallies)
                tallies[name] = _Tally()
            tallies[name].add(course)
    by_day = {day: days[day].counts() for day in sorted(days) if day}
    return Progress(total.counts(), by_day, _groups(campaigns), _groups(arms))


def _drop_rarest(tallies: dict[str, _Tally]) -> None:
    """Drops the half of all values with the fewest conversations; one that comes again is counted from zero."""
    for name in sorted(tallies, key=lambda name: tallies[name].began)[: len(tallies) // 2]:
        del tallies[name]


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
