"""The plots of a report, each with the name of the table that has its numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

from rather.insights import plots
from rather.insights.deciding import Deciding
from rather.insights.estimates import Estimate
from rather.insights.items import names
from rather.insights.part_worths import PartWorths
from rather.insights.progress import Counts, Progress
from rather.insights.report import Insights, Wants
from rather.insights.segments import Segment
from rather.insights.shares import Share
from rather.insights.what_if import WhatIf
from rather.insights.willingness import Pricing
from rather.insights.winners import Winners
from rather.nouns import plural

# Bars of a plot, and days.
MOST_BARS, MOST_DAYS, MOST_STEPS = 15, 60, 20


@dataclass(frozen=True)
class Figure:
    """A plot.

    Attributes:
        name: Of its file, without the ending.
        table: The name of the table with its numbers.
        svg: The plot itself.
    """

    name: str
    table: str
    svg: str = field(repr=False)


def figures(insights: Insights) -> list[Figure]:
    """All plots of a report."""
    return [*_progress(insights.progress), *(_wants(insights.wants, insights.noun) if insights.wants else ())]


def write_svg(insights: Insights, folder: Path) -> list[Path]:
    """One SVG file for each plot; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for figure in figures(insights):
        path = folder / f"{figure.name}.svg"
        path.write_text(figure.svg, encoding="utf-8")
        written.append(path)
    return written


def _progress(progress: Progress) -> list[Figure]:
    found, steps = list[Figure](), progress.total.steps[:MOST_STEPS]
    if any(step.left for step in steps):
        numbers, left = [str(step.number) for step in steps], [step.left for step in steps]
        title = "Where people left"
        found.append(Figure("left_at", "left_at", plots.columns(numbers, left, title=title, under="question")))
    if progress.by_day:
        days = _every_day(progress.by_day)[-MOST_DAYS:]
        began = [progress.by_day[day].began if day in progress.by_day else 0 for day in days]
        labels = [f"{date.fromisoformat(day):%b} {date.fromisoformat(day).day}" for day in days]
        title = "Conversations per day"
        found.append(Figure("by_day", "by_day", plots.columns(labels, began, title=title, under="day (UTC)")))
    return found


def _every_day(by_day: dict[str, Counts]) -> list[str]:
    """The days from the first to the last, those without a conversation too, at most as many as are drawn."""
    days = list(by_day)
    last = date.fromisoformat(days[-1])
    count = min(MOST_DAYS, (last - date.fromisoformat(days[0])).days + 1)
    return [(last - timedelta(days=back)).isoformat() for back in reversed(range(count))]


def _wants(wants: Wants, noun: str) -> list[Figure]:
    found = list[Figure]()
    if wants.importances:
        top = wants.importances[:MOST_BARS]
        labels, shares = [each.column for each in top], [each.share for each in top]
        svg = plots.bars(labels, shares, title="How much each column decides", percent=True)
        found.append(Figure("importances", "importances", svg))
    order = [each.column for each in wants.importances]
    ranked = sorted(wants.part_worths, key=lambda each: order.index(each.column))
    # One scale for all: on scales of their own, what hardly matters would look like what decides.
    span = plots.span_of([worth for column in ranked for worth in column.worths])
    found += [_part_worths(number, column, span) for number, column in enumerate(ranked, 1)]
    if len(wants.segments) > 1:
        found.append(_segments(wants.segments))
    if wants.pricing is not None and wants.pricing.willingness:
        found.append(_willingness(wants.pricing))
    if wants.shares:
        found.append(_shares(wants.shares))
    found += [_what_if(number, each) for number, each in enumerate(wants.what_ifs, 1)]
    found.append(_winners(wants.winners, noun))
    if wants.deciding.steps:
        found.append(_deciding(wants.deciding))
    title = f"A map of {plural(noun)} and tastes"
    return [*found, Figure("map", "map", plots.map_plot(wants.map, title=title))]


def _part_worths(number: int, column: PartWorths, span: tuple[float, float]) -> Figure:
    title = f"What {column.column} is worth"
    name = f"part_worths_{number:02}_{re.sub(r'[^a-z0-9]+', '_', column.column.lower()).strip('_')}".rstrip("_")
    if column.numbers is not None and len(column.values) > 2:
        svg = plots.curve(column.numbers, column.values, column.worths, title=title, span=span)
        return Figure(name, "part_worths", svg)
    pairs = list(zip(column.values, column.worths, strict=True))
    if column.numbers is None:
        pairs = sorted(pairs, key=lambda each: -each[1].value)
    shown = pairs if len(pairs) <= MOST_BARS else [*pairs[: MOST_BARS - 5], *pairs[-5:]]
    labels, worths = [value for value, _ in shown], [each for _, each in shown]
    return Figure(name, "part_worths", plots.bars(labels, worths, title=title, span=span))


def _segments(found: Sequence[Segment]) -> Figure:
    labels = [f"Group {number}" for number in range(1, len(found) + 1)]
    svg = plots.bars(labels, [each.share for each in found], title="How large the groups are", percent=True)
    return Figure("segments", "segments", svg)


def _willingness(price: Pricing) -> Figure:
    top = sorted(price.willingness, key=lambda each: -abs(each.amount.value))[:MOST_BARS]
    labels = [f"{each.column}: {each.value}" for each in top]
    texts = [money(each.amount.value, price.unit) for each in top]
    svg = plots.bars(labels, [each.amount for each in top], title="What people would pay", texts=texts)
    return Figure("willingness_to_pay", "willingness_to_pay", svg)


def _shares(found: Sequence[Share]) -> Figure:
    ranked = sorted(found, key=lambda each: -each.first_choice.value)[:MOST_BARS]
    svg = plots.bars(
        names([each.item for each in ranked]),
        [each.first_choice for each in ranked],
        title="Which one people would choose",
        percent=True,
        second=[each.logit for each in ranked],
        legend=("first choice", "logit"),
    )
    return Figure("shares", "shares", svg)


def _what_if(number: int, found: WhatIf) -> Figure:
    shown = found.changes if len(found.changes) <= MOST_BARS else found.changes[-MOST_BARS:]
    changes = [each.first_choice for each in shown]
    svg = plots.bars(
        names([each.item for each in shown]),
        changes,
        title=found.question,
        texts=[f"{plots.signed(100 * each.value, 1)} points" for each in changes],
    )
    return Figure(f"what_if_{number:02}", "what_if", svg)


def _winners(found: Winners, noun: str) -> Figure:
    top = found.items[:MOST_BARS]
    labels, shares = names([each.item for each in top]), [each.best for each in top]
    svg = plots.bars(labels, shares, title=f"For how many people each {noun} is the best", percent=True)
    return Figure("winners", "winners", svg)


def _deciding(found: Deciding) -> Figure:
    steps = found.steps[:MOST_STEPS]
    left = [Estimate(each.regret, each.regret, each.regret) for each in steps]
    labels = [f"after question {each.number}" for each in steps]
    title = "How much of the loss is left"
    return Figure("questions_by_number", "questions_by_number", plots.bars(labels, left, title=title, percent=True))


def money(amount: float, unit: str) -> str:
    """An amount with its unit."""
    sign = "−" if amount < 0 else ""
    number = f"{abs(amount):,.0f}" if abs(amount) >= 100 else f"{abs(amount):,.2f}"
    return f"{sign}{unit if len(unit) == 1 else ''}{number}{'' if len(unit) < 2 else ' ' + unit}"
