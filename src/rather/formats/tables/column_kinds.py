"""What the columns of a table are, inferred from their names and values."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import pyarrow as pa

from rather.formats.tables.cells import Cells
from rather.formats.tables.naming import shortened, words

# Above this share of numbers (or dates) a column is taken for numbers, and the other values for mistakes.
MIXED_SHARE = 0.8

# The values of a category that get a parameter of their own; all others count as "other".
MOST_LEVELS = 30
# A column with more distinct values than this is a category only if the common ones cover most rows.
MANY_VALUES = 50
COVERED_SHARE = 0.6


# Two columns of numbers with at least this rank correlation count as one. Fewer rows prove nothing; comparing more
# columns or rows would take too long.
SAME_RANKING = 0.97
FEWEST_COMPARED = 20
MOST_COMPARED = 60
ROWS_COMPARED = 4000


class ColumnKind(StrEnum):
    """What a column holds."""

    ID = "id"
    LABEL = "label"
    NUMBER = "number"
    DEGREE = "degree"
    YES_NO = "yes/no"
    CATEGORY = "category"
    TAGS = "tags"
    DATE = "date"
    TEXT = "text"
    IMAGE = "image"


class Role(StrEnum):
    """What a column is for: to learn from and show, to show only, or nothing."""

    USE = "use"
    SHOW = "show"
    IGNORE = "ignore"


class PhraseForm(StrEnum):
    """How the values of a column join a noun: a car that is *red*, with *all-wheel drive*, that *seats five*."""

    IS = "is"
    WITH = "with"
    THAT = "that"
    ALONE = "alone"


class Direction(StrEnum):
    """Which end of a column is better, if everybody agrees."""

    MORE = "more"
    LESS = "less"
    DEPENDS = "depends"


USABLE = (
    ColumnKind.NUMBER,
    ColumnKind.DEGREE,
    ColumnKind.YES_NO,
    ColumnKind.CATEGORY,
    ColumnKind.TAGS,
    ColumnKind.DATE,
)
DIRECTED = (ColumnKind.NUMBER, ColumnKind.DEGREE, ColumnKind.YES_NO, ColumnKind.DATE)


@dataclass(frozen=True)
class Finding:
    """What a column was found to be.

    Attributes:
        kind: Its kind.
        role: What it is for.
        note: A remark for the owner of the table, "" if there is none.
        problem: Why it cannot be used as it is, "" if it can.
    """

    kind: ColumnKind
    role: Role
    note: str = ""
    problem: str = ""


def usual_role(kind: ColumnKind) -> Role:
    """What a column of this kind is for by default."""
    if kind in USABLE:
        return Role.USE
    return Role.IGNORE if kind is ColumnKind.ID else Role.SHOW


def find_kind(name: str, cells: Cells) -> Finding:
    """The kind of one column, without regard to the others."""
    if not cells.present.any():
        return Finding(ColumnKind.TEXT, Role.IGNORE, "no values at all")
    kind, note, problem = _kind(name, cells)
    if kind in USABLE and len(cells.distinct) == 1 and cells.present.all():
        return Finding(kind, Role.IGNORE, f"the same in all rows ({cells.distinct[0]:.40})")
    return Finding(kind, usual_role(kind), note, problem)


def _kind(name: str, cells: Cells) -> tuple[ColumnKind, str, str]:
    if pa.types.is_date(cells.array.type):
        return ColumnKind.DATE, "", ""
    if pa.types.is_list(cells.array.type):
        return ColumnKind.TAGS, "", ""
    if cells.flags.unreadable is None:
        return ColumnKind.YES_NO, "", ""
    if names_an_id(name) and (cells.numbers.unreadable is None or is_unique(cells)):
        return ColumnKind.ID, "" if is_unique(cells) else "a code, not an amount", ""
    if cells.numbers.unreadable is None:
        return _number_kind(name, cells), "", ""
    if cells.dates.unreadable is None:
        return ColumnKind.DATE, "", ""
    for noun, reading in (("number", cells.numbers), ("date", cells.dates)):
        if reading.share >= MIXED_SHARE and reading.unreadable is not None:
            return ColumnKind(noun), "", _mixed(noun, cells, reading.unreadable, reading.share)
    if _urls(cells):
        return (ColumnKind.IMAGE if _images(name, cells) else ColumnKind.TEXT), "", ""
    if cells.tag_separator is not None:
        return ColumnKind.TAGS, "", ""
    return _text_kind(cells)


def _mixed(noun: str, cells: Cells, row: int, share: float) -> str:
    text = cells.distinct[int(cells.codes[row])]
    return f"{share:.0%} of its values are {noun}s, but {shortened(text)!r} is not"


def _number_kind(name: str, cells: Cells) -> ColumnKind:
    values = cells.numbers.values[cells.present]
    if is_unique(cells) and len(values) > 2 and values[0] in (0, 1) and np.all(np.diff(values) == 1):
        return ColumnKind.ID  # the rows are just numbered
    return ColumnKind.DEGREE if _is_degree(name, values) else ColumnKind.NUMBER


def _is_degree(name: str, values: np.ndarray) -> bool:
    """Whether the values measure how strongly something applies, from 0 (not at all) to 1 (fully)."""
    if re.search(r"(percent|pct|share|ratio|rate|score|rank|probability|fraction|price|cost)s?\d*$", name.lower()):
        return False
    if values.min() < 0 or values.max() > 1 or len(np.unique(values[:1000])) < 2:
        return False
    mostly_zero = bool((values == 0).mean() >= 0.5)
    return (mostly_zero and values.max() >= 0.2) or bool(values.min() <= 0.05 and values.max() >= 0.95)


def _text_kind(cells: Cells) -> tuple[ColumnKind, str, str]:
    different, present = len(cells.distinct), int(cells.present.sum())
    if different <= MANY_VALUES and different <= max(2, present // 2):
        return ColumnKind.CATEGORY, "", ""
    common = int(np.sort(cells.counts)[::-1][:MOST_LEVELS].sum())
    if different <= present // 2 and common >= COVERED_SHARE * present:
        return ColumnKind.CATEGORY, f"{different:,} values; all but the {MOST_LEVELS} most common count as 'other'", ""
    if present >= 20:
        return ColumnKind.TEXT, f"{different:,} distinct values, too many to learn from", ""
    return ColumnKind.TEXT, "", ""


def _urls(cells: Cells) -> bool:
    return all(re.match(r"https?://\S+$", text) for text in cells.distinct)


def _images(name: str, cells: Cells) -> bool:
    if re.search(r"image|img|photo|picture|poster|cover|thumb", name.lower()):
        return True
    return all(re.search(r"\.(jpe?g|png|webp|gif|svg|avif)([?#]|$)", text.lower()) for text in cells.distinct)


def is_unique(cells: Cells) -> bool:
    """Whether every row has a value and no two rows have the same."""
    return bool(cells.present.all()) and len(cells.distinct) == len(cells)


def ranking_alike(found: Mapping[str, Finding], cells: Mapping[str, Cells]) -> dict[str, tuple[str, float]]:
    """Columns of numbers that rank the rows as an earlier one does, each with that one and their rank correlation.

    Learning from both would count the same thing twice, and ask about it twice.
    """
    numbers = [
        name for name, finding in found.items() if finding.kind is ColumnKind.NUMBER and finding.role is Role.USE
    ]
    numbers = [name for name in numbers if not found[name].problem][:MOST_COMPARED]
    doubles: dict[str, tuple[str, float]] = {}
    for index, name in enumerate(numbers):
        for other in numbers[:index]:
            if other not in doubles and abs(rank := _rank_correlation(cells[other], cells[name])) >= SAME_RANKING:
                doubles[name] = (other, rank)
                break
    return doubles


def _rank_correlation(left: Cells, right: Cells) -> float:
    """Spearman's correlation over the rows that have both, without those where both are at their lowest."""
    some = slice(None, None, max(1, len(left) // ROWS_COMPARED))
    x, y = left.numbers.values[some], right.numbers.values[some]
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    if len(x) < 0.9 * len(both):
        return 0.0
    apart = (x > x.min()) | (y > y.min())
    x, y = _ranks(x[apart]), _ranks(y[apart])
    if len(x) < FEWEST_COMPARED or x.std() == 0 or y.std() == 0:
        return 0.0
    return float(((x - x.mean()) * (y - y.mean())).mean() / (x.std() * y.std()))


def _ranks(values: np.ndarray) -> np.ndarray:
    """The mean rank of each value."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]


def names_an_id(name: str) -> bool:
    """Whether the name of a column says that it holds identifiers."""
    parts = [word.lower() for word in words(name.replace("-", "_"))]
    return bool(parts) and (
        parts[-1]
        in {"id", "ids", "uuid", "guid", "isbn", "isbn13", "asin", "sku", "ean", "upc", "key", "index", "code"}
        or (parts[0] == "unnamed:" and len(parts) == 2)
    )


def choose_id(found: Mapping[str, Finding], cells: Mapping[str, Cells]) -> str | None:
    """The column that identifies the rows: the first with unique identifiers, but `id` before all others."""
    able = [name for name, finding in found.items() if finding.kind is ColumnKind.ID and is_unique(cells[name])]
    return min(able, key=lambda name: name.lower() != "id", default=None)


def choose_label(found: Mapping[str, Finding], cells: Mapping[str, Cells]) -> str | None:
    """The column to show first: short texts, hardly any of them twice, if possible called name or title."""
    best, best_score = None, 0.0
    for name, finding in found.items():
        column = cells[name]
        if (
            finding.kind not in (ColumnKind.TEXT, ColumnKind.CATEGORY)
            or finding.problem
            or not column.present.any()
            or _urls(column)
        ):
            continue
        present = int(column.present.sum())
        share = len(column.distinct) / present
        length = sum(map(len, column.distinct)) / len(column.distinct)
        named = bool(re.search(r"(name|title|label|model|product)$", name.lower()))
        if length > 80 or present < 0.9 * len(column) or not _distinguishes(column, share, named):
            continue
        if (score := share + named) > best_score:
            best, best_score = name, score
    return best


def _distinguishes(cells: Cells, share: float, named: bool) -> bool:
    return share >= 0.8 or (named and (share >= 0.3 or len(cells.distinct) > MANY_VALUES))


def label_template(label: str, found: Mapping[str, Finding], cells: Mapping[str, Cells]) -> str:
    """The label column, preceded by the make and followed by the year if rows would look the same without."""
    template, columns = f"{{{label}}}", [label]
    for pattern, form in ((r"(make|maker|brand|manufacturer)$", "{{{0}}} {1}"), (r"^(model_?)?year$", "{1} ({{{0}}})")):
        if _unique_together(columns, cells):
            break
        other = next((name for name in found if re.search(pattern, name.lower()) and name != label), None)
        if other is not None and found[other].kind in (ColumnKind.CATEGORY, ColumnKind.NUMBER, ColumnKind.TEXT):
            template, columns = form.format(other, template), [*columns, other]
    return template if len(columns) > 1 and not any(set("{}") & set(name) for name in columns) else label


def _unique_together(names: list[str], cells: Mapping[str, Cells]) -> bool:
    codes = np.stack([cells[name].codes for name in names], axis=1)
    return len(np.unique(codes, axis=0)) == len(codes)
