"""A table of results: data first, then for a terminal or as Markdown."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table as RichTable


@dataclass(frozen=True)
class ResultTable:
    """A title, column heads and rows of text."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """As Markdown, the first column to the left and numbers to the right."""
        align = [":--", *("--:" for _ in self.head[1:])]
        lines = [self.head, align, *self.rows]
        body = "\n".join("| " + " | ".join(cell.replace("|", "/") for cell in line) + " |" for line in lines)
        return f"{self.title}\n\n{body}\n"

    def rich(self) -> "RichTable":
        """For a terminal."""
        from rich.table import Table as RichTable

        table = RichTable(title=self.title, title_justify="left")
        for column, name in enumerate(self.head):
            table.add_column(name, justify="right" if column else "left", no_wrap=column == 0)
        for row in self.rows:
            table.add_row(*row)
        return table


def number(value: float | None, digits: int = 4) -> str:
    """Some significant digits, without an exponent if possible; a dash for a missing number."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    return (
        f"{value:.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}" if abs(value) < 1e5 else f"{value:.3g}"
    )
