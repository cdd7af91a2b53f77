"""The parameters of a table: one block for each column that is learned from."""

from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from rather.formats.tables.basis import Basis, Degree, Floats, Gaussian, Hats, Indicators, Steps, with_unknown
from rather.formats.tables.column_kinds import MOST_LEVELS, ColumnKind, Direction, Worth
from rather.formats.tables.naming import UNKNOWN, counts_things, singular
from rather.formats.tables.number_texts import Bounds, NumberTexts
from rather.formats.tables.table_columns import TableColumn

MOST_TAGS = 60
OTHER = "any other"
SIGNS = {Direction.MORE: 1, Direction.LESS: -1, Direction.DEPENDS: 0}


@dataclass(frozen=True)
class Level:
    """A value or range of a column as a phrase ("200 to 300 hp", "funny", "All-Wheel Drive").

    Attributes:
        text: The phrase.
        row: `(p,)`, the level in the block's parameters.
        against: `(p,)`, what it is compared with: an average row, or "no" for what an item has or has not.
        value: The value or range alone, without the name of the column.
        bounds: The range of a number.
        exclusive: Whether no other level of the column can hold at the same time.
    """

    text: str
    row: Floats = field(repr=False)
    against: Floats = field(repr=False)
    value: str
    bounds: Bounds | None = None
    exclusive: bool = True


@dataclass(frozen=True)
class Block:
    """A column's parameters.

    Attributes:
        column: The column.
        features: A name for each of the p parameters.
        mean: `(p,)`, an average item in these parameters.
        prior: How the parameters are distributed over people.
        levels: The values or ranges that attributes are made of.
        basis: How values become parameters.
        values: What the parameters of a category or of tags stand for.
    """

    column: TableColumn
    features: tuple[str, ...]
    mean: Floats = field(repr=False)
    prior: Gaussian = field(repr=False)
    levels: tuple[Level, ...] = field(repr=False)
    basis: Basis = field(repr=False)
    values: tuple[str, ...] = field(default=(), repr=False)

    @property
    def has_unknown(self) -> bool:
        """Whether the last parameter is that of missing values."""
        return self.size > self.basis.size

    @property
    def size(self) -> int:
        """The number of parameters p, including "unknown" if values are missing."""
        return len(self.features)


def _named(column: TableColumn, text: str) -> str:
    if not column.unit and counts_things(column.display_name):
        return (
            f"{text} {(singular(column.display_name) or column.display_name) if text == '1' else column.display_name}"
        )
    return text if column.unit and column.display_name == column.unit else f"{column.display_name} {text}"


def build_block(column: TableColumn) -> tuple[Block, Floats]:
    """The parameters of a column that is learned from, and its rows `(n, p)` in them, not centred."""
    if column.kind in (ColumnKind.YES_NO, ColumnKind.DEGREE):
        return _degree_block(column)
    if column.kind is ColumnKind.CATEGORY:
        return _indicator_block(column, *_category_levels(column))
    if column.kind is ColumnKind.TAGS:
        return _indicator_block(column, *_tag_levels(column))
    return _number_block(column)


def _degree_block(column: TableColumn) -> tuple[Block, Floats]:
    values = column.numbers
    present = values[column.present]
    basis = Degree(min(0.0, float(present.min())), max(1.0, float(present.max())), SIGNS[column.direction])
    block, rows = _block(column, basis, (column.display_name,), basis.rows(values))
    level = Level(column.display_name, np.eye(block.size)[0], np.zeros(block.size), column.display_name)
    return replace(block, levels=(level,)), rows


def _number_block(column: TableColumn) -> tuple[Block, Floats]:
    values = column.numbers
    grid = column.grid
    texts = NumberTexts.of(column)
    names = [texts.amount(knot) for knot in grid.knots]
    basis: Hats | Steps | Degree
    if column.worth is Worth.LINE and len(grid.knots) > 1:
        basis = Degree(grid.knots[0], grid.knots[-1], SIGNS[column.direction])
        features: tuple[str, ...] = (column.display_name,)
    elif column.direction is Direction.DEPENDS or len(grid.knots) == 1:
        basis = Hats(grid.knots)
        features = tuple(f"{column.display_name} near {name}" for name in names)
    else:
        basis = Steps(grid.knots, less=column.direction is Direction.LESS)
        features = tuple(f"{column.display_name} {low} to {high}" for low, high in pairwise(names))
    block, rows = _block(column, basis, features, basis.rows(values))
    levels = tuple(
        Level(_named(column, texts.range(bounds)), rows[inside].mean(axis=0), block.mean, texts.range(bounds), bounds)
        for bounds, inside in _ranges(column, grid.edges)
    )
    return replace(block, levels=levels), rows


def level_masks(block: Block) -> list[npt.NDArray[np.bool_]]:
    """For each level of a block `(n,)`, which rows have it. Not kept: the masks of all levels are large."""
    column = block.column
    if column.kind in (ColumnKind.YES_NO, ColumnKind.DEGREE):
        values = column.numbers
        present = values[column.present]
        return [values >= (min(0.0, float(present.min())) + float(present.max())) / 2]
    if column.kind in (ColumnKind.CATEGORY, ColumnKind.TAGS):
        names, rows = _category_levels(column) if column.kind is ColumnKind.CATEGORY else _tag_levels(column)
        masks = dict(zip(names, rows.T > 0, strict=True))
        return [masks[level.text] for level in block.levels]
    return [inside for _, inside in _ranges(column, column.grid.edges)]


def _ranges(column: TableColumn, edges: tuple[float, ...]) -> list[tuple[Bounds, npt.NDArray[np.bool_]]]:
    """The ranges of a number that hold a row, each with a mask of its rows."""
    values = column.numbers
    if edges:
        masks = [(values >= low) & (values < high) for low, high in pairwise([-np.inf, *edges, np.inf])]
    else:
        masks = [values == value for value in np.unique(values[column.present])]
    return [(bounds, inside) for bounds, inside in zip(_bounds(column), masks, strict=True) if inside.any()]


def range_texts(column: TableColumn) -> list[str]:
    """The ranges between the edges of a number in words, or its single values where it has no edges; ascending."""
    texts = NumberTexts.of(column)
    return [texts.range(bounds) for bounds in _bounds(column)]


def _bounds(column: TableColumn) -> list[Bounds]:
    values, edges = column.numbers, column.grid.edges
    if edges:
        return [_narrowed(values, low, high) for low, high in pairwise([-np.inf, *edges, np.inf])]
    return [(float(value), float(value)) for value in np.unique(values[column.present])]


def _narrowed(values: Floats, low: float, high: float) -> Bounds:
    """The range, or the single value that all rows in it have."""
    inside = values[(values >= low) & (values < high)]
    if len(inside) > 1 and inside.min() == inside.max():
        return float(inside[0]), float(inside[0])
    return float(low), float(high)


def _category_levels(column: TableColumn) -> tuple[list[str], Floats]:
    """The common values by descending frequency (the last may be OTHER), and `(n, levels)` which one each row has."""
    cells = column.cells
    common = _common(cells.counts, MOST_LEVELS, len(cells))
    column_of = np.full(len(cells.distinct) + 1, len(common))
    column_of[common] = np.arange(len(common))
    column_of[-1] = -1  # the code of a missing value is -1
    rows = np.zeros((len(cells), len(common) + 1))
    own = column_of[cells.codes]
    rows[np.flatnonzero(own >= 0), own[own >= 0]] = 1
    names = [cells.distinct[code] for code in common.tolist()] + [OTHER]
    return (names, rows) if rows[:, -1].any() else (names[:-1], rows[:, :-1])


def _tag_levels(column: TableColumn) -> tuple[list[str], Floats]:
    """The common tags by descending frequency, and `(n, tags)` which of them each row has."""
    tags = column.tags
    names = list(dict.fromkeys(tag for row in tags for tag in row or ()))
    number = {name: index for index, name in enumerate(names)}
    pairs = np.array([(row, number[tag]) for row, own in enumerate(tags) for tag in own or ()], dtype=np.int64)
    pairs = pairs.reshape(-1, 2)
    counts = np.bincount(pairs[:, 1], minlength=len(names))
    common = _common(counts, MOST_TAGS, len(tags))
    column_of = np.full(len(names), -1)
    column_of[common] = np.arange(len(common))
    rows = np.zeros((len(tags), len(common)))
    kept = column_of[pairs[:, 1]] >= 0
    rows[pairs[kept, 0], column_of[pairs[kept, 1]]] = 1
    return [names[tag] for tag in common.tolist()], rows


def _common(counts: npt.NDArray[np.int64], most: int, n: int) -> npt.NDArray[np.int64]:
    """The values that get a parameter: at most `most`, by descending count, none that belongs to a single item."""
    order = np.argsort(-counts, kind="stable")[:most]
    enough = order[counts[order] >= max(2, n // 500)]
    return enough if len(enough) else order[:1]


def _indicator_block(column: TableColumn, names: list[str], rows: Floats) -> tuple[Block, Floats]:
    features = tuple(f"{column.display_name}: {name}" for name in names)
    has_many = column.kind is ColumnKind.TAGS
    block, rows = _block(column, Indicators(len(names), exclusive=not has_many), features, rows)
    against = np.zeros(block.size) if has_many else block.mean
    levels = tuple(
        Level(name, np.eye(block.size)[index], against, name, exclusive=not has_many)
        for index, name in enumerate(names)
        if has_many or name.casefold() not in (OTHER, "other")
    )
    return replace(block, levels=levels, values=tuple(names)), rows


def _block(column: TableColumn, basis: Basis, features: tuple[str, ...], rows: Floats) -> tuple[Block, Floats]:
    """The block without its levels, with a parameter for "unknown" if values are missing."""
    prior = basis.prior()
    if not column.present.all():
        prior = with_unknown(prior, rows[column.present].mean(axis=0))
        rows = np.column_stack([rows, ~column.present])
        features = (*features, f"{column.display_name} {UNKNOWN}")
    # Rounded, so that the same table gives the same bits whatever the order in which a machine adds up.
    return Block(column, features, np.round(rows.mean(axis=0), 12), prior, (), basis), rows
