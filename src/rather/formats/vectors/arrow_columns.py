"""Ids and labels of many items, kept as Arrow keeps them: a few bytes each, mapped where they are in a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

# Entries that are Python objects at a time.
BLOCK = 65_536


class Column(Sequence[Any]):
    """A sequence of texts or whole numbers that become Python objects one by one, when they are looked at.

    Args:
        values: An Arrow array or chunked array without nulls.
        path: The file they lie in, if any.
    """

    def __init__(self, values: pa.Array | pa.ChunkedArray, path: Path | None = None) -> None:
        self.values = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
        self.path = path

    @classmethod
    def packed(cls, text: NDArray[np.uint8], ends: NDArray[np.int64], path: Path | None = None) -> Column:
        """Texts as one array of UTF-8 bytes and n + 1 places where they start and end; neither is copied."""
        buffers = [None, pa.py_buffer(ends), pa.py_buffer(text)]
        return cls(pa.Array.from_buffers(pa.large_string(), len(ends) - 1, buffers), path)

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> Column: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            if step != 1:
                raise ValueError("A column is cut in one piece.")
            return Column(self.values.slice(start, max(0, stop - start)), self.path)
        return self.values[int(place)].as_py()

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), BLOCK):
            yield from self.values.slice(start, BLOCK).to_pylist()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Column):
            return bool(self.values.equals(other.values))
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # long, and compared by content

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """The place of a value; one look at all, which for a million takes about a millisecond."""
        try:
            wanted = pa.scalar(value, self.values.type)
        except (pa.ArrowException, TypeError):
            raise ValueError(f"{value!r} is not in the column") from None
        place = pc.index(self.values, wanted, start, len(self) if stop is None else stop).as_py()
        if place < 0:
            raise ValueError(f"{value!r} is not in the column")
        return int(place)

    @cached_property
    def distinct(self) -> bool:
        """Whether no value stands twice."""
        return bool(pc.count_distinct(self.values, mode="all").as_py() == len(self))

    def first_duplicate(self) -> tuple[Any, int, int]:
        """A value that stands twice and its first two places."""
        counts = pc.value_counts(self.values)
        value = counts.filter(pc.greater(counts.field("counts"), 1)).field("values")[0].as_py()
        first = self.index(value)
        return value, first, self.index(value, first + 1)
