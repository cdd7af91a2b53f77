"""What to show about each row besides its label, put together when it is looked at."""

from collections.abc import Iterator, Mapping, Sequence
from typing import overload

from rather.formats.tables.column_kinds import ColumnKind, Role
from rather.formats.tables.naming import UNKNOWN, shortened
from rather.formats.tables.table_columns import TableColumn

# From this many on, columns of degrees and of yes/no are shown as one list of what applies: nobody reads a hundred
# zeros.
MANY_QUALITIES = 5
QUALITIES = "qualities"
MOST_QUALITIES = 10
LONGEST_TEXT = 160


class Facts(Sequence[Mapping[str, str]]):
    """For each row the facts to show: the display name of each column with its value and unit; "unknown" if missing.

    The first column of images is called "image". Five or more columns of yes/no or of degrees are shown as one,
    "qualities": those that apply, the strongest first.

    Args:
        columns: All columns of the table.
        in_label: Names of those that are already part of the label.
        count: How many rows.
    """

    def __init__(self, columns: Sequence[TableColumn], in_label: Sequence[str], count: int) -> None:
        self._count = count
        shown = [column for column in columns if column.role is not Role.IGNORE and column.kind is not ColumnKind.ID]
        shown = [column for column in shown if column.name not in in_label]
        images = [column for column in shown if column.kind is ColumnKind.IMAGE]
        qualities = [column for column in shown if column.kind in (ColumnKind.YES_NO, ColumnKind.DEGREE)]
        self._image = images[0] if images else None
        self._qualities = qualities if len(qualities) >= MANY_QUALITIES else []
        together = {column.name for column in [*self._qualities, *images]}
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

    def _of(self, row: int) -> Mapping[str, str]:
        facts = {column.display_name: shortened(column.text(row), LONGEST_TEXT) for column in self._single}
        if self._qualities:
            facts[QUALITIES] = self._qualities_of(row)
        if self._image is not None and self._image.present[row]:
            facts["image"] = self._image.text(row)
        return facts

    def _qualities_of(self, row: int) -> str:
        present = [column for column in self._qualities if column.present[row]]
        strong = sorted((column for column in present if column.numbers[row] >= 0.5), key=lambda c: -c.numbers[row])
        names = [column.display_name for column in strong[:MOST_QUALITIES]]
        if len(strong) > MOST_QUALITIES:
            names.append(f"{len(strong) - MOST_QUALITIES} more")
        gaps = [f"{column.display_name} {UNKNOWN}" for column in self._qualities if not column.present[row]]
        if len(gaps) > 3:
            gaps = [f"{len(gaps)} {UNKNOWN}"]
        return ", ".join(names + gaps) or "none of them"
