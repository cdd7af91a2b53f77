"""How a row of a table may be wished otherwise: "cheaper", "lighter", "with more memory"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch

from rather.formats.tables.basis import Floats, Indicators
from rather.formats.tables.column_kinds import ColumnKind, Direction
from rather.formats.tables.comparatives import comparative_words
from rather.formats.tables.interactions import Interaction, column_changes
from rather.formats.tables.naming import CURRENCY_SIGNS
from rather.model.comparatives import Comparative
from rather.model.statements import Toward

if TYPE_CHECKING:
    from rather.formats.tables.blocks import Block
    from rather.formats.tables.table_columns import TableColumn

# Columns that nobody wishes to be less, and to be more.
NEVER_LESS = r"(.* )?(ram|memory|storage|ssd|hdd|life|range|rating)|(arbeits)?speicher|reach|stars|score|(.* )?mpg"
NEVER_MORE = r"(.* )?(price|cost)|(preis|prix|precio)( .*)?|(noise|loudness)( .*)?"

# A typical step takes an item past this share of the rows: one bucket of five.
STEP_SHARE = 0.2
# Resolution of the quantiles that are kept of each column.
QUANTILES = 200


@dataclass(frozen=True, eq=False)
class TableComparatives:
    """The numbers and dates that a row has, each a typical step lower or higher.

    Attributes:
        blocks: The parameters, in the order of the item vectors.
        scale: The factor by which the rows of items were multiplied.
        interactions: The joint terms, whose parameters follow.
        items: `(n, d)` item vectors, which say what a step means beside the other column of a joint term.
    """

    blocks: Sequence[Block]
    scale: float
    interactions: Sequence[Interaction] = ()
    items: npt.NDArray[np.float32] | None = field(default=None, repr=False)

    @cached_property
    def _ordered(self) -> tuple[_OrderedColumn, ...]:
        """The columns that have an order; those whose comparatives are words of their own first."""
        starts = np.cumsum([0, *(block.size for block in self.blocks)])
        found = [
            _OrderedColumn(block, number, int(start))
            for number, (block, start) in enumerate(zip(self.blocks, starts, strict=False))
            if block.basis.size and not isinstance(block.basis, Indicators) and len(np.unique(block.column.numbers)) > 1
        ]
        ordered = [each for each in found if each.block.column.kind is not ColumnKind.YES_NO]
        return tuple(sorted(ordered, key=lambda each: "with " in (each.texts[0] or each.texts[1] or "")))

    def __call__(self, row: int) -> tuple[Comparative, ...]:
        """See `rather.model.comparatives.Comparatives`."""
        values = [float(column.block.column.numbers[row]) for column in self._ordered]
        return self.of(values, None if self.items is None else self.items[row])

    @property
    def names(self) -> list[str]:
        """The columns that have an order, by their names in the table."""
        return [column.block.column.name for column in self._ordered]

    def of(self, values: Sequence[float], vector: npt.NDArray[np.float32] | None = None) -> tuple[Comparative, ...]:
        """How an item may be wished otherwise.

        Args:
            values: What it has in each of the columns that have an order; NaN where that is unknown.
            vector: `(d,)`, needed where columns have a joint worth.
        """
        found = []
        for column, value in zip(self._ordered, values, strict=True):
            for toward, text, change in column.changes(value):
                step = self._step(column, change, vector)
                translate = partial(_in_language, column.block.column, toward)
                about = column.block.column
                usual = toward == "less" and _is_price(about)
                found.append(Comparative(about.name, toward, text, torch.from_numpy(step), usual, translate))
        return tuple(found)

    def _step(
        self, column: _OrderedColumn, change: Floats, vector: npt.NDArray[np.float32] | None
    ) -> npt.NDArray[np.float32]:
        """What a change of a column's known parameters changes in the vector `(d,)` of an item."""
        d = sum(block.size for block in self.blocks)
        own = np.zeros(column.block.size)
        own[: len(change)] = change
        joint = column_changes(self.interactions, column.number, own, self._rows(vector) if self.interactions else ())
        step = np.concatenate([np.zeros(d), *joint])
        step[column.start : column.start + len(own)] = own
        return (self.scale * step).astype(np.float32)

    def _rows(self, vector: npt.NDArray[np.float32] | None) -> list[Floats]:
        """The parameters of an item, block by block."""
        assert vector is not None, "joint worths need the item's vector"
        ends = np.cumsum([block.size for block in self.blocks])
        parts = np.split(vector.astype(np.float64) / self.scale, ends)
        return [part + block.mean for part, block in zip(parts, self.blocks, strict=False)]


@dataclass(frozen=True, eq=False)
class _OrderedColumn:
    """A column with an order, its block's number, and the first of its parameters."""

    block: Block = field(repr=False)
    number: int
    start: int

    @cached_property
    def texts(self) -> tuple[str | None, str | None]:
        """Less and more of it in words; None for the end that is worse for everybody."""
        less, more = comparative_texts(self.block.column)
        direction = self.block.column.direction
        return None if direction is Direction.MORE else less, None if direction is Direction.LESS else more

    @cached_property
    def _quantiles(self) -> Floats:
        values = self.block.column.numbers[self.block.column.present]
        return np.quantile(values, np.linspace(0, 1, QUANTILES + 1), method="inverted_cdf")

    def changes(self, value: float) -> list[tuple[Toward, str, Floats]]:
        """For each way that rows differ from one with this value, what a step adds to the parameters."""
        if np.isnan(value):
            return []
        found: list[tuple[Toward, str, Floats]] = []
        ends: tuple[tuple[Toward, str | None, float | None], ...] = (
            ("less", self.texts[0], self._lower(value)),
            ("more", self.texts[1], self._higher(value)),
        )
        for toward, text, end in ends:
            if text is None or end is None:
                continue
            before, after = self.block.basis.rows(np.array([value, end]))
            if np.abs(after - before).max() > 1e-9:  # beyond the last knot nothing changes any more
                found.append((toward, text, after - before))
        return found

    def _lower(self, value: float) -> float | None:
        """The value that is a step below; None where hardly any row is."""
        below = np.searchsorted(self._quantiles, value, side="left") / QUANTILES
        return None if below == 0 else self._at(max(0.0, below - STEP_SHARE))

    def _higher(self, value: float) -> float | None:
        """The value that is a step above; None where hardly any row is."""
        above = 1 - np.searchsorted(self._quantiles, value, side="right") / (QUANTILES + 1)
        return None if above == 0 else self._at(min(1.0, 1 - above + STEP_SHARE))

    def _at(self, share: float) -> float:
        return float(self._quantiles[round(share * QUANTILES)])


def _in_language(column: TableColumn, toward: Toward, language: str) -> str:
    less, more = comparative_words(column, language)
    return more if toward == "more" else less


def comparative_texts(column: TableColumn) -> tuple[str | None, str | None]:
    """Less and more of a column, as one says it of an item; None where nobody wishes that."""
    less, more = comparative_words(column)
    spoken = column.display_name.lower()
    return None if re.fullmatch(NEVER_LESS, spoken) else less, None if _never_more(column, spoken) else more


def _never_more(column: TableColumn, spoken: str) -> bool:
    return _is_price(column) or bool(re.fullmatch(NEVER_MORE, spoken))


def _is_price(column: TableColumn) -> bool:
    return column.kind is ColumnKind.PRICE or bool(column.unit and column.unit in CURRENCY_SIGNS)
