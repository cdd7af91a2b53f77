"""Numbers and dates as people write them: `$1,234.50`, `1.234,5 km`, `3 May 2024`."""

import math
import re
from collections.abc import Callable, Sequence
from datetime import date

from rather.tables.naming import CURRENCY_SIGNS, UNITS


def plain_number(text: str) -> float | None:
    """The number that a text is in plain notation ("-1.50"), or None."""
    return float(text) if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", text, re.ASCII) else None


def number_text(value: float) -> str:
    """The shortest text of a number, without a decimal point where none is needed."""
    return str(int(value)) if abs(value) < 1e15 and value == round(value) else repr(float(value))


_SHAPE = re.compile(
    rf"(?P<sign>[+\-−]?)(?P<before>[{CURRENCY_SIGNS}]?)\s*"
    r"(?P<digits>(?:\d|[.,](?=\d))(?:[\d.,]|[ \u00a0\u202f'’](?=\d{3}(?!\d)))*(?:[eE][+-]?\d{1,3})?)"
    r"(?P<gap>\s*)(?P<after>\D{0,16})",
    re.ASCII,
)


def number_shape(text: str) -> tuple[str, str] | None:
    """The digits and the unit of a number as people write it, or None."""
    match = _SHAPE.fullmatch(text)
    if match is None or re.match(r"0\d", match["digits"]):  # 007 is a code
        return None
    after = match["after"].strip()
    # "8GB" and "8 cores" are amounts, but "4WD" is a name.
    if after and not (match["gap"] or after.lower() in UNITS or after in f"%{CURRENCY_SIGNS}"):
        return None
    digits = re.sub(r"[ \u00a0\u202f'’]", "", match["digits"])
    return match["sign"].replace("−", "-") + digits, match["before"] or UNITS.get(after.lower(), after)


def decimal_reader(digits: Sequence[str]) -> Callable[[str], float]:
    """How this column writes decimals: 1,234.5 or 1.234,5. One number that can only be the latter decides."""
    continental = any(
        re.fullmatch(r"[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+", text) and not re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+", text)
        for text in digits
    )
    grammar = r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?" if continental else r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?"

    def read(text: str) -> float:
        if re.fullmatch(grammar, text):
            return float(text.replace(".", "").replace(",", ".") if continental else text.replace(",", ""))
        value = None if continental else plain_number(text)
        return math.nan if value is None else value

    return read


MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def date_reader(texts: Sequence[str]) -> Callable[[str], date | None]:
    """How this column writes dates. 3/4/2024 is read only where another date shows which number is the month."""
    slashes = [match for text in texts if (match := re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{4})", text))]
    day_first = any(int(match[1]) > 12 for match in slashes)
    month_first = any(int(match[2]) > 12 for match in slashes)

    def read(text: str) -> date | None:
        if match := re.fullmatch(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ]\d{1,2}:\d{2}.{0,24})?", text):
            return _date(match[1], match[2], match[3])
        if match := re.fullmatch(r"(\d{4})-(\d{2})", text):
            return _date(match[1], match[2], "1")
        if match := re.fullmatch(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", text):
            return _date(match[3], match[2], match[1])
        if match := re.fullmatch(r"(\d{1,2})[-. ]{1,2}([A-Za-z]{3,9})[-. ,]{1,2}(\d{4})", text):
            return _date(match[3], _month(match[2]), match[1])
        if match := re.fullmatch(r"([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})", text):
            return _date(match[3], _month(match[1]), match[2])
        if (match := re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{4})", text)) and day_first != month_first:
            day, month = (match[1], match[2]) if day_first else (match[2], match[1])
            return _date(match[3], month, day)
        return None

    return read


def _month(word: str) -> str:
    return str(MONTHS.index(word[:3].lower()) + 1) if word[:3].lower() in MONTHS else "0"


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
