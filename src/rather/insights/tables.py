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

Cell = str | int | float | None

# A spreadsheet takes a text that starts with one of these for a formula, which may read other cells or call a program.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


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
    """All tables of a report that have a row."""
    found = [*_progress_tables(insights.progress), *(_wants_tables(insights.wants) if insights.wants else ())]
    return [table for table in found if table.rows]


def csv_text(table: Table) -> str:
    """A table as CSV that a spreadsheet opens without running anything."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([safe_cell(heading) for heading in table.headings])
    writer.writerows([safe_cell(cell) for cell in row] for row in table.rows)
    return text.getvalue()


def safe_cell(cell: Cell) -> Cell:
    """A cell that a spreadsheet does not take for a formula: such a text gets an apostrophe in front."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_STARTS) else cell


def write_csv(insights: Insights, folder: Path) -> list[Path]:
    """One CSV file for each table; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for table in tables(insights):
        path = folder / f"{table.name}.csv"
        path.write_text(csv_text(table), encoding="utf-8-sig", newline="")  # the mark tells Excel that it is UTF-8
        written.append(path)
    return written


COUNTED = ("began", "answered", "finished", "answers (mean)", "minutes (median)", "lower quartile", "upper quartile")


def _counted(counts: Counts) -> tuple[Cell, ...]:
    times: tuple[Cell, ...] = (None, None, None)
    if counts.seconds is not None:
        times = tuple(
            round(each / 60, 2) for each in (counts.seconds.median, counts.seconds.lower, counts.seconds.upper)
        )
    return (counts.began, counts.answered, counts.finished, round(counts.answers, 2), *times)


def _progress_tables(progress: Progress) -> list[Table]:
    groups = {"day": progress.by_day, "campaign": progress.by_campaign, "arm": progress.by_arm}
    return [
        Table("progress", COUNTED, (_counted(progress.total),)),
        Table("left_at", ("question", "people who left there"), tuple(progress.left_at.items())),
        *(
            Table(
                f"by_{name}", (name, *COUNTED), tuple((key or "(none)", *_counted(each)) for key, each in own.items())
            )
            for name, own in groups.items()
        ),
    ]


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
            ("what if", *SHARED, "change (first choice)", "from", "to", "change (logit)", "from", "to"),
            tuple(
                (each.change, *_shared(then), *_ends(change.first_choice), *_ends(change.logit))
                for each in wants.what_ifs
                for then, change in zip(each.shares, each.changes, strict=True)
            ),
        ),
        Table(
            "winners",
            ("item", *_interval("share whose best it is"), "share with it in the best five"),
            tuple((each.item, *_ends(each.best), each.top) for each in wants.winners.items),
        ),
        Table("dead_stock", ("item",), tuple((each,) for each in wants.winners.dead)),
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
            tuple(
                (kind, point.label, point.x, point.y)
                for kind, points in (("item", wants.map.items), ("column", wants.map.columns))
                for point in points
            ),
        ),
        *_people_tables(wants),
    ]


def _people_tables(wants: Wants) -> list[Table]:
    values = [(column.column, value) for column in wants.part_worths for value in column.values]
    return [
        Table(
            "respondents",
            ("respondent", "segment", "answers", *(f"importance of {column}" for column in wants.columns)),
            tuple((each.name, each.segment, each.answered, *each.importances) for each in wants.people),
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


SHARED = ("item", "first choice", "from", "to", "logit", "from", "to")


def _shared(share: Share) -> tuple[Cell, ...]:
    return (share.item, *_ends(share.first_choice), *_ends(share.logit))


def _interval(name: str) -> tuple[str, str, str]:
    return (name, "from", "to")


def _ends(estimate: Estimate) -> tuple[float, float, float]:
    return tuple(float(f"{each:.6g}") for each in (estimate.value, estimate.low, estimate.high))  # type: ignore[return-value]  # three


def find(found: Sequence[Table], name: str) -> Table | None:
    """The table of this name."""
    return next((table for table in found if table.name == name), None)
