"""What the columns of a table are, inferred from their names and values."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import pyarrow as pa

from rather.formats.tables.addresses import are_pictures, holds_addresses
from rather.formats.tables.cells import Cells
from rather.formats.tables.naming import CURRENCIES, name_and_unit, spoken_name, words
from rather.formats.tables.stock import holds_stock

# From this share of numbers (or dates) on, a column is taken for numbers, and its other values count as missing.
MIXED_SHARE = 0.8
# In a column called price fewer will do: prices in two currencies are still no words.
PRICE_SHARE = 0.5

# The values of a category that get a parameter of their own; all others count as "other".
MOST_LEVELS = 30
# A column with more distinct values than this is a category only if the common ones cover most rows.
MANY_VALUES = 50
COVERED_SHARE = 0.6


# Two columns of numbers with at least this rank correlation count as one. Fewer rows than FEWEST_COMPARED prove
# nothing; comparing more columns or rows would take too long.
SAME_RANKING = 0.97
SAME_SHARE = 0.97  # of the rows in which either of two values holds, for both to count as the same
FEWEST_COMPARED = 20
MOST_COMPARED = 60
ROWS_COMPARED = 4000


# What columns to show first, and those of makers, are called, in English, German, French and Spanish.
MAKER_NAMES = "make|maker|brand|manufacturer|marke|hersteller|marque|marca"
LABEL_NAMES = (
    "name|title|label|model|product|titel|bezeichnung|modell|produkt|"
    "nom|titre|modèle|produit|nombre|título|modelo|producto"
)


# And those of prices.
PRICE_WORDS = (
    r"prices?|costs?|fare|rent|fee|msrp|rrp|uvp|\w*(preis|kosten|miete|gebühr)|prix|tarif|coût|loyer|"
    "precio|tarifa|coste|costo|alquiler"
)


class ColumnKind(StrEnum):
    """What a column holds."""

    ID = "id"
    LABEL = "label"
    NUMBER = "number"
    PRICE = "price"
    DEGREE = "degree"
    YES_NO = "yes/no"
    CATEGORY = "category"
    TAGS = "tags"
    DATE = "date"
    TEXT = "text"
    LINK = "link"
    IMAGE = "image"
    STOCK = "stock"


class Role(StrEnum):
    """What a column is for: to learn from and show, to show only, or nothing."""

    USE = "use"
    SHOW = "show"
    IGNORE = "ignore"


class Direction(StrEnum):
    """Which end of a column is better, if everybody agrees."""

    MORE = "more"
    LESS = "less"
    DEPENDS = "depends"


class Worth(StrEnum):
    """How the worth of a number follows from it."""

    CURVE = "curve"
    LINE = "line"


AMOUNTS = (ColumnKind.NUMBER, ColumnKind.PRICE)
USABLE = (
    *AMOUNTS,
    ColumnKind.DEGREE,
    ColumnKind.YES_NO,
    ColumnKind.CATEGORY,
    ColumnKind.TAGS,
    ColumnKind.DATE,
)
DIRECTED = (*AMOUNTS, ColumnKind.DEGREE, ColumnKind.YES_NO, ColumnKind.DATE)


@dataclass(frozen=True)
class Finding:
    """What a column was found to be.

    Attributes:
        kind: Its kind.
        role: What it is for.
        note: A remark for the owner of the table, "" if there is none.
    """

    kind: ColumnKind
    role: Role
    note: str = ""


def usual_role(kind: ColumnKind) -> Role:
    """What a column of this kind is for by default."""
    if kind in USABLE:
        return Role.USE
    return Role.IGNORE if kind is ColumnKind.ID else Role.SHOW


def find_kind(name: str, cells: Cells) -> Finding:
    """The kind of one column, without regard to the others."""
    if not cells.present.any():
        return Finding(ColumnKind.TEXT, Role.IGNORE, "no values at all")
    kind, note = _kind(name, cells)
    if kind in USABLE and len(cells.distinct) == 1 and cells.present.all():
        return Finding(kind, Role.IGNORE, f"the same in all rows ({cells.distinct[0]:.40})")
    return Finding(kind, usual_role(kind), note)


def _kind(name: str, cells: Cells) -> tuple[ColumnKind, str]:
    if pa.types.is_date(cells.array.type):
        return ColumnKind.DATE, ""
    if holds_stock(spoken_name(name), cells):
        return ColumnKind.STOCK, ""
    if holds_addresses(cells):
        return (ColumnKind.IMAGE if are_pictures(name, cells) else ColumnKind.LINK), ""
    if pa.types.is_list(cells.array.type):
        return ColumnKind.TAGS, ""
    if cells.flags.unreadable is None:
        return ColumnKind.YES_NO, ""
    if names_an_id(name) and (cells.numbers.unreadable is None or is_unique(cells)):
        return ColumnKind.ID, "" if is_unique(cells) else "a code, not an amount"
    if cells.numbers.unreadable is None:
        return _number_kind(name, cells), ""
    if cells.dates.unreadable is None:
        return ColumnKind.DATE, ""
    stored_as_numbers = not pa.types.is_string(cells.array.type)
    enough = PRICE_SHARE if names_a_price(name, cells.numbers.unit) else MIXED_SHARE
    if cells.numbers.share >= enough or (stored_as_numbers and cells.numbers.share > 0):
        return _number_kind(name, cells), ""
    if cells.dates.share >= MIXED_SHARE:
        return ColumnKind.DATE, ""
    if cells.tag_separator is not None:
        return ColumnKind.TAGS, ""
    return _text_kind(cells)


def _number_kind(name: str, cells: Cells) -> ColumnKind:
    values = cells.numbers.values
    values = values[~np.isnan(values)]
    if is_unique(cells) and len(cells) == len(values) > 2 and _are_row_numbers(name, values):
        return ColumnKind.ID
    if _is_degree(name, values):
        return ColumnKind.DEGREE
    return ColumnKind.PRICE if names_a_price(name, cells.numbers.unit) else ColumnKind.NUMBER


def _are_row_numbers(name: str, values: np.ndarray) -> bool:
    """Whether different values just number the rows, some of which may have been left out since."""
    steps = np.diff(values)
    if name == "column 1":  # has no name of its own, as the index of a data frame that was written as CSV
        return bool(np.all(steps > 0) and np.all(values == np.floor(values)))
    return bool(values[0] in (0, 1) and np.all(steps == 1))


def _is_degree(name: str, values: np.ndarray) -> bool:
    """Whether the values measure how strongly something applies, from 0 (not at all) to 1 (fully)."""
    if re.search(r"(percent|pct|share|ratio|rate|score|rank|probability|fraction|price|cost)s?\d*$", name.lower()):
        return False
    if values.min() < 0 or values.max() > 1 or len(np.unique(values[:1000])) < 2:
        return False
    mostly_zero = bool((values == 0).mean() >= 0.5)
    return (mostly_zero and values.max() >= 0.2) or bool(values.min() <= 0.05 and values.max() >= 0.95)


def _text_kind(cells: Cells) -> tuple[ColumnKind, str]:
    different, present = len(cells.distinct), int(cells.present.sum())
    if cells.is_prose:
        return ColumnKind.TEXT, "sentences, which are shown and not learned from"
    if different <= MANY_VALUES and different <= max(2, present // 2):
        return ColumnKind.CATEGORY, ""
    common = int(np.sort(cells.counts)[::-1][:MOST_LEVELS].sum())
    if different <= present // 2 and common >= COVERED_SHARE * present:
        return ColumnKind.CATEGORY, f"{different:,} values; all but the {MOST_LEVELS} most common count as 'other'"
    if present >= 20:
        return ColumnKind.TEXT, f"{different:,} distinct values, too many to learn from"
    return ColumnKind.TEXT, ""


def is_unique(cells: Cells) -> bool:
    """Whether every row has a value and no two rows have the same."""
    return bool(cells.present.all()) and len(cells.distinct) == len(cells)


def ranking_alike(found: Mapping[str, Finding], cells: Mapping[str, Cells]) -> dict[str, tuple[str, float]]:
    """Columns of numbers that rank the rows as an earlier one does, each with that one and their rank correlation.

    Learning from both would count the same thing twice, and ask about it twice.
    """
    numbers = [name for name, finding in found.items() if finding.kind in AMOUNTS and finding.role is Role.USE]
    numbers = numbers[:MOST_COMPARED]
    doubles: dict[str, tuple[str, float]] = {}
    for index, name in enumerate(numbers):
        for other in numbers[:index]:
            if other not in doubles and abs(rank := _rank_correlation(cells[other], cells[name])) >= SAME_RANKING:
                doubles[name] = (other, rank)
                break
    return doubles


def saying_the_same(found: Mapping[str, Finding], cells: Mapping[str, Cells]) -> dict[str, str]:
    """Yes/no columns and categories that say what an earlier one does, each with what says the same.

    "awd = yes" says the same as "drive = All-Wheel Drive".
    """
    kinds = (ColumnKind.YES_NO, ColumnKind.CATEGORY)
    names = [name for name, finding in found.items() if finding.kind in kinds and finding.role is Role.USE]
    # A category says more than a yes/no column does.
    names = sorted(names[:MOST_COMPARED], key=lambda name: found[name].kind is ColumnKind.YES_NO)
    same: dict[str, str] = {}
    for index, name in enumerate(names):
        for other in names[:index]:
            if other in same:
                continue
            pair = (_codes(found[other], cells[other]), _codes(found[name], cells[name]))
            if found[name].kind is ColumnKind.YES_NO and (level := _level_that_is(*pair)) is not None:
                values = ("no", "yes") if found[other].kind is ColumnKind.YES_NO else cells[other].distinct
                same[name] = f"{other} = {values[level]}"
                break
            if found[name].kind is found[other].kind is ColumnKind.CATEGORY and _one_to_one(*pair):
                same[name] = other
                break
    return same


def _codes(finding: Finding, cells: Cells) -> np.ndarray:
    """The value of each row as a number from 0, -1 where missing, of enough rows to compare."""
    some = slice(None, None, max(1, len(cells) // ROWS_COMPARED))
    if finding.kind is ColumnKind.YES_NO:
        codes: np.ndarray = np.nan_to_num(cells.flags.values[some], nan=-1).astype(np.int64)
        return codes
    return cells.codes[some]


def _level_that_is(codes: np.ndarray, flags: np.ndarray) -> int | None:
    """The value that a column has exactly where another says yes, but for a few rows; None if there is none."""
    known = flags >= 0
    codes, flags = codes[known], flags[known] == 1
    if len(codes) < max(FEWEST_COMPARED, 0.9 * len(known)) or not (codes[flags] >= 0).any() or flags.all():
        return None
    level = int(np.bincount(codes[flags & (codes >= 0)]).argmax())
    holds = codes == level
    return level if (holds & flags).sum() >= SAME_SHARE * (holds | flags).sum() else None


def _one_to_one(codes: np.ndarray, others: np.ndarray) -> bool:
    """Whether each value of one column goes with one value of the other, but for a few rows."""
    both = (codes >= 0) & (others >= 0)
    if both.sum() < max(FEWEST_COMPARED, 0.9 * len(both)):
        return False
    pairs, counts = np.unique(np.stack([codes[both], others[both]]), axis=1, return_counts=True)
    main = [sum(counts[pairs[axis] == value].max() for value in np.unique(pairs[axis])) for axis in (0, 1)]
    # With hardly any value twice, everything is one to one.
    return bool(min(main) >= SAME_SHARE * both.sum() and 2 * len(np.unique(pairs[0])) <= both.sum())


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


def names_a_price(name: str, unit: str = "") -> bool:
    """Whether the name of a column says that its numbers, of this unit, are prices."""
    bare, own = name_and_unit(name)
    parts = [word.lower().rstrip(".:") for word in words(bare)]
    unit = unit or own
    if unit and unit not in CURRENCIES and not unit.startswith("per "):
        return False
    named = any(re.fullmatch(PRICE_WORDS, part) for part in parts)
    return named and not re.fullmatch(r"index|rating|level|rank|score|change|ratio|share|class|range", parts[-1])


def names_an_id(name: str) -> bool:
    """Whether the name of a column says that it holds identifiers."""
    parts = [word.lower().rstrip(".") for word in words(name.replace("-", "_"))]
    return bool(parts) and (
        parts[-1]
        in (
            *("id", "ids", "uuid", "guid", "isbn", "isbn13", "asin", "sku", "ean", "upc", "key", "index", "code"),
            *("nr", "nummer", "artikelnr", "artikelnummer", "referenz", "référence", "referencia"),
        )
        or names_an_index(name)
    )


def names_an_index(name: str) -> bool:
    """Whether a column has the name that the index of a data frame gets where it has none."""
    return bool(re.fullmatch(r"index|unnamed: \d+|__index_level_\d+__", name.lower()))


def choose_id(found: Mapping[str, Finding], cells: Mapping[str, Cells]) -> str | None:
    """The column that identifies the rows: the first with unique identifiers, but `id` first and row numbers last."""
    able = [name for name, finding in found.items() if finding.kind is ColumnKind.ID and is_unique(cells[name])]
    # Row numbers are those of other rows when the table is written again.
    return min(
        able, key=lambda name: (name.lower() != "id", not names_an_id(name) or names_an_index(name)), default=None
    )


def choose_label(found: Mapping[str, Finding], cells: Mapping[str, Cells]) -> str | None:
    """The column to show first: short texts, hardly any of them twice, if possible called name or title."""
    best, best_score = None, 0.0
    for name, finding in found.items():
        column = cells[name]
        if finding.kind not in (ColumnKind.TEXT, ColumnKind.CATEGORY) or not column.present.any():
            continue
        present = int(column.present.sum())
        share = len(column.distinct) / present
        length = sum(map(len, column.distinct)) / len(column.distinct)
        named = names_rows(name)
        if length > 80 or present < 0.9 * len(column) or not _distinguishes(column, share, named):
            continue
        if (score := share + named) > best_score:
            best, best_score = name, score
    return best


def names_rows(name: str) -> bool:
    """Whether the name of a column says that it holds what rows are called."""
    return bool(re.search(rf"({LABEL_NAMES})$", name.lower()))


def _distinguishes(cells: Cells, share: float, named: bool) -> bool:
    return share >= 0.8 or (named and (share >= 0.15 or len(cells.distinct) > MANY_VALUES))


def label_template(label: str, found: Mapping[str, Finding], cells: Mapping[str, Cells]) -> str:
    """The label column, preceded by the make and followed by the year if rows would look the same without."""
    template, columns = f"{{{label}}}", [label]
    for pattern, form in (
        (rf"({MAKER_NAMES})$", "{{{0}}} {1}"),
        (r"^(model_?)?year$", "{1} ({{{0}}})"),
    ):
        if _unique_together(columns, cells):
            break
        other = next((name for name in found if re.search(pattern, name.lower()) and name != label), None)
        if other is not None and found[other].kind in (ColumnKind.CATEGORY, ColumnKind.NUMBER, ColumnKind.TEXT):
            template, columns = form.format(other, template), [*columns, other]
    return template if len(columns) > 1 and not any(set("{}") & set(name) for name in columns) else label


def _unique_together(names: list[str], cells: Mapping[str, Cells]) -> bool:
    codes = np.stack([cells[name].codes for name in names], axis=1)
    return len(np.unique(codes, axis=0)) == len(codes)
