"""Vectors in tables (Parquet, Arrow IPC): mapped where they lie row after row, else read batch by batch.

Parquet is compressed and cut into pages, so its vectors cannot be mapped; nor can those of an Arrow file that is
compressed or consists of several batches. `rather.formats.vectors.conversion` writes them into an archive that can be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from rather.errors import InvalidInputError
from rather.formats.vectors.memory_mapped import FLOATS, MatrixInFile

ID_COLUMNS = ("id", "item_id", "key", "word")
LABEL_COLUMNS = ("label", "title", "name")

# Rows converted at a time.
BATCH_ROWS = 65_536

ARROW_ENDINGS = (".arrow", ".feather", ".ipc")


@dataclass(frozen=True)
class Layout:
    """Which columns of a table are what.

    Attributes:
        vectors: One column of lists, or one column for each dimension.
        ids: The names of items, if there are any.
        labels: What to show of them, if there is any.
    """

    vectors: tuple[str, ...]
    ids: str | None
    labels: str | None

    @classmethod
    def of(cls, schema: pa.Schema, name: str) -> Layout:
        """The layout of a table with these columns; `name` is what to call it in an error."""
        names = {column.lower(): column for column in schema.names}
        ids = next((names[column] for column in ID_COLUMNS if column in names), None)
        labels = next((names[column] for column in LABEL_COLUMNS if column in names), None)
        lists = [field.name for field in schema if is_list(field.type)]
        if lists:
            return cls((lists[0],), ids, labels)
        numbers = [
            field.name
            for field in schema
            if field.name not in (ids, labels) and (pa.types.is_floating(field.type) or pa.types.is_integer(field.type))
        ]
        if not numbers:
            raise InvalidInputError(f"{name} has neither a column of lists nor columns of numbers.")
        return cls(tuple(numbers), ids, labels)


def is_list(kind: pa.DataType) -> bool:
    """Whether the entries of a column are lists."""
    return bool(pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind) or pa.types.is_large_list(kind))


def rows_of(table: pa.Table | pa.RecordBatch, layout: Layout, name: str) -> NDArray[np.float32]:
    """The vectors `(rows, d)` of a table or a batch of it."""
    if len(layout.vectors) > 1 or not is_list(table.schema.field(layout.vectors[0]).type):
        columns = [table[column].to_numpy(zero_copy_only=False) for column in layout.vectors]
        return np.stack(columns, axis=1).astype(np.float32, copy=False)
    column = table[layout.vectors[0]]
    lengths = pc.unique(pc.list_value_length(column))
    if len(table) and (len(lengths) != 1 or lengths[0].as_py() is None):
        raise InvalidInputError(f"The vectors in column {layout.vectors[0]!r} of {name} must all have the same length.")
    flat = pc.list_flatten(column).to_numpy(zero_copy_only=False)
    d = lengths[0].as_py() if len(table) else 1
    return np.asarray(flat, dtype=np.float32).reshape(-1, d)


@dataclass(frozen=True)
class TableFile:
    """A Parquet or Arrow file that is read batch by batch."""

    path: Path

    @cached_property
    def schema(self) -> pa.Schema:
        """Its columns."""
        try:
            return pq.read_schema(self.path) if self._is_parquet else self._ipc().schema
        except (pa.ArrowException, OSError) as error:
            raise InvalidInputError(f"Cannot read {self.path}: {error}.") from None

    @property
    def is_ours(self) -> bool:
        """Whether `save_vectors` wrote it."""
        return b"rather" in (self.schema.metadata or {})

    @property
    def rows(self) -> int:
        """How many rows it has."""
        if self._is_parquet:
            return int(pq.read_metadata(self.path).num_rows)
        reader = self._ipc()
        return sum(reader.get_batch(number).num_rows for number in range(reader.num_record_batches))

    @property
    def _is_parquet(self) -> bool:
        return self.path.suffix not in ARROW_ENDINGS

    def _ipc(self) -> Any:
        return pa.ipc.open_file(pa.memory_map(str(self.path)))

    def batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Some columns, a bounded number of rows at a time."""
        if self._is_parquet:
            yield from pq.ParquetFile(self.path).iter_batches(BATCH_ROWS, columns=columns)
            return
        reader = self._ipc()
        for number in range(reader.num_record_batches):
            batch = reader.get_batch(number).select(columns)
            yield from (batch.slice(start, BATCH_ROWS) for start in range(0, len(batch), BATCH_ROWS))

    def read(self, columns: list[str] | None = None) -> pa.Table:
        """Some columns, or all; those of an Arrow file that is not compressed stay in it."""
        try:
            if self._is_parquet:
                return pq.read_table(self.path, columns=columns)
            table = self._ipc().read_all()
            return table if columns is None else table.select(columns)
        except (pa.ArrowException, OSError) as error:
            raise InvalidInputError(f"Cannot read {self.path}: {error}.") from None

    def matrix(self, layout: Layout) -> MatrixInFile | None:
        """Where the vectors are in the file; None when they cannot be memory-mapped."""
        if self._is_parquet or len(layout.vectors) > 1:
            return None
        mapped = pa.memory_map(str(self.path))
        column = pa.ipc.open_file(mapped).read_all()[layout.vectors[0]]
        if column.num_chunks != 1 or column.null_count or not pa.types.is_fixed_size_list(column.type):
            return None
        values = column.chunk(0).flatten()
        if values.type != pa.float32() or values.null_count or not len(values):
            return None
        mapped.seek(0)
        whole = mapped.read_buffer()
        offset = values.to_numpy(zero_copy_only=True).ctypes.data - whole.address
        # What was compressed lies elsewhere in memory now.
        inside = 0 <= offset <= whole.size - FLOATS.itemsize * len(values)
        if not inside or offset % FLOATS.itemsize:
            return None
        return MatrixInFile(self.path, offset, (len(column), column.type.list_size))
