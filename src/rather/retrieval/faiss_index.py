"""Items in groups, by the library faiss: how the approximate index is made."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from rather.extras import require_extra
from rather.model.catalog import Catalog
from rather.numerics.randomness import derive_generator

# At most so many groups, and for each of them so many items from which centres are found.
MOST_GROUPS = 16_384
TRAINED_ON = 48

# Rows given to faiss at a time.
BLOCK_ROWS = 65_536


@dataclass(frozen=True)
class IndexPlan:
    """How an index is made.

    Attributes:
        bound: Largest loss that is let pass when the number of groups looked into is chosen. See `IndexReport.loss`.
        checks: Directions in which the loss is measured.
        groups: How many groups; by default about the square root of the number of items.
        seed: Of the directions and of the grouping.
    """

    bound: float = 0.01
    checks: int = 128
    groups: int | None = None
    seed: int = 0


def require_faiss() -> Any:
    """The library, or an error that says how to get it."""
    require_extra("ann", "The approximate index")
    with warnings.catch_warnings():  # its wrapper is older than Python's wish for module names
        warnings.simplefilter("ignore", DeprecationWarning)
        import faiss
    return faiss


@contextlib.contextmanager
def one_faiss_thread(faiss: Any) -> Iterator[None]:
    """Put faiss on one thread for a while: several wait for each other for longer than they help."""
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


def grouped(catalog: Catalog, plan: IndexPlan) -> Any:
    """The items of a catalogue in groups around centres: faiss's inverted file."""
    faiss = require_faiss()
    n, d = catalog.items.shape
    groups = plan.groups if plan.groups is not None else 2 ** round(np.log2(n) / 2)
    groups = max(1, min(groups, MOST_GROUPS, n))
    index = faiss.IndexIVFFlat(faiss.IndexFlatIP(d), d, groups, faiss.METRIC_INNER_PRODUCT)
    index.cp.seed, index.cp.niter, index.cp.min_points_per_centroid = plan.seed, 8, 1
    sample = torch.randperm(n, generator=derive_generator(plan.seed, "groups"))[: TRAINED_ON * groups].sort().values
    index.train(catalog.items[sample].numpy())
    for block in torch.split(catalog.items, BLOCK_ROWS):
        index.add(block.contiguous().numpy())
    return index
