"""Every part of a report as a table, for the page, for CSV files and for the terminal."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rather.insights.estimates import Estimate
from rather.insights.progress import Counts, Progress
from rather.insights.report import Insights, Wants
from rather.insights.shares import Share
from rather.insights.taste_map import Point, TasteMap
from rather.spreadsheets import LINE_END, guarded

Cell = str | int | float | None


@dataclass(frozen=True)
class Table:
    """Rows under headings.

    Attributes:
        name: Of its CSV file, without the ending.
        headings: Of the columns.
        rows: Their cells.
    """

    name: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def tables(insights: Insights) -> list[Table]:
    """All tables of a report that have a row, but for those of single respondents."""
    found = [*_progress_tables(insights.progress), *(_wants_tables(insights.wants) if insights.wants else ())]
    return [table for table in found if table.rows]


def csv_text(table: Table) -> str:
    """A table as CSV that a spreadsheet opens without running anything."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=LINE_END)
    for row in (table.headings, *table.rows):
        writer.writerow([guarded(cell) if isinstance(cell, str) else cell for cell in row])
    return text.getvalue()


def write_csv(insights: Insights, folder: Path) -> list[Path]:
    """One CSV file for each table; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    people = people_tables(insights.wants) if insights.wants is not None else []
    for table in (*tables(insights), *people):
        path = folder / f"{table.name}.csv"
        path.write_text(csv_text(table), encoding="utf-8-sig", newline="")  # the mark tells Excel that it is UTF-8
        written.append(path)
    return written


COUNTED = (
    "began",
    "answered",
    "finished",
    "answers (mean)",
    "minutes (median)",
    "minutes (lower quartile)",
    "minutes (upper quartile)",
)
STEPS = ("question", "people who saw it", "people who left there", "share who left there")


def _counted(counts: Counts) -> tuple[Cell, ...]:
    times: tuple[Cell, ...] = (None, None, None)
    if counts.seconds is not None:
        times = tuple(
            round(each / 60, 2) for each in (counts.seconds.median, counts.seconds.lower, counts.seconds.upper)
        )
    return (counts.began, counts.answered, counts.finished, round(counts.answers, 2), *times)


def _steps(counts: Counts) -> list[tuple[Cell, ...]]:
    return [(each.number, each.asked, each.left, round(each.left / each.asked, 4)) for each in counts.steps]


def _progress_tables(progress: Progress) -> list[Table]:
    found = [
        Table("progress", COUNTED, (_counted(progress.total),)),
        Table("left_at", STEPS, tuple(_steps(progress.total))),
    ]
    for name, groups in (("day", progress.by_day), ("campaign", progress.by_campaign), ("arm", progress.by_arm)):
        named = {key or "(none)": counts for key, counts in groups.items()}
        counted = tuple((key, *_counted(counts)) for key, counts in named.items())
        steps = tuple((key, *row) for key, counts in named.items() for row in _steps(counts))
        found += [Table(f"by_{name}", (name, *COUNTED), counted), Table(f"left_at_by_{name}", (name, *STEPS), steps)]
    return found


def _wants_tables(wants: Wants) -> list[Table]:
    price = wants.pricing
    return [
        Table(
            "importances",
            ("column", *_interval("share")),
            tuple((each.column, *_ends(each.share)) for each in wants.importances),
        ),
        Table(
            "part_worths",
            ("column", "value", *_interval("part-worth"), "liked by"),
            tuple(
                (column.column, value, *_ends(worth), liked)
                for column in wants.part_worths
                for value, worth, liked in zip(column.values, column.worths, column.liked_by, strict=True)
            ),
        ),
        Table(
            "segments",
            ("segment", *_interval("share"), *wants.columns),
            tuple((each.name, *_ends(each.share), *each.importances) for each in wants.segments),
        ),
        Table(
            "segment_differences",
            ("segment", "wants", "stronger than in others (standard deviations)"),
            tuple(
                (each.name, wanted, round(abs(gap), 3)) for each in wants.segments for wanted, gap in each.differences
            ),
        ),
        Table(
            "willingness_to_pay",
            ("column", "value", "instead of", *_interval(f"amount in {price.unit or price.column}" if price else "")),
            tuple(
                (each.column, each.value, each.instead_of, *_ends(each.amount))
                for each in (price.willingness if price else ())
            ),
        ),
        Table("shares", SHARED, tuple(map(_shared, wants.shares))),
        Table(
            "what_if",
            ("what if", *SHARED, *_interval("change of first choice"), *_interval("change of logit")),
            tuple(
                (each.change, *_shared(then), *_ends(change.first_choice), *_ends(change.logit))
                for each in wants.what_ifs
                for then, change in zip(each.shares, each.changes, strict=True)
            ),
        ),
        Table(
            "winners",
            ("id", "item", *_interval("share whose best it is"), "share with it in the best five"),
            tuple((each.item.id, each.item.label, *_ends(each.best), each.top) for each in wants.winners.items),
        ),
        Table("dead_stock", ("id", "item"), tuple((each.id, each.label) for each in wants.winners.dead)),
        Table(
            "questions_by_number",
            ("question", "answers", "expected loss left", "changed the recommendation"),
            tuple((each.number, each.answers, each.regret, each.changed) for each in wants.deciding.steps),
        ),
        Table(
            "questions",
            ("question", "asked", "expected loss removed", "changed the recommendation"),
            tuple((each.text, each.asked, each.removed, each.changed) for each in wants.deciding.questions),
        ),
        Table(
            "map",
            ("kind", "label", "x", "y"),
            tuple((kind, point.label, point.x, point.y) for kind, points in _map_points(wants.map) for point in points),
        ),
    ]


def people_tables(wants: Wants) -> list[Table]:
    """Tables of single respondents: these are large, and may hold ids that a study gave to people."""
    values = [(column.column, value) for column in wants.part_worths for value in column.values]
    return [
        Table(
            "respondents",
            (
                *("respondent", "segment", "answers"),
                *(heading for column in wants.columns for heading in _interval(f"importance of {column}")),
            ),
            tuple(
                (each.name, each.segment, each.answered, *(end for share in each.importances for end in _ends(share)))
                for each in wants.people
            ),
        ),
        Table(
            "respondent_part_worths",
            ("respondent", "column", "value", *_interval("part-worth")),
            tuple(
                (each.name, column, value, *_ends(worth))
                for each in wants.people
                for (column, value), worth in zip(values, each.worths, strict=True)
            ),
        ),
    ]


def _interval(name: str) -> tuple[str, str, str]:
    return (name, f"{name}, from", f"{name}, to")


SHARED = ("id", "item", *_interval("first choice"), *_interval("logit"))


def _shared(share: Share) -> tuple[Cell, ...]:
    return (share.item.id, share.item.label, *_ends(share.first_choice), *_ends(share.logit))


def _map_points(found: TasteMap) -> tuple[tuple[str, Sequence[Point]], ...]:
    return (("winner", found.winners), ("item", found.items), ("column", found.columns), ("person", found.people))


def _ends(estimate: Estimate) -> tuple[float, float, float]:
    return tuple(float(f"{each:.6g}") for each in (estimate.value, estimate.low, estimate.high))  # type: ignore[return-value]  # three


def find(found: Sequence[Table], name: str) -> Table | None:
    """The table of this name."""
    return next((table for table in found if table.name == name), None)
