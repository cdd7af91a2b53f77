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
from rather.formats.tables.parsing import plain_number
from rather.learn.table_files import read_table
from rather.model.catalog import ItemId

# Usual names of the three columns, most specific first.
USER_COLUMNS = ("user_id", "userid", "user", "reader", "customer", "member")
ITEM_COLUMNS = ("item_id", "movie_id", "movieid", "book_id", "isbn", "itemid", "item", "movie", "book", "product")
RATING_COLUMNS = ("rating", "score", "stars", "value", "count", "plays")


@dataclass(frozen=True, eq=False)
class Ratings:
    """r ratings of n items by m users. Users and items are numbered `0..m-1` and `0..n-1`.

    Attributes:
        users: `(r,)` int64.
        items: `(r,)` int64.
        values: `(r,)` float32, on the scale of the data set.
        user_ids: Of the m users.
        item_ids: Of the n items.
        labels: Of the n items, as they are shown; their ids if nothing better is known.
    """

    users: NDArray[np.int64]
    items: NDArray[np.int64]
    values: NDArray[np.float32]
    user_ids: Sequence[ItemId]
    item_ids: Sequence[ItemId]
    labels: Sequence[str]

    @classmethod
    def from_columns(cls, users: Any, items: Any, values: Any, titles: Mapping[ItemId, str] | None = None) -> Ratings:
        """From three columns of equal length; users and items are numbered in the order of their sorted ids.

        Of several ratings of the same item by the same user the last one counts.

        Args:
            users: Ids of those who rated.
            items: Ids of what they rated.
            values: Their ratings, as numbers.
            titles: Labels of items, by id.
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

    def subset(self, kept: NDArray[np.bool_]) -> Ratings:
        """Some of the ratings, among the same users and items."""
        return replace(self, users=self.users[kept], items=self.items[kept], values=self.values[kept])

    def split(self, share: float, seed: int) -> tuple[Ratings, Ratings]:
        """A random share of the ratings held out: the others, then these."""
        held_out = np.random.default_rng([seed, 1]).random(len(self)) < share
        return self.subset(~held_out), self.subset(held_out)

    def of_people(self, count: int, seed: int) -> Ratings:
        """Those of `count` people, drawn at random, and of the items that they rated."""
        drawn = np.random.default_rng([seed, 2]).permutation(self.n_users)[:count]
        return self.subset(np.isin(self.users, drawn)).compact()

    def at_least(self, by_user: int = 1, of_item: int = 1) -> Ratings:
        """Drop items with fewer ratings than `of_item`, then users with fewer than `by_user`."""
        kept = self.subset(self.popularity[self.items] >= of_item)
        active = np.bincount(kept.users, minlength=self.n_users)
        return kept.subset(active[kept.users] >= by_user).compact()

    def compact(self) -> Ratings:
        """Drop the users and items without ratings."""
        users, user_rows = np.unique(self.users, return_inverse=True)
        items, item_rows = np.unique(self.items, return_inverse=True)
        if not len(users):
            raise InvalidInputError("No rating is left once rare users and items are dropped; lower the limits.")
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
        user: The name of the column of users; by default a usual one.
        item: That of the column of items.
        rating: That of the column of ratings.
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
    return Ratings.from_columns(columns[0], columns[1], _values(columns[2], path), shown)


def _values(column: pa.ChunkedArray, path: Path) -> NDArray[np.float32]:
    """The ratings as numbers; a decimal comma will do."""
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        values: NDArray[np.float32] = column.to_numpy().astype(np.float32)
        return values
    numbers = [plain_number(str(text).replace(",", ".")) for text in column.to_pylist()]
    if None in numbers:
        row = numbers.index(None)
        raise InvalidInputError(
            f"The ratings in {path.name} must be numbers, but that of data row {row + 1} is {column[row].as_py()!r}."
        )
    return np.array(numbers, dtype=np.float32)


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


def _numbered(ids: Any) -> tuple[list[ItemId], NDArray[np.int64]]:
    """The distinct ids, sorted, and the index of each entry among them."""
    column = ids if isinstance(ids, pa.ChunkedArray) else pa.chunked_array([pa.array(np.asarray(ids))])
    if column.null_count:
        raise InvalidInputError(f"Users and items must have ids, but {column.null_count} are missing.")
    encoded = column.combine_chunks()
    if not pa.types.is_dictionary(encoded.type):  # hashing is ten times faster than sorting all entries
        encoded = encoded.dictionary_encode()
    distinct = np.asarray(encoded.dictionary.to_pylist())
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    present = np.unique(codes)  # a dictionary may hold ids that no entry uses
    order = present[np.argsort(distinct[present], kind="stable")]
    numbers = np.empty(len(distinct), dtype=np.int64)
    numbers[order] = np.arange(len(order))
    return distinct[order].tolist(), numbers[codes]


def _last_of_each(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """The last index of every key, ascending."""
    _, from_the_end = np.unique(keys[::-1], return_index=True)
    return np.sort(len(keys) - 1 - from_the_end)
