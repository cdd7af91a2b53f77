"""The columns of a table that its items are compared by."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rather.formats.tables.blocks import Block, range_texts
from rather.formats.tables.column_kinds import ColumnKind
from rather.formats.tables.comparatives import comparative_words
from rather.formats.tables.interactions import Interaction
from rather.formats.tables.table_attributes import level_numbers
from rather.formats.tables.table_columns import TableColumn
from rather.languages import ENGLISH
from rather.model.attributes import Attribute
from rather.model.columns import SAMPLED_ITEMS


@dataclass(frozen=True, eq=False)
class ComparedColumn:
    """A column that is learned from; implements `rather.model.columns.Column`.

    Attributes:
        block: Its parameters.
        dimensions: Where they are in the item vectors.
        said: The attribute of each of its levels that has one, by the text of the level's value.
        joint: Whether its worth depends on another column. Nothing is then given as a reason that speaks of it alone.
        scale: The factor by which the rows of items were multiplied.
        values: The column that holds the values of items, if it is not that of the block.
        cell: Where in it the value of an item stands, by default in its row.
    """

    block: Block = field(repr=False)
    dimensions: slice
    said: Mapping[str, Attribute] = field(repr=False)
    joint: bool = False
    scale: float = 1.0
    values: TableColumn | None = field(default=None, repr=False)
    cell: Callable[[int], int] | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """What people read."""
        return self.block.column.display_name

    @property
    def more(self) -> str:
        """What an item with more of it is, before "than"."""
        return comparative_words(self.block.column)[1]

    @property
    def less(self) -> str:
        """What an item with less of it is, before "than"."""
        return comparative_words(self.block.column)[0]

    def compared(self, language: str) -> tuple[str, str]:
        """What an item with less and with more of it is, in a language."""
        return comparative_words(self.block.column, language)

    def share_below(self, row: int) -> float | None:
        """The share of items that have less of it, of those where it is known."""
        column, cell = self._at(row)
        if self.joint or not self.more or not column.present[cell]:
            return None
        return int(np.searchsorted(self._sorted, column.numbers[cell])) / len(self._sorted)

    def text(self, row: int, language: str = ENGLISH) -> str | None:
        """Its value with its unit; nothing for a degree, which is listed with the others that apply."""
        column, cell = self._at(row)
        return None if column.kind is ColumnKind.DEGREE else column.text(cell, language)

    def attributes(self, row: int) -> Sequence[Attribute]:
        """Those of its values, or of the range that its value is in."""
        column, cell = self._at(row)
        if self.joint or not column.present[cell]:
            return ()
        return [self.said[value] for value in self._levels(column, cell) if value in self.said]

    def _at(self, row: int) -> tuple[TableColumn, int]:
        """The column that holds the value of an item, and where in it."""
        return self.values or self.block.column, row if self.cell is None else self.cell(row)

    def _levels(self, column: TableColumn, cell: int) -> Sequence[str]:
        if column.kind is ColumnKind.TAGS:
            return column.tags[cell] or ()
        if column.kind is ColumnKind.CATEGORY:
            return (column.cells.distinct[int(column.cells.codes[cell])],)
        if column.kind in (ColumnKind.YES_NO, ColumnKind.DEGREE):
            low, high = min(0.0, float(self._sorted[0])), float(self._sorted[-1])
            return (column.display_name,) if column.numbers[cell] >= (low + high) / 2 else ()
        return (self._ranges.text(float(column.numbers[cell])),)

    @cached_property
    def _ranges(self) -> "_Ranges":
        column = self.block.column
        edges = column.grid.edges
        return _Ranges(np.array(edges or np.unique(column.numbers[column.present])), range_texts(column), bool(edges))

    @cached_property
    def _sorted(self) -> npt.NDArray[np.float64]:
        known = self.block.column.numbers[self.block.column.present]
        if self.block.column.kind in (ColumnKind.YES_NO, ColumnKind.DEGREE):
            return np.sort(known)  # its lowest and highest value are needed
        return np.sort(known[:: max(1, len(known) // SAMPLED_ITEMS)])


@dataclass(frozen=True)
class _Ranges:
    """The ranges of a number in words: those between edges, or single values."""

    edges: npt.NDArray[np.float64]
    texts: Sequence[str]
    between: bool

    def text(self, value: float) -> str:
        return self.texts[int(np.searchsorted(self.edges, value, side="right" if self.between else "left"))]


def compared_columns(
    blocks: Sequence[Block],
    attributes: Sequence[Attribute],
    interactions: Sequence[Interaction] = (),
    scale: float = 1.0,
) -> tuple[ComparedColumn, ...]:
    """The columns that are learned from.

    Args:
        blocks: The parameters, in the order of the item vectors.
        attributes: What `table_attributes` makes of them.
        interactions: The joint terms.
        scale: The factor by which the rows of items were multiplied.
    """
    joint = {index for each in interactions for index in each.blocks}
    said: list[dict[str, Attribute]] = [{} for _ in blocks]
    for (block, level), attribute in zip(level_numbers(blocks), attributes, strict=True):
        said[block].setdefault(blocks[block].levels[level].value, attribute)
    columns, start = [], 0
    for index, (block_, own) in enumerate(zip(blocks, said, strict=True)):
        columns.append(ComparedColumn(block_, slice(start, start + block_.size), own, index in joint, scale))
        start += block_.size
    return tuple(columns)
