"""What the documentation aims at (docs/ideas/scale.md), compared with what was measured, origin by origin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rather.nouns import plural
from rather.research.bench.contest import AUTO
from rather.research.bench.measurements import AttributeQuestions, Goal, SizeMeasurement

# Scans of a later question at a million items, by the size of a slate.
SCANS = {2: 0.5, 5: 0.6}

# The same where vectors have no structure, and its EVOI as a share of query iteration from 20 starts on all items.
SCANS_WITHOUT_STRUCTURE = 6.0
EVOI = 0.98

# Taking in an answer, in questions; opening a session again, in scans; a question about attributes, in questions.
ANSWER, OPENING, ATTRIBUTES = 1.0, 1.0, 10.0

# Where these goals apply.
ITEMS = 1_000_000


def goals(sizes: Sequence[SizeMeasurement], attributes: Sequence[AttributeQuestions]) -> tuple[Goal, ...]:
    """Every goal that applies to what was measured."""
    found = [goal for size in sizes for goal in _of_size(size)]
    found += [
        _at_most(
            plural(each.catalog), f"a question about attributes, in questions (p = {each.p})", each.ratio, ATTRIBUTES
        )
        for each in attributes
    ]
    return tuple(found)


def _of_size(size: SizeMeasurement) -> Iterator[Goal]:
    question, about = size.method(AUTO), f"{size.n:,} items, {size.m} particles, k = {size.k}"
    # The upper quartile: only some answers replace particles, and those take long.
    answer = size.answer.high / question.times.median
    yield _at_most(size.name, f"an answer, in questions ({about})", answer, ANSWER)
    if size.n != ITEMS:
        return
    yield _at_most(
        size.name, f"opening again, in scans ({about})", size.opening.later.median / size.scan.median, OPENING
    )
    limit = SCANS_WITHOUT_STRUCTURE if size.name == "normal" else SCANS.get(size.k)
    if limit is not None:
        yield _at_most(size.name, f"a later question, in scans ({about})", question.scans, limit)
    if size.evoi_share is not None:
        share = size.evoi_share.mean
        yield Goal(size.name, f"its EVOI, over query iteration x20 ({about})", share, EVOI, share >= EVOI)


def _at_most(origin: str, what: str, value: float, limit: float) -> Goal:
    return Goal(origin, what, value, limit, value <= limit)
