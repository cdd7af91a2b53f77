"""The columns of a table, with everything about them decided."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from rather.errors import UnknownNameError
from rather.formats.tables.addresses import link, pictures
from rather.formats.tables.basis import Grid, grid_of
from rather.formats.tables.cells import Cells
from rather.formats.tables.column_kinds import AMOUNTS, ColumnKind, Direction, Role, Worth
from rather.formats.tables.naming import with_unit, words
from rather.formats.tables.raw import RawTable
from rather.formats.tables.settings import ColumnSettings, TableSettings, suggestion
from rather.languages import ENGLISH, date_text, localized, message

# Words in the names of columns of years, which are written without thousands separators.
_YEARS = "year vintage built founded established released jahr baujahr modelljahr jahrgang année millésime año"
YEARS = frozenset(_YEARS.split())
# Kinds whose values are read from texts, which may fail.
READ = (*AMOUNTS, ColumnKind.DEGREE, ColumnKind.YES_NO, ColumnKind.DATE)


@dataclass(frozen=True)
class TableColumn:
    """One column of a table.

    Attributes:
        name: Its name in the table.
        display_name: What people read.
        kind: What it holds.
        role: What it is for.
        cells: Its values as they were read.
        unit: The unit of its numbers.
        direction: Which end is better for everybody.
        buckets: Numbers that divide its values into ranges, if they were given.
        separator: What separates its tags.
        note: A remark for the owner of the table.
        problem: Why it cannot be used as it is.
        phrase: What follows a noun when a value is said of it, with `{value}`, perhaps by language; None for the usual
            one.
        worth: How the worth of a number follows from it.
        repairs: What was done about values that could not be taken as they are, in sentences without a full stop.
        noun: What to call a row.
    """

    name: str
    display_name: str
    kind: ColumnKind
    role: Role
    cells: Cells = field(repr=False, compare=False)
    unit: str = ""
    direction: Direction = Direction.DEPENDS
    buckets: tuple[float, ...] | None = None
    separator: str | None = None
    note: str = ""
    problem: str = ""
    phrase: str | Mapping[str, str] | None = None
    worth: Worth = Worth.CURVE
    repairs: tuple[str, ...] = ()
    noun: str = "item"

    @cached_property
    def numbers(self) -> npt.NDArray[np.float64]:
        """`(n,)` numbers, NaN where missing: amounts, degrees, 1 for yes and 0 for no, dates as years."""
        if self.kind is ColumnKind.YES_NO:
            return self.cells.flags.values
        return years(self.cells.dates.values) if self.kind is ColumnKind.DATE else self.cells.numbers.values

    @cached_property
    def tags(self) -> list[list[str] | None]:
        """The tags of each row, None where missing."""
        tags: list[list[str] | None] = self.cells.tags(self.separator).to_pylist()
        return tags

    @property
    def has_grid(self) -> bool:
        """Whether it is a number or date that is learned from."""
        return self.role is Role.USE and self.kind in (*AMOUNTS, ColumnKind.DATE) and not self.problem

    @cached_property
    def grid(self) -> Grid:
        """Knots and bucket edges of a number or date that is learned from."""
        return grid_of(
            self.numbers[self.present], self.buckets, as_year=self.kind is ColumnKind.DATE or not self.grouped
        )

    @cached_property
    def present(self) -> npt.NDArray[np.bool_]:
        """`(n,)`, whether there is a value that can be read."""
        return ~np.isnan(self.numbers) if self.kind in READ else self.cells.present

    @cached_property
    def grouped(self) -> bool:
        """Whether its numbers are written with thousands separators, which years are not."""
        if not YEARS & {word.lower() for word in words(self.name)}:
            return True
        values = self.numbers[self.present]
        return not bool(np.all((values == np.round(values)) & (np.abs(values) < 10_000)))

    def text(self, row: int, language: str = ENGLISH) -> str:
        """What to show of this column in a row."""
        code = int(self.cells.codes[row])
        if code < 0 and not (self.kind is ColumnKind.YES_NO and self.present[row]):
            return message(language, "cell.unknown")
        if self.kind in READ and not self.present[row]:
            return self.cells.distinct[code]
        if self.kind in (*AMOUNTS, ColumnKind.DEGREE):
            decimals = self.cells.decimals(code)
            if decimals is None:
                return self.cells.distinct[code]
            written = localized(_written(float(self.numbers[row]), decimals, grouped=self.grouped), language)
            return with_unit(written, self.unit, language)
        if self.kind is ColumnKind.YES_NO:
            return message(language, "cell.yes" if self.numbers[row] else "cell.no")
        if self.kind is ColumnKind.DATE:
            return date_text(str(self.cells.dates.values[row]), language)
        if self.kind is ColumnKind.TAGS:
            return ", ".join(self.tags[row] or []) or message(language, "cell.none")
        return self.cells.distinct[code]


@dataclass(frozen=True)
class InspectedTable:
    """A table after its columns have been inspected.

    Attributes:
        raw: The table as it was read.
        columns: In the table's order.
        id: The column that identifies rows, if any.
        label: The column to show first, or a template with columns in braces.
        name: What to call a row.
        given: The settings that were given.
        out_of_stock: How many rows were left out because they cannot be had.
    """

    raw: RawTable
    columns: tuple[TableColumn, ...]
    id: str | None
    label: str | None
    name: str
    given: TableSettings = field(repr=False)
    out_of_stock: int = 0

    def __len__(self) -> int:
        return len(self.raw)

    def column(self, name: str) -> TableColumn:
        """The column of this name."""
        for column in self.columns:
            if column.name == name:
                return column
        names = [column.name for column in self.columns]
        raise UnknownNameError(f"{self.raw.source} has no column {name!r}{suggestion(name, names)}")

    @property
    def repairs(self) -> tuple[str, ...]:
        """What was done about what could not be taken as it is, as sentences for the owner of the table."""
        of_columns = (f"{column.name}: {repair}." for column in self.columns for repair in column.repairs)
        of_stock = (f"{column.name}: {column.note}." for column in self._shown(ColumnKind.STOCK) if column.note)
        return (*(f"{self.raw.source}: {repair}." for repair in self.raw.repairs), *of_columns, *of_stock)

    def links(self) -> list[str | None] | None:
        """The address of the page of each row, or None without a column of links."""
        columns = self._shown(ColumnKind.LINK)
        if not columns:
            return None
        cells = columns[0].cells
        found = [*map(link, cells.distinct), None]
        return [found[code] for code in cells.codes.tolist()]

    def images(self) -> list[tuple[str, ...]] | None:
        """The addresses of the pictures of each row, or None without a column of pictures."""
        columns = self._shown(ColumnKind.IMAGE)
        if not columns:
            return None
        parts = []
        for column in columns:
            found = [*(tuple(pictures(text, column.separator)) for text in column.cells.distinct), ()]
            parts.append([found[code] for code in column.cells.codes.tolist()])
        return [tuple(dict.fromkeys(chain(*row))) for row in zip(*parts, strict=True)]

    def _shown(self, kind: ColumnKind) -> list[TableColumn]:
        return [column for column in self.columns if column.kind is kind and column.role is not Role.IGNORE]

    def labels(self) -> list[str] | None:
        """The label of each row, or None without a label column."""
        if self.label is None:
            return None
        if self.label in self.raw.columns:
            column = self.column(self.label)
            return [column.text(row) for row in range(len(self))]
        parts = re.split(r"\{([^{}]*)\}", self.label)
        columns = [self.column(name) for name in parts[1::2]]
        return [
            "".join(
                text + (columns[index].text(row) if index < len(columns) else "")
                for index, text in enumerate(parts[::2])
            )
            for row in range(len(self))
        ]

    def settings(self) -> TableSettings:
        """Everything that was decided, as settings that lead to the same columns again."""
        columns = {
            column.name: ColumnSettings(
                column.role,
                column.kind,
                column.display_name,
                column.unit or None,
                column.direction,
                column.grid.edges or None if column.has_grid else column.buckets,
                self.given.column(column.name).missing,
                column.separator,
                column.phrase,
                Worth.LINE if column.worth is Worth.LINE else None,
            )
            for column in self.columns
        }
        return replace(self.given, name=self.name, id=self.id, label=self.label, columns=columns)


def years(dates: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Dates as fractional years: the middle of 2020 is about 2020.5."""
    year = dates.astype("datetime64[Y]")
    start = year.astype("datetime64[D]")
    length = ((year + 1).astype("datetime64[D]") - start).astype(float)
    result: npt.NDArray[np.float64] = year.astype(float) + 1970 + (dates - start).astype(float) / length
    result[np.isnat(dates)] = np.nan
    return result


def _written(value: float, decimals: int, *, grouped: bool) -> str:
    """A number with the decimals that it has in the table: `1,299.00`."""
    short = f"{value:.6g}"
    if decimals > 6 and np.float32(value) == np.float32(short) and "e" not in short:
        return short  # 0.73199999 is 0.732 that was once stored in single precision
    return f"{value:{',' * grouped}.{decimals}f}"


def label_columns(label: str | None, names: Collection[str]) -> list[str]:
    """The columns that a label is made of: the one it names, or those in braces."""
    if label is None:
        return []
    return [label] if label in names else re.findall(r"\{([^{}]*)\}", label)
