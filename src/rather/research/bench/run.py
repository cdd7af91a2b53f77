"""A whole benchmark: one size after the other."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from torch import Tensor

from rather import __version__, value
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.responses import Logistic
from rather.research.bench.contest import Setting, cells, contenders
from rather.research.bench.conversing import cached_question, throughput
from rather.research.bench.machine import Load, available_bytes
from rather.research.bench.memory import peak_bytes
from rather.research.bench.origins import SMALL, Origin, large_origin, named_origin, random_origin, small_origin
from rather.research.bench.report import Opening, Remembered, Report, Row, Throughput, Times
from rather.research.bench.sizes import BEYOND, PAPER, Size
from rather.research.bench.targets import targets
from rather.research.bench.timing import timed
from rather.retrieval import ExactRetriever, Retriever, ShortlistRetriever, choose_retriever

# People whose answer to the first question is followed.
PEOPLE = 3

# Larger catalogues take seconds to be hashed.
LARGEST_AT_WORK = 1_000_000

# A catalogue, its longest items, the copy that the process for memory loads, and room to work.
MEMORY_SHARE = 2.7


@dataclass(frozen=True)
class Wanted:
    """What to measure.

    Attributes:
        sizes: In which order they are given does not matter.
        vectors: A vectors file to draw from; by default what `rather.research.bench.origins` finds.
        repeats: Turns of every way of choosing.
        most_seconds: A way of choosing that has taken so long at a size has no further turn there.
        memory: Whether to measure peak memory, each time in a fresh process.
        quick: Do not learn vectors.
    """

    sizes: Sequence[Size] = (*PAPER, *BEYOND)
    vectors: Path | None = None
    repeats: int = 13
    most_seconds: float = 4.0
    memory: bool = True
    quick: bool = False

    @property
    def steps(self) -> int:
        """How often `on_step` is called."""
        return len(self.sizes) * (self.repeats + 4)


def bench(wanted: Wanted, on_step: Callable[[], None], on_progress: Callable[[str], None]) -> Report:
    """Measure what is wanted.

    Args:
        wanted: What.
        on_step: Called after each of `wanted.steps` steps.
        on_progress: Told what takes long.
    """
    start, before = time.perf_counter(), Load.now()
    supply = Supply(wanted, on_progress)
    rows, skipped = [], []
    for size in sorted(wanted.sizes):
        if (reason := supply.refusal(size)) is not None:
            skipped.append(f"{size}: {reason}")
            for _ in range(wanted.repeats + 4):
                on_step()
            continue
        rows.append(_row(size, supply, wanted, on_step))
    return Report(
        tuple(rows),
        targets(rows),
        tuple(skipped),
        os.cpu_count() or 1,
        Load.now().others(before),
        time.perf_counter() - start,
        __version__,
    )


class Supply:
    """Items and people for every size; the larger catalogues begin with the smaller ones, and share their memory."""

    def __init__(self, wanted: Wanted, on_progress: Callable[[str], None]) -> None:
        self._wanted = wanted
        self._large: Origin | None = None
        self._small: Origin | None = small_origin() if wanted.vectors is None else None
        self._items: Tensor | None = None
        if wanted.vectors is not None:
            self._large = named_origin(wanted.vectors)
        elif any(self._real(size) is None for size in wanted.sizes):
            self._large = large_origin(wanted.quick, on_progress)
            if max(size.m for size in wanted.sizes) + PEOPLE > len(self._large.people):
                self._large = random_origin()

    def _real(self, size: Size) -> Origin | None:
        """The catalogue of just this size, if there is one."""
        small = self._small
        if small is None or size.n > SMALL or (size.n, size.m) != (len(small.items), len(small.people)):
            return None
        return small

    def refusal(self, size: Size) -> str | None:
        """Why this size cannot be measured here."""
        if self._real(size) is not None or (self._items is not None and len(self._items) >= size.n):
            return None
        assert self._large is not None
        needed = MEMORY_SHARE * 4 * size.n * self._large.items.shape[1]
        available = available_bytes()
        if available is not None and needed > available:
            return f"needs {needed / 1e9:.1f} GB of memory, {available / 1e9:.1f} GB are free"
        return None

    def draw(self, size: Size) -> tuple[Tensor, Tensor, Tensor, str]:
        """Items `(n, d)`, people of the belief `(m, d)`, people to talk to, and where they come from."""
        real = self._real(size)
        if real is not None:
            return real.items, *real.drawn_people(size.m, PEOPLE), real.words
        origin = self._large
        assert origin is not None
        if self._items is None or len(self._items) < size.n:
            self._items = origin.resampled(self._size_to_make(size))
        people = origin.drawn_people(size.m, PEOPLE)
        return self._items[: size.n], *people, f"{origin.words}, items resampled with noise"

    def _size_to_make(self, size: Size) -> int:
        """As many items as this and the following sizes need, unless one of them is too large."""
        return max(other.n for other in (*self._wanted.sizes, size) if self.refusal(other) is None)


def _row(size: Size, supply: Supply, wanted: Wanted, on_step: Callable[[], None]) -> Row:
    items, members, people, origin = supply.draw(size)
    catalog, belief = Catalog(items), Belief.from_users(members)
    response = Logistic(0.1 * value.utility_spread(catalog, belief))
    exact, plain = ExactRetriever(catalog), ExactRetriever(catalog, stop_by_norm=False)
    start = time.perf_counter()
    usual = choose_retriever(catalog, belief, remembered=False)
    opening = _opening(usual, time.perf_counter() - start, size.n)
    setting = Setting(catalog, belief, response, size.k, usual)
    first, later = setting.situations(people)
    on_step()
    part, directions = contenders(setting, first, later, exact), belief.particles[: size.k]
    scans: list[float] = []
    searches: list[float] = []
    tells: list[float] = []
    [question] = later[0].asked
    for number in range(wanted.repeats + 1):
        # The better of two: one that was interrupted says nothing about a scan.
        scans.append(min(timed(lambda: plain.top(directions, 1)) for _ in range(2)))
        searches.append(timed(lambda: exact.top(directions, 1)))
        tells.append(timed(partial(setting.policy(seed=number).after, belief, question, 0)))
        for contender in part:
            contender.turn(setting, number, wanted.most_seconds)
        on_step()
    scan = Times.of(scans[1:])
    made = cells(setting, part, exact, scan)
    at_work: tuple[Remembered | None, Throughput | None] = (None, None)
    if size.n <= LARGEST_AT_WORK:
        at_work = (cached_question(setting.policy()), throughput(setting.policy()))
    on_step()
    peak = peak_bytes(items, members, size.k) if wanted.memory else None
    on_step()
    return Row(
        size.n,
        size.m,
        size.k,
        items.shape[1],
        origin,
        scan,
        Times.of(searches[1:]),
        opening,
        Times.of(tells[1:]),
        made,
        *at_work,
        peak,
        items.numel() * items.element_size(),
    )


def _opening(usual: Retriever, seconds: float, n: int) -> Opening:
    if isinstance(usual, ShortlistRetriever):
        return Opening(seconds, "shortlist", usual.report.items, usual.report.loss)
    return Opening(seconds, "exact", n, 0.0)
