"""Aspects: the columns of a catalogue with the values that people weigh, each as an item vector."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from rather.formats.tables.basis import Degree, Floats, Indicators
from rather.formats.tables.blocks import Block
from rather.formats.tables.column_kinds import ColumnKind
from rather.formats.tables.compared_columns import ComparedColumn
from rather.formats.tables.naming import CURRENCY_SIGNS, with_unit
from rather.formats.tables.number_texts import NumberTexts
from rather.formats.tables.table_columns import TableColumn
from rather.model.catalog import Catalog
from rather.model.columns import Column, FeatureColumn

# Rows that say which combinations of tags occur, and how a number is distributed.
SAMPLED_ROWS = 20_000
MOST_COMBINATIONS = 2_000


@dataclass(frozen=True, eq=False)
class Aspect:
    """A column, with v values that people weigh against each other.

    Attributes:
        name: What people call it.
        values: What the values are called.
        vectors: `(v, d)`, what an item vector has more than that of an average item if it has the value; of tags what
            it has more than without.
        span: `(w, d)`, the rows whose worth differs by the range of the column: its values, or combinations of tags.
        numbers: The values as numbers, ascending; None without an order.
        words: What an item with less and with more of it is: "cheaper", "dearer"; empty without an order.
        slope: `(d,)`, what one more unit of a number adds on average over the items; None without an order.
        unit: Of the numbers.
        is_price: Whether it is money that people pay.
        separate: Whether an item can have several of the values: tags.
    """

    name: str
    values: tuple[str, ...]
    vectors: Tensor = field(repr=False)
    span: Tensor = field(repr=False)
    numbers: tuple[float, ...] | None = None
    words: tuple[str, str] = ("", "")
    slope: Tensor | None = field(default=None, repr=False)
    unit: str = ""
    is_price: bool = False
    separate: bool = False

    def worths(self, draws: Tensor) -> Tensor:
        """The part-worth of each value, `(r, s, v)`, for draws `(r, s, d)`."""
        return draws @ self.vectors.T

    def ranges(self, draws: Tensor) -> Tensor:
        """How much the best and the worst of it differ, `(r, s)`."""
        worths = draws @ self.span.T
        return worths.amax(dim=2) - worths.amin(dim=2)

    def amount(self, number: float) -> str:
        """A number of this column with its unit."""
        return with_unit(f"{number:,.4g}" if abs(number) < 1000 else f"{number:,.0f}", self.unit)


def aspects(catalog: Catalog) -> tuple[Aspect, ...]:
    """The columns of a catalogue whose values can be told apart; none where dimensions have no names."""
    found = [_aspect(column, catalog) for column in catalog.columns]
    return tuple(each for each in found if len(each.values) > 1 or each.separate)


def _aspect(column: Column, catalog: Catalog) -> Aspect:
    if isinstance(column, ComparedColumn):
        return _of_table(column, catalog.dimensions)
    if isinstance(column, FeatureColumn):
        return _of_feature(column, catalog)
    return Aspect(column.name, (), torch.zeros(0, catalog.dimensions), torch.zeros(0, catalog.dimensions))


def _of_feature(column: FeatureColumn, catalog: Catalog) -> Aspect:
    """A named dimension: little, some and much of it."""
    ranges, index = catalog.feature_ranges, column.index
    low, high = float(ranges.low[index]), float(ranges.high[index])
    numbers = (low, (low + high) / 2, high)
    vectors = torch.zeros(3, catalog.dimensions)
    vectors[:, index] = torch.tensor(numbers) - catalog.average[index]
    slope = torch.zeros(catalog.dimensions)
    slope[index] = 1.0
    texts = ("little", "some", "much")
    return Aspect(column.name, texts, vectors, vectors, numbers, (column.less, column.more), slope)


def _of_table(column: ComparedColumn, d: int) -> Aspect:
    block, place = column.block, _Placement(column, d)
    if isinstance(block.basis, Indicators):
        rows = np.eye(len(block.values), block.size)
        if block.basis.exclusive:
            vectors = place(rows - block.mean)
            return Aspect(column.name, block.values, vectors, vectors)
        return Aspect(column.name, block.values, place(rows), place(_combinations(block)), separate=True)
    values, numbers = _numbers(block)
    vectors = place(_padded(block.basis.rows(np.array(numbers)), block.size) - block.mean)
    return Aspect(
        column.name,
        values,
        vectors,
        vectors,
        numbers,
        (column.less, column.more),
        place(_slope(block)[None])[0],
        block.column.unit,
        is_price(block.column),
    )


def is_price(column: TableColumn) -> bool:
    """Whether a column holds money."""
    return column.kind is ColumnKind.PRICE or bool(column.unit and column.unit in CURRENCY_SIGNS)


@dataclass(frozen=True)
class _Placement:
    """Puts the parameters of a column where they are in the item vectors."""

    column: ComparedColumn
    d: int

    def __call__(self, rows: Floats) -> Tensor:
        vectors = torch.zeros(len(rows), self.d)
        vectors[:, self.column.dimensions] = torch.from_numpy((self.column.scale * rows).astype(np.float32))
        return vectors


def _numbers(block: Block) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The values of a number, date, degree or yes/no that are shown, and what they are called."""
    column, basis = block.column, block.basis
    if column.kind is ColumnKind.YES_NO:
        return ("no", "yes"), (0.0, 1.0)
    if isinstance(basis, Degree):
        return ("little", "some", "much"), (basis.low, (basis.low + basis.high) / 2, basis.high)
    texts = NumberTexts.of(column)
    return tuple(texts.amount(knot) for knot in column.grid.knots), column.grid.knots


def _slope(block: Block) -> Floats:
    """`(p,)`, the least-squares slope of each parameter over the items."""
    numbers = _sampled(block.column.numbers[block.column.present])
    rows = _padded(block.basis.rows(numbers), block.size)
    centred = numbers - numbers.mean()
    variance = float(centred @ centred)
    slope: Floats = centred @ rows / variance if variance > 0 else np.zeros(block.size)
    return slope


def _combinations(block: Block) -> Floats:
    """The combinations of tags that items have, `(w, p)`."""
    number = {value: index for index, value in enumerate(block.values)}
    tags = block.column.tags
    step = max(1, len(tags) // SAMPLED_ROWS)
    found = dict.fromkeys(frozenset(number[tag] for tag in row or () if tag in number) for row in tags[::step])
    kept: Sequence[frozenset[int]] = list(found)[:MOST_COMBINATIONS]
    rows = np.zeros((len(kept), block.size))
    for index, combination in enumerate(kept):
        rows[index, list(combination)] = 1
    return rows


def _padded(rows: Floats, size: int) -> Floats:
    """Rows with a 0 for the parameter of "unknown", if there is one."""
    return np.pad(rows, ((0, 0), (0, size - rows.shape[1])))


def _sampled(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return values[:: max(1, len(values) // SAMPLED_ROWS)]
