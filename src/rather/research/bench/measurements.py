"""What a benchmark measured, as plain data."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Times:
    """How long something took, in seconds: the median of its runs, the quartiles around it, and the longest."""

    median: float
    low: float
    high: float
    runs: int
    longest: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Times:
        """From single runs, at least one."""
        if len(seconds) == 1:
            return cls(seconds[0], seconds[0], seconds[0], 1, seconds[0])
        low, median, high = statistics.quantiles(seconds, n=4, method="inclusive")
        return cls(median, low, high, len(seconds), max(seconds))


@dataclass(frozen=True)
class MethodMeasurement:
    """A way of choosing a question, at one size.

    Attributes:
        name: Of the method.
        times: For one question.
        scans: Median time over that of one scan for k directions.
        speedup: How many times faster than Greedy.
        evoi: Exact EVOI of the question, as a share of the best that any method found for the same belief; the mean
            over the runs.
        worst_evoi: Of the worst run.
        evoi_to_iteration: EVOI as a share of what query iteration from 20 starts finds on the whole catalogue for the
            same beliefs; None if it had no time for them.
        evoi_to_greedy: Likewise of Greedy.
    """

    name: str
    times: Times
    scans: float
    speedup: float
    evoi: float
    worst_evoi: float
    evoi_to_iteration: float | None
    evoi_to_greedy: float | None


@dataclass(frozen=True)
class RetrieverBuild:
    """What is done once for a catalogue and a population.

    Attributes:
        seconds: To build the retriever.
        kind: Which one was chosen.
        items: On its shortlist; all items without one.
        loss: The shortlist's measured loss, see `rather.retrieval.shortlist_settings.ShortlistReport`.
    """

    seconds: float
    kind: str
    items: int
    loss: float


@dataclass(frozen=True)
class CachedQuestion:
    """The first question when it has been asked before.

    Attributes:
        in_process: By a conversation in this process.
        from_file: By one in another process; None if it is computed so fast that it is not written to a file.
    """

    in_process: Times
    from_file: Times | None


@dataclass(frozen=True)
class Opening:
    """Opening a session, each time with a policy of its own.

    Attributes:
        first: Seconds, of the first one about a catalogue and prior, once the retriever is built.
        later: Of all others.
    """

    first: float
    later: Times


@dataclass(frozen=True)
class AfterAnswer:
    """What a session computes after an answer, each for particles that nothing is known about yet.

    Attributes:
        question: The next question.
        recommendation: Then the list of what is recommended, of five items.
        stop: Then whether to stop: the chance that the list has the person's best item, the expected regret, and what
            the question is expected to add to the list.
    """

    question: Times
    recommendation: Times
    stop: Times

    @property
    def recommendation_ratio(self) -> float:
        """The list, in questions."""
        return self.recommendation.median / self.question.median

    @property
    def stop_ratio(self) -> float:
        """The stop, in questions."""
        return self.stop.median / self.question.median


@dataclass(frozen=True)
class EvoiShare:
    """EVOI of `auto` as a share of what query iteration from 20 starts finds on all items for the same beliefs.

    Attributes:
        users: Whose beliefs these are, after one to three answers.
        mean: Of their shares.
        error: The standard error of that mean.
    """

    users: int
    mean: float
    error: float

    @classmethod
    def of(cls, shares: Sequence[float]) -> EvoiShare:
        """From the shares of users, at least two."""
        return cls(len(shares), statistics.fmean(shares), statistics.stdev(shares) / len(shares) ** 0.5)


@dataclass(frozen=True)
class AttributeQuestions:
    """Questions about attributes, beside questions about items of the same catalogue.

    Attributes:
        catalog: Which one.
        p: Attributes that each option states.
        times: For a question about attributes, after an answer.
        items: For a question about items in the same situations.
    """

    catalog: str
    p: int
    times: Times
    items: Times

    @property
    def ratio(self) -> float:
        """How many times as long as a question about items."""
        return self.times.median / self.items.median


@dataclass(frozen=True)
class Throughput:
    """Questions of simulated users, each after an answer of their own.

    Attributes:
        users: How many.
        questions_per_second: One user after the other, on one thread.
    """

    users: int
    questions_per_second: float


@dataclass(frozen=True)
class SizeMeasurement:
    """Everything that was measured at one size.

    Attributes:
        n: Items.
        m: Particles.
        k: Items on a slate.
        d: Dimensions.
        name: Of where the vectors come from.
        origin: What that is, in words.
        scan: One scan for k directions: a blocked matrix product with every item, and the best for each direction.
        search: The same result from the exact retriever, which may stop early.
        retriever: What is done once.
        answer: Taking in an answer: Bayes, and rejuvenation.
        opening: Opening a session.
        after_answer: What a session computes after an answer.
        methods: Each way of choosing a question.
        evoi_share: Of `auto` beside query iteration, for many users; None where vectors have structure.
        cached: The first question once more; None if the catalogue is so large that hashing it takes seconds.
        throughput: Likewise.
        peak_bytes: Peak memory of a conversation beyond the import of torch; None if it was not measured.
        catalog_bytes: Of the item vectors alone.
    """

    n: int
    m: int
    k: int
    d: int
    name: str
    origin: str
    scan: Times
    search: Times
    retriever: RetrieverBuild
    answer: Times
    opening: Opening
    after_answer: AfterAnswer
    methods: tuple[MethodMeasurement, ...]
    evoi_share: EvoiShare | None
    cached: CachedQuestion | None
    throughput: Throughput | None
    peak_bytes: int | None
    catalog_bytes: int

    def method(self, name: str) -> MethodMeasurement:
        """The method of this name."""
        return next(method for method in self.methods if method.name == name)


@dataclass(frozen=True)
class Goal:
    """One of the numbers that the documentation aims at, for one origin of vectors.

    Attributes:
        origin: Of the vectors.
        what: Was measured.
        value: Measured.
        limit: Aimed at.
        reached: Whether the value is as good as that.
    """

    origin: str
    what: str
    value: float
    limit: float
    reached: bool


@dataclass(frozen=True)
class BenchReport:
    """A whole run.

    Attributes:
        sizes: What was measured at each size, for each origin of vectors.
        attributes: Questions about attributes.
        goals: What the documentation aims at, and for which origins of vectors it was reached.
        skipped: Sizes that were left out, and why.
        cores: Of the machine.
        others: Share of all cores that other programs used meanwhile; None if that cannot be seen.
        seconds: That the run took.
        version: Of this package.
    """

    sizes: tuple[SizeMeasurement, ...]
    attributes: tuple[AttributeQuestions, ...]
    goals: tuple[Goal, ...]
    skipped: tuple[str, ...]
    cores: int
    others: float | None
    seconds: float
    version: str
