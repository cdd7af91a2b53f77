"""Numbers and ranges of a column in words: "€700", "under 2 kg", "Apr 2020 or later"."""

import math
from dataclasses import dataclass

from rather.formats.tables.column_kinds import ColumnKind
from rather.formats.tables.naming import CURRENCY_SIGNS, spelled, with_unit
from rather.formats.tables.parsing import MONTHS
from rather.formats.tables.table_columns import TableColumn
from rather.languages import ENGLISH, localized, message, month_name

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
        text = localized(spelled(value, digits=6, grouped=self.grouped), language)
        before = language == ENGLISH and self.unit in CURRENCY_SIGNS  # which stands at every number
        return with_unit(text, self.unit, language) if unit or before else text

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
        ends = {"low": self.amount(low, language, unit=False), "high": self.amount(high, language)}
        return message(language, "range.between", **ends)


def _when(year: float, language: str) -> str:
    """A fractional year as a person writes it: "2020", "Apr 2020"."""
    if year == round(year):
        return f"{year:.0f}"
    month = min(11, int((year % 1) * 12 + 1e-6))
    name = MONTHS[month].capitalize() if language == ENGLISH else month_name(month + 1, language)
    return f"{name} {int(year)}"
