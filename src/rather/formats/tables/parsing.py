"""Numbers and dates as people write them: `$1,234.50`, `1.234,5 km`, `3 May 2024`."""

import math
import re
from collections.abc import Callable, Sequence
from datetime import date

from rather.formats.tables.naming import CURRENCY_SIGNS, UNITS


def plain_number(text: str) -> float | None:
    """The number a text is in plain notation ("-1.50"), or None."""
    return float(text) if _PLAIN.fullmatch(text) else None


def number_text(value: float) -> str:
    """The shortest way to write a number, without a decimal point where none is needed."""
    return str(int(value)) if abs(value) < 1e15 and value == round(value) else repr(float(value))


_EXPONENT = r"([eE][+-]?\d{1,3})?"
_PLAIN = re.compile(rf"[+-]?(\d+\.?\d*|\.\d+){_EXPONENT}", re.ASCII)
_THOUSANDS = re.compile(rf"[+-]?\d{{1,3}}(,\d{{3}})+(\.\d+)?{_EXPONENT}")
_CONTINENTAL = re.compile(rf"[+-]?(\d{{1,3}}(\.\d{{3}})+|\d+)(,\d+)?{_EXPONENT}")
_DECIMAL_COMMA = re.compile(rf"[+-]?(\d{{1,3}}(\.\d{{3}})+|\d+),\d+{_EXPONENT}")
_CODE = re.compile(r"0\d", re.ASCII)
_SHAPE = re.compile(
    rf"(?P<sign>[+\-−]?)(?P<before>[{CURRENCY_SIGNS}]?)\s*"
    r"(?P<digits>(?:\d|[.,](?=\d))(?:[\d.,]|[ \u00a0\u202f'’](?=\d{3}(?!\d)))*"
    rf"{_EXPONENT})"
    r"(?P<gap>\s*)(?P<after>\D{0,16})",
    re.ASCII,
)


def number_shape(text: str) -> tuple[str, str] | None:
    """The digits and the unit of a number as people write it, or None."""
    match = _SHAPE.fullmatch(text)
    if match is None or _CODE.match(match["digits"]):  # 007 is a code
        return None
    after = match["after"].strip()
    # "8GB" and "8 cores" are amounts, but "4WD" is a name.
    if after and not (match["gap"] or after.lower() in UNITS or after in f"%{CURRENCY_SIGNS}"):
        return None
    digits = re.sub(r"[ \u00a0\u202f'’]", "", match["digits"])
    return match["sign"].replace("−", "-") + digits, match["before"] or UNITS.get(after.lower(), after)


def decimal_reader(digits: Sequence[str]) -> Callable[[str], float]:
    """A reader of this column's decimals: 1,234.5 or 1.234,5. A single number that can only be the latter decides."""
    continental = any(_DECIMAL_COMMA.fullmatch(text) and not _THOUSANDS.fullmatch(text) for text in digits)
    grammar = _CONTINENTAL if continental else _THOUSANDS

    def read(text: str) -> float:
        if grammar.fullmatch(text):
            return float(text.replace(".", "").replace(",", ".") if continental else text.replace(",", ""))
        value = None if continental else plain_number(text)
        return math.nan if value is None else value

    return read


MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


# Year, month and day are named groups, so that one rule reads them all.
_DATES = tuple(
    re.compile(pattern, re.ASCII)
    for pattern in (
        r"(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})(?:[T ]\d{1,2}:\d{2}.{0,24})?",
        r"(?P<year>\d{4})-(?P<month>\d{2})",
        r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})",
        r"(?P<day>\d{1,2})[-. ]{1,2}(?P<month>[A-Za-z]{3,9})[-. ,]{1,2}(?P<year>\d{4})",
        r"(?P<month>[A-Za-z]{3,9})\.? (?P<day>\d{1,2}),? (?P<year>\d{4})",
    )
)
_DAY_FIRST = re.compile(r"(?P<day>\d{1,2})/(?P<month>\d{1,2})/(?P<year>\d{4})", re.ASCII)
_MONTH_FIRST = re.compile(r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})", re.ASCII)


def date_reader(texts: Sequence[str]) -> Callable[[str], date | None]:
    """A reader of this column's dates. 3/4/2024 is read only if another date shows which number is the month."""
    slashes = [match for text in texts if (match := _DAY_FIRST.fullmatch(text))]
    day_first = any(int(match["day"]) > 12 for match in slashes)
    month_first = any(int(match["month"]) > 12 for match in slashes)
    forms = _DATES
    if day_first != month_first:
        forms = (*_DATES, _DAY_FIRST if day_first else _MONTH_FIRST)

    def read(text: str) -> date | None:
        for form in forms:
            if match := form.fullmatch(text):
                parts = match.groupdict(default="1")
                return _date(parts["year"], _month(parts["month"]), parts.get("day", "1"))
        return None

    return read


def _month(word: str) -> str:
    if word.isdecimal():
        return word
    return str(MONTHS.index(word[:3].lower()) + 1) if word[:3].lower() in MONTHS else "0"


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
