"""Ids and labels of many items in Arrow's memory layout: a few bytes each, memory-mapped when they are in a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rather.formats.vectors.file_facts import FileFacts

# Entries that are turned into Python objects at a time.
BATCH = 65_536


class ArrowColumn(Sequence[Any]):
    """A sequence of texts or integers that become Python objects one by one, when they are looked at.

    Args:
        values: An Arrow array or chunked array without nulls.
        facts: What is known about the file they are in, if anything.
    """

    def __init__(self, values: pa.Array | pa.ChunkedArray, facts: FileFacts | None = None) -> None:
        self.values = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
        self.facts = facts

    @classmethod
    def packed(cls, text: NDArray[np.uint8], ends: NDArray[np.int64], facts: FileFacts | None = None) -> ArrowColumn:
        """Texts as one array of UTF-8 bytes and the n + 1 offsets where they start and end; neither is copied."""
        buffers = [None, pa.py_buffer(ends), pa.py_buffer(text)]
        texts = pa.Array.from_buffers(pa.large_string(), len(ends) - 1, buffers)
        texts.validate(full=True)  # an offset outside of the buffer would crash the process
        return cls(texts, facts)

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> ArrowColumn: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                raise ValueError(f"A column can only be sliced with step 1, got {step}.")
            return ArrowColumn(self.values.slice(start, max(0, stop - start)))
        return self.values[int(index)].as_py()

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), BATCH):
            yield from self.values.slice(start, BATCH).to_pylist()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ArrowColumn):
            return bool(self.values.equals(other.values))
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # long, and compared by content

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """The row of a value, from one scan: about a millisecond for a million entries."""
        try:
            wanted = pa.scalar(value, self.values.type)
        except (pa.ArrowException, TypeError):
            raise ValueError(f"{value!r} is not in the column") from None
        row = pc.index(self.values, wanted, start, len(self) if stop is None else stop).as_py()
        if row < 0:
            raise ValueError(f"{value!r} is not in the column")
        return int(row)

    def first_duplicate(self) -> tuple[Any, int, int] | None:
        """A value that occurs twice and its first two rows; None when all are distinct, which is kept as a fact."""
        if self.facts is not None and self.facts.load().get("ids are distinct"):
            return None
        if int(pc.count_distinct(self.values, mode="all").as_py()) < len(self):
            counts = pc.value_counts(self.values)
            value = counts.filter(pc.greater(counts.field("counts"), 1)).field("values")[0].as_py()
            first = self.index(value)
            return value, first, self.index(value, first + 1)
        if self.facts is not None:
            self.facts.add(**{"ids are distinct": True})
        return None
