"""What to show about each row besides its label, put together when it is looked at."""

from collections.abc import Iterator, Mapping, Sequence
from typing import overload

from rather.formats.tables.column_kinds import ColumnKind, Role
from rather.formats.tables.naming import shortened
from rather.formats.tables.table_columns import TableColumn
from rather.languages import ENGLISH, message, name_in

# From this many on, columns of degrees and of yes/no are shown as one list of what applies: nobody reads a hundred
# zeros.
MANY_QUALITIES = 5
MOST_QUALITIES = 10
LONGEST_TEXT = 160


class Facts(Sequence[Mapping[str, str]]):
    """For each row the facts to show: the display name of each column with its value and unit; "unknown" if missing.

    Addresses of pages and pictures are no facts: `Catalog.links` and `Catalog.images` have them. Five or more
    columns of yes/no or of degrees are shown as one, "qualities": those that apply, the strongest first.

    Args:
        columns: All columns of the table.
        in_label: Names of those that are already part of the label.
        count: How many rows.
    """

    def __init__(self, columns: Sequence[TableColumn], in_label: Sequence[str], count: int) -> None:
        self._count = count
        shown = [column for column in columns if column.role is not Role.IGNORE and column.kind is not ColumnKind.ID]
        addresses = (ColumnKind.LINK, ColumnKind.IMAGE)
        shown = [column for column in shown if column.name not in in_label and column.kind not in addresses]
        qualities = [column for column in shown if column.kind in (ColumnKind.YES_NO, ColumnKind.DEGREE)]
        self._qualities = qualities if len(qualities) >= MANY_QUALITIES else []
        together = {column.name for column in self._qualities}
        self._single = [column for column in shown if column.name not in together]

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, row: int) -> Mapping[str, str]: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[Mapping[str, str]]: ...
    def __getitem__(self, row: int | slice) -> Mapping[str, str] | Sequence[Mapping[str, str]]:
        if isinstance(row, slice):
            return [self._of(index) for index in range(*row.indices(self._count))]
        return self._of(range(self._count)[row])

    def __iter__(self) -> Iterator[Mapping[str, str]]:
        return (self._of(row) for row in range(self._count))

    def in_language(self, row: int, language: str) -> Mapping[str, str]:
        """The facts of a row as a language writes them."""
        return self._of(row, language)

    def _of(self, row: int, language: str = ENGLISH) -> Mapping[str, str]:
        facts = {}
        for column in self._single:
            text = column.text(self.cell(column, row), language)
            facts[name_in(language, column.display_name)] = shortened(text, LONGEST_TEXT)
        if self._qualities:
            facts[message(language, "cell.qualities")] = self._qualities_of(row, language)
        return facts

    def cell(self, column: TableColumn, row: int) -> int:
        """Where the value of a row stands in a column."""
        return row

    def _qualities_of(self, row: int, language: str) -> str:
        cells = {column.name: self.cell(column, row) for column in self._qualities}
        present = [column for column in self._qualities if column.present[cells[column.name]]]
        degrees = {column.name: float(column.numbers[cells[column.name]]) for column in present}
        strong = sorted((column for column in present if degrees[column.name] >= 0.5), key=lambda c: -degrees[c.name])
        names = [name_in(language, column.display_name) for column in strong[:MOST_QUALITIES]]
        if len(strong) > MOST_QUALITIES:
            names.append(message(language, "cell.more", count=len(strong) - MOST_QUALITIES))
        missing = [column for column in self._qualities if not column.present[cells[column.name]]]
        unknown = [name_in(language, column.display_name) for column in missing]
        gaps = [message(language, "cell.unknown_quality", name=name) for name in unknown]
        if len(gaps) > 3:
            gaps = [message(language, "cell.unknown_qualities", count=len(gaps))]
        return ", ".join(names + gaps) or message(language, "cell.no_quality")
