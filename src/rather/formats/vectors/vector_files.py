"""Vectors of items and users in one file: what a recommender learnt, ready to be asked about.

A vectors file holds a catalogue and the users that a belief starts from, in one of two formats:

* `.npz`, without pickle: `items (n, d)`, `users (m, d)`, `item_ids`, `labels`, `about`. Texts are one array of UTF-8
  bytes and one of offsets, because NumPy's own strings take four bytes for every letter of the longest. Large files are
  memory-mapped (see `rather.formats.vectors`).
* `.parquet`: one row for each item and user with columns `role`, `id`, `label`, `vector`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from rather.caching.whole_files import written_whole
from rather.errors import InvalidInputError, RatherError
from rather.formats.vectors.archives import ArchiveWriter, MemoryMappedArchive
from rather.formats.vectors.arrow_columns import ArrowColumn
from rather.formats.vectors.arrow_files import ARROW_ENDINGS, ArrowFile, is_list
from rather.formats.vectors.damage import damage_explained
from rather.formats.vectors.file_facts import FileFacts, ReadOptions
from rather.formats.vectors.memory_mapped import MatrixInFile
from rather.formats.vectors.memory_mapped_items import MemoryMappedItems
from rather.model.belief import Belief
from rather.model.catalog import Catalog, ItemId
from rather.numerics.arrays import as_floats

FORMAT = "rather vectors 1"

ARROW_AND_PARQUET = (".parquet", *ARROW_ENDINGS)

# Files of vectors, whatever program wrote them. A Parquet file may be a table as well.
VECTOR_ENDINGS = (".npz", ".npy", ".vec", *ARROW_AND_PARQUET)


@dataclass(frozen=True, eq=False)
class Vectors:
    """Item vectors, and those of the users who are the prior.

    Attributes:
        items: `(n, d)` float32.
        users: `(m, d)` float32, or None when only items are known.
        item_ids: n distinct ids, by default `0..n-1`.
        labels: n texts to show, by default the ids.
        name: What to call an item, in the singular ("film").
        features: Names of the d dimensions, where they mean something to a person.
        about: How the vectors were made (method, seed, metrics), as plain data.
        matrix: Where the items are in their file, when they are memory-mapped.
        options: How that file is read.
    """

    items: NDArray[np.float32]
    users: NDArray[np.float32] | None = None
    item_ids: Sequence[ItemId] | None = None
    labels: Sequence[str] | None = None
    name: str = "item"
    features: Sequence[str] | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    matrix: MatrixInFile | None = None
    options: ReadOptions = field(default_factory=ReadOptions, repr=False)

    def __post_init__(self) -> None:
        _set(self, items=_matrix(self.items, "items"))
        if self.users is not None:
            _set(self, users=_matrix(self.users, "users"))
            if self.users.shape[1] != self.items.shape[1]:
                raise InvalidInputError(
                    f"`users` must have {self.items.shape[1]} dimensions like `items`, got {self.users.shape[1]}."
                )
        for name in ("item_ids", "labels"):
            column = getattr(self, name)
            if column is not None and len(column) != len(self.items):
                raise InvalidInputError(f"`{name}` must have {len(self.items)} entries, got {len(column)}.")

    def catalog(self) -> Catalog:
        """The items. Those of a memory-mapped file are scanned first, unless what a scan finds is in the cache."""
        items = self.items if self.matrix is None else MemoryMappedItems(self.matrix, self.options)
        return Catalog(items, self.item_ids, self.labels, features=self.features, name=self.name)

    def belief(self, *, particles: int = 1000, seed: int = 0) -> Belief:
        """The belief that conversations start from.

        Args:
            particles: Draws from a Gaussian around indifference when there are no users. With users, each of them is a
                particle (see `Belief.from_users`).
            seed: Of the draws.
        """
        if self.users is not None:
            return Belief.from_users(self.users, seed=seed)
        d = self.items.shape[1]
        mean, covariance = np.zeros(d, dtype=np.float32), np.eye(d, dtype=np.float32) / d
        return Belief.gaussian(mean, covariance, particles=particles, seed=seed)


def save_vectors(vectors: Vectors, path: Path | str) -> Path:
    """Write a vectors file, `.npz` or `.parquet` by its ending. A crash leaves the old file or the new one.

    Raises:
        InvalidInputError: An entry is NaN or infinite.
    """
    target = Path(path)
    if target.suffix not in (".npz", ".parquet"):
        raise InvalidInputError(f"`path` of a vectors file must end in .npz or .parquet, got {target.name!r}.")
    for name in ("items", "users"):
        if (matrix := getattr(vectors, name)) is not None:
            as_floats(matrix, name, 2)  # rejects NaN here rather than in every program that opens the file
    try:
        with written_whole(target) as draft:
            if target.suffix == ".parquet":
                pq.write_table(_table(vectors), draft)
            else:
                with ArchiveWriter.to(draft) as archive:
                    for name, array in _arrays(vectors).items():
                        archive.array(name, array)
    except OSError as error:
        raise RatherError(f"Cannot write {target}: {error.strerror or error}.") from None
    return target


def load_vectors(path: Path | str, options: ReadOptions = ReadOptions()) -> Vectors:  # noqa: B008 - immutable
    """Read a vectors file, or vectors in a format that another program wrote (see `foreign_formats`).

    The vectors of a large file are memory-mapped. Those in a format that cannot be are converted once if there is a
    cache, and otherwise read into memory.

    Args:
        path: The file: `.npz`, `.npy`, `.parquet`, `.arrow`, `.feather`, or word2vec's text.
        options: How to read it.
    """
    source = Path(path)
    with damage_explained(source):
        return _load(source, options)


def _load(source: Path, options: ReadOptions) -> Vectors:
    from rather.formats.vectors.foreign_formats import from_arrays, read_arrow, read_npy, read_text

    if source.suffix == ".npz":
        if options.is_large(source) and "about" in MemoryMappedArchive(source):
            return read_archive(source, options)
        with source.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            return _from_archive(archive) if "about" in archive else from_arrays(archive, source.name)
    if source.suffix in ARROW_AND_PARQUET:
        table = ArrowFile(source)
        if table.is_ours and (options.facts(source) is None or not options.is_large(source)):
            return _from_table(table.read())
        return read_arrow(source, options)
    if source.suffix == ".npy":
        return read_npy(source, options)
    return read_text(source)


def read_archive(path: Path, options: ReadOptions) -> Vectors:
    """A vectors file in the format `.npz`, memory-mapped."""
    archive = MemoryMappedArchive(path)
    vectors = _from_archive(archive, memory_mapped=True, facts=options.facts(path))
    found = archive.find("items")
    return replace(vectors, matrix=None if found is None else found.matrix(path), options=options)


def is_vectors_file(path: Path | str) -> bool:
    """Whether a file holds vectors rather than a table, by its ending and, for Parquet, by its columns.

    A Parquet file with a column of lists of numbers holds vectors; one without is a table.
    """
    source = Path(path)
    if source.suffix == ".parquet":
        return source.exists() and _holds_vectors(ArrowFile(source))
    return source.suffix in VECTOR_ENDINGS


def _holds_vectors(file: ArrowFile) -> bool:
    return file.is_ours or any(is_list(kind) and pa.types.is_floating(kind.value_type) for kind in file.schema.types)


def _set(vectors: Vectors, **values: Any) -> None:
    for name, value in values.items():
        object.__setattr__(vectors, name, value)


def _matrix(value: Any, name: str) -> NDArray[np.float32]:
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise InvalidInputError(f"`{name}` must be a matrix of real numbers, got an array of {array.dtype}.")
    with np.errstate(over="ignore"):  # too large for float32 becomes infinite, which a catalogue rejects
        array = np.asarray(array, dtype=np.float32)
    if array.ndim != 2 or 0 in array.shape:
        empty = " (nothing in it)" if 0 in array.shape else ""
        raise InvalidInputError(
            f"`{name}` must be a matrix with one vector in each row, got shape {array.shape}{empty}."
        )
    return np.ascontiguousarray(array)


def header(
    name: str = "item", features: Sequence[str] | None = None, about: Mapping[str, Any] = MappingProxyType({})
) -> str:
    """The header of a vectors file, as JSON."""
    named = None if features is None else list(features)
    return json.dumps({"format": FORMAT, "name": name, "features": named, "about": dict(about)}, sort_keys=True)


def _header(vectors: Vectors) -> str:
    return header(vectors.name, vectors.features, vectors.about)


def _arrays(vectors: Vectors) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {"about": np.frombuffer(_header(vectors).encode(), dtype=np.uint8)}
    arrays["items"] = vectors.items
    if vectors.users is not None:
        arrays["users"] = vectors.users
    if vectors.item_ids is not None:
        if all(isinstance(id, int) for id in vectors.item_ids):
            arrays["item_ids"] = np.asarray(vectors.item_ids, dtype=np.int64)
        else:
            arrays |= _packed("item_ids", vectors.item_ids)
    if vectors.labels is not None:
        arrays |= _packed("labels", vectors.labels)
    return arrays


def _packed(name: str, texts: Sequence[Any]) -> dict[str, NDArray[Any]]:
    encoded = [str(text).encode() for text in texts]
    ends = np.cumsum([0, *(len(text) for text in encoded)], dtype=np.int64)
    return {f"{name}_text": np.frombuffer(b"".join(encoded), dtype=np.uint8), f"{name}_ends": ends}


def _from_archive(
    archive: Mapping[str, NDArray[Any]], memory_mapped: bool = False, facts: FileFacts | None = None
) -> Vectors:
    """The vectors of an archive; if it is memory-mapped, ids and labels stay in it."""
    about = _checked_header(archive["about"].tobytes())
    ids: Sequence[ItemId] | None = _unpacked(archive, "item_ids", memory_mapped, facts)
    if "item_ids" in archive:
        column = archive["item_ids"]
        ids = ArrowColumn(pa.array(column), facts) if memory_mapped else column.tolist()
    labels, users = _unpacked(archive, "labels", memory_mapped, facts), archive.get("users")
    return Vectors(archive["items"], users, ids, labels, about["name"], about["features"], about["about"])


def _unpacked(
    archive: Mapping[str, NDArray[Any]], name: str, memory_mapped: bool, facts: FileFacts | None
) -> Sequence[str] | None:
    if f"{name}_text" not in archive:
        return None
    text, ends = archive[f"{name}_text"], archive[f"{name}_ends"]
    if text.dtype != np.uint8 or ends.dtype != np.int64 or not _are_ends(ends, len(text)):
        raise InvalidInputError(f"`{name}` of a vectors file must be texts with the offsets at which they end.")
    if memory_mapped:
        return ArrowColumn.packed(text, ends, facts)
    letters = text.tobytes()
    return [letters[start:end].decode() for start, end in itertools.pairwise(ends.tolist())]


def _are_ends(ends: NDArray[np.int64], length: int) -> bool:
    """Whether texts of this length in all can be between these offsets."""
    return ends.ndim == 1 and len(ends) > 0 and ends[0] == 0 and ends[-1] == length and bool((np.diff(ends) >= 0).all())


def _checked_header(text: bytes) -> dict[str, Any]:
    about: dict[str, Any] = json.loads(text)
    if about.get("format") != FORMAT:
        raise InvalidInputError(f"A vectors file must have the format {FORMAT!r}, got {about.get('format')!r}.")
    return about


def _table(vectors: Vectors) -> pa.Table:
    n = len(vectors.items)
    users = np.zeros((0, vectors.items.shape[1]), np.float32) if vectors.users is None else vectors.users
    ids = range(n) if vectors.item_ids is None else vectors.item_ids
    labels = [None] * n if vectors.labels is None else list(vectors.labels)
    both = np.concatenate([vectors.items, users])
    numbers = vectors.item_ids is None or all(isinstance(id, int) for id in vectors.item_ids)
    table = pa.table(
        {
            "role": pa.array(["item"] * n + ["user"] * len(users)).dictionary_encode(),
            "id": pa.array([*(str(id) for id in ids), *(str(row) for row in range(len(users)))]),
            "label": pa.array(labels + [None] * len(users), pa.string()),
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(both.ravel()), both.shape[1]),
        }
    )
    return table.replace_schema_metadata({"rather": _header(vectors), "ids are numbers": str(numbers)})


def _from_table(table: pa.Table) -> Vectors:
    about = _checked_header(table.schema.metadata[b"rather"])
    roles = np.asarray(table["role"].to_pylist())
    both = table["vector"].combine_chunks().flatten().to_numpy().reshape(len(table), -1)
    items = table.filter(pa.array(roles == "item"))
    ids = items["id"].to_pylist()
    labels = items["label"].to_pylist()
    return Vectors(
        both[roles == "item"],
        both[roles == "user"] if (roles == "user").any() else None,
        [int(id) for id in ids] if table.schema.metadata[b"ids are numbers"] == b"True" else ids,
        None if None in labels else labels,
        about["name"],
        about["features"],
        about["about"],
    )
