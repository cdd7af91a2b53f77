"""The item vectors of a catalogue, wherever they are stored."""

from __future__ import annotations

import hashlib
import itertools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from rather.numerics.threads import on_all_threads

ItemId = str | int

# Rows hashed or scanned at a time: enough to keep two threads busy, few enough to bound memory.
BLOCK_ROWS = 65_536


class FeatureRanges(NamedTuple):
    """Lowest and highest value and standard deviation of each dimension over all items, each `(d,)`."""

    low: Tensor
    high: Tensor
    spread: Tensor


class ReopenableRows(Protocol):
    """Some item vectors described by where they are. Small enough to send to another process, which opens them."""

    def tensor(self) -> Tensor:
        """The vectors `(rows, d)`."""
        ...


class ItemStorage(ABC):
    """The vectors `(n, d)` of n items: what a catalogue knows about its items as numbers.

    Everything but retrieval reaches vectors by row (`vectors`) or through the statistics below; only retrieval reads
    `tensor` and `norms`.
    """

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """`(n, d)`."""

    @abstractmethod
    def vectors(self, rows: Tensor) -> Tensor:
        """The vectors `(..., d)` of the items in these rows `(...)`."""

    @property
    def rows(self) -> Tensor:
        """All rows, ascending."""
        return torch.arange(self.shape[0])

    def spaced_rows(self, count: int) -> Tensor:
        """The rows of items that stand for all: all of a few, else `count` to twice as many, evenly spaced."""
        n = self.shape[0]
        return torch.arange(0, n, max(1, n // count))

    @property
    @abstractmethod
    def average(self) -> Tensor:
        """The average vector `(d,)`."""

    @property
    @abstractmethod
    def largest_norm(self) -> float:
        """The largest Euclidean norm of a vector."""

    @property
    @abstractmethod
    def feature_ranges(self) -> FeatureRanges:
        """How each dimension varies over the items."""

    @abstractmethod
    def content_hash(self, ids: Sequence[ItemId] | None) -> str:
        """A hash of every vector and of the ids; `ids` is None when they are the rows `0..n-1`."""

    @property
    @abstractmethod
    def tensor(self) -> Tensor:
        """All vectors `(n, d)`."""

    @property
    @abstractmethod
    def norms(self) -> Tensor:
        """All Euclidean norms `(n,)`."""

    def reopenable(self, start: int, stop: int) -> ReopenableRows | None:
        """The rows `start..stop-1` as another process can open them itself; None when they have to be sent."""
        return None


class TensorItems(ItemStorage):
    """Item vectors in a tensor.

    Args:
        tensor: `(n, d)`, finite float32.
        block_rows: Rows that are hashed or measured at a time.
    """

    def __init__(self, tensor: Tensor, block_rows: int = BLOCK_ROWS) -> None:
        self._tensor = tensor
        self._block_rows = block_rows

    @property
    def tensor(self) -> Tensor:
        """All vectors `(n, d)`."""
        return self._tensor

    @property
    def shape(self) -> tuple[int, int]:
        """`(n, d)`."""
        n, d = self.tensor.shape
        return n, d

    def vectors(self, rows: Tensor) -> Tensor:
        """The vectors `(..., d)` of the items in these rows `(...)`."""
        return self.tensor[rows]

    @cached_property
    def norms(self) -> Tensor:
        """All Euclidean norms `(n,)`, from one pass."""
        return torch.cat(on_all_threads(_norms, torch.split(self.tensor, self._block_rows)))

    @cached_property
    def largest_norm(self) -> float:
        """The largest Euclidean norm of a vector."""
        return float(self.norms.max())

    @cached_property
    def average(self) -> Tensor:
        """The average vector `(d,)`, summed in float64."""
        total = sum(block.sum(dim=0, dtype=torch.float64) for block in torch.split(self.tensor, self._block_rows))
        return torch.as_tensor(total / len(self.tensor), dtype=torch.float32)

    @cached_property
    def feature_ranges(self) -> FeatureRanges:
        """How each dimension varies over the items."""
        items = self.tensor
        return FeatureRanges(items.amin(dim=0), items.amax(dim=0), items.std(dim=0, correction=0))

    def content_hash(self, ids: Sequence[ItemId] | None) -> str:
        """A hash of every vector and of the ids; `ids` is None when they are the rows `0..n-1`."""
        digest = hash_of_shape(self.shape)
        for block in torch.split(self.tensor, self._block_rows):
            digest.update(block.contiguous().numpy().data)
        separator, rest = "", iter(() if ids is None else ids)
        while part := list(itertools.islice(rest, self._block_rows)):
            digest.update((separator + "\0".join(map(repr, part))).encode())
            separator = "\0"
        return digest.hexdigest()


def hash_of_shape(shape: tuple[int, int]) -> hashlib.blake2b:
    """What a hash of item vectors starts with, so that the same numbers in another shape are other items."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(repr(tuple(shape)).encode())
    return digest


def _norms(block: Tensor) -> Tensor:
    norms: Tensor = torch.linalg.vector_norm(block, dim=1)
    return norms
