"""Where item vectors lie in a file, and how they come from there without a copy."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from torch import Tensor

from rather.errors import InvalidInputError
from rather.numerics.arrays import tensor_view

# What is mapped must be what the processor computes with: float32, lowest byte first.
FLOATS = np.dtype("<f4")


@dataclass(frozen=True)
class ItemFile:
    """Item vectors `(n, d)` as float32, row after row, from some place in a file on.

    Attributes:
        path: The file.
        offset: Where the first number lies.
        shape: `(n, d)`.
    """

    path: Path
    offset: int
    shape: tuple[int, int]

    def array(self) -> NDArray[np.float32]:
        """The vectors, mapped and not to be written to."""
        return _mapped(self.path, FLOATS, self.offset, self.shape)

    def tensor(self) -> Tensor:
        """The vectors as a tensor on the same pages."""
        return tensor_view(self.array())


@dataclass(frozen=True)
class ArrayPlace:
    """Where an array in NumPy's form lies in a file: its type, shape, and the place of its first number."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int

    def array(self, path: Path) -> NDArray[Any]:
        """The array, mapped."""
        return _mapped(path, self.dtype, self.offset, self.shape)

    def items(self, path: Path) -> ItemFile | None:
        """The place as that of item vectors; None where they are not float32, or do not lie as the processor likes."""
        if self.dtype != FLOATS or len(self.shape) != 2 or 0 in self.shape or self.offset % FLOATS.itemsize:
            return None
        return ItemFile(path, self.offset, (self.shape[0], self.shape[1]))


def array_place(path: Path, start: int = 0) -> ArrayPlace | None:
    """What NumPy's header at some place in a file says; None where rows do not follow each other, or it says more."""
    with path.open("rb") as file:
        file.seek(start)
        try:
            version = npy.read_magic(file)
            if version not in ((1, 0), (2, 0)):
                return None
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            shape, by_columns, dtype = read(file)
        except ValueError as error:
            raise InvalidInputError(f"Cannot read {path}: {error}.") from None
        if by_columns or dtype.hasobject:
            return None
        return ArrayPlace(dtype, shape, file.tell())


def _mapped(path: Path, dtype: np.dtype[Any], offset: int, shape: tuple[int, ...]) -> NDArray[Any]:
    needed = offset + dtype.itemsize * int(np.prod(shape, dtype=np.int64))
    try:
        if (there := path.stat().st_size) < needed:
            raise InvalidInputError(f"{path} ends after {there:,} bytes of {needed:,}. Copy or write it again.")
        if 0 in shape:
            return np.empty(shape, dtype)  # nothing can be mapped
        return np.memmap(path, dtype, "r", offset, shape)
    except OSError as error:
        raise InvalidInputError(f"Cannot map {path}: {error.strerror}.") from None
