"""Vectors that cannot be memory-mapped, converted once into an archive that can be, in the cache.

The archive belongs to one state of the file: when the file changes, it is converted again and the old archive deleted.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rather.errors import InvalidInputError
from rather.formats.vectors.archives import ArchiveWriter
from rather.formats.vectors.arrow_files import ArrowFile, VectorColumns, vectors_of
from rather.formats.vectors.file_facts import FileFacts, ReadOptions

ENDING = ".npz"


def converted(path: Path, head: str, options: ReadOptions, facts: FileFacts) -> Path:
    """The archive with the vectors of a Parquet, Arrow or `.npy` file; written on the first call.

    Args:
        path: The file.
        head: The header of the archive, unless the file has one.
        options: How to read it.
        facts: What is known about the file, and where the archive goes.
    """
    target = facts.file(ENDING)
    if target.exists():
        return target

    def write(draft: Path) -> None:
        with ArchiveWriter.to(draft) as archive:
            if path.suffix == ".npy":
                _write_matrix(path, archive, options)
                archive.array("about", np.frombuffer(head.encode(), dtype=np.uint8))
            else:
                _write_table(ArrowFile(path), head, archive, options)

    try:
        return facts.write(ENDING, write)
    except OSError as error:
        raise InvalidInputError(
            f"{path.name} must be converted once before it can be memory-mapped, but {facts.folder} cannot be written: "
            f"{error.strerror or error}. Set the environment variable RATHER_CACHE to another folder, or to `off` to "
            "read the file into memory."
        ) from None


def _write_matrix(path: Path, archive: ArchiveWriter, options: ReadOptions) -> None:
    matrix, step = np.load(path, mmap_mode="r", allow_pickle=False), options.batch_rows
    if matrix.ndim != 2:
        raise InvalidInputError(f"{path} must hold a matrix with a row for each item, got shape {matrix.shape}.")
    blocks = (matrix[start : start + step] for start in range(0, len(matrix), step))
    archive.blocks("items", matrix.shape, np.float32, _counted(blocks, len(matrix), path, options))


def _write_table(table: ArrowFile, head: str, archive: ArchiveWriter, options: ReadOptions) -> None:
    columns = VectorColumns.of(table.schema, table.path.name)
    texts = table.read([column for column in (columns.ids, columns.labels) if column is not None])
    n, ids_are_numbers = table.rows, False
    if table.is_ours:  # holds users as well
        head = table.schema.metadata[b"rather"].decode()
        ids_are_numbers = table.schema.metadata[b"ids are numbers"] == b"True"
        is_item = pc.equal(table.read(["role"])["role"].cast(pa.string()), "item")
        texts, n = texts.filter(is_item), int(pc.sum(is_item).as_py() or 0)
    users: list[NDArray[np.float32]] = []
    blocks = _item_blocks(table, columns, users, options.batch_rows)
    first = next(blocks, None)
    if first is None:
        raise InvalidInputError(f"{table.path} holds no items.")
    shape = (n, first.shape[1])
    archive.blocks("items", shape, np.float32, _counted(itertools.chain([first], blocks), n, table.path, options))
    if users:
        archive.array("users", np.concatenate(users))
    if columns.ids is not None:
        _write_ids(texts[columns.ids], ids_are_numbers, archive, table.path)
    if columns.labels is not None and not (table.is_ours and texts[columns.labels].null_count):
        _write_texts("labels", texts[columns.labels], archive)
    archive.array("about", np.frombuffer(head.encode(), dtype=np.uint8))


def _item_blocks(
    table: ArrowFile, columns: VectorColumns, users: list[NDArray[np.float32]], batch_rows: int
) -> Iterator[NDArray[np.float32]]:
    """The item vectors in blocks. Those of users, which our own files hold as well, are appended to `users`."""
    for batch in table.batches([*columns.vectors, *(["role"] if table.is_ours else [])], batch_rows):
        rows = vectors_of(batch, columns, table.path.name)
        if table.is_ours:
            is_item = np.asarray(batch["role"].cast(pa.string()).to_pylist()) == "item"
            if not is_item.all():
                users.append(rows[~is_item])
            rows = rows[is_item]
        if len(rows):
            yield rows


def _counted(blocks: Iterable[NDArray[Any]], n: int, path: Path, options: ReadOptions) -> Iterator[NDArray[np.float32]]:
    """The blocks, checked for equal width, with a call of `on_progress` after each."""
    done, d = 0, None
    for block in blocks:
        if d is not None and block.shape[1] != d:
            raise InvalidInputError(
                f"The vectors of {path.name} must all have the same length, got {d} and {block.shape[1]}."
            )
        d, done = block.shape[1], done + len(block)
        yield block
        if options.on_progress is not None:
            options.on_progress(f"converting {path.name}", done, n)


def _write_ids(column: pa.ChunkedArray, numbers: bool, archive: ArchiveWriter, path: Path) -> None:
    if column.null_count:
        raise InvalidInputError(f"Every item of {path.name} must have an id, but {column.null_count:,} have none.")
    if numbers or pa.types.is_integer(column.type):
        archive.array("item_ids", column.cast(pa.int64()).to_numpy())
    else:
        _write_texts("item_ids", column, archive)


def _write_texts(name: str, column: pa.ChunkedArray, archive: ArchiveWriter) -> None:
    """Texts as one array of bytes and one of offsets, as Arrow holds them already."""
    whole = pc.fill_null(column.cast(pa.large_string()), "")
    lengths = pc.binary_length(whole).to_numpy().astype(np.int64)
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    chunks = (_bytes(chunk) for chunk in whole.chunks)
    archive.blocks(f"{name}_text", (int(ends[-1]),), np.uint8, chunks)
    archive.array(f"{name}_ends", ends)


def _bytes(texts: pa.LargeStringArray) -> NDArray[np.uint8]:
    if not len(texts):
        return np.zeros(0, np.uint8)
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    every = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    return every[ends[0] : ends[-1]]
