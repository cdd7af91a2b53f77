"""An item of a table with other values: what its vector would be if it cost less or had another colour."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from rather.errors import InvalidInputError, UnknownNameError
from rather.formats.tables.basis import Floats, Indicators
from rather.formats.tables.blocks import OTHER, Block
from rather.formats.tables.column_kinds import ColumnKind
from rather.formats.tables.compared_columns import ComparedColumn
from rather.formats.tables.table_space import TableSpace
from rather.model.catalog import Catalog

YES, NO = ("yes", "true", "1"), ("no", "false", "0")


def changed_vector(catalog: Catalog, row: int, changes: Mapping[str, str]) -> Tensor:
    """The vector `(d,)` that the item in this row would have with these values, by the names of columns.

    Args:
        catalog: Of a table.
        row: Of the item.
        changes: New values as texts: a number, perhaps with the unit of its column, "yes" or "no", a category, tags
            separated by "|" or as in the table.
    """
    space = catalog.space
    if not isinstance(space, TableSpace):
        raise InvalidInputError("Only the items of a table can be changed; this catalogue was made of vectors alone.")
    columns = [column for column in catalog.columns if isinstance(column, ComparedColumn)]
    vector = catalog.vectors(row).double().numpy().copy()
    rows = [vector[each.dimensions] / each.scale + each.block.mean for each in columns]
    for name, text in changes.items():
        index = _index(columns, name)
        rows[index] = _row(columns[index].block, text.strip())
    for each, own in zip(columns, rows, strict=True):
        vector[each.dimensions] = each.scale * (own - each.block.mean)
    start = sum(block.size for block in space.blocks)
    for joint in space.interactions:
        first, second = (rows[index][None] for index in joint.blocks)
        vector[start : start + joint.size] = columns[0].scale * (joint.rows(first, second)[0] - joint.mean)
        start += joint.size
    return torch.from_numpy(vector.astype(np.float32))


def _index(columns: Sequence[ComparedColumn], name: str) -> int:
    for index, column in enumerate(columns):
        if name.strip().casefold() in (column.name.casefold(), column.block.column.name.casefold()):
            return index
    known = ", ".join(repr(column.block.column.name) for column in columns)
    raise UnknownNameError(f"No column that is learned from is called {name.strip()!r}. There are: {known}.")


def _row(block: Block, text: str) -> Floats:
    """The parameters `(p,)` of a value that is written as text."""
    row = np.zeros(block.size)
    if isinstance(block.basis, Indicators):
        texts = _tags(block, text) if block.column.kind is ColumnKind.TAGS else [text]
        for each in texts:
            row[_value_index(block, each.strip())] = 1
        return row
    row[: block.basis.size] = block.basis.rows(np.array([_number(block, text)]))[0]
    return row


def _tags(block: Block, text: str) -> list[str]:
    return text.replace(block.column.separator or "|", "|").split("|")


def _value_index(block: Block, text: str) -> int:
    folded = [value.casefold() for value in block.values]
    if text.casefold() in folded:
        return folded.index(text.casefold())
    if OTHER in block.values:
        return block.values.index(OTHER)
    known = ", ".join(map(repr, block.values[:12]))
    raise UnknownNameError(f"{block.column.name!r} has no value {text!r}. There are: {known}.")


def _number(block: Block, text: str) -> float:
    if block.column.kind is ColumnKind.YES_NO:
        if text.casefold() not in (*YES, *NO):
            raise InvalidInputError(f"{block.column.name!r} must be yes or no, got {text!r}.")
        return float(text.casefold() in YES)
    try:
        number = float(_without_unit(text, block.column.unit).replace(",", ""))
    except ValueError:
        number = float("nan")
    if not np.isfinite(number):
        raise InvalidInputError(f"{block.column.name!r} must be a number such as 900, got {text!r}.")
    return number


def _without_unit(text: str, unit: str) -> str:
    """A number without the unit of its column before or behind it: "€18,000", "84,000 km"."""
    return text.removeprefix(unit).removesuffix(unit).strip() if unit else text
