"""A table made into vectors: its catalogue, and the belief that conversations about it start from."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rather.errors import InvalidInputError
from rather.formats.tables.basis import Floats, Gaussian
from rather.formats.tables.blocks import Block, build_block
from rather.formats.tables.column_kinds import Role
from rather.formats.tables.compared_columns import compared_columns
from rather.formats.tables.facts import Facts
from rather.formats.tables.inspection import inspect_table, reject_problems
from rather.formats.tables.interactions import Interaction, build_interactions, left_out
from rather.formats.tables.prior import joint_prior, utility_scale
from rather.formats.tables.rows_with_attributes import RowsWithAttributes
from rather.formats.tables.settings import TableSettings
from rather.formats.tables.table_attributes import attributes_together, table_attributes
from rather.formats.tables.table_columns import InspectedTable, TableColumn, label_columns
from rather.formats.tables.table_comparatives import TableComparatives
from rather.formats.tables.table_filters import TableFilters
from rather.formats.tables.table_space import TableSpace
from rather.model.belief import Belief
from rather.model.catalog import Catalog, ItemId
from rather.model.priors import Prior, gaussian_prior

# Rows that are converted to float64 at a time.
BATCH_ROWS = 65_536


@dataclass(frozen=True)
class EncodedTable:
    """A table whose rows have become the items of a catalogue; made by `encode_table`.

    Attributes:
        catalog: Its rows.
        inspected: Its columns.
        blocks: The parameters of the columns that are learned from, in the order of the item vectors.
        interactions: The joint terms of pairs of columns, whose parameters follow those of the blocks.
        scale: The factor by which centred rows were multiplied to become item vectors.
    """

    catalog: Catalog
    inspected: InspectedTable = field(repr=False)
    blocks: tuple[Block, ...] = field(repr=False)
    interactions: tuple[Interaction, ...] = field(repr=False)
    scale: float

    @property
    def columns(self) -> tuple[TableColumn, ...]:
        """All columns, in the table's order."""
        return self.inspected.columns

    def column(self, name: str) -> TableColumn:
        """The column of this name."""
        return self.inspected.column(name)

    @property
    def settings(self) -> TableSettings:
        """Everything that was decided, as settings that lead to the same catalogue again."""
        return self.inspected.settings()

    def prior(self) -> Prior:
        """The distribution of people's utility vectors."""
        joint = joint_prior(self.blocks, self.interactions)
        return gaussian_prior(joint.mean, joint.covariance)

    def belief(self, *, particles: int = 1000, seed: int = 0) -> Belief:
        """The belief about a person before the first question: `particles` draws from the prior."""
        return Belief.from_prior(self.prior(), particles=particles, seed=seed)


def encode_table(
    source: Any,
    settings: TableSettings | Mapping[str, Any] | str | Path | None = None,
    *,
    ignore: Sequence[str] = (),
    most_megabytes: float | None = None,
    strict: bool = False,
) -> EncodedTable:
    """Read a table, infer what its columns are, and turn each row into an item vector.

    Args:
        source: Path of a CSV, TSV, Parquet or JSON lines file; a pandas or polars DataFrame; an Arrow table; or a
            mapping of column names to lists.
        settings: What is known about the table: the path of a settings file, or its content as a mapping or
            `TableSettings`. By default the settings beside the table (`cars.toml` beside `cars.csv`), if there are any.
        ignore: Columns neither to learn from nor to show, besides those that the settings ignore.
        most_megabytes: Reject larger files; by default 512 MB or what the settings say.
        strict: Reject a table with a value that cannot be read as what its column holds, and a file that is not UTF-8;
            by default such a value counts as missing, and `Catalog.notes` says so.
    """
    inspected = inspect_table(source, settings, ignore=ignore, most_megabytes=most_megabytes, strict=strict)
    reject_problems(inspected)
    blocks, interactions, rows = _encoded(inspected)
    scale = _scale(joint_prior(blocks, interactions), rows)
    items = rows * np.float32(scale)
    labels = inspected.labels()
    attributes = table_attributes(blocks, scale, interactions)
    catalog = Catalog(
        items,
        ids=_ids(inspected, labels),
        labels=labels,
        facts=Facts(inspected.columns, label_columns(inspected.label, inspected.raw.columns), len(inspected)),
        links=inspected.links(),
        images=inspected.images(),
        # A product of two parameters is nothing that a person says.
        features=[name for block in blocks for name in block.features] + [""] * sum(each.size for each in interactions),
        name=inspected.name,
        verb=inspected.given.verb,
        attributes=attributes,
        columns=compared_columns(blocks, attributes, interactions, scale),
        together=partial(attributes_together, blocks, interactions),
        combinable=RowsWithAttributes(blocks),
        comparatives=TableComparatives(blocks, scale, interactions, items),
        filters=TableFilters(inspected.columns),
        space=TableSpace(
            blocks, tuple(column.name for column in inspected.columns if column.role is not Role.USE), interactions
        ),
        notes=(*inspected.repairs, *left_out(inspected).values()),
    )
    return EncodedTable(catalog, inspected, blocks, interactions, scale)


def describe_items(
    catalog: Catalog,
    source: Any,
    settings: TableSettings | Mapping[str, Any] | str | Path | None = None,
    *,
    ignore: Sequence[str] = (),
    strict: bool = False,
) -> Catalog:
    """A catalogue of vectors with the ids, labels, facts and filters of a table that has a row for each item.

    Args:
        catalog: The items. Ids that are not the row numbers must be those of the table, in the same order.
        source: The table, see `encode_table`.
        settings: Its settings.
        ignore: Columns not to show.
        strict: See `encode_table`.
    """
    inspected = inspect_table(source, settings, ignore=ignore, strict=strict)
    if (count := len(inspected) + inspected.out_of_stock) != len(catalog):
        raise InvalidInputError(
            f"{inspected.raw.source} must have a row for each of the {len(catalog):,} items, got {count:,}."
        )
    if inspected.raw.rows is not None:
        catalog = _in_stock(catalog, inspected.raw.rows)
    labels = inspected.labels()
    ids = _ids(inspected, labels)
    if not isinstance(catalog.ids, range):
        if inspected.id is not None and ids is not None:
            _reject_other_ids(ids, catalog.ids, inspected)
        ids = None
    return Catalog(
        catalog.storage,
        ids=catalog.ids if ids is None else ids,
        labels=labels or catalog.labels or None,
        facts=Facts(inspected.columns, label_columns(inspected.label, inspected.raw.columns), len(inspected)),
        links=inspected.links(),
        images=inspected.images(),
        features=catalog.features or None,
        name=inspected.name if catalog.name == "item" else catalog.name,
        verb=inspected.given.verb or (None if catalog.name == "item" else catalog.verb),
        filters=TableFilters(inspected.columns),
        notes=inspected.repairs,
    )


def _in_stock(catalog: Catalog, rows: npt.NDArray[np.int64]) -> Catalog:
    """The items of these rows, in memory, under the ids that they have."""
    kept = rows.tolist()
    return Catalog(
        catalog.vectors(kept),
        ids=[catalog.ids[row] for row in kept],
        labels=[catalog.labels[row] for row in kept] if catalog.labels else None,
        features=catalog.features or None,
        name=catalog.name,
        verb=catalog.verb,
    )


def _reject_other_ids(ids: Sequence[ItemId], expected: Sequence[ItemId], inspected: InspectedTable) -> None:
    assert inspected.id is not None
    for row, (own, other) in enumerate(zip(ids, expected, strict=True)):
        if str(own) != str(other):
            raise InvalidInputError(
                f"The rows of {inspected.raw.source} must be in the order of the vectors, but "
                f"{inspected.raw.location(row, inspected.id)} holds {own!r} and the vectors have {other!r} there."
            )


def _encoded(
    inspected: InspectedTable,
) -> tuple[tuple[Block, ...], tuple[Interaction, ...], npt.NDArray[np.float32]]:
    """The blocks, the interactions, and all rows in their parameters `(n, d)`, centred."""
    used = [column for column in inspected.columns if column.role is Role.USE]
    if not used:
        raise InvalidInputError(_nothing_to_learn(inspected))
    joined = {name for pair in inspected.given.interactions or () for name in pair}
    blocks, kept, parts = [], [], []
    for column in used:
        block, rows = build_block(column)
        blocks.append(block)
        # Rows in float64 are four times what is kept in the end: only those that are multiplied wait for it.
        kept.append(rows if column.name in joined else rows[:0])
        parts.append((rows - block.mean).astype(np.float32))
    interactions = build_interactions(inspected, blocks, kept)
    for each in interactions:
        products = each.rows(*(kept[index] for index in each.blocks))
        parts.append((products - each.mean).astype(np.float32))
    return tuple(blocks), interactions, np.concatenate(parts, axis=1)


def _nothing_to_learn(inspected: InspectedTable) -> str:
    reasons = [
        f"{column.name!r} is {column.kind}{', ' * bool(column.note)}{column.note}" for column in inspected.columns
    ]
    more = f" and {len(reasons) - 8} more" if len(reasons) > 8 else ""
    return (
        f"No column of {inspected.raw.source} can be learned from: {'; '.join(reasons[:8])}{more}. A table needs a "
        "column of numbers, yes/no, categories, tags or dates that differs between rows; if one was misread, set its "
        '`kind` and role = "use" in the settings.'
    )


def _scale(prior: Gaussian, rows: npt.NDArray[np.float32]) -> float:
    d = rows.shape[1]
    moment: Floats = np.zeros((d, d))
    for start in range(0, len(rows), BATCH_ROWS):
        batch = rows[start : start + BATCH_ROWS].astype(np.float64)
        moment += batch.T @ batch
    return utility_scale(moment / len(rows), prior)


def _ids(inspected: InspectedTable, labels: Sequence[str] | None) -> list[ItemId] | None:
    """The values of the id column; without one the labels if they are distinct, else None for the row numbers."""
    if inspected.id is None and labels is not None and len(set(labels)) == len(labels):
        return list(labels)
    if inspected.id is None:
        return None if inspected.raw.rows is None else list(inspected.raw.rows.tolist())
    column = inspected.column(inspected.id).cells
    texts: list[str] = column.texts.to_pylist()
    if all(re.fullmatch(r"0|-?[1-9]\d{0,17}", text, re.ASCII) for text in column.distinct):
        return [int(text) for text in texts]
    return list(texts)
