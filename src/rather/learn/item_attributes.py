"""Items described by attributes that users understand: "funny", "set in space"."""

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
class ItemAttributes:
    """How much each of the attributes applies to each of the n items.

    Attributes:
        values: `(n, a)` float32, 0 to 1.
        names: Of the a attributes.
        item_ids: Of the n items.
        labels: Of the n items, as they are shown.
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

    def commonest(self, count: int) -> ItemAttributes:
        """The `count` attributes with the largest sum over items (the paper keeps 100)."""
        kept = np.sort(np.argsort(-self.values.sum(axis=0), kind="stable")[:count])
        return ItemAttributes(self.values[:, kept], [self.names[index] for index in kept], self.item_ids, self.labels)

    def subset(self, kept: NDArray[Any]) -> ItemAttributes:
        """Some of the items, by mask or by rows."""
        rows = np.arange(len(self))[kept]
        return ItemAttributes(
            self.values[rows],
            self.names,
            [self.item_ids[row] for row in rows],
            [self.labels[row] for row in rows],
        )

    def catalog(self, name: str = "item") -> Catalog:
        """The items as a catalogue whose dimensions are the attributes."""
        return Catalog(self.values, self.item_ids, self.labels, features=list(self.names), name=name)


def read_attributes(path: Path) -> ItemAttributes:
    """Attributes from a table, whose first column holds the ids of the items, and a column `title` their labels."""
    table = read_table(path)
    first, *others = table.column_names
    ids = table[first].to_pylist()
    shown = next((name for name in others if name.lower() in ("title", "label", "name")), None)
    names = [name for name in others if name != shown]
    try:
        values = np.stack([table[name].to_numpy() for name in names], axis=1).astype(np.float32)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"All columns of {path.name} must hold numbers, except the first (ids) and one called title."
        ) from None
    labels = [str(text) for text in table[shown].to_pylist()] if shown else [str(id) for id in ids]
    return ItemAttributes(values, names, ids, labels)


def matched(ratings: Ratings, attributes: ItemAttributes) -> tuple[Ratings, ItemAttributes]:
    """Both, restricted to the items that have ratings and attributes, in the order of the ratings' items."""
    rows = {id: row for row, id in enumerate(attributes.item_ids)}
    described = np.array([id in rows for id in ratings.item_ids])
    if not described.any():
        raise InvalidInputError(
            f"`attributes` must describe the items of `ratings`, but none of them is the same: rated is "
            f"{ratings.item_ids[0]!r}, described is {attributes.item_ids[0]!r}."
        )
    kept = ratings.subset(described[ratings.items]).compact()
    return kept, attributes.subset(np.array([rows[id] for id in kept.item_ids]))
