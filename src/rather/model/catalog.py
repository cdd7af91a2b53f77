"""Items as vectors, and what to show of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import torch
from torch import Tensor

from rather.errors import InvalidInputError, UnknownNameError
from rather.model.attributes import Attribute, unit_attributes, validated_attributes
from rather.model.items import FeatureRanges, ItemStorage, TensorItems
from rather.model.items import ItemId as ItemId
from rather.numerics.arrays import as_floats

if TYPE_CHECKING:
    from rather.formats.tables.encoded_table import Table
    from rather.formats.tables.settings import Spec
    from rather.formats.vectors.file_facts import OnProgress


@runtime_checkable
class LargeColumn(Protocol):
    """Ids that find duplicates among themselves without a Python object for each of them."""

    def first_duplicate(self) -> tuple[ItemId, int, int] | None:
        """A value that occurs twice and its first two rows; None when all are distinct."""
        ...


class Catalog:
    """Items that can be asked about and recommended. Inside, an item is its row `0..n-1`.

    Args:
        items: `(n, d)` item vectors: NumPy array, torch tensor, nested list or DataFrame; or an `ItemStorage`.
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
        self.storage = items if isinstance(items, ItemStorage) else TensorItems(as_floats(items, "items", rank=2))
        n, d = self.storage.shape
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
        return self.storage.shape[0]

    def __repr__(self) -> str:
        return f"Catalog({len(self)} {self.name}s, {self.dimensions} dimensions)"

    @property
    def dimensions(self) -> int:
        """The length d of an item vector."""
        return self.storage.shape[1]

    @property
    def items(self) -> Tensor:
        """All item vectors `(n, d)`. Only retrieval reads them; everything else takes `vectors` by row."""
        return self.storage.tensor

    def vectors(self, rows: Tensor | Sequence[int] | int) -> Tensor:
        """The vectors `(..., d)` of the items in these rows `(...)`."""
        return self.storage.vectors(rows if isinstance(rows, Tensor) else torch.as_tensor(rows, dtype=torch.long))

    def sample(self, count: int) -> Tensor:
        """The vectors `(s, d)` of evenly spaced items: all of a small catalogue, else `count` to twice as many."""
        return self.vectors(torch.arange(0, len(self), max(1, len(self) // count)))

    @cached_property
    def content_hash(self) -> str:
        """A hash of ids and vectors: equal for equal catalogues, in whichever process or file."""
        return self.storage.content_hash(None if _are_rows(self.ids) else self.ids)

    @property
    def largest_norm(self) -> float:
        """The largest Euclidean norm of an item: the ball in which hypothetical items may move."""
        return self.storage.largest_norm

    @property
    def average(self) -> Tensor:
        """The average item vector `(d,)`."""
        return self.storage.average

    @property
    def feature_ranges(self) -> FeatureRanges:
        """How each dimension varies over the items."""
        return self.storage.feature_ranges

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

    def facts_of(self, row: int) -> Mapping[str, str]:
        """What else to show of it, possibly nothing."""
        return self.facts[row] if self.facts else {}


def _are_rows(ids: Sequence[ItemId]) -> bool:
    """Whether the ids are `0..n-1`, however they were given."""
    return ids == range(len(ids)) if isinstance(ids, range) else all(id == row for row, id in enumerate(ids))


def _column(values: Sequence[Any], name: str, length: int) -> Sequence[Any]:
    if isinstance(values, Sequence) and not isinstance(values, list | tuple | str):
        column: Sequence[Any] = values  # kept as it is: its entries may become Python objects only when looked at
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
    found = ids.first_duplicate() if isinstance(ids, LargeColumn) else _first_duplicate(ids)
    if found is not None:
        id, first, second = found
        raise InvalidInputError(f"`ids` must be distinct, but {id!r} stands in rows {first} and {second}.")


def _first_duplicate(ids: Sequence[ItemId]) -> tuple[ItemId, int, int] | None:
    try:
        if isinstance(ids, range) or len(set(ids)) == len(ids):
            return None
    except TypeError:
        raise InvalidInputError("`ids` must be texts or whole numbers, which can be told apart.") from None
    seen: dict[ItemId, int] = {}
    return next((id, seen[id], row) for row, id in enumerate(ids) if seen.setdefault(id, row) != row)
