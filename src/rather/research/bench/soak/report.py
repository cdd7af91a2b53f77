"""What a soak saw, and what is wrong with it."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

# What counts as flat: memory may grow by this share from the third quarter of the last process's life to the fourth,
# and as many file descriptors may be added.
MEMORY_GROWTH = 1.1
DESCRIPTOR_GROWTH = 5


@dataclass(frozen=True)
class Minute:
    """What happened in a minute, or in a quarter of a shorter run. Times are in milliseconds.

    Attributes:
        disturbed: Whether the server was killed, reloaded or slowed down.
        answers: Acknowledged.
        median: From answer to next question.
        p99: Likewise.
        retries: Requests that had to be sent again.
        memory_mb: Of the server at the end; None where it cannot be read.
        descriptors: File descriptors of the server at the end; likewise.
    """

    disturbed: bool
    answers: int
    median: float
    p99: float
    retries: int
    memory_mb: float | None
    descriptors: int | None


@dataclass(frozen=True)
class SoakReport:
    """What a soak saw.

    Attributes:
        catalog: What was asked about, beside a table that changed.
        users: At the same time.
        seconds: How long.
        minutes: What happened in each.
        requests: Acknowledged, by kind.
        sessions: Compared at their end with what was acknowledged.
        disturbances: How often the server was killed (`kill`), switched to a changed table (`reload`), found its
            database locked for a second (`lock`), or slow for a twelfth of a minute (`slow`).
        p99: From answer to next question, of the `first` minute, of the other `quiet` ones, and of `all`.
        retries: Why requests were sent again, and how often.
        checks: What was checked, and what is wrong; an empty text if nothing is, None if it could not be checked.
    """

    catalog: str
    users: int
    seconds: float
    minutes: list[Minute]
    requests: dict[str, int]
    sessions: int
    disturbances: dict[str, int]
    p99: dict[str, float]
    retries: dict[str, int]
    checks: dict[str, str | None]

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not any(self.checks.values())


@dataclass
class Sample:
    """The server at one moment: seconds since the start, which process it was, its memory and file descriptors."""

    at: float
    process: int
    memory_mb: float
    descriptors: int


def memory_problem(samples: Sequence[Sample]) -> str | None:
    """What is wrong with the memory of the last process: it still grew in the last quarter of its life."""
    quarters = _last_quarters(samples)
    if quarters is None:
        return None
    before, after = (statistics.median(sample.memory_mb for sample in quarter) for quarter in quarters)
    return "" if after <= MEMORY_GROWTH * before else f"it grew from {before:.0f} MB to {after:.0f} MB"


def descriptor_problem(samples: Sequence[Sample]) -> str | None:
    """What is wrong with the file descriptors of the last process, likewise."""
    quarters = _last_quarters(samples)
    if quarters is None:
        return None
    before, after = (statistics.median(sample.descriptors for sample in quarter) for quarter in quarters)
    return "" if after <= before + DESCRIPTOR_GROWTH else f"they grew from {before:.0f} to {after:.0f}"


def _last_quarters(samples: Sequence[Sample]) -> tuple[Sequence[Sample], Sequence[Sample]] | None:
    life = [sample for sample in samples if sample.process == samples[-1].process]
    quarter = len(life) // 4
    return (life[2 * quarter : 3 * quarter], life[3 * quarter :]) if quarter else None


def p99_problem(minutes: Sequence[Minute]) -> str | None:
    """Which quiet minutes were more than twice as slow as the first one."""
    first = minutes[0].p99
    slow = [
        f"minute {number}: {minute.p99:.0f} ms instead of {first:.0f} ms"
        for number, minute in enumerate(minutes, start=1)
        if not minute.disturbed and minute.p99 > 2 * first
    ]
    return "; ".join(slow)
