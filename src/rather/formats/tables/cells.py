"""The cells of one column, and what they can be read as: numbers, dates, yes and no, tags."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rather.formats.tables.amounts import Amounts, read_amounts
from rather.formats.tables.parsing import date_reader, number_text, plain_number

# Texts that mean a missing value unless the settings of the table say otherwise, compared without case. "None" is
# not among them: it is as often an answer ("extras: none") as a gap.
MISSING = (
    *(
        "na",
        "n/a",
        "n.a.",
        "#n/a",
        "nan",
        "null",
        "-",
        "--",
        "–",
        "—",
        "?",
        "unknown",
        "unbekannt",
        "tbd",
        "tba",
        "k.a.",
        "k. a.",
        "keine angabe",
    ),
    *("#ref!", "#div/0!", "#value!", "#name?", "#num!", "#null!"),
)

MOST_SPELLINGS = 16  # of yes and no: Yes, yes, YES, 1.0, ...
FLAGS = (
    ("no", "yes"),
    ("n", "y"),
    ("false", "true"),
    ("f", "t"),
    ("0", "1"),
    ("off", "on"),
    ("nein", "ja"),
    ("non", "oui"),
    ("no", "sí"),
    ("no", "si"),
    ("✗", "✓"),
    ("✘", "✔"),
    ("❌", "✅"),
    ("○", "●"),
    ("☐", "☑"),
)
# What a cell is marked with that would otherwise be blank.
MARKS = frozenset(["x", "✓", "✔", "✅", "●", "☑", "☒", "*"])
# Beyond this, sums of squares leave the range of floating point numbers.
LARGEST_NUMBER = 1e100
TAG_SEPARATORS = {"|": 1.2, ";": 2.0, ",": 3.0}
"""Separators of tags, each with how often a tag must occur on average before the texts are taken for tags."""

Floats = npt.NDArray[np.float64]
Row = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Reading:
    """A column read as numbers, dates or yes/no.

    Attributes:
        values: `(n,)`, NaN (or NaT) where missing or unreadable.
        unreadable: The first row whose value could not be read, None if all could.
        share: The share of present values that could be read.
        unit: The unit that is written beside the numbers ("km", "$").
    """

    values: npt.NDArray[Any]
    unreadable: int | None
    share: float
    unit: str = ""


class Cells:
    """A raw column in which missing values are null.

    Args:
        array: Text, int64, float64, bool, date32 or a list of texts.
        missing: Texts that mean a missing value, compared without case.
    """

    def __init__(self, array: pa.Array, missing: Sequence[str] = MISSING) -> None:
        self._tokens = {token.strip().casefold() for token in missing}
        self.array = self._without_tokens(array)

    def _without_tokens(self, array: pa.Array) -> pa.Array:
        if pa.types.is_integer(array.type) or pa.types.is_floating(array.type):
            numbers = [number for token in self._tokens if (number := plain_number(token)) is not None]
            gone = pc.is_in(array.cast(pa.float64(), safe=False), pa.array(numbers, pa.float64()))
            return pc.if_else(gone, None, array)
        if pa.types.is_string(array.type):
            return pc.if_else(pc.is_in(pc.utf8_lower(array), pa.array(sorted(self._tokens), pa.string())), None, array)
        return array

    def __len__(self) -> int:
        return len(self.array)

    def replaced(self, texts: Mapping[str, str]) -> "Cells":
        """The same column with some of its texts replaced by others."""
        new = pa.array([texts.get(text, text) for text in self.distinct], pa.string())
        codes = pa.array(self.codes, mask=~self.present)
        return Cells(new.take(codes), ())

    @cached_property
    def present(self) -> npt.NDArray[np.bool_]:
        """`(n,)`, whether there is a value."""
        mask: npt.NDArray[np.bool_] = pc.is_valid(self.array).to_numpy(zero_copy_only=False)
        return mask

    @cached_property
    def texts(self) -> pa.Array:
        """The column as text, whatever its type: `4` for 4.0, `a|b` for a list."""
        floats = pa.types.is_floating(self.array.type)
        return self._encoded.dictionary_decode() if floats else self._as_texts(self.array)

    def _as_texts(self, array: pa.Array) -> pa.Array:
        kind = array.type
        if pa.types.is_list(kind):
            return pc.binary_join(array, "|")
        if pa.types.is_floating(kind):
            return pa.array([number_text(number) for number in array.to_pylist()], pa.string())
        return array.cast(pa.string())

    @cached_property
    def _encoded(self) -> pa.DictionaryArray:
        if pa.types.is_floating(self.array.type):  # writing out a number is slow: once for each distinct one
            numbers = self.array.dictionary_encode()
            return pa.DictionaryArray.from_arrays(numbers.indices, self._as_texts(numbers.dictionary))
        return self.texts.dictionary_encode()

    @cached_property
    def distinct(self) -> list[str]:
        """The distinct texts, in order of appearance."""
        texts: list[str] = self._encoded.dictionary.to_pylist()
        return texts

    @cached_property
    def codes(self) -> Row:
        """`(n,)`, the index of each row's text among the distinct ones, -1 where missing."""
        codes: Row = self._encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        return codes

    @cached_property
    def counts(self) -> Row:
        """How many rows hold each of the distinct texts."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.distinct))

    @cached_property
    def numbers(self) -> Reading:
        """The column as numbers, in one unit. Numbers too large to compute with count as unreadable."""
        kind = self.array.type
        if pa.types.is_string(kind):
            return self._of_distinct(_computable(np.asarray(self._amounts.values)), self._amounts.unit)
        if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
            values = self.array.cast(pa.int8()) if pa.types.is_boolean(kind) else self.array
            return self._reading(_computable(values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)))
        return self._reading(np.full(len(self), np.nan))

    @cached_property
    def _amounts(self) -> Amounts:
        return read_amounts(self.distinct, self.counts.tolist())

    def decimals(self, code: int) -> int | None:
        """With how many decimals to write one of the distinct numbers; None where only its own text says all of it."""
        return self._decimals[code]

    @cached_property
    def _decimals(self) -> list[int | None]:
        if pa.types.is_string(self.array.type):
            written = list(self._amounts.decimals)
        else:
            written = [None if "e" in text else len(text.partition(".")[2]) for text in self.distinct]
        if max((places for places in written if places is not None), default=0) == 1 and self._whole:
            return [places and 0 for places in written]  # 312.0 is how programs write 312
        return written

    @cached_property
    def _whole(self) -> bool:
        values = self.numbers.values[~np.isnan(self.numbers.values)]
        return bool((values == np.round(values)).all())

    def unread(self, reading: Reading) -> Counter[str]:
        """The texts that could not be read, each with how many rows hold it."""
        wrong = self.present & np.isnan(reading.values)
        codes, counts = np.unique(self.codes[wrong], return_counts=True)
        return Counter(
            {self.distinct[code]: count for code, count in zip(codes.tolist(), counts.tolist(), strict=True)}
        )

    @cached_property
    def flags(self) -> Reading:
        """The column as 1 for yes and 0 for no: the two words of one pair, or the numbers 0 and 1."""
        if len(self.distinct) > MOST_SPELLINGS:
            return self._reading(np.full(len(self), np.nan))
        if len(self.distinct) == 1 and self.distinct[0].casefold() in MARKS and not self.present.all():
            return self._reading(self.present.astype(np.float64))  # a blank cell says no
        words = {number_text(x) if (x := plain_number(text)) is not None else text.casefold() for text in self.distinct}
        pair = next((pair for pair in FLAGS if words <= set(pair)), None)
        if pair is None or pa.types.is_list(self.array.type):
            return self._reading(np.full(len(self), np.nan))
        truths = [text.casefold() == pair[1] or plain_number(text) == 1 for text in self.distinct]
        return self._of_distinct(np.asarray(truths, dtype=np.float64))

    @cached_property
    def dates(self) -> Reading:
        """The column as dates (`datetime64[D]`)."""
        if pa.types.is_date(self.array.type):
            return self._reading(self.array.to_numpy(zero_copy_only=False).astype("datetime64[D]"))
        if not pa.types.is_string(self.array.type):
            return self._reading(np.full(len(self), np.datetime64("NaT")))
        read = date_reader(self.distinct)
        return self._of_distinct(np.asarray([read(text) for text in self.distinct], dtype="datetime64[D]"))

    def tags(self, separator: str | None) -> pa.Array:
        """The tags of each row, split at the separator (lists of texts at bars)."""
        if separator is None:
            separator = "|"
        lists = [split_tags(text, separator) for text in self.distinct]
        return pa.array([None if code < 0 else lists[code] for code in self.codes.tolist()], pa.list_(pa.string()))

    @cached_property
    def tag_separator(self) -> str | None:
        """What separates the tags of this column; None if it does not look like tags."""
        if pa.types.is_list(self.array.type):
            return "|"
        if not pa.types.is_string(self.array.type) or not self.distinct:
            return None
        if self.is_prose:
            return None
        for separator, recurrence in TAG_SEPARATORS.items():
            if self._looks_like_tags(separator, recurrence):
                return separator
        return None

    @cached_property
    def is_prose(self) -> bool:
        """Whether most of its texts are sentences: several words with a full stop behind them."""
        if not pa.types.is_string(self.array.type):
            return False
        pairs = zip(self.distinct, self.counts.tolist(), strict=True)
        sentences = sum(count for text, count in pairs if text.endswith((".", "!")) and len(text.split()) > 2)
        return bool(2 * sentences > self.present.sum())

    def _looks_like_tags(self, separator: str, recurrence: float) -> bool:
        pairs = list(zip(self.distinct, self.counts.tolist(), strict=True))
        several = sum(count for text, count in pairs if separator in text)
        if several < 0.1 * recurrence * int(self.present.sum()):
            return False
        tags = Counter[str]()
        for text, count in pairs:
            for tag in split_tags(text, separator):
                tags[tag] += count
        # Sentences have commas too, but their parts are long and rarely occur twice.
        short = sum(len(tag) for tag in tags) <= 25 * len(tags)
        return bool(tags) and short and tags.total() >= recurrence * len(tags)

    def _of_distinct(self, parsed: npt.NDArray[Any], unit: str = "") -> Reading:
        """From the values of the distinct texts to those of the rows."""
        gap = np.array([np.datetime64("NaT") if parsed.dtype.kind == "M" else np.nan], dtype=parsed.dtype)
        return self._reading(np.concatenate([parsed, gap])[self.codes], unit)

    def _reading(self, values: npt.NDArray[Any], unit: str = "") -> Reading:
        wrong = self.present & np.isnan(values)
        present = int(self.present.sum())
        share = 1 - float(wrong.sum()) / present if present else 0.0
        return Reading(values, int(wrong.argmax()) if wrong.any() else None, share, unit)


def _computable(values: Floats) -> Floats:
    return np.where(np.abs(values) <= LARGEST_NUMBER, values, np.nan)


def split_tags(text: str, separator: str) -> list[str]:
    """The tags of a text, each once."""
    return list(dict.fromkeys(tag for part in text.split(separator) if (tag := part.strip())))
