"""Vectors in the forms other programs write them: NumPy, Parquet, Arrow, models of `implicit`, word2vec text."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rather.errors import InvalidInputError
from rather.formats.vectors.arrow_columns import ArrowColumn
from rather.formats.vectors.arrow_files import Layout, TableFile, rows_of
from rather.formats.vectors.conversion import converted
from rather.formats.vectors.file_facts import OnProgress, is_large
from rather.formats.vectors.memory_mapped import find_array
from rather.formats.vectors.vector_files import Vectors, head, mapped_archive

# Under these names NumPy archives hold the two matrices; `implicit` saves its models under the second.
ITEM_KEYS = ("items", "item_factors", "item_vectors", "item_embeddings", "V")
USER_KEYS = ("users", "user_factors", "user_vectors", "user_embeddings", "U")


def from_implicit(model: Any, item_ids: Any = None, labels: Any = None) -> Vectors:
    """The factors of a fitted model of the `implicit` library (or anything with `item_factors`, `user_factors`)."""
    factors: list[Any] = [getattr(model, name, None) for name in ("item_factors", "user_factors")]
    if factors[0] is None or factors[1] is None:
        raise InvalidInputError("`model` must have `item_factors` and `user_factors`; is it fitted?")
    # A model on a GPU keeps matrices of its own kind.
    items, users = (matrix.to_numpy() if hasattr(matrix, "to_numpy") else np.asarray(matrix) for matrix in factors)
    return Vectors(items, users, item_ids, labels, about={"method": type(model).__name__})


def foreign_npz(archive: Mapping[str, NDArray[Any]], name: str) -> Vectors:
    """From a NumPy archive with matrices under usual names."""
    found = [next((key for key in keys if key in archive), None) for keys in (ITEM_KEYS, USER_KEYS)]
    if found[0] is None:
        raise InvalidInputError(
            f"{name} holds no item vectors under a usual name ({', '.join(ITEM_KEYS)}); it holds {', '.join(archive)}."
        )
    try:
        items, users = (None if key is None else archive[key] for key in found)
        ids = archive["item_ids"].tolist() if "item_ids" in archive else None
        labels = archive["labels"].tolist() if "labels" in archive else None
    except ValueError:
        raise InvalidInputError(f"{name} holds pickled objects, which we do not load. Save plain arrays.") from None
    assert items is not None
    return Vectors(items, users, ids, labels)


def read_npy(path: Path, on_progress: OnProgress | None = None) -> Vectors:
    """A matrix of item vectors, mapped; users are in a file of their own."""
    found = find_array(path)
    if found is not None and (matrix := found.matrix(path)) is not None:
        return Vectors(matrix.array(), matrix=matrix)
    if is_large(path):
        return mapped_archive(converted(path, head(), on_progress))
    try:
        return Vectors(np.load(path, allow_pickle=False))
    except (ValueError, OSError, EOFError) as error:
        raise InvalidInputError(f"Cannot read {path}: {error}.") from None


def read_table(path: Path, on_progress: OnProgress | None = None) -> Vectors:
    """A Parquet or Arrow file with a row for each item: a column of lists, or one column for each dimension."""
    table = TableFile(path)
    layout = Layout.of(table.schema, path.name)
    if not is_large(path):
        return foreign_table(table.read(), path.name)
    matrix = table.matrix(layout)
    if matrix is None:
        return mapped_archive(converted(path, head(), on_progress))
    columns = (None if name is None else table.read([name])[name] for name in (layout.ids, layout.labels))
    ids, labels = (None if column is None else ArrowColumn(column, path) for column in columns)
    return Vectors(matrix.array(), None, ids, labels, matrix=matrix)


def foreign_table(table: pa.Table, name: str) -> Vectors:
    """From a table in memory."""
    layout = Layout.of(table.schema, name)
    return Vectors(
        rows_of(table, layout, name),
        None,
        table[layout.ids].to_pylist() if layout.ids else None,
        [str(text) for text in table[layout.labels].to_pylist()] if layout.labels else None,
    )


def read_text(path: Path) -> Vectors:
    """word2vec's text form, as gensim saves it: an optional line "n d", then a name and d numbers a line."""
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
        raise InvalidInputError(f"{path} is not vectors as text: line {number} is not a name and numbers.") from None
    if not rows or len({len(row) for row in rows}) != 1 or not all(names):
        raise InvalidInputError(f"{path} is not vectors as text: a name and the same count of numbers on every line.")
    return Vectors(np.stack(rows), None, names)
