"""A whole benchmark: one origin of vectors and one size after the other."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rather import __version__, value
from rather.formats.opening import open as rather_open
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.responses import Logistic
from rather.research.bench.contest import Setting, contenders, evoi_beside_iteration, measured
from rather.research.bench.conversation_costs import (
    after_answer,
    attribute_questions,
    cached_question,
    opening,
    throughput,
)
from rather.research.bench.goals import goals
from rather.research.bench.machine import Load
from rather.research.bench.measurements import (
    BenchReport,
    CachedQuestion,
    RetrieverBuild,
    SizeMeasurement,
    Throughput,
    Times,
)
from rather.research.bench.memory import peak_bytes
from rather.research.bench.origins import film_origin, large_origin, named_origin, normal_origin, small_origin
from rather.research.bench.sizes import BEYOND, ELSEWHERE, PAPER, Size
from rather.research.bench.supply import COMPARED_USERS, USERS, Supply
from rather.research.bench.timing import timed
from rather.retrieval import ExactRetriever, Retriever, ScreeningRetriever, ShortlistRetriever, choose_retriever

# Larger catalogues take seconds to hash, so nothing is cached for them.
LARGEST_HASHED = 1_000_000


@dataclass(frozen=True)
class BenchSettings:
    """What to measure.

    Attributes:
        sizes: For the books, or for the vectors file.
        vectors: A vectors file to draw from; by default what `rather.research.bench.origins` finds.
        repeats: Turns of every method.
        most_seconds: A method that has taken this long at a size gets no further turn there.
        memory: Whether to measure peak memory, each time in a fresh process.
        quick: Do not learn vectors.
        available_bytes: Memory that a size may need; by default what is free.
        elsewhere: Sizes for the films of MovieLens-1M and for vectors from N(0, I); none if there is a vectors file.
        attributes: Whether to measure questions about attributes, on the films that come with the package.
    """

    sizes: Sequence[Size] = (*PAPER, *BEYOND)
    vectors: Path | None = None
    repeats: int = 13
    most_seconds: float = 4.0
    memory: bool = True
    quick: bool = False
    available_bytes: int | None = None
    elsewhere: Sequence[Size] = ELSEWHERE
    attributes: bool = True

    @property
    def steps_per_size(self) -> int:
        """How often `on_step` is called for each size."""
        return self.repeats + 4

    @property
    def steps(self) -> int:
        """How often `on_step` is called."""
        elsewhere = 2 * len(self.elsewhere) if self.vectors is None else 0
        return (len(self.sizes) + elsewhere) * self.steps_per_size + 1


def bench(
    settings: BenchSettings, on_step: Callable[[], None], on_progress: Callable[[str], None] = lambda text: None
) -> BenchReport:
    """Measure what questions, answers and sessions cost at each size.

    Args:
        settings: What to measure.
        on_step: Called after each of `settings.steps` steps.
        on_progress: Called with a sentence before something that takes long.
    """
    start, before = time.perf_counter(), Load.now()
    sizes: list[SizeMeasurement] = []
    skipped: list[str] = []
    for supply in _supplies(settings, on_progress):
        for size in supply.sizes:
            if (reason := supply.reason_to_skip(size)) is None:
                sizes.append(_measure(size, supply, settings, on_step))
                continue
            skipped.append(f"{supply.name}, {size}: {reason}")
            for _ in range(settings.steps_per_size):
                on_step()
    numbers = (1, 2) if settings.attributes else ()
    attributes = [attribute_questions(*rather_open("films"), p, min(5, settings.repeats)) for p in numbers]
    on_step()
    return BenchReport(
        tuple(sizes),
        tuple(attributes),
        goals(sizes, attributes),
        tuple(skipped),
        os.cpu_count() or 1,
        Load.now().others(before),
        time.perf_counter() - start,
        __version__,
    )


def _supplies(settings: BenchSettings, on_progress: Callable[[str], None]) -> Iterator[Supply]:
    """One origin at a time, so that only the items of one are in memory."""
    limit = settings.available_bytes
    if settings.vectors is not None:
        yield Supply("vectors", partial(named_origin, settings.vectors), settings.sizes, limit=limit)
        return
    most = max((size.m for size in settings.sizes), default=0) + USERS
    books = partial(large_origin, settings.quick, on_progress, most)
    yield Supply("books", books, settings.sizes, small_origin(), limit)
    yield Supply("films", partial(film_origin, settings.quick, on_progress), settings.elsewhere, limit=limit)
    yield Supply("normal", normal_origin, settings.elsewhere, limit=limit, users=COMPARED_USERS)


def _measure(size: Size, supply: Supply, settings: BenchSettings, on_step: Callable[[], None]) -> SizeMeasurement:
    items, members, users, name, origin = supply.draw(size)
    catalog, belief = Catalog(items), Belief.from_users(members)
    response = Logistic(0.1 * value.utility_spread(catalog, belief))
    exact, plain = ExactRetriever(catalog), ExactRetriever(catalog, stop_by_norm=False)
    start = time.perf_counter()
    usual = choose_retriever(catalog, belief)
    build = _retriever_build(usual, time.perf_counter() - start, size.n)
    setting = Setting(catalog, belief, response, size.k, usual)
    opened = opening(lambda seed: setting.policy(seed=seed))
    first, later = setting.situations(users[:USERS])
    on_step()
    part, directions = contenders(setting, first, later, exact), belief.particles[: size.k]
    scans: list[float] = []
    searches: list[float] = []
    answers: list[float] = []
    for number in range(settings.repeats + 1):
        # The better of two: one that was interrupted says nothing about a scan.
        scans.append(min(timed(lambda: plain.top(directions, 1)) for _ in range(2)))
        searches.append(timed(lambda: exact.top(directions, 1)))
        [question] = later[number % len(later)].asked
        answers.append(timed(partial(setting.policy(seed=number).after, belief, question, number % size.k)))
        for contender in part:
            contender.turn(setting, number, settings.most_seconds)
        on_step()
    scan = Times.of(scans[1:])
    methods = measured(setting, part, exact, scan)
    shown = after_answer(lambda seed: setting.policy(seed=seed), later[0].asked[0], settings.repeats)
    share = evoi_beside_iteration(setting, users, exact) if len(users) > USERS else None
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
        name,
        origin,
        scan,
        Times.of(searches[1:]),
        build,
        Times.of(answers[1:]),
        opened,
        shown,
        methods,
        share,
        *at_work,
        peak,
        items.numel() * items.element_size(),
    )


def _retriever_build(usual: Retriever, seconds: float, n: int) -> RetrieverBuild:
    if isinstance(usual, ShortlistRetriever):
        return RetrieverBuild(seconds, "shortlist", usual.report.items, usual.report.loss)
    if isinstance(usual, ScreeningRetriever):
        return RetrieverBuild(seconds, "screening", usual.shortlist.report.items, usual.shortlist.report.loss)
    return RetrieverBuild(seconds, "exact", n, 0.0)
