"""Numbers and texts as one compressed file, which the page unpacks.

A header in JSON says where each array begins. The bytes of wide numbers are stored plane by plane, the first byte of
all numbers before the second of all: neighbouring floats share their exponents, and compress a fifth better so.
"""

import gzip
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

# By the name that the engine knows them by.
KINDS = {"f4": np.float32, "f8": np.float64, "u1": np.uint8, "u2": np.uint16, "u4": np.uint32}

Array = npt.NDArray[Any]


def packed(texts: Mapping[str, Any], arrays: Mapping[str, Array]) -> bytes:
    """A file of plain data and arrays, each of one of `KINDS`."""
    parts, index, offset = list[bytes](), dict[str, Any](), 0
    for name, array in arrays.items():
        kind = next(kind for kind, dtype in KINDS.items() if array.dtype == dtype)
        index[name] = {"kind": kind, "shape": list(array.shape), "offset": offset}
        parts.append(_planes(array))
        offset += array.nbytes
    header = json.dumps({**texts, "arrays": index}, ensure_ascii=False, separators=(",", ":")).encode()
    content = b"".join([len(header).to_bytes(4, "little"), header, *parts])
    # Without the time of day, so that equal contents are equal files.
    return gzip.compress(content, 9, mtime=0)


def smallest(numbers: Array) -> Array:
    """Whole numbers from 0 on as the narrowest kind that holds them."""
    most = int(numbers.max()) if numbers.size else 0
    return numbers.astype(np.uint8 if most < 2**8 else np.uint16 if most < 2**16 else np.uint32)


def _planes(array: Array) -> bytes:
    little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<")))
    return little.view(np.uint8).reshape(-1, array.itemsize).T.tobytes()
