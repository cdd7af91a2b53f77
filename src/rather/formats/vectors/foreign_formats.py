"""Vectors in the formats that other programs write: NumPy, Parquet, Arrow, models of `implicit`, word2vec text."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rather.errors import InvalidInputError
from rather.formats.vectors.arrow_columns import ArrowColumn
from rather.formats.vectors.arrow_files import ArrowFile, VectorColumns, vectors_of
from rather.formats.vectors.conversion import converted
from rather.formats.vectors.file_facts import ReadOptions
from rather.formats.vectors.memory_mapped import find_array
from rather.formats.vectors.vector_files import Vectors, header, read_archive

# The names under which NumPy archives hold the two matrices; `implicit` saves its models under the second.
ITEM_KEYS = ("items", "item_factors", "item_vectors", "item_embeddings", "V")
USER_KEYS = ("users", "user_factors", "user_vectors", "user_embeddings", "U")


def from_implicit(model: Any, item_ids: Any = None, labels: Any = None) -> Vectors:
    """The factors of a fitted model of the `implicit` library (or anything with `item_factors`, `user_factors`)."""
    factors: list[Any] = [getattr(model, name, None) for name in ("item_factors", "user_factors")]
    if factors[0] is None or factors[1] is None:
        raise InvalidInputError("`model` must have `item_factors` and `user_factors`; is it fitted?")
    # A model on a GPU has matrices of its own type.
    items, users = (matrix.to_numpy() if hasattr(matrix, "to_numpy") else np.asarray(matrix) for matrix in factors)
    return Vectors(items, users, item_ids, labels, about={"method": type(model).__name__})


def from_arrays(archive: Mapping[str, NDArray[Any]], name: str) -> Vectors:
    """The matrices that a NumPy archive holds under common names."""
    found = [next((key for key in keys if key in archive), None) for keys in (ITEM_KEYS, USER_KEYS)]
    if found[0] is None:
        raise InvalidInputError(
            f"{name} must hold the item vectors under one of {', '.join(ITEM_KEYS)}; it holds {', '.join(archive)}."
        )
    items, users = (None if key is None else archive[key] for key in found)
    ids = archive["item_ids"].tolist() if "item_ids" in archive else None
    labels = archive["labels"].tolist() if "labels" in archive else None
    assert items is not None
    return Vectors(items, users, ids, labels)


def read_npy(path: Path, options: ReadOptions) -> Vectors:
    """A matrix of item vectors, memory-mapped if possible."""
    found = find_array(path)
    if found is not None and (matrix := found.matrix(path)) is not None:
        return Vectors(matrix.array(), matrix=matrix, options=options)
    if (facts := options.facts(path)) is not None:
        return read_archive(converted(path, header(), options, facts), options)
    with path.open("rb") as file:
        return Vectors(np.load(file, allow_pickle=False))


def read_arrow(path: Path, options: ReadOptions) -> Vectors:
    """A Parquet or Arrow file with a row for each item: a column of lists, or one column for each dimension."""
    file = ArrowFile(path)
    columns = VectorColumns.of(file.schema, path.name)
    if not options.is_large(path):
        return from_arrow(file.read(), path.name)
    facts = options.facts(path)
    matrix = file.matrix(columns)
    if matrix is None:
        if facts is None:
            return _read_in_batches(file, columns, options)
        return read_archive(converted(path, header(), options, facts), options)
    ids, labels = (
        None if name is None else ArrowColumn(file.read([name])[name], facts) for name in (columns.ids, columns.labels)
    )
    return Vectors(matrix.array(), None, ids, labels, matrix=matrix, options=options)


def from_arrow(table: pa.Table, name: str) -> Vectors:
    """From a table in memory."""
    columns = VectorColumns.of(table.schema, name)
    return Vectors(
        vectors_of(table, columns, name),
        None,
        table[columns.ids].to_pylist() if columns.ids else None,
        [str(text) for text in table[columns.labels].to_pylist()] if columns.labels else None,
    )


def _read_in_batches(file: ArrowFile, columns: VectorColumns, options: ReadOptions) -> Vectors:
    """A large file read into memory, without a second copy of all vectors."""
    items: NDArray[np.float32] | None = None
    done = 0
    for batch in file.batches(list(columns.vectors), options.batch_rows):
        rows = vectors_of(batch, columns, file.path.name)
        if items is None:
            items = np.empty((file.rows, rows.shape[1]), dtype=np.float32)
        if rows.shape[1] != items.shape[1]:
            raise InvalidInputError(
                f"The vectors of {file.path.name} must all have the same length, "
                f"got {items.shape[1]} and {rows.shape[1]}."
            )
        items[done : done + len(rows)] = rows
        done += len(rows)
        if options.on_progress is not None:
            options.on_progress(f"reading {file.path.name}", done, len(items))
    if items is None:
        raise InvalidInputError(f"{file.path} holds no items.")
    ids, labels = (
        None if name is None else ArrowColumn(file.read([name])[name]) for name in (columns.ids, columns.labels)
    )
    return Vectors(items, None, ids, labels)


def read_text(path: Path) -> Vectors:
    """word2vec's text format, as gensim writes it: an optional line "n d", then on each line a name and d numbers."""
    names: list[str] = []
    rows: list[NDArray[np.float32]] = []
    number = 1
    try:
        with path.open(encoding="utf8") as lines:
            for number, line in enumerate(lines, start=1):
                fields = line.split()
                if not fields or (number == 1 and len(fields) == 2):
                    continue
                d = len(rows[0]) if rows else len(fields) - 1
                rows.append(np.array(fields[-d:], dtype=np.float32))
                names.append(" ".join(fields[:-d]))
    except (UnicodeDecodeError, ValueError):
        raise InvalidInputError(
            f"{path} must hold a name and numbers on every line (word2vec's text format), but line {number} does not."
        ) from None
    if not rows or len({len(row) for row in rows}) != 1 or not all(names):
        raise InvalidInputError(
            f"{path} must hold a name and the same number of numbers on every line (word2vec's text format)."
        )
    return Vectors(np.stack(rows), None, names)
