"""A table made into vectors, and the catalogue of its rows."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rather.errors import InvalidInputError
from rather.formats.tables.basis import Floats
from rather.formats.tables.blocks import Block, build_block
from rather.formats.tables.column_kinds import Role
from rather.formats.tables.facts import Facts
from rather.formats.tables.filter_expressions import where_mask
from rather.formats.tables.inspection import read_examined, reject_problems
from rather.formats.tables.prior import joint_prior, utility_scale
from rather.formats.tables.settings import Spec
from rather.formats.tables.table_attributes import attributes_together, table_attributes
from rather.formats.tables.table_columns import Column, Examined, label_columns
from rather.model.attributes import Attribute
from rather.model.catalog import Catalog, ItemId


@dataclass(frozen=True)
class Table:
    """Where a catalogue came from: `catalog.table`.

    Attributes:
        examined: Its columns.
        blocks: The parameters of those that are learned from, in the order of the item vectors.
        scale: What centred rows were multiplied with to become item vectors.
    """

    examined: Examined
    blocks: tuple[Block, ...]
    scale: float

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns, in the table's order."""
        return self.examined.columns

    def column(self, name: str) -> Column:
        """The column of this name."""
        return self.examined.column(name)

    @cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        """What can be said of an item, column by column."""
        return table_attributes(self.blocks, self.scale)

    @cached_property
    def together(self) -> npt.NDArray[np.bool_]:
        """`(a, a)`, which two of the attributes hold of one row at least."""
        return attributes_together(self.blocks)

    def where(self, expression: str) -> npt.NDArray[np.bool_]:
        """`(n,)`, which rows satisfy an expression such as `price < 30000 and drive == 'AWD'`."""
        return where_mask(expression, self.columns, len(self.examined))

    @property
    def spec(self) -> Spec:
        """Everything decided, as settings that give the same catalogue again."""
        return self.examined.spec()


def catalog_from_table(
    source: Any,
    spec: Spec | Mapping[str, Any] | str | Path | None = None,
    *,
    ignore: Sequence[str] = (),
    most_megabytes: float | None = None,
) -> Catalog:
    """See `Catalog.from_table`."""
    examined = read_examined(source, spec, ignore=ignore, most_megabytes=most_megabytes)
    reject_problems(examined)
    blocks, rows = _encoded(examined)
    table = Table(examined, blocks, _scale(blocks, rows))
    labels = examined.labels()
    catalog = Catalog(
        rows * np.float32(table.scale),
        ids=_ids(examined, labels),
        labels=labels,
        features=[name for block in blocks for name in block.features],
        name=examined.name,
        attributes=table.attributes,
    )
    catalog.facts = Facts(examined.columns, label_columns(examined.label, examined.raw.columns), len(examined))
    catalog.table = table
    return catalog


def _encoded(examined: Examined) -> tuple[tuple[Block, ...], npt.NDArray[np.float32]]:
    """The blocks, and all rows in their parameters `(n, d)`, centred."""
    used = [column for column in examined.columns if column.role is Role.USE]
    if not used:
        raise InvalidInputError(_nothing_to_learn(examined))
    blocks, parts = [], []
    for column in used:
        block, rows = build_block(column)
        blocks.append(block)
        parts.append((rows - block.mean).astype(np.float32))
    return tuple(blocks), np.concatenate(parts, axis=1)


def _nothing_to_learn(examined: Examined) -> str:
    reasons = [
        f"{column.name!r} is {column.kind}{', ' * bool(column.note)}{column.note}" for column in examined.columns
    ]
    more = f" and {len(reasons) - 8} more" if len(reasons) > 8 else ""
    return (
        f"No column of {examined.raw.source} can be learned from: {'; '.join(reasons[:8])}{more}. A table needs a "
        "column of numbers, yes/no, categories, tags or dates that differs between rows; tell a column's `kind` and "
        'role = "use" in the settings if it was mistaken.'
    )


def _scale(blocks: Sequence[Block], rows: npt.NDArray[np.float32]) -> float:
    d = rows.shape[1]
    moment: Floats = np.zeros((d, d))
    for start in range(0, len(rows), 65_536):  # doubles of a part at a time
        part = rows[start : start + 65_536].astype(np.float64)
        moment += part.T @ part
    return utility_scale(moment / len(rows), joint_prior(blocks))


def _ids(examined: Examined, labels: Sequence[str] | None) -> list[ItemId] | None:
    """Values of the id column; else the labels where no two are the same; else None for the rows' numbers."""
    if examined.id is None:
        return list(labels) if labels is not None and len(set(labels)) == len(labels) else None
    column = examined.column(examined.id).cells
    texts: list[str] = column.texts.to_pylist()
    if all(re.fullmatch(r"0|-?[1-9]\d{0,17}", text, re.ASCII) for text in column.distinct):
        return [int(text) for text in texts]
    return list(texts)
