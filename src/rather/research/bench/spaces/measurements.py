"""What a benchmark of product spaces measured, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rather.nouns import counted
from rather.research.bench.measurements import EvoiShare, Goal, Times
from rather.simulation import Adjusting


@dataclass(frozen=True)
class SpaceQuestion:
    """A question about one catalogue, after an answer, for particles that nothing is known about yet.

    Attributes:
        catalog: Which one.
        n: Its items.
        d: Its dimensions.
        k: Options of the question.
        times: To choose it.
        ratio: Its median over that for the enumerated table.
    """

    catalog: str
    n: int
    d: int
    k: int
    times: Times
    ratio: float


@dataclass(frozen=True)
class MustHave:
    """Must-haves about the laptop.

    Attributes:
        expression: What configurations must satisfy.
        n: How many do.
        edges: Of their decision diagram.
        seconds: To compile it.
        question: Seconds to choose the first question about them.
    """

    expression: str
    n: int
    edges: int
    seconds: float
    question: float


@dataclass(frozen=True)
class CheckedSearch:
    """Searches compared with looking at every configuration of a space that is cut down by fixing decisions.

    Attributes:
        combinations: Of the values of the decisions that are not fixed, valid or not; all were looked at.
        valid: How many of them the rules allow.
        misjudged: Combinations that the decision diagram and the rules, evaluated as filters of a table, judge
            differently.
        directions: Searches that were compared.
        gap: The most that a score falls short of the best that was found by looking at all, over `count` ranks.
        count: Items of each search.
    """

    combinations: int
    valid: int
    misjudged: int
    directions: int
    gap: float
    count: int


@dataclass(frozen=True)
class SpaceEvoi:
    """EVOI of `auto` in a space as a share of that of query iteration, for the same beliefs.

    Attributes:
        catalog: Which space.
        n: Its items.
        restarts: Of query iteration; the best is kept.
        shares: Over all beliefs.
        by_answers: Mean share before the first answer, after one, and so on.
    """

    catalog: str
    n: int
    restarts: int
    shares: EvoiShare
    by_answers: tuple[float, ...]


@dataclass(frozen=True)
class RegretSetting:
    """What simulated users are asked, and how often they adjust what is recommended then.

    Attributes:
        ask: Items, attributes, or whichever is worth more.
        k: Options of a question.
        p: Attributes of an option.
        particles: Of the belief.
        adjusting: How they adjust the recommended configuration after the questions; None if they only answer.
    """

    ask: Literal["items", "attributes", "auto"] = "items"
    k: int = 2
    p: int = 1
    particles: int = 1000
    adjusting: Adjusting | None = None

    @property
    def adjustments(self) -> int:
        """How often they adjust."""
        return 0 if self.adjusting is None else self.adjusting.times

    @property
    def description(self) -> str:
        """Such as "attributes, k = 2, p = 1": what is not usual."""
        parts = [self.ask, f"k = {self.k}"]
        parts += [f"p = {self.p}"] * (self.ask != "items")  # items have no attributes
        parts += [counted(self.particles, "particle")] * (self.particles != RegretSetting.particles)
        if self.adjusting is not None:
            changes, looked_at = self.adjusting.changes, self.adjusting.looked_at
            among = "" if looked_at is None else f" among {looked_at} looked at"
            most = f"{'up to ' if changes > 1 else ''}{counted(changes, 'choice')}"
            parts.append(f"{counted(self.adjusting.times, 'adjustment')} of {most}{among}")
        return ", ".join(parts)


@dataclass(frozen=True)
class SpaceRegret:
    """Regret of simulated users after some answers, as a share of that at the start.

    Attributes:
        catalog: Which space.
        setting: What they were asked, and how they adjusted.
        users: How many.
        answers: How many, adjustments included.
        share: Mean regret of the recommended item over its mean at the start.
        error: Its standard error.
        list_share: The same for the best of the recommended list.
    """

    catalog: str
    setting: RegretSetting
    users: int
    answers: int
    share: float
    error: float
    list_share: float


@dataclass(frozen=True)
class SpaceFloor:
    """What a recommendation leaves that is told so many bits about a user, whatever was asked.

    Attributes:
        bits: It is told, on average.
        share: Mean regret over its mean at the start; of the best code that was found, so it may be lower.
    """

    bits: float
    share: float


@dataclass(frozen=True)
class SpaceMemory:
    """Peak memory of opening a space, and of five questions and their answers, beyond the imports.

    Attributes:
        n: Its items.
        d: Its dimensions.
        peak_bytes: None if the system does not say.
    """

    n: int
    d: int
    peak_bytes: int | None


@dataclass(frozen=True)
class SpacesReport:
    """Everything that was measured.

    Attributes:
        questions: Of spaces and of enumerated tables, in turn.
        must_haves: About the laptop.
        searches: Compared with looking at all.
        evoi: Beside query iteration.
        regret: Of simulated users.
        floors: What questions about the laptop could leave, by the bits of their answers.
        memory: For spaces of very different size.
        goals: What is aimed at, and what was measured.
        cores: Of the machine.
        others: The share of all cores that other programs used; None if that cannot be seen.
        seconds: The whole benchmark took.
        version: Of the package.
    """

    questions: tuple[SpaceQuestion, ...]
    must_haves: tuple[MustHave, ...]
    searches: CheckedSearch
    evoi: tuple[SpaceEvoi, ...]
    regret: tuple[SpaceRegret, ...]
    floors: tuple[SpaceFloor, ...]
    memory: tuple[SpaceMemory, ...]
    goals: tuple[Goal, ...]
    cores: int
    others: float | None
    seconds: float
    version: str
