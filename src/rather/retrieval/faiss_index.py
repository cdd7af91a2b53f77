"""Building the index of the approximate retriever with the library faiss: items in groups around centres."""

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

# Groups, at most, and items per group from which the centres are trained.
MAX_GROUPS = 16_384
TRAINING_ITEMS = 48

# Rows handed to faiss in one batch.
BATCH_ROWS = 65_536


@dataclass(frozen=True)
class IndexSettings:
    """How an index is built.

    Attributes:
        bound: Largest acceptable loss; decides how many groups a search looks into. See `IndexReport.loss`.
        checks: Directions in which the loss is measured.
        groups: How many groups; by default about the square root of the number of items.
        longest: How many of the longest items every search scores.
        seed: For the directions and the grouping.
    """

    bound: float = 0.01
    checks: int = 128
    groups: int | None = None
    longest: int = 4096
    seed: int = 0


def require_faiss() -> Any:
    """The library, or an error that says how to install it."""
    require_extra("ann", "The approximate index")
    with warnings.catch_warnings():  # its generated wrapper lacks module names that Python expects
        warnings.simplefilter("ignore", DeprecationWarning)
        import faiss
    return faiss


@contextlib.contextmanager
def one_faiss_thread(faiss: Any) -> Iterator[None]:
    """Limit faiss to one thread: several wait for each other longer than they help."""
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


def build_index(catalog: Catalog, settings: IndexSettings) -> Any:
    """The items of a catalogue in groups around centres: faiss's inverted file."""
    faiss = require_faiss()
    n, d = catalog.storage.shape
    groups = settings.groups if settings.groups is not None else 2 ** round(np.log2(n) / 2)
    groups = max(1, min(groups, MAX_GROUPS, n))
    index = faiss.IndexIVFFlat(faiss.IndexFlatIP(d), d, groups, faiss.METRIC_INNER_PRODUCT)
    index.cp.seed, index.cp.niter, index.cp.min_points_per_centroid = settings.seed, 8, 1
    order = torch.randperm(n, generator=derive_generator(settings.seed, "groups"))
    sample = order[: TRAINING_ITEMS * groups].sort().values
    index.train(catalog.vectors(sample).numpy())
    for block in torch.split(catalog.items, BATCH_ROWS):
        index.add(block.contiguous().numpy())
    return index
