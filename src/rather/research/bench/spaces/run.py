"""A whole benchmark of product spaces."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rather import __version__
from rather.formats.spaces.space_files import bundled_space
from rather.research.bench.machine import Load
from rather.research.bench.measurements import Goal
from rather.research.bench.spaces.checking import checked_searches
from rather.research.bench.spaces.informed import informed_regret
from rather.research.bench.spaces.measurements import (
    CheckedSearch,
    MustHave,
    RegretSetting,
    SpaceEvoi,
    SpaceFloor,
    SpaceMemory,
    SpaceQuestion,
    SpaceRegret,
    SpacesReport,
)
from rather.research.bench.spaces.memory import space_memory
from rather.research.bench.spaces.questions import must_have, question_times
from rather.research.bench.spaces.users import evoi_shares, regret_share
from rather.research.bench.spaces.worlds import cut_down, generated, opened, without_rules, written_down
from rather.simulation import Adjusting

# What must be reached: a question without rules, in questions about the table; seconds of one with rules; the share of
# the EVOI of query iteration; the share of the start regret; the most memory over the least.
RATIO, SECONDS, SHARE, LEFT, MEMORY = 3.0, 1.0, 0.99, 0.15, 1.25

FREE, LAPTOP = "space without rules", "laptop"

# One total, two totals, and two totals with a must-have that narrows the choice.
MUST_HAVES = ("price < 2000", "price < 2000 and weight < 2", "price < 1500 and weight < 1.6 and memory >= 32")

# Decisions of the laptop that are not fixed when all configurations are looked at.
CHECKED = ("screen size", "panel", "processor", "graphics", "memory", "cooling", "power supply", "numpad")

# Where simulated users meet the laptop: items have no attributes, so `p` says nothing there. A question of five options
# has only a fifth of the particles for each answer, hence one setting with more. Adjustments come after two questions,
# by users who change up to two choices, or one, or who only look at a quarter of the 24 choices each time.
SETTINGS: tuple[RegretSetting, ...] = (
    *(RegretSetting("items", k) for k in (2, 4, 5)),
    RegretSetting("items", 5, particles=4000),
    *(RegretSetting(ask, k, p) for ask in ("attributes", "auto") for k in (2, 4) for p in (1, 2)),
    RegretSetting(adjusting=Adjusting(6)),
    RegretSetting(adjusting=Adjusting(6, changes=1)),
    RegretSetting(adjusting=Adjusting(6, looked_at=6)),
    RegretSetting("items", 5, particles=4000, adjusting=Adjusting(6)),
)

# And where they meet spaces that nothing was tuned for.
ELSEWHERE: tuple[RegretSetting, ...] = (RegretSetting(), RegretSetting(adjusting=Adjusting(6)))

# Spaces of 120 dimensions each, whose memory is measured: 6 * 10^7, 10^12 and 6 * 10^16 items, by options and values.
MEASURED = ((6, 20), (12, 10), (24, 5))

# What eight answers carry at most, for 2, 4 and 5 options.
ANSWERS = 8
BITS = tuple(ANSWERS * math.log2(k) for k in (2, 4, 5))


@dataclass(frozen=True)
class SpacesSettings:
    """What to measure.

    Attributes:
        sizes: Options of a question.
        repeats: Questions about each catalogue.
        evoi_users: Users in each space whose questions are valued.
        answers: After how many answers, at most.
        users: Users of each setting whose regret is measured; 0 for none.
        settings: What they are asked about the laptop, and how they adjust.
        elsewhere: The same about the other spaces.
        memory: Whether to measure memory, in processes of their own.
    """

    sizes: Sequence[int] = (2, 5)
    repeats: int = 13
    evoi_users: int = 16
    answers: int = 5
    users: int = 24
    settings: Sequence[RegretSetting] = SETTINGS
    elsewhere: Sequence[RegretSetting] = ELSEWHERE
    memory: bool = True

    @classmethod
    def quick(cls) -> SpacesSettings:
        """Few repeats, and one setting."""
        adjusted = (RegretSetting(adjusting=Adjusting(6)),)
        return cls(repeats=5, evoi_users=2, answers=2, users=6, settings=adjusted, elsewhere=())

    @property
    def steps(self) -> int:
        """How often `on_step` is called."""
        regret = len(self.settings) + 2 * len(self.elsewhere) if self.users else 0
        return len(self.sizes) * (self.repeats + 1) + 2 + 3 * self.evoi_users + regret + len(MEASURED) * self.memory


def bench_spaces(
    settings: SpacesSettings, on_step: Callable[[], None], on_progress: Callable[[str], None] = lambda text: None
) -> SpacesReport:
    """Measure what product spaces cost and reach.

    Args:
        settings: What to measure.
        on_step: Called after each of `settings.steps` steps.
        on_progress: Called with a sentence before something that takes long.
    """
    start, before = time.perf_counter(), Load.now()
    on_progress("opening spaces, and a table of 10^5 rows")
    free, laptop, table = opened(FREE, without_rules()), opened(LAPTOP, "laptop"), cut_down()
    worlds = [free, laptop, table, written_down(free)]
    questions = question_times(worlds, table, settings.sizes, settings.repeats, on_step)
    must_haves = [must_have(laptop, expression) for expression in MUST_HAVES]
    searches = checked_searches(bundled_space("laptop"), CHECKED)
    on_step()
    bicycle, other = opened("bicycle", "bicycle"), opened("generated space", generated())
    evoi = [evoi_shares(world, settings.evoi_users, settings.answers, on_step) for world in (bicycle, laptop, other)]
    regret = []
    for world, asked in ((laptop, settings.settings), (bicycle, settings.elsewhere), (other, settings.elsewhere)):
        for setting in asked if settings.users else ():
            regret.append(regret_share(world, setting, settings.users, ANSWERS))
            on_step()
    floors: list[SpaceFloor] = informed_regret(laptop, BITS)
    on_step()
    memory = []
    for options, values in MEASURED if settings.memory else ():
        memory.append(space_memory(options, values))
        on_step()
    goals = tuple(_goals(questions, must_haves, searches, evoi, regret, memory))
    return SpacesReport(
        tuple(questions),
        tuple(must_haves),
        searches,
        tuple(evoi),
        tuple(regret),
        tuple(floors),
        tuple(memory),
        goals,
        os.cpu_count() or 1,
        Load.now().others(before),
        time.perf_counter() - start,
        __version__,
    )


def _goals(
    questions: Sequence[SpaceQuestion],
    must_haves: Sequence[MustHave],
    searches: CheckedSearch,
    evoi: Sequence[SpaceEvoi],
    regret: Sequence[SpaceRegret],
    memory: Sequence[SpaceMemory],
) -> Iterator[Goal]:
    for each in questions:
        if each.catalog == FREE:
            yield _at_most(FREE, f"a question, in questions about the table (k = {each.k})", each.ratio, RATIO)
        elif each.catalog == LAPTOP:
            yield _at_most(LAPTOP, f"a question, in seconds (k = {each.k})", each.times.median, SECONDS)
    for wish in must_haves:
        yield _at_most(LAPTOP, f"a question with {wish.expression!r}, in seconds", wish.question, SECONDS)
    yield _at_most(LAPTOP, "configurations that the diagram misjudges", searches.misjudged, 0)
    # Sums of float32 in another order differ in the seventh digit.
    yield _at_most(LAPTOP, "what a search falls short of brute force", searches.gap, 1e-5)
    for found in evoi:
        share = found.shares.mean
        what = f"EVOI over that of query iteration from {found.restarts} starts"
        yield Goal(found.catalog, what, share, SHARE, share >= SHARE)
    for name in dict.fromkeys(each.catalog for each in regret):
        least = min((each for each in regret if each.catalog == name), key=lambda each: each.share)
        what = f"regret left after {least.answers} answers, best setting ({least.setting.description})"
        yield _at_most(name, what, least.share, LEFT)
    peaks = [each.peak_bytes for each in memory if each.peak_bytes]
    if len(peaks) > 1:
        what = f"peak memory for {memory[-1].n:,} items, over that for {memory[0].n:,}"
        yield _at_most(FREE, what, peaks[-1] / peaks[0], MEMORY)


def _at_most(origin: str, what: str, value: float, limit: float) -> Goal:
    return Goal(origin, what, value, limit, value <= limit)
