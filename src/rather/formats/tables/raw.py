"""A table before anything is decided about it: columns of text, numbers, booleans, dates or lists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rather.errors import InvalidInputError


@dataclass(frozen=True)
class RawTable:
    """Columns as they were read, each an Arrow array of text, int64, float64, bool, date or a list of texts.

    Attributes:
        source: What to call the table in messages.
        columns: By name, in order.
        path: The file it was read from, if any.
        skipped: Columns of types that are not supported, each with the reason.
        row_noun: How messages refer to a row.
        repairs: What was done to be able to read it, in sentences without a full stop.
        rows: The rows that are left of those that were read, None for all.
    """

    source: str
    columns: Mapping[str, pa.Array]
    path: Path | None = None
    skipped: Mapping[str, str] = field(default_factory=dict)
    row_noun: str = "row {} (counted from 1)"
    repairs: tuple[str, ...] = ()
    rows: npt.NDArray[np.int64] | None = field(default=None, repr=False, compare=False)

    def __len__(self) -> int:
        return max((len(column) for column in self.columns.values()), default=0)

    def location(self, row: int, column: str) -> str:
        """Where a cell is, for a message; `row` counts from 0."""
        read = row if self.rows is None else int(self.rows[row])
        return f"{self.row_noun.format(read + 1)}, column {column!r} of {self.source}"

    def selected(self, mask: npt.NDArray[np.bool_]) -> "RawTable":
        """Only the rows of a mask `(n,)`."""
        rows = np.flatnonzero(mask) if self.rows is None else self.rows[mask]
        chosen = pa.array(mask)
        return replace(self, columns={name: array.filter(chosen) for name, array in self.columns.items()}, rows=rows)


def trimmed(texts: pa.Array) -> pa.Array:
    """Texts without surrounding white space; empty ones become missing."""
    bare = pc.utf8_trim_whitespace(texts)
    return pc.if_else(pc.equal(bare, ""), None, bare)


def column_of(values: Sequence[Any]) -> pa.Array:
    """A column of Python values. Mixed types become text, so that `column_kinds` can say where they are mixed."""
    types = {type(value) for value in values if value is not None}
    try:
        if types <= {bool}:
            return pa.array(values, pa.bool_() if types else pa.string())
        if types <= {int}:
            return pa.array(values, pa.int64())
        if types <= {int, float}:
            return pa.array([None if value is None or value != value else float(value) for value in values])
        if types <= {date, datetime}:
            return pa.array([value.date() if isinstance(value, datetime) else value for value in values], pa.date32())
        if types <= {list, tuple, set}:
            return pa.array([value if value is None else _texts(value) for value in values], pa.list_(pa.string()))
        return trimmed(pa.array([None if value is None else _text(value) for value in values], pa.string()))
    except (pa.ArrowException, OverflowError, UnicodeError):  # an integer beyond 64 bits, half a surrogate pair
        texts = [None if value is None else _text(value).encode(errors="replace").decode() for value in values]
        return trimmed(pa.array(texts, pa.string()))


def _texts(values: Any) -> list[str]:
    texts = sorted(map(_text, values)) if isinstance(values, set) else list(map(_text, values))
    return [text for text in texts if text]


def _text(value: Any) -> str:
    if isinstance(value, list | tuple | set):
        return "|".join(_texts(value))
    if isinstance(value, float) and abs(value) < 1e15 and value == round(value):
        return str(int(value))
    return "" if value is None else str(value).strip()


def distinct_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The names with a number behind those that occur again, and those names."""
    found: list[str] = []
    again: list[str] = []
    for name in names:
        new, number = name, 1
        while new in found:
            number += 1
            new = f"{name} ({number})"
        if new != name:
            again.append(name)
        found.append(new)
    return found, list(dict.fromkeys(again))


def reject_duplicate_names(names: Sequence[str], source: str) -> None:
    """Raise if two columns have the same name."""
    seen: dict[str, int] = {}
    for number, name in enumerate(names, start=1):
        if name in seen:
            raise InvalidInputError(
                f"Columns {seen[name]} and {number} of {source} are both called {name!r}. Rename one of them."
            )
        seen[name] = number


def first_line(error: BaseException) -> str:
    """The first line of a library's error message, without its full stop."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
