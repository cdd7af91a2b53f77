"""Who rated what: the table that user and item vectors are learnt from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rather.errors import InvalidInputError
from rather.learn.table_files import read_table
from rather.model.catalog import ItemId

# Names under which other people's tables hold the three columns, most particular first.
USER_COLUMNS = ("user_id", "userid", "user", "reader", "customer", "member")
ITEM_COLUMNS = ("item_id", "movie_id", "movieid", "book_id", "isbn", "itemid", "item", "movie", "book", "product")
RATING_COLUMNS = ("rating", "score", "stars", "value", "count", "plays")


@dataclass(frozen=True, eq=False)
class Ratings:
    """r ratings of n items by m users. Inside, users and items are `0..m-1` and `0..n-1`.

    Attributes:
        users: `(r,)` int64.
        items: `(r,)` int64.
        values: `(r,)` float32, in the publisher's scale.
        user_ids: m names.
        item_ids: n names.
        labels: n texts to show; the names where nothing better is known.
    """

    users: NDArray[np.int64]
    items: NDArray[np.int64]
    values: NDArray[np.float32]
    user_ids: Sequence[ItemId]
    item_ids: Sequence[ItemId]
    labels: Sequence[str]

    @classmethod
    def from_columns(cls, users: Any, items: Any, values: Any, titles: Mapping[ItemId, str] | None = None) -> Ratings:
        """From three columns of equal length; users and items are numbered in the order of their sorted names.

        A pair that was rated twice keeps its last rating.

        Args:
            users: Who rated, r names.
            items: What was rated, r names.
            values: How, r numbers.
            titles: What to show for an item.
        """
        user_ids, user_rows = _numbered(users)
        item_ids, item_rows = _numbered(items)
        numbers = np.asarray(values, dtype=np.float32)
        if not len(user_rows) == len(item_rows) == len(numbers) or not len(numbers):
            raise InvalidInputError(
                "Ratings need as many users as items and values, and at least one of each, "
                f"got {len(user_rows)}, {len(item_rows)} and {len(numbers)}."
            )
        if not np.isfinite(numbers).all():
            raise InvalidInputError(f"Ratings must be finite, but row {int(np.argmin(np.isfinite(numbers)))} is not.")
        last = _last_of_each(user_rows * len(item_ids) + item_rows)
        labels = [titles.get(id, str(id)) for id in item_ids] if titles else [str(id) for id in item_ids]
        return cls(user_rows[last], item_rows[last], numbers[last], user_ids, item_ids, labels)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"Ratings({len(self):,} of {self.n_items:,} items by {self.n_users:,} users)"

    @property
    def n_users(self) -> int:
        """How many users."""
        return len(self.user_ids)

    @property
    def n_items(self) -> int:
        """How many items."""
        return len(self.item_ids)

    @property
    def popularity(self) -> NDArray[np.int64]:
        """How often each item was rated, `(n,)`."""
        return np.bincount(self.items, minlength=self.n_items)

    def where(self, kept: NDArray[np.bool_]) -> Ratings:
        """Some of the ratings, among the same users and items."""
        return replace(self, users=self.users[kept], items=self.items[kept], values=self.values[kept])

    def split(self, share: float, seed: int) -> tuple[Ratings, Ratings]:
        """All but a random share, and that share."""
        held_out = np.random.default_rng([seed, 1]).random(len(self)) < share
        return self.where(~held_out), self.where(held_out)

    def at_least(self, by_user: int = 1, of_item: int = 1) -> Ratings:
        """Without items that have fewer ratings than `of_item`, then without users who have fewer than `by_user`."""
        kept = self.where(self.popularity[self.items] >= of_item)
        active = np.bincount(kept.users, minlength=self.n_users)
        return kept.where(active[kept.users] >= by_user).compact()

    def compact(self) -> Ratings:
        """Without the users and items that no rating is left of."""
        users, user_rows = np.unique(self.users, return_inverse=True)
        items, item_rows = np.unique(self.items, return_inverse=True)
        if not len(users):
            raise InvalidInputError("No rating is left after leaving out rare users and items.")
        return replace(
            self,
            users=user_rows,
            items=item_rows,
            user_ids=[self.user_ids[row] for row in users],
            item_ids=[self.item_ids[row] for row in items],
            labels=[self.labels[row] for row in items],
        )


def read_ratings(path: Path, user: str | None = None, item: str | None = None, rating: str | None = None) -> Ratings:
    """Ratings from a CSV, TSV or Parquet table.

    Args:
        path: The table.
        user: Its column of users; by default one with a usual name.
        item: Its column of items.
        rating: Its column of ratings.
    """
    table = read_table(path)
    columns = [
        _column(table, wanted, usual, what, path)
        for wanted, usual, what in (
            (user, USER_COLUMNS, "user"),
            (item, ITEM_COLUMNS, "item"),
            (rating, RATING_COLUMNS, "rating"),
        )
    ]
    titles = [name for name in table.column_names if name.lower() in ("title", "label", "name")]
    shown = None
    if titles:
        shown = dict(zip(columns[1].to_pylist(), map(str, table[titles[0]].to_pylist()), strict=True))
    try:
        values = columns[2].to_numpy().astype(np.float32)
    except (TypeError, ValueError):
        raise InvalidInputError(f"The ratings in {path.name} must be numbers, got {columns[2].type}.") from None
    return Ratings.from_columns(columns[0], columns[1], values, shown)


def _column(table: pa.Table, wanted: str | None, usual: Sequence[str], what: str, path: Path) -> Any:
    by_name = {name.lower(): name for name in table.column_names}
    for name in [wanted.lower()] if wanted is not None else usual:
        if name in by_name:
            return table[by_name[name]]
    raise InvalidInputError(
        f"{path.name} has no column {wanted!r}."
        if wanted
        else f"{path.name} has no column of a usual name for {what}s"
        f" ({', '.join(usual)}); it has {', '.join(table.column_names)}. Name it with --{what}."
    )


def _numbered(names: Any) -> tuple[list[ItemId], NDArray[np.int64]]:
    """The distinct names, sorted, and the place of each entry among them."""
    column = names if isinstance(names, pa.ChunkedArray) else pa.chunked_array([pa.array(np.asarray(names))])
    if column.null_count:
        raise InvalidInputError(f"Users and items must have names, but {column.null_count} are missing.")
    encoded = column.combine_chunks()
    if not pa.types.is_dictionary(encoded.type):  # hashing is ten times faster than sorting all entries
        encoded = encoded.dictionary_encode()
    distinct = np.asarray(encoded.dictionary.to_pylist())
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    present = np.unique(codes)  # a dictionary may hold names that no entry uses
    order = present[np.argsort(distinct[present], kind="stable")]
    places = np.empty(len(distinct), dtype=np.int64)
    places[order] = np.arange(len(order))
    return distinct[order].tolist(), places[codes]


def _last_of_each(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """The last place of every key, rising."""
    _, from_the_end = np.unique(keys[::-1], return_index=True)
    return np.sort(len(keys) - 1 - from_the_end)
