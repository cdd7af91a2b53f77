"""Items described by attributes that mean something to a person: "funny", "set in space"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rather.errors import InvalidInputError
from rather.learn.ratings import Ratings
from rather.learn.table_files import read_table
from rather.model.catalog import Catalog, ItemId


@dataclass(frozen=True, eq=False)
class Attributes:
    """How much each of a attributes applies to each of n items.

    Attributes:
        values: `(n, a)` float32, 0 to 1.
        names: a names.
        item_ids: n names of items.
        labels: n texts to show.
    """

    values: NDArray[np.float32]
    names: Sequence[str]
    item_ids: Sequence[ItemId]
    labels: Sequence[str]

    def __post_init__(self) -> None:
        if self.values.shape != (len(self.item_ids), len(self.names)):
            raise InvalidInputError(
                f"`values` must be ({len(self.item_ids)}, {len(self.names)}) to match the items and names, "
                f"got {self.values.shape}."
            )

    def __len__(self) -> int:
        return len(self.item_ids)

    def commonest(self, count: int) -> Attributes:
        """The `count` attributes of the largest sum over items (the paper keeps 100)."""
        kept = np.sort(np.argsort(-self.values.sum(axis=0), kind="stable")[:count])
        return Attributes(self.values[:, kept], [self.names[place] for place in kept], self.item_ids, self.labels)

    def where(self, kept: NDArray[Any]) -> Attributes:
        """Some of the items, by mask or by rows."""
        rows = np.arange(len(self))[kept]
        return Attributes(
            self.values[rows],
            self.names,
            [self.item_ids[row] for row in rows],
            [self.labels[row] for row in rows],
        )

    def catalog(self, name: str = "item") -> Catalog:
        """The items as a catalogue whose dimensions are the attributes."""
        return Catalog(self.values, self.item_ids, self.labels, features=list(self.names), name=name)


def read_attributes(path: Path) -> Attributes:
    """Attributes from a table: its first column names the items, a column `title` shows them, the others count."""
    table = read_table(path)
    first, *others = table.column_names
    ids = table[first].to_pylist()
    shown = next((name for name in others if name.lower() in ("title", "label", "name")), None)
    names = [name for name in others if name != shown]
    try:
        values = np.stack([table[name].to_numpy() for name in names], axis=1).astype(np.float32)
    except (TypeError, ValueError):
        raise InvalidInputError(f"All columns of {path.name} but the first and a title must be numbers.") from None
    labels = [str(text) for text in table[shown].to_pylist()] if shown else [str(id) for id in ids]
    return Attributes(values, names, ids, labels)


def matched(ratings: Ratings, attributes: Attributes) -> tuple[Ratings, Attributes]:
    """Both, for the items that have ratings and attributes, in the order of the ratings' items."""
    rows = {id: row for row, id in enumerate(attributes.item_ids)}
    described = np.array([id in rows for id in ratings.item_ids])
    if not described.any():
        raise InvalidInputError("No rated item has attributes: the two name their items differently.")
    kept = ratings.where(described[ratings.items]).compact()
    return kept, attributes.where(np.array([rows[id] for id in kept.item_ids]))
