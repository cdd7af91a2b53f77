"""Numbers and ranges of a column in words: "€700", "under 2 kg", "Apr 2020 or later"."""

import math
from dataclasses import dataclass
from datetime import date, timedelta

from rather.formats.tables.column_kinds import ColumnKind
from rather.formats.tables.naming import CURRENCY_SIGNS, spelled, with_unit
from rather.formats.tables.parsing import MONTHS
from rather.formats.tables.table_columns import TableColumn
from rather.languages import ENGLISH, localized, message, month_name

# Units of columns whose numbers are years.
YEAR_UNITS = ("years", "year", "yrs", "yr")

Bounds = tuple[float, float]
"""A range from the first number up to the second, without it; the same twice is that number alone."""


@dataclass(frozen=True)
class NumberTexts:
    """How the numbers of a column are written.

    Attributes:
        unit: Their unit.
        grouped: Whether thousands are separated.
        dates: Whether they are dates as fractional years.
    """

    unit: str
    grouped: bool
    dates: bool

    @classmethod
    def of(cls, column: TableColumn) -> "NumberTexts":
        """Those of a column."""
        return cls(column.unit, column.grouped, column.kind is ColumnKind.DATE)

    def amount(self, value: float, language: str = ENGLISH, *, unit: bool = True) -> str:
        """One number, with its unit if that is wanted."""
        if self.dates:
            return _when(value, language)
        if months := self._months(value):
            return with_unit(str(months), "months", language)
        text = localized(spelled(value, digits=6, grouped=self.grouped), language)
        before = language == ENGLISH and self.unit in CURRENCY_SIGNS  # which stands at every number
        return with_unit(text, self.unit, language) if unit or before else text

    def _months(self, value: float) -> int:
        """How many months a part of a year is; 0 where it is not said in months: "8 months", but "1.5 years"."""
        months = 12 * value
        if self.unit not in YEAR_UNITS or not 0 < months < 36 or abs(months - round(months)) > 1e-4:
            return 0
        return 0 if round(months) % 6 == 0 and months > 12 else round(months) % 12 and round(months)

    def range(self, bounds: Bounds, language: str = ENGLISH) -> str:
        """A range of numbers."""
        low, high = bounds
        dates = self.dates or not self.grouped
        if low == high:
            return self.amount(low, language)
        if low == -math.inf:
            return message(language, "range.before" if dates else "range.under", value=self.amount(high, language))
        if high == math.inf:
            return message(language, "range.or_later" if dates else "range.or_more", value=self.amount(low, language))
        same_unit = bool(self._months(low)) == bool(self._months(high))
        if same_unit and self._months(low):
            low_text = localized(str(self._months(low)), language)
        else:
            low_text = self.amount(low, language, unit=not same_unit)
        ends = {"low": low_text, "high": self.amount(high, language)}
        return message(language, "range.between", **ends)


def _when(year: float, language: str) -> str:
    """A fractional year as a person writes it: "2020", "Apr 2020"."""
    if year == round(year):
        return f"{year:.0f}"
    month = _day_in(year).month - 1
    name = MONTHS[month].capitalize() if language == ENGLISH else month_name(month + 1, language)
    return f"{name} {int(year)}"


def _day_in(year: float) -> date:
    """The day of a fractional year. A number of twelfths is a day of the month that begins then."""
    first, last = date(int(year), 1, 1), date(int(year), 12, 31)
    days = math.ceil((year % 1) * ((last - first).days + 1) - 1e-6)
    return min(first + timedelta(days=days), last)
