"""What if an item were different, or there were a new one: written as text, read into vectors."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from rather.errors import InvalidInputError, UnknownNameError
from rather.formats.tables.changed_items import changed_vector
from rather.insights.estimates import Replicates
from rather.insights.shares import Share, share_changes, shares
from rather.model.catalog import Catalog

SYNTAX = '"ID: column=value, column=value", or "+ID: …" for a new item that is otherwise like that one'


@dataclass(frozen=True)
class WhatIf:
    """The shares after a change, and by how much they differ from those of now.

    Attributes:
        change: As it was written.
        shares: Afterwards.
        changes: Afterwards minus now.
    """

    change: str
    shares: tuple[Share, ...]
    changes: tuple[Share, ...]


@dataclass(frozen=True, eq=False)
class Change:
    """A change of the items that people choose from.

    Attributes:
        text: As it was written.
        row: Of the item that changes, or that the new one is like.
        is_new: Whether it is a new item.
        vector: `(d,)`.
    """

    text: str
    row: int
    is_new: bool
    vector: Tensor


def row_of(catalog: Catalog, id: str) -> int:
    """The row of the item with this id, written as text, or else with this label."""
    text = id.strip()
    row = catalog.find(text)
    if row is None and text.lstrip("-").isdigit():
        row = catalog.find(int(text))
    if row is None and text in catalog.labels:
        row = list(catalog.labels).index(text)
    if row is None:
        raise UnknownNameError(f"No {catalog.name} has the id {text!r}.")
    return row


def parsed_change(text: str, catalog: Catalog) -> Change:
    """A change that is written as text, such as "Golf: price=900" or "+Golf: price=900, colour=red"."""
    name, colon, rest = text.rpartition(":") if "=" not in text.partition(":")[2] else text.partition(":")
    pairs = [part.partition("=") for part in rest.split(",") if part.strip()]
    if not colon or not name.strip() or not pairs or not all(column.strip() and equals for column, equals, _ in pairs):
        raise InvalidInputError(f"A what-if must read {SYNTAX}, got {text!r}.")
    is_new = name.strip().startswith("+")
    row = row_of(catalog, name.strip().removeprefix("+"))
    vector = changed_vector(catalog, row, {column.strip(): value for column, _, value in pairs})
    return Change(text, row, is_new, vector)


def what_if(
    draws: Tensor,
    rows: Sequence[int],
    change: Change,
    catalog: Catalog,
    temperature: float,
    replicates: Replicates,
) -> WhatIf:
    """What a change does to the shares of the items in these rows, to which the changed one is added if needed."""
    compared = list(rows) if change.row in rows or change.is_new else [*rows, change.row]
    labels = [catalog.label(row) for row in compared]
    before = catalog.vectors(compared)
    if change.is_new:
        after = torch.cat([before, change.vector[None]])
        labels.append(f"new: {change.text.strip().removeprefix('+')}")
    else:
        after = before.clone()
        after[compared.index(change.row)] = change.vector
    then = shares(draws, after, labels, temperature, replicates)
    return WhatIf(change.text, then, share_changes(draws, before, after, labels, temperature, replicates))
