"""Arrays in files, memory-mapped: where they start, and how to read them without a copy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from torch import Tensor

from rather.errors import InvalidInputError
from rather.formats.vectors.damage import damage
from rather.numerics.arrays import tensor_view

# The only layout that can be memory-mapped and computed with as it is: float32, little-endian.
FLOATS = np.dtype("<f4")


@dataclass(frozen=True)
class MatrixInFile:
    """A matrix of float32 in a file, row after row.

    Attributes:
        path: The file.
        offset: The byte at which the first number starts.
        shape: `(n, d)`.
    """

    path: Path
    offset: int
    shape: tuple[int, int]

    def array(self) -> NDArray[np.float32]:
        """The matrix, memory-mapped and read-only."""
        return _memory_mapped(self.path, FLOATS, self.offset, self.shape)

    def tensor(self) -> Tensor:
        """The matrix as a tensor on the same memory."""
        return tensor_view(self.array())

    def rows(self, start: int, stop: int) -> MatrixInFile:
        """The rows `start..stop-1`."""
        d = self.shape[1]
        return MatrixInFile(self.path.resolve(), self.offset + FLOATS.itemsize * d * start, (stop - start, d))

    def __str__(self) -> str:
        return str(self.path)


@dataclass(frozen=True)
class ArrayInFile:
    """An array in NumPy's format inside a file: its type, its shape, and the byte at which its first number starts."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int

    def array(self, path: Path) -> NDArray[Any]:
        """The array, memory-mapped."""
        return _memory_mapped(path, self.dtype, self.offset, self.shape)

    def matrix(self, path: Path) -> MatrixInFile | None:
        """The array as a matrix of float32; None when it is something else or not aligned."""
        if self.dtype != FLOATS or len(self.shape) != 2 or 0 in self.shape or self.offset % FLOATS.itemsize:
            return None
        return MatrixInFile(path, self.offset, (self.shape[0], self.shape[1]))


def find_array(path: Path, start: int = 0) -> ArrayInFile | None:
    """Read the NumPy header that starts at a byte of a file; None for arrays in Fortran order or of objects."""
    with path.open("rb") as file:
        file.seek(start)
        try:
            version = npy.read_magic(file)
            if version not in ((1, 0), (2, 0)):
                return None
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            shape, by_columns, dtype = read(file)
        except ValueError as error:
            raise InvalidInputError(f"Cannot read {path}: {damage(path, error)}.") from None
        if by_columns or dtype.hasobject:
            return None
        return ArrayInFile(dtype, shape, file.tell())


def _memory_mapped(path: Path, dtype: np.dtype[Any], offset: int, shape: tuple[int, ...]) -> NDArray[Any]:
    needed = offset + dtype.itemsize * math.prod(shape)
    try:
        if (there := path.stat().st_size) < needed:
            raise InvalidInputError(f"{path} ends after {there:,} bytes of {needed:,}. Copy or write it again.")
        if 0 in shape:
            return np.empty(shape, dtype)  # an empty range cannot be mapped
        return np.memmap(path, dtype, "r", offset, shape)
    except OSError as error:
        raise InvalidInputError(f"Cannot memory-map {path}: {error.strerror}.") from None
