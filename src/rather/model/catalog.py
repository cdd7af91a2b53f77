"""Items as vectors, and what to show of them."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from rather.errors import InvalidInputError, UnknownNameError
from rather.formats.vectors import Column, ItemFile, examine
from rather.formats.vectors.file_facts import OnProgress, Remembered
from rather.formats.vectors.item_facts import hash_of_shape
from rather.model.attributes import Attribute, unit_attributes, validated_attributes
from rather.numerics.arrays import as_floats
from rather.numerics.threads import on_all_threads

if TYPE_CHECKING:
    from rather.formats.tables.encoded_table import Table
    from rather.formats.tables.settings import Spec

ItemId = str | int

# Rows hashed or scanned at a time: large enough that two threads pay off, small enough to bound memory.
BLOCK_ROWS = 65_536


class Catalog:
    """Items that can be asked about and recommended. Inside, an item is its row `0..n-1`.

    Args:
        items: `(n, d)` item vectors: NumPy array, torch tensor, nested list, DataFrame, or an `ItemFile` to map.
        ids: n distinct names of the items, by default `0..n-1`.
        labels: n texts to show, by default the ids.
        facts: For each item, what else to show of it ("year": "1942").
        features: Names of the d dimensions, where they mean something to a person.
        name: What one calls an item here, in the singular ("film").
        attributes: What can be said of an item in a few words, for questions about attributes; by default one
            attribute for each of the `features`.
        together: `(a, a)` boolean, which two of the a attributes hold of one item at least. Those that never do are
            not said together; by default only attributes about the same column are kept apart.
    """

    def __init__(
        self,
        items: Any,
        ids: Sequence[ItemId] | None = None,
        labels: Sequence[str] | None = None,
        *,
        facts: Sequence[Mapping[str, str]] | None = None,
        features: Sequence[str] | None = None,
        name: str = "item",
        attributes: Sequence[Attribute] | None = None,
        together: Any = None,
    ) -> None:
        self.file = items if isinstance(items, ItemFile) else None
        self._examined = None if self.file is None else examine(self.file)
        self.items: Tensor = as_floats(items, "items", rank=2) if self.file is None else self.file.tensor()
        n, d = self.items.shape
        if n == 0 or d == 0:
            raise InvalidInputError(f"`items` must hold at least one item and one dimension, got ({n}, {d}).")
        self.ids: Sequence[ItemId] = range(n) if ids is None else _column(ids, "ids", n)
        self.labels: Sequence[str] = () if labels is None else _column(labels, "labels", n)
        self.facts: Sequence[Mapping[str, str]] = () if facts is None else _column(facts, "facts", n)
        self.features: Sequence[str] = () if features is None else _column(features, "features", d)
        self.name = name
        self.table: Table | None = None
        self.attributes: Sequence[Attribute] = (
            unit_attributes(self.features) if attributes is None else validated_attributes(attributes, d)
        )
        self._together = None if together is None else _pairs(together, len(self.attributes))
        _reject_duplicates(self.ids)

    @classmethod
    def from_vectors(cls, path: str | Path, on_progress: OnProgress | None = None) -> Catalog:
        """A catalogue of the item vectors in a file, which stay there if it is large (see `rather.formats.vectors`).

        Args:
            path: `.npy`, `.npz`, `.parquet`, `.arrow`, `.feather`, or word2vec's text.
            on_progress: Called as a large file is looked at for the first time: what is done, how far, how far it goes.
        """
        from rather.formats.vectors.vector_files import load_vectors

        return load_vectors(path, on_progress).catalog(on_progress)

    @classmethod
    def from_table(
        cls,
        source: Any,
        spec: Spec | Mapping[str, Any] | str | Path | None = None,
        *,
        ignore: Sequence[str] = (),
        most_megabytes: float | None = None,
    ) -> Catalog:
        """A catalogue of a table's rows. Its prior is `rather.formats.tables.table_prior(catalog)`.

        What the columns are is found, and can be told.

        Args:
            source: Path of a CSV, TSV, Parquet or JSON lines file; a pandas or polars DataFrame; an Arrow table; or a
                mapping of column names to lists.
            spec: What is told about the table: the path of a settings file, or its content as a mapping or `Spec`. By
                default the settings that lie beside the table (`cars.toml` beside `cars.csv`), if there are any.
            ignore: Columns neither to learn from nor to show, besides those the settings ignore.
            most_megabytes: Refuse larger files; by default 512 MB or what the settings say.
        """
        from rather.formats.tables.encoded_table import catalog_from_table

        return catalog_from_table(source, spec, ignore=ignore, most_megabytes=most_megabytes)

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        return f"Catalog({len(self)} {self.name}s, {self.dimensions} dimensions)"

    @property
    def dimensions(self) -> int:
        """The length d of an item vector."""
        return self.items.shape[1]

    @cached_property
    def content_hash(self) -> str:
        """A hash of ids and vectors: equal for equal catalogues, in whichever process or file.

        It is a hash of every number. Of a large file it is computed once and recalled until the file changes.
        """
        if _are_rows(self.ids):
            return self._hash_of_items().hexdigest() if self._examined is None else self._examined.digest
        own_ids = self.file is not None and isinstance(self.ids, Column) and self.ids.path == self.file.path
        remembered = Remembered(self.file.path) if own_ids and self.file is not None else None
        known = None if remembered is None else remembered.facts().get("hash with ids")
        if known is None:
            known = self._hash_with_ids()
            if remembered is not None:
                remembered.remember(**{"hash with ids": known})
        return str(known)

    def _hash_of_items(self) -> hashlib.blake2b:
        digest = hash_of_shape(tuple(self.items.shape))
        for block in torch.split(self.items, BLOCK_ROWS):
            digest.update(block.contiguous().numpy().data)
        return digest

    def _hash_with_ids(self) -> str:
        digest, ids = self._hash_of_items(), iter(self.ids)
        separator = ""
        while block := list(itertools.islice(ids, BLOCK_ROWS)):
            digest.update((separator + "\0".join(map(repr, block))).encode())
            separator = "\0"
        return digest.hexdigest()

    @cached_property
    def largest_norm(self) -> float:
        """The largest Euclidean norm of an item: the ball in which hypothetical items may move."""
        return float(self.norms.max())

    @cached_property
    def norms(self) -> Tensor:
        """`(n,)` Euclidean norms of the items, from one pass."""
        if self._examined is not None:
            return self._examined.norms
        return torch.cat(on_all_threads(_norms, torch.split(self.items, BLOCK_ROWS)))

    @cached_property
    def average(self) -> Tensor:
        """The average item vector `(d,)`."""
        if self._examined is not None:
            return self._examined.average
        total = sum(block.sum(dim=0, dtype=torch.float64) for block in torch.split(self.items, BLOCK_ROWS))
        return torch.as_tensor(total / len(self), dtype=torch.float32)

    @cached_property
    def together(self) -> Tensor | None:
        """`(a, a)` boolean, which two attributes hold of one item at least; None where that is not known."""
        if self._together is not None or self.table is None:
            return self._together
        return torch.from_numpy(self.table.together)

    @cached_property
    def _rows(self) -> dict[ItemId, int]:
        return {id: row for row, id in enumerate(self.ids)}

    def row(self, id: ItemId) -> int:
        """The row of the item with this id."""
        try:
            return self._rows[id] if isinstance(self.ids, list) else self.ids.index(id)
        except (KeyError, ValueError):
            raise UnknownNameError(f"No {self.name} has the id {id!r}.") from None

    def where(self, expression: str) -> Tensor:
        """Which items satisfy an expression over the table's columns, a boolean mask `(n,)`.

        `price < 30000 and drive == 'AWD'`; see `rather.formats.tables.filter_expressions` for what can be said. A
        missing value satisfies neither a condition nor its opposite.
        """
        if self.table is None:
            raise InvalidInputError("`where` needs the columns of a table; this catalogue was made of vectors alone.")
        return torch.from_numpy(self.table.where(expression))

    def label(self, row: int) -> str:
        """What to show for the item in this row."""
        return str(self.labels[row] if self.labels else self.ids[row])

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs: of mapped items where they are, and how to see that they are the same."""
        if self._examined is None:
            return self.__dict__
        left_behind = ("items", "norms", "_examined")
        state = {name: value for name, value in self.__dict__.items() if name not in left_behind}
        return {**state, "digest": self._examined.digest}

    def __setstate__(self, state: dict[str, Any]) -> None:
        digest = state.pop("digest", None)
        self.__dict__.update(state)
        if self.file is None:
            return
        self.items, self._examined = self.file.tensor(), examine(self.file)
        if self._examined.digest != digest:
            raise InvalidInputError(f"{self.file.path} does not hold the items of this catalogue here, or any more.")

    def facts_of(self, row: int) -> Mapping[str, str]:
        """What else to show of it, possibly nothing."""
        return self.facts[row] if self.facts else {}


def _norms(block: Tensor) -> Tensor:
    norms: Tensor = torch.linalg.vector_norm(block, dim=1)
    return norms


def _are_rows(ids: Sequence[ItemId]) -> bool:
    """Whether the ids are `0..n-1`, however they were given."""
    return isinstance(ids, range) or all(id == row for row, id in enumerate(ids))


def _column(values: Sequence[Any], name: str, length: int) -> Sequence[Any]:
    if isinstance(values, Column):  # many; they become Python's own one by one
        column: Sequence[Any] = values
    else:
        # NumPy's own scalars would hash and print differently from the same ids given as a list.
        column = values.tolist() if hasattr(values, "tolist") else list(values)
    if len(column) != length:
        raise InvalidInputError(f"`{name}` must have {length} entries to match `items`, got {len(column)}.")
    return column


def _pairs(values: Any, count: int) -> Tensor:
    pairs = torch.as_tensor(values)
    if pairs.dtype != torch.bool or tuple(pairs.shape) != (count, count):
        raise InvalidInputError(
            f"`together` must be boolean of shape ({count}, {count}), two axes of attributes, "
            f"got {str(pairs.dtype).removeprefix('torch.')} of shape {tuple(pairs.shape)}."
        )
    return pairs


def _reject_duplicates(ids: Sequence[ItemId]) -> None:
    if isinstance(ids, Column):
        _reject_duplicates_of(ids)
        return
    try:
        if isinstance(ids, range) or len(set(ids)) == len(ids):
            return
    except TypeError:
        raise InvalidInputError("`ids` must be texts or whole numbers, which can be told apart.") from None
    seen: dict[ItemId, int] = {}
    for row, id in enumerate(ids):
        if id in seen:
            raise InvalidInputError(f"`ids` must be distinct, but {id!r} stands in rows {seen[id]} and {row}.")
        seen[id] = row


def _reject_duplicates_of(ids: Column) -> None:
    remembered = None if ids.path is None else Remembered(ids.path)
    if remembered is not None and remembered.facts().get("ids are distinct"):
        return
    if not ids.distinct:
        id, first, second = ids.first_duplicate()
        raise InvalidInputError(f"`ids` must be distinct, but {id!r} stands in rows {first} and {second}.")
    if remembered is not None:
        remembered.remember(**{"ids are distinct": True})
