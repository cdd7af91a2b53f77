"""A catalogue's item vectors in a file: what one scan of them finds, kept until the file changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rather.errors import InvalidInputError
from rather.formats.vectors.arrow_columns import ArrowColumn
from rather.formats.vectors.file_facts import FileFacts, ReadOptions
from rather.formats.vectors.memory_mapped import MatrixInFile
from rather.model.items import ItemId, TensorItems, hash_of_shape
from rather.numerics.arrays import tensor_view
from rather.numerics.threads import one_thread


class MemoryMappedItems(TensorItems):
    """Item vectors that stay in their file. Unpickled, they are opened from the same path and checked.

    Args:
        matrix: Where they are.
        options: How to read them.
    """

    def __init__(
        self,
        matrix: MatrixInFile,
        options: ReadOptions = ReadOptions(),  # noqa: B008 - immutable
    ) -> None:
        super().__init__(matrix.tensor())
        self.matrix = matrix
        self._options = options
        self._facts = options.facts(matrix.path)
        found = _cached_scan(matrix, options, self._facts)
        self._digest, self.average, self.norms = found.digest, found.average, found.norms

    def content_hash(self, ids: Sequence[ItemId] | None) -> str:
        """A hash of every vector and of the ids; that with ids from the same file is kept as a fact."""
        if ids is None:
            return self._digest
        if self._facts is None or not isinstance(ids, ArrowColumn) or ids.facts != self._facts:
            return super().content_hash(ids)
        known = self._facts.load().get("hash with ids")
        if known is None:
            known = super().content_hash(ids)
            self._facts.add(**{"hash with ids": known})
        return str(known)

    def reopenable(self, start: int, stop: int) -> MatrixInFile:
        """The rows `start..stop-1`, to be opened by path."""
        return self.matrix.rows(start, stop)

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (self.matrix, replace(self._options, on_progress=None), self._digest)


def _reopened(matrix: MatrixInFile, options: ReadOptions, digest: str) -> MemoryMappedItems:
    items = MemoryMappedItems(matrix, options)
    if items.content_hash(None) != digest:
        raise InvalidInputError(
            f"{matrix.path} must hold the items of the catalogue that was opened from it, but it holds others by now, "
            "or on this machine."
        )
    return items


@dataclass(frozen=True, eq=False)
class Scan:
    """What a scan of all item vectors found: a hash of them, their average `(d,)` and their norms `(n,)`."""

    digest: str
    average: Tensor
    norms: Tensor


def _cached_scan(matrix: MatrixInFile, options: ReadOptions, facts: FileFacts | None) -> Scan:
    if facts is None:
        return _scan(matrix, options)
    if (known := _known(matrix, facts)) is not None:
        return known
    found = _scan(matrix, options)
    facts.add_array(".norms.npy", found.norms.numpy())
    facts.add(items=_location(matrix), digest=found.digest, average=found.average.tolist())
    return _known(matrix, facts) or found


def _location(matrix: MatrixInFile) -> list[int]:
    return [matrix.offset, *matrix.shape]


def _known(matrix: MatrixInFile, facts: FileFacts) -> Scan | None:
    known, norms = facts.load(), facts.load_array(".norms.npy", matrix.shape[0])
    if norms is None or known.get("items") != _location(matrix):
        return None
    return Scan(known["digest"], torch.tensor(known["average"], dtype=torch.float32), tensor_view(norms))


def _scan(matrix: MatrixInFile, options: ReadOptions) -> Scan:
    items, n, step = matrix.tensor(), matrix.shape[0], options.batch_rows
    digest, norms = hash_of_shape(matrix.shape), np.empty(n, dtype=np.float32)
    total = torch.zeros(matrix.shape[1], dtype=torch.float64)
    with one_thread():
        for start in range(0, n, step):
            batch = items[start : start + step]
            sums = batch.sum(dim=0, dtype=torch.float64)
            if not torch.isfinite(sums).all():
                _reject_non_finite(batch, start, matrix)
            total += sums
            digest.update(batch.numpy().data)
            norms[start : start + step] = torch.linalg.vector_norm(batch, dim=1).numpy()
            if options.on_progress is not None:
                options.on_progress(f"scanning {matrix.path.name}", min(n, start + step), n)
    return Scan(digest.hexdigest(), (total / n).float(), torch.from_numpy(norms))


def _reject_non_finite(batch: Tensor, start: int, matrix: MatrixInFile) -> None:
    bad = (~torch.isfinite(batch)).nonzero()
    if len(bad):
        row, column = bad[0].tolist()
        raise InvalidInputError(
            f"`items` must be finite, but in {matrix.path} entry [{start + row}, {column}] is "
            f"{float(batch[row, column])}. Remove or fill such entries first."
        )
