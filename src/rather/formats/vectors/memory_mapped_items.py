"""A catalogue's item vectors in a file: what one scan of them tells, cached until the file changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rather.errors import InvalidInputError
from rather.formats.vectors.arrow_columns import ArrowColumn
from rather.formats.vectors.file_facts import FileFacts, OnProgress, is_large
from rather.formats.vectors.memory_mapped import MatrixInFile
from rather.model.items import ItemId, TensorItems, hash_of_shape
from rather.numerics.arrays import tensor_view
from rather.numerics.threads import one_thread

# Rows scanned at a time: a few megabytes, which are converted to float64 for their sum.
SCAN_ROWS = 16_384


class MemoryMappedItems(TensorItems):
    """Item vectors that stay in their file. Pickled, they are opened again from the same path and checked.

    Args:
        matrix: Where they are.
        on_progress: Called while a large file is scanned for the first time.
        scan_rows: Rows scanned at a time.
    """

    def __init__(self, matrix: MatrixInFile, on_progress: OnProgress | None = None, scan_rows: int = SCAN_ROWS) -> None:
        super().__init__(matrix.tensor())
        self.matrix = matrix
        found = _cached_scan(matrix, on_progress, scan_rows)
        self._digest, self.average, self.norms = found.digest, found.average, found.norms

    def content_hash(self, ids: Sequence[ItemId] | None) -> str:
        """A hash of every vector and of the ids; that of ids in the same file is cached."""
        if ids is None:
            return self._digest
        if not isinstance(ids, ArrowColumn) or ids.path != self.matrix.path:
            return super().content_hash(ids)
        facts = FileFacts(self.matrix.path)
        known = facts.load().get("hash with ids")
        if known is None:
            known = super().content_hash(ids)
            facts.add(**{"hash with ids": known})
        return str(known)

    def reopenable(self, start: int, stop: int) -> MatrixInFile:
        """The rows `start..stop-1`, to be opened by path."""
        return self.matrix.rows(start, stop)

    def __getstate__(self) -> dict[str, Any]:
        return {"matrix": self.matrix, "digest": self._digest}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["matrix"])  # type: ignore[misc]  # as if it were opened here
        if self._digest != state["digest"]:
            raise InvalidInputError(f"{self.matrix.path} does not hold the items of this catalogue here, or any more.")


@dataclass(frozen=True, eq=False)
class Scan:
    """What a scan of all item vectors found: a hash of them, their average `(d,)` and their norms `(n,)`."""

    digest: str
    average: Tensor
    norms: Tensor


def _cached_scan(matrix: MatrixInFile, on_progress: OnProgress | None, scan_rows: int) -> Scan:
    if not is_large(matrix.path):
        return _scan(matrix, on_progress, scan_rows)
    facts = FileFacts(matrix.path)
    if (known := _cached(matrix, facts)) is not None:
        return known
    found = _scan(matrix, on_progress, scan_rows)
    facts.add_array(".norms.npy", found.norms.numpy())
    facts.add(items=_location(matrix), digest=found.digest, average=found.average.tolist())
    return _cached(matrix, facts) or found


def _location(matrix: MatrixInFile) -> list[int]:
    return [matrix.offset, *matrix.shape]


def _cached(matrix: MatrixInFile, facts: FileFacts) -> Scan | None:
    known, norms = facts.load(), facts.array(".norms.npy", matrix.shape[0])
    if norms is None or known.get("items") != _location(matrix):
        return None
    return Scan(known["digest"], torch.tensor(known["average"], dtype=torch.float32), tensor_view(norms))


def _scan(matrix: MatrixInFile, on_progress: OnProgress | None, scan_rows: int) -> Scan:
    items, n = matrix.tensor(), matrix.shape[0]
    digest, norms = hash_of_shape(matrix.shape), np.empty(n, dtype=np.float32)
    total = torch.zeros(matrix.shape[1], dtype=torch.float64)
    with one_thread():
        for start in range(0, n, scan_rows):
            block = items[start : start + scan_rows]
            sums = block.sum(dim=0, dtype=torch.float64)
            if not torch.isfinite(sums).all():
                _reject_non_finite(block, start, matrix)
            total += sums
            digest.update(block.numpy().data)
            norms[start : start + scan_rows] = torch.linalg.vector_norm(block, dim=1).numpy()
            if on_progress is not None:
                on_progress(f"looking at {matrix.path.name}", min(n, start + scan_rows), n)
    return Scan(digest.hexdigest(), (total / n).float(), torch.from_numpy(norms))


def _reject_non_finite(block: Tensor, start: int, matrix: MatrixInFile) -> None:
    bad = (~torch.isfinite(block)).nonzero()
    if len(bad):
        row, column = bad[0].tolist()
        raise InvalidInputError(
            f"`items` must be finite, but in {matrix.path} entry [{start + row}, {column}] is "
            f"{float(block[row, column])}. Remove or fill such entries first."
        )
