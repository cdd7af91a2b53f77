"""What if an item were different, or there were a new one: written as text, read into vectors."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from rather.errors import InvalidInputError, UnknownNameError
from rather.formats.tables.changed_items import changed_vector
from rather.insights.estimates import Replicates
from rather.insights.items import Item, item_of
from rather.insights.shares import Share, share_changes, shares
from rather.model.catalog import Catalog

SYNTAX = '"ID: column=value, column=value", or "+ID: …" for a new item that is otherwise like that one'


@dataclass(frozen=True)
class WhatIf:
    """The shares after a change, and by how much they differ from those of now.

    Attributes:
        change: As it was written.
        question: The same as a question in words.
        shares: Afterwards.
        changes: Afterwards minus now.
    """

    change: str
    question: str
    shares: tuple[Share, ...]
    changes: tuple[Share, ...]


@dataclass(frozen=True, eq=False)
class Change:
    """A change of the items that people choose from.

    Attributes:
        text: As it was written.
        values: The columns that change, each with its value.
        row: Of the item that changes, or that the new one is like.
        is_new: Whether it is a new item.
        vector: `(d,)`.
    """

    text: str
    values: tuple[tuple[str, str], ...]
    row: int
    is_new: bool
    vector: Tensor


def row_of(catalog: Catalog, id: str) -> int:
    """The row of the item with this id, written as text, or else with this label."""
    text = id.strip()
    row = catalog.find_written(text)
    if row is None and text in catalog.labels:
        row = list(catalog.labels).index(text)
    if row is None:
        raise UnknownNameError(f"No {catalog.name} has the id {text!r}.")
    return row


def parsed_change(text: str, catalog: Catalog) -> Change:
    """A change that is written as text, such as "Golf: price=900" or "+Golf: price=900, colour=red"."""
    name, colon, rest = text.rpartition(":") if "=" not in text.partition(":")[2] else text.partition(":")
    pairs = [part.partition("=") for part in _pairs(rest)]
    if not colon or not name.strip() or not pairs or not all(column.strip() and equals for column, equals, _ in pairs):
        raise InvalidInputError(f"A what-if must read {SYNTAX}, got {text!r}.")
    is_new = name.strip().startswith("+")
    row = row_of(catalog, name.strip().removeprefix("+"))
    values = tuple((column.strip(), value.strip()) for column, _, value in pairs)
    return Change(text, values, row, is_new, changed_vector(catalog, row, dict(values)))


def _pairs(text: str) -> list[str]:
    """The texts "column=value" of a change. A comma without a "=" behind it is part of a value: "price=18,000"."""
    found: list[str] = []
    for part in text.split(","):
        if "=" in part or not found:
            found.append(part)
        else:
            found[-1] += f",{part}"
    return [part.rstrip(" ,") for part in found if part.strip()]


def what_if(
    draws: Tensor,
    rows: Sequence[int],
    change: Change,
    catalog: Catalog,
    temperatures: Tensor,
    replicates: Replicates,
) -> WhatIf:
    """What a change does to the shares of the items in these rows, to which the changed one is added if needed."""
    compared = list(rows) if change.row in rows or change.is_new else [*rows, change.row]
    items = [item_of(catalog, row) for row in compared]
    before = catalog.vectors(compared)
    if change.is_new:
        after = torch.cat([before, change.vector[None]])
        like = item_of(catalog, change.row)
        items.append(Item(f"+{like.id}", f"new: {like.label}"))
    else:
        after = before.clone()
        after[compared.index(change.row)] = change.vector
    then = shares(draws, after, items, temperatures, replicates)
    changes = share_changes(draws, before, after, items, temperatures, replicates)
    return WhatIf(change.text, _question(change, catalog.label(change.row)), then, changes)


def _question(change: Change, label: str) -> str:
    *rest, last = [f"{column} {value}" for column, value in change.values]
    values = f"{', '.join(rest)} and {last}" if rest else last
    return f"What if there were another {label} with {values}?" if change.is_new else f"What if {label} had {values}?"
