"""NumPy archives (`.npz`) whose arrays can be memory-mapped: uncompressed, each starting at a multiple of 64 bytes.

NumPy reads them like any other archive. Archives that NumPy wrote can be read as well, but rarely memory-mapped: their
arrays start at any byte.
"""

from __future__ import annotations

import contextlib
import struct
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from rather.errors import InvalidInputError
from rather.formats.vectors.damage import damage
from rather.formats.vectors.memory_mapped import ArrayInFile, find_array

ALIGNMENT = 64

# Lengths in the header of a zip entry: its fixed part, and the sizes of large files, which we always write.
LOCAL_HEADER = 30
LARGE_SIZES = 20

# Marks the padding before an array, which no reader looks at.
PADDING = 0xD935


class ArchiveWriter:
    """Writes arrays one after the other, large ones block by block.

    Args:
        file: The zip file to write into.
    """

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file

    @classmethod
    @contextlib.contextmanager
    def to(cls, path: Path) -> Iterator[ArchiveWriter]:
        """A writer of a new file, which is complete when the context ends."""
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
            yield cls(file)

    def array(self, name: str, values: NDArray[Any]) -> None:
        """Add an array."""
        self.blocks(name, values.shape, values.dtype, [np.ascontiguousarray(values)])

    def blocks(self, name: str, shape: tuple[int, ...], dtype: Any, blocks: Iterable[NDArray[Any]]) -> None:
        """Add an array given as blocks of rows."""
        header = {"descr": npy.dtype_to_descr(np.dtype(dtype)), "fortran_order": False, "shape": shape}
        with self._file.open(self._entry(f"{name}.npy"), "w", force_zip64=True) as member:
            npy.write_array_header_1_0(member, header)  # its length is a multiple of 64 bytes, too
            for block in blocks:
                member.write(np.ascontiguousarray(block, dtype).reshape(-1).view(np.uint8).data)

    def _entry(self, name: str) -> zipfile.ZipInfo:
        assert self._file.fp is not None
        entry = zipfile.ZipInfo(name)
        start = self._file.fp.tell() + LOCAL_HEADER + len(name.encode()) + LARGE_SIZES + 4
        padding = -start % ALIGNMENT
        entry.extra = struct.pack("<HH", PADDING, padding) + bytes(padding)
        return entry


class MemoryMappedArchive(Mapping[str, NDArray[Any]]):
    """The arrays of an archive, each memory-mapped if possible and otherwise read when it is asked for.

    Args:
        path: The archive.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with zipfile.ZipFile(path) as file:
                self._entries = {entry.filename.removesuffix(".npy"): entry for entry in file.infolist()}
        except (OSError, zipfile.BadZipFile) as error:
            raise InvalidInputError(f"Cannot read {path}: {damage(path, error)}.") from None

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries  # that of Mapping would read the array

    def __getitem__(self, name: str) -> NDArray[Any]:
        found = self.find(name)
        if found is not None and found.offset % found.dtype.itemsize == 0:
            return found.array(self.path)
        with np.load(self.path, allow_pickle=False) as archive:
            array: NDArray[Any] = archive[name]
            return array

    def find(self, name: str) -> ArrayInFile | None:
        """Where an array is in the file; None when it is compressed."""
        entry = self._entries[name]
        if entry.compress_type != zipfile.ZIP_STORED:
            return None
        with self.path.open("rb") as file:
            file.seek(entry.header_offset)
            header = file.read(LOCAL_HEADER)
        name_length, extra_length = struct.unpack("<HH", header[26:30])
        return find_array(self.path, entry.header_offset + LOCAL_HEADER + name_length + extra_length)
