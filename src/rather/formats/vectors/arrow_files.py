"""Vectors in Parquet and Arrow files: memory-mapped where they are stored row after row, else read in batches.

Parquet is compressed and divided into pages, so its vectors cannot be memory-mapped; nor can those of an Arrow file
that is compressed or holds several batches. `conversion` writes them into an archive that can be.
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
from rather.formats.vectors.damage import damage
from rather.formats.vectors.memory_mapped import FLOATS, MatrixInFile

ID_COLUMNS = ("id", "item_id", "key", "word")
LABEL_COLUMNS = ("label", "title", "name")

ARROW_ENDINGS = (".arrow", ".feather", ".ipc")


@dataclass(frozen=True)
class VectorColumns:
    """The columns of a table that hold vectors, ids and labels.

    Attributes:
        vectors: One column of lists, or one column for each dimension.
        ids: The column of ids, if there is one.
        labels: The column of labels, if there is one.
    """

    vectors: tuple[str, ...]
    ids: str | None
    labels: str | None

    @classmethod
    def of(cls, schema: pa.Schema, name: str) -> VectorColumns:
        """Find them in a schema; `name` is what to call the table in an error."""
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
            raise InvalidInputError(
                f"{name} must hold vectors, as a column of lists or as columns of numbers; it has "
                f"{', '.join(map(repr, schema.names)) or 'no columns'}."
            )
        return cls(tuple(numbers), ids, labels)


def is_list(kind: pa.DataType) -> bool:
    """Whether the entries of a column are lists."""
    return bool(pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind) or pa.types.is_large_list(kind))


def vectors_of(table: pa.Table | pa.RecordBatch, columns: VectorColumns, name: str) -> NDArray[np.float32]:
    """The vectors `(rows, d)` in a table or a batch of it."""
    if len(columns.vectors) > 1 or not is_list(table.schema.field(columns.vectors[0]).type):
        numbers = [table[column].to_numpy(zero_copy_only=False) for column in columns.vectors]
        return np.stack(numbers, axis=1).astype(np.float32, copy=False)
    column = table[columns.vectors[0]]
    lengths = pc.unique(pc.list_value_length(column))
    if len(table) and (len(lengths) != 1 or lengths[0].as_py() is None):
        raise InvalidInputError(
            f"The vectors in column {columns.vectors[0]!r} of {name} must all have the same length."
        )
    flat = pc.list_flatten(column).to_numpy(zero_copy_only=False)
    d = lengths[0].as_py() if len(table) else 1
    return np.asarray(flat, dtype=np.float32).reshape(-1, d)


@dataclass(frozen=True)
class ArrowFile:
    """A Parquet or Arrow file."""

    path: Path

    @cached_property
    def schema(self) -> pa.Schema:
        """Its columns."""
        try:
            return pq.read_schema(self.path) if self._is_parquet else self._ipc().schema
        except (pa.ArrowException, OSError) as error:
            raise InvalidInputError(f"Cannot read {self.path}: {damage(self.path, error)}.") from None

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

    def batches(self, columns: list[str], batch_rows: int) -> Iterator[pa.RecordBatch]:
        """Some columns, in batches of at most `batch_rows`."""
        if self._is_parquet:
            yield from pq.ParquetFile(self.path).iter_batches(batch_rows, columns=columns)
            return
        reader = self._ipc()
        for number in range(reader.num_record_batches):
            batch = reader.get_batch(number).select(columns)
            batch.validate(full=True)
            yield from (batch.slice(start, batch_rows) for start in range(0, len(batch), batch_rows))

    def read(self, columns: list[str] | None = None) -> pa.Table:
        """Some columns, or all. Those of an uncompressed Arrow file are memory-mapped."""
        try:
            if self._is_parquet:
                return pq.read_table(self.path, columns=columns)
            table = self._ipc().read_all()
            table = table if columns is None else table.select(columns)
            table.validate(full=True)  # an offset outside of the file would crash the process
            return table
        except (pa.ArrowException, OSError) as error:
            raise InvalidInputError(f"Cannot read {self.path}: {damage(self.path, error)}.") from None

    def matrix(self, columns: VectorColumns) -> MatrixInFile | None:
        """Where the vectors are in the file; None when they cannot be memory-mapped."""
        if self._is_parquet or len(columns.vectors) > 1:
            return None
        mapped = pa.memory_map(str(self.path))
        column = pa.ipc.open_file(mapped).read_all()[columns.vectors[0]]
        if column.num_chunks != 1 or column.null_count or not pa.types.is_fixed_size_list(column.type):
            return None
        values = column.chunk(0).flatten()
        if values.type != pa.float32() or values.null_count or not len(values):
            return None
        mapped.seek(0)
        whole = mapped.read_buffer()
        offset = values.to_numpy(zero_copy_only=True).ctypes.data - whole.address
        # Values that were compressed have been copied out of the file.
        inside = 0 <= offset <= whole.size - FLOATS.itemsize * len(values)
        if not inside or offset % FLOATS.itemsize:
            return None
        return MatrixInFile(self.path, offset, (len(column), column.type.list_size))
