"""A single condition of a filter expression: for every row true, false, or unknown where a value is missing."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rather.errors import InvalidInputError
from rather.formats.tables.column_kinds import AMOUNTS, ColumnKind
from rather.formats.tables.parsing import date_reader, number_text
from rather.formats.tables.spellings import spelling_key
from rather.formats.tables.table_columns import TableColumn, years

LiteralValue = float | str
Mask = npt.NDArray[np.bool_]

MEASURED = (*AMOUNTS, ColumnKind.DEGREE, ColumnKind.YES_NO, ColumnKind.DATE)

SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}
FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


@dataclass(frozen=True)
class Truth:
    """Kleene's three values: each row is true, false, or (neither) unknown."""

    true: Mask
    false: Mask

    def __and__(self, other: Truth) -> Truth:
        return Truth(self.true & other.true, self.false | other.false)

    def __or__(self, other: Truth) -> Truth:
        return Truth(self.true | other.true, self.false & other.false)

    def __invert__(self) -> Truth:
        return Truth(self.false, self.true)


def _known(holds: Mask, known: Mask) -> Truth:
    return Truth(holds & known, ~holds & known)


def missing(column: TableColumn) -> Truth:
    """`column is missing`."""
    return Truth(~column.present, column.present)


def yes(column: TableColumn) -> Truth:
    """A yes/no column by itself."""
    if column.kind is not ColumnKind.YES_NO:
        raise InvalidInputError(f"{column.name!r} holds {column.kind}, not yes/no: compare it with something")
    return _known(column.numbers == 1, column.present)


def compared(left: TableColumn | LiteralValue, sign: str, right: TableColumn | LiteralValue) -> Truth:
    """`left < right` for two columns, or a column and a value in either order."""
    if not isinstance(left, TableColumn):
        assert isinstance(right, TableColumn)
        return compared(right, FLIPPED[sign], left)
    if isinstance(right, TableColumn):
        return _columns_compared(left, sign, right)
    if left.kind in MEASURED:
        value = _measure(left, right)
        with np.errstate(invalid="ignore"):  # NaN compares as unknown, below
            return _known(SIGNS[sign](left.numbers, value), left.present)
    if sign not in ("==", "!="):
        raise InvalidInputError(f"{left.name!r} holds texts, which can equal a text but not be above or below one")
    truth = one_of(left, [right])
    return truth if sign == "==" else ~truth


def _columns_compared(left: TableColumn, sign: str, right: TableColumn) -> Truth:
    if left.kind in MEASURED and right.kind in MEASURED:
        with np.errstate(invalid="ignore"):
            return _known(SIGNS[sign](left.numbers, right.numbers), left.present & right.present)
    if (
        sign not in ("==", "!=")
        or ColumnKind.TAGS in (left.kind, right.kind)
        or (left.kind in MEASURED) != (right.kind in MEASURED)
    ):
        raise InvalidInputError(
            f"{left.name!r} holds {left.kind} and {right.name!r} {right.kind}: they cannot be compared"
        )
    texts = [np.array([*column.cells.distinct, ""], dtype=object)[column.cells.codes] for column in (left, right)]
    return _known(SIGNS[sign](texts[0], texts[1]).astype(bool), left.present & right.present)


def one_of(column: TableColumn, values: Sequence[LiteralValue]) -> Truth:
    """`column in (a, b)`. A text that a category never holds is rejected, with the most similar that it does."""
    if column.kind in MEASURED:
        wanted = [_measure(column, value) for value in values]
        return _known(np.isin(column.numbers, wanted), column.present)
    texts = [value if isinstance(value, str) else number_text(value) for value in values]
    if column.kind is ColumnKind.TAGS:
        truths = [contained(text, column) for text in texts]
        return Truth(
            np.any([truth.true for truth in truths], axis=0), np.all([truth.false for truth in truths], axis=0)
        )
    known = column.cells.distinct
    if column.kind is ColumnKind.CATEGORY:
        texts = [_known_value(column, text, known) for text in texts]
    codes = [code for code, text in enumerate(known) if text in set(texts)]
    return _known(np.isin(column.cells.codes, codes), column.present)


def contained(value: LiteralValue, column: TableColumn) -> Truth:
    """`'comedy' in genres` for tags, or part of a text."""
    text = value if isinstance(value, str) else number_text(value)
    if column.kind in MEASURED:
        raise InvalidInputError(f"{column.name!r} holds {column.kind}, which contains nothing; compare it with ==")
    if column.kind is ColumnKind.TAGS:
        text = _known_value(column, text, sorted({tag for tags in column.tags for tag in tags or ()}))
        holds = np.array([text in (tags or ()) for tags in column.tags], dtype=bool)
    else:
        found = np.array([text in known for known in column.cells.distinct] + [False], dtype=bool)
        holds = found[column.cells.codes]
    return _known(holds, column.present)


def _known_value(column: TableColumn, text: str, known: Sequence[str]) -> str:
    """A value of the column, however it is spelled; a text that is none is rejected, with the most similar ones."""
    if text in known:
        return text
    if (spelled := next((value for value in known if spelling_key(value) == spelling_key(text)), None)) is not None:
        return spelled
    lower = {name.lower(): name for name in known}
    close = difflib.get_close_matches(text.lower(), lower, n=3, cutoff=0.5) or _initials(text, lower)
    named = [lower[name] for name in close] or list(known[:5])
    alternatives = " or ".join(map(repr, named))
    few = f"did you mean {alternatives}?" if close else f"it is, for instance, {alternatives}"
    raise InvalidInputError(f"{column.name!r} is never {text!r}; {few}")


def _initials(text: str, known: dict[str, str]) -> list[str]:
    """Names that a text abbreviates: AWD for all-wheel drive."""
    return [name for name in known if "".join(word[0] for word in name.replace("-", " ").split()) == text.lower()][:3]


def _measure(column: TableColumn, value: LiteralValue) -> float:
    """A literal as the kind of number that the column holds."""
    if column.kind is ColumnKind.YES_NO and isinstance(value, str) and value.lower() in ("yes", "no", "true", "false"):
        return float(value.lower() in ("yes", "true"))
    if isinstance(value, float):
        return value
    if column.kind is ColumnKind.DATE:
        day = date_reader([value])(value)
        if day is None:
            raise InvalidInputError(f"{column.name!r} holds dates; write one as '2024-05-31', or a year, not {value!r}")
        return float(years(np.array([day], dtype="datetime64[D]"))[0])
    raise InvalidInputError(f"{column.name!r} holds {column.kind}; compare it with a number, not with {value!r}")
