"""A whole benchmark: one size after the other."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from torch import Tensor

from rather import __version__, value
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.responses import Logistic
from rather.research.bench.contest import Setting, contenders, measured
from rather.research.bench.conversation_costs import cached_question, throughput
from rather.research.bench.machine import Load, available_bytes
from rather.research.bench.measurements import (
    BenchReport,
    CachedQuestion,
    RetrieverBuild,
    SizeMeasurement,
    Throughput,
    Times,
)
from rather.research.bench.memory import peak_bytes
from rather.research.bench.origins import SMALL, Origin, large_origin, named_origin, random_origin, small_origin
from rather.research.bench.sizes import BEYOND, PAPER, Size
from rather.research.bench.timing import timed
from rather.retrieval import ExactRetriever, Retriever, ShortlistRetriever, choose_retriever

# Simulated users whose answer to the first question is followed.
USERS = 3

# Larger catalogues take seconds to hash, so nothing is cached for them.
LARGEST_HASHED = 1_000_000

# A catalogue, its longest items, the copy that the process for memory loads, and room to work.
MEMORY_SHARE = 2.7


@dataclass(frozen=True)
class BenchSettings:
    """What to measure.

    Attributes:
        sizes: In any order.
        vectors: A vectors file to draw from; by default what `rather.research.bench.origins` finds.
        repeats: Turns of every method.
        most_seconds: A method that has taken this long at a size gets no further turn there.
        memory: Whether to measure peak memory, each time in a fresh process.
        quick: Do not learn vectors.
        available_bytes: Memory that a size may need; by default what is free.
    """

    sizes: Sequence[Size] = (*PAPER, *BEYOND)
    vectors: Path | None = None
    repeats: int = 13
    most_seconds: float = 4.0
    memory: bool = True
    quick: bool = False
    available_bytes: int | None = None

    @property
    def steps_per_size(self) -> int:
        """How often `on_step` is called for each size."""
        return self.repeats + 4

    @property
    def steps(self) -> int:
        """How often `on_step` is called."""
        return len(self.sizes) * self.steps_per_size


def bench(
    settings: BenchSettings, on_step: Callable[[], None], on_progress: Callable[[str], None] = lambda text: None
) -> BenchReport:
    """Measure what a question costs at each size.

    Args:
        settings: What to measure.
        on_step: Called after each of `settings.steps` steps.
        on_progress: Called with a sentence before something that takes long.
    """
    start, before = time.perf_counter(), Load.now()
    supply = Supply(settings, on_progress)
    sizes, skipped = [], []
    for size in sorted(settings.sizes):
        if (reason := supply.reason_to_skip(size)) is not None:
            skipped.append(f"{size}: {reason}")
            for _ in range(settings.steps_per_size):
                on_step()
            continue
        sizes.append(_measure(size, supply, settings, on_step))
    others = Load.now().others(before)
    return BenchReport(
        tuple(sizes), tuple(skipped), os.cpu_count() or 1, others, time.perf_counter() - start, __version__
    )


class Sample(NamedTuple):
    """Vectors to measure with: items `(n, d)`, users of the belief `(m, d)`, others to ask, and where all come from."""

    items: Tensor
    members: Tensor
    users: Tensor
    origin: str


class Supply:
    """Items and users for every size; the larger catalogues begin with the smaller ones, and share their memory."""

    def __init__(self, settings: BenchSettings, on_progress: Callable[[str], None]) -> None:
        self._settings = settings
        self._large: Origin | None = None
        self._small: Origin | None = small_origin() if settings.vectors is None else None
        self._items: Tensor | None = None
        if settings.vectors is not None:
            self._large = named_origin(settings.vectors)
        elif any(self._real(size) is None for size in settings.sizes):
            self._large = large_origin(settings.quick, on_progress)
            if max(size.m for size in settings.sizes) + USERS > len(self._large.users):
                self._large = random_origin()

    def _real(self, size: Size) -> Origin | None:
        """The catalogue of just this size, if there is one."""
        small = self._small
        if small is None or size.n > SMALL or (size.n, size.m) != (len(small.items), len(small.users)):
            return None
        return small

    def reason_to_skip(self, size: Size) -> str | None:
        """Why this size cannot be measured here; None if it can."""
        if self._real(size) is not None or (self._items is not None and len(self._items) >= size.n):
            return None
        assert self._large is not None
        needed = MEMORY_SHARE * 4 * size.n * self._large.items.shape[1]
        limit = self._settings.available_bytes
        available = available_bytes() if limit is None else limit
        if available is not None and needed > available:
            return f"needs {needed / 1e9:.1f} GB of memory, {available / 1e9:.1f} GB are free"
        return None

    def draw(self, size: Size) -> Sample:
        """Vectors for a size."""
        real = self._real(size)
        if real is not None:
            return Sample(real.items, *real.draw_users(size.m, USERS), real.description)
        origin = self._large
        assert origin is not None
        if self._items is None or len(self._items) < size.n:
            self._items = origin.resampled(self._size_to_make(size))
        users = origin.draw_users(size.m, USERS)
        return Sample(self._items[: size.n], *users, f"{origin.description}, items resampled with noise")

    def _size_to_make(self, size: Size) -> int:
        """As many items as this and the following sizes need, unless one of them is too large."""
        return max(other.n for other in (*self._settings.sizes, size) if self.reason_to_skip(other) is None)


def _measure(size: Size, supply: Supply, settings: BenchSettings, on_step: Callable[[], None]) -> SizeMeasurement:
    items, members, users, origin = supply.draw(size)
    catalog, belief = Catalog(items), Belief.from_users(members)
    response = Logistic(0.1 * value.utility_spread(catalog, belief))
    exact, plain = ExactRetriever(catalog), ExactRetriever(catalog, stop_by_norm=False)
    start = time.perf_counter()
    usual = choose_retriever(catalog, belief)
    build = _retriever_build(usual, time.perf_counter() - start, size.n)
    setting = Setting(catalog, belief, response, size.k, usual)
    first, later = setting.situations(users)
    on_step()
    part, directions = contenders(setting, first, later, exact), belief.particles[: size.k]
    scans: list[float] = []
    searches: list[float] = []
    answers: list[float] = []
    [question] = later[0].asked
    for number in range(settings.repeats + 1):
        # The better of two: one that was interrupted says nothing about a scan.
        scans.append(min(timed(lambda: plain.top(directions, 1)) for _ in range(2)))
        searches.append(timed(lambda: exact.top(directions, 1)))
        answers.append(timed(partial(setting.policy(seed=number).after, belief, question, 0)))
        for contender in part:
            contender.turn(setting, number, settings.most_seconds)
        on_step()
    scan = Times.of(scans[1:])
    methods = measured(setting, part, exact, scan)
    at_work: tuple[CachedQuestion | None, Throughput | None] = (None, None)
    if size.n <= LARGEST_HASHED:
        at_work = (cached_question(setting.policy()), throughput(setting.policy()))
    on_step()
    peak = peak_bytes(items, members, size.k) if settings.memory else None
    on_step()
    return SizeMeasurement(
        size.n,
        size.m,
        size.k,
        items.shape[1],
        origin,
        scan,
        Times.of(searches[1:]),
        build,
        Times.of(answers[1:]),
        methods,
        *at_work,
        peak,
        items.numel() * items.element_size(),
    )


def _retriever_build(usual: Retriever, seconds: float, n: int) -> RetrieverBuild:
    if isinstance(usual, ShortlistRetriever):
        return RetrieverBuild(seconds, "shortlist", usual.report.items, usual.report.loss)
    return RetrieverBuild(seconds, "exact", n, 0.0)
