"""The one look at all vectors of a file: are they finite, how long, what is their hash? Remembered until it changes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from rather.errors import InvalidInputError
from rather.formats.vectors.file_facts import OnProgress, Remembered, is_large
from rather.formats.vectors.memory_mapped import ItemFile
from rather.numerics.arrays import tensor_view
from rather.numerics.threads import one_thread

# Rows looked at at a time: a few megabytes, which are turned into float64 to be summed.
BLOCK_ROWS = 16_384


@dataclass(frozen=True, eq=False)
class Examined:
    """What a look at all item vectors told.

    Attributes:
        digest: Hash of their shape and all their bytes.
        average: `(d,)` the average vector.
        norms: `(n,)` their Euclidean norms, mapped from the cache once they are there.
    """

    digest: str
    average: Tensor
    norms: Tensor


def hash_of_shape(shape: tuple[int, ...]) -> hashlib.blake2b:
    """What a hash of item vectors starts with, so that the same numbers in other rows are other items."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(repr(tuple(shape)).encode())
    return digest


def examine(file: ItemFile, on_progress: OnProgress | None = None) -> Examined:
    """Look at all vectors of a file, or recall what an earlier look told if the file has not changed since.

    Args:
        file: Where they are.
        on_progress: Called as it goes on, with bytes done and to do.
    """
    if not is_large(file.path):
        return _examine(file, on_progress)
    remembered = Remembered(file.path)
    if (known := _recalled(file, remembered)) is not None:
        return known
    examined = _examine(file, on_progress)
    remembered.remember_array(".norms.npy", examined.norms.numpy())
    remembered.remember(items=_place(file), digest=examined.digest, average=examined.average.tolist())
    return _recalled(file, remembered) or examined


def _place(file: ItemFile) -> list[int]:
    return [file.offset, *file.shape]


def _recalled(file: ItemFile, remembered: Remembered) -> Examined | None:
    facts, norms = remembered.facts(), remembered.array(".norms.npy", file.shape[0])
    if norms is None or facts.get("items") != _place(file):
        return None
    return Examined(facts["digest"], torch.tensor(facts["average"], dtype=torch.float32), tensor_view(norms))


def _examine(file: ItemFile, on_progress: OnProgress | None) -> Examined:
    items, n = file.tensor(), file.shape[0]
    digest, norms = hash_of_shape(file.shape), np.empty(n, dtype=np.float32)
    total = torch.zeros(file.shape[1], dtype=torch.float64)
    with one_thread():
        for start in range(0, n, BLOCK_ROWS):
            block = items[start : start + BLOCK_ROWS]
            sums = block.sum(dim=0, dtype=torch.float64)
            if not torch.isfinite(sums).all():
                _refuse(block, start, file)
            total += sums
            digest.update(block.numpy().data)
            norms[start : start + BLOCK_ROWS] = torch.linalg.vector_norm(block, dim=1).numpy()
            if on_progress is not None:
                on_progress(f"looking at {file.path.name}", min(n, start + BLOCK_ROWS), n)
    return Examined(digest.hexdigest(), (total / n).float(), torch.from_numpy(norms))


def _refuse(block: Tensor, start: int, file: ItemFile) -> None:
    bad = (~torch.isfinite(block)).nonzero()
    if len(bad):
        row, column = bad[0].tolist()
        raise InvalidInputError(
            f"`items` must be finite, but in {file.path} entry [{start + row}, {column}] is "
            f"{float(block[row, column])}. Remove or fill such entries first."
        )
