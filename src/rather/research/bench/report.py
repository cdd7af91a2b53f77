"""What a benchmark found, as plain data."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Times:
    """How long something took, in seconds: the median of its runs, and the quartiles around it."""

    median: float
    low: float
    high: float
    runs: int

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Times:
        """From single runs, at least one."""
        if len(seconds) == 1:
            return cls(seconds[0], seconds[0], seconds[0], 1)
        low, median, high = statistics.quantiles(seconds, n=4, method="inclusive")
        return cls(median, low, high, len(seconds))


@dataclass(frozen=True)
class Cell:
    """A way of choosing a question, at one size.

    Attributes:
        name: Of the way.
        times: For one question.
        scans: Median time over that of one scan for k directions.
        speedup: How many times faster than Greedy.
        evoi: Exact EVOI of the question, as a share of the best that any way found for the same belief; the mean of
            the runs.
        worst_evoi: Of the worst run.
        evoi_to_iteration: EVOI as a share of what query iteration from 20 starts finds on the whole catalogue for the
            same beliefs; None where it had no time for them.
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
class Opening:
    """What is done once for a catalogue and a population.

    Attributes:
        seconds: To build the retriever.
        kind: Which one was chosen.
        items: On its shortlist; all items without one.
        loss: The shortlist's measured loss, see `rather.retrieval.shortlist.Report`.
    """

    seconds: float
    kind: str
    items: int
    loss: float


@dataclass(frozen=True)
class Remembered:
    """The first question when it has been asked before.

    Attributes:
        in_process: By a session of this process.
        from_file: By one of another process; None when it is computed so fast that no file is kept.
    """

    in_process: Times
    from_file: Times | None


@dataclass(frozen=True)
class Throughput:
    """Questions of simulated users, each after an answer of their own.

    Attributes:
        users: How many.
        one_by_one: Questions in a second, one after the other.
    """

    users: int
    one_by_one: float


@dataclass(frozen=True)
class Row:
    """Everything that was measured at one size.

    Attributes:
        n: Items.
        m: Particles.
        k: Items on a slate.
        d: Dimensions.
        origin: Where the vectors come from.
        scan: One scan for k directions: a blocked matrix product with every item, and the best for each direction.
        search: The same result from the exact retriever, which may stop early.
        opening: What is done once.
        tell: Taking in an answer: Bayes, and new particles.
        cells: Each way of choosing.
        remembered: The first question once more; None where the catalogue is too large to be named in passing.
        throughput: Many people at once, likewise.
        peak_bytes: Peak memory of a conversation beyond the import of torch; None when it was not measured.
        catalog_bytes: Of the item vectors alone.
    """

    n: int
    m: int
    k: int
    d: int
    origin: str
    scan: Times
    search: Times
    opening: Opening
    tell: Times
    cells: tuple[Cell, ...]
    remembered: Remembered | None
    throughput: Throughput | None
    peak_bytes: int | None
    catalog_bytes: int

    def cell(self, name: str) -> Cell:
        """That of this name."""
        return next(cell for cell in self.cells if cell.name == name)


@dataclass(frozen=True)
class Target:
    """What has to be reached, what was, and whether that is enough.

    Attributes:
        what: Is measured.
        needed: In words.
        measured: In words.
        reached: Whether it is.
    """

    what: str
    needed: str
    measured: str
    reached: bool


@dataclass(frozen=True)
class Report:
    """A whole run.

    Attributes:
        rows: One for each size.
        targets: Those that the rows say something about.
        skipped: Sizes that were left out, and why.
        cores: Of the machine.
        others: Share of all cores that other programs used meanwhile; None where that cannot be seen.
        seconds: That the run took.
        version: Of this package.
    """

    rows: tuple[Row, ...]
    targets: tuple[Target, ...]
    skipped: tuple[str, ...]
    cores: int
    others: float | None
    seconds: float
    version: str
