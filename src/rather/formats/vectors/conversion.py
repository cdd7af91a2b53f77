"""Vectors that cannot be mapped where they are, written once into an archive that can, in the user's cache directory.

The archive belongs to the file as it is: once the file changes it is made anew, and the old one is deleted.
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
from rather.formats.vectors.arrow_files import BATCH_ROWS, Layout, TableFile, rows_of
from rather.formats.vectors.file_facts import FileFacts, OnProgress

ENDING = ".npz"


def converted(path: Path, head: str, on_progress: OnProgress | None = None) -> Path:
    """The archive with the vectors of a Parquet, Arrow or `.npy` file; written on the first call.

    Args:
        path: The file.
        head: What the archive says of itself under "about", where the file does not.
        on_progress: Called as it goes on, with rows done and to do.
    """
    facts = FileFacts(path)
    target = facts.file(ENDING)
    if target.exists():
        return target

    def write(draft: Path) -> None:
        with ArchiveWriter.to(draft) as archive:
            if path.suffix == ".npy":
                _write_matrix(path, archive, on_progress)
                archive.array("about", np.frombuffer(head.encode(), dtype=np.uint8))
            else:
                _write_table(TableFile(path), head, archive, on_progress)

    try:
        return facts.write(ENDING, write)
    except OSError as error:
        raise InvalidInputError(
            f"{path.name} must be converted once to be mapped, but {facts.folder} cannot take it: "
            f"{error.strerror or error}. The environment variable RATHER_CACHE names another folder."
        ) from None


def _write_matrix(path: Path, archive: ArchiveWriter, on_progress: OnProgress | None) -> None:
    matrix = np.load(path, mmap_mode="r", allow_pickle=False)
    if matrix.ndim != 2:
        raise InvalidInputError(f"{path} must hold a matrix with a row for each item, got shape {matrix.shape}.")
    blocks = (matrix[start : start + BATCH_ROWS] for start in range(0, len(matrix), BATCH_ROWS))
    archive.blocks("items", matrix.shape, np.float32, _counted(blocks, len(matrix), path, on_progress))


def _write_table(table: TableFile, head: str, archive: ArchiveWriter, on_progress: OnProgress | None) -> None:
    layout = Layout.of(table.schema, table.path.name)
    texts = table.read([column for column in (layout.ids, layout.labels) if column is not None])
    n, numbers = table.rows, False
    if table.is_ours:  # holds users too
        head = table.schema.metadata[b"rather"].decode()
        numbers = table.schema.metadata[b"ids are numbers"] == b"True"
        is_item = pc.equal(table.read(["role"])["role"].cast(pa.string()), "item")
        texts, n = texts.filter(is_item), int(pc.sum(is_item).as_py() or 0)
    users: list[NDArray[np.float32]] = []
    blocks = _item_blocks(table, layout, users)
    first = next(blocks, None)
    if first is None:
        raise InvalidInputError(f"{table.path} holds no items.")
    shape = (n, first.shape[1])
    archive.blocks("items", shape, np.float32, _counted(itertools.chain([first], blocks), n, table.path, on_progress))
    if users:
        archive.array("users", np.concatenate(users))
    if layout.ids is not None:
        _write_ids(texts[layout.ids], numbers, archive, table.path)
    if layout.labels is not None and not (table.is_ours and texts[layout.labels].null_count):
        _write_texts("labels", texts[layout.labels], archive)
    archive.array("about", np.frombuffer(head.encode(), dtype=np.uint8))


def _item_blocks(table: TableFile, layout: Layout, users: list[NDArray[np.float32]]) -> Iterator[NDArray[np.float32]]:
    """The items' vectors in blocks; those of users, which our own files hold too, are put aside."""
    columns = [*layout.vectors, *(["role"] if table.is_ours else [])]
    for batch in table.batches(columns):
        rows = rows_of(batch, layout, table.path.name)
        if table.is_ours:
            is_item = np.asarray(batch["role"].cast(pa.string()).to_pylist()) == "item"
            if not is_item.all():
                users.append(rows[~is_item])
            rows = rows[is_item]
        if len(rows):
            yield rows


def _counted(
    blocks: Iterable[NDArray[Any]], n: int, path: Path, on_progress: OnProgress | None
) -> Iterator[NDArray[np.float32]]:
    done, d = 0, None
    for block in blocks:
        if d is not None and block.shape[1] != d:
            raise InvalidInputError(
                f"The vectors of {path.name} must all have the same length, got {d} and {block.shape[1]}."
            )
        d, done = block.shape[1], done + len(block)
        yield block
        if on_progress is not None:
            on_progress(f"converting {path.name}", done, n)


def _write_ids(column: pa.ChunkedArray, numbers: bool, archive: ArchiveWriter, path: Path) -> None:
    if column.null_count:
        raise InvalidInputError(f"{path.name} has {column.null_count:,} items without an id.")
    if numbers or pa.types.is_integer(column.type):
        archive.array("item_ids", column.cast(pa.int64()).to_numpy())
    else:
        _write_texts("item_ids", column, archive)


def _write_texts(name: str, column: pa.ChunkedArray, archive: ArchiveWriter) -> None:
    """Texts as one array of bytes and one of their ends, as Arrow holds them already."""
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
