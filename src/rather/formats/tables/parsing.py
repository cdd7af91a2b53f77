"""Plain numbers, and dates as people write them: `-1.50`, `3 May 2024`."""

import re
from collections.abc import Callable, Sequence
from datetime import date

from rather.formats.tables.amounts import EXPONENT


def plain_number(text: str) -> float | None:
    """The number a text is in plain notation ("-1.50"), or None."""
    return float(text) if _PLAIN.fullmatch(text) else None


def number_text(value: float) -> str:
    """The shortest way to write a number, without a decimal point where none is needed."""
    return str(int(value)) if abs(value) < 1e15 and value == round(value) else repr(float(value))


_PLAIN = re.compile(rf"[+-]?(\d+\.?\d*|\.\d+){EXPONENT}", re.ASCII)

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
