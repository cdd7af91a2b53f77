"""Utilities from any model whatsoever: a matrix with a row for each item and a column for each sampled person.

Utility is linear again in the space of people. An item is the row of its scores, `s (m,)`, and person j is the unit
vector `e_j`: `s @ e_j` is what the item is worth to them. So nothing but the catalogue and the belief is particular
about such a model; strategies, filters, response models and logs are the usual ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rather.caching import Cache
from rather.caching.whole_files import written_whole
from rather.errors import InvalidInputError, RatherError
from rather.formats.opened import Opened
from rather.formats.score_factors import low_rank_factors
from rather.formats.vectors.archives import ArchiveWriter, MemoryMappedArchive
from rather.formats.vectors.damage import damage_explained
from rather.formats.vectors.file_facts import ReadOptions
from rather.formats.vectors.memory_mapped_items import MemoryMappedItems
from rather.formats.vectors.vector_files import Vectors, load_vectors
from rather.model.belief import Belief
from rather.model.catalog import Catalog, ItemId
from rather.model.items import ItemStorage, TensorItems
from rather.numerics.arrays import as_floats

# What the array is called in an archive, and the file without its ending.
NAME = "scores"


def from_scores(
    scores: Any,
    *,
    weights: Any = None,
    ids: Sequence[ItemId] | None = None,
    labels: Sequence[str] | None = None,
    name: str = "item",
    smooth: bool | None = None,
    cache: Cache | None = None,
) -> Opened:
    """A catalogue and a belief from the utility of every item for every sampled person.

    Any model will do: score all items for a sample of people, and ask a new person which of them they resemble.

    A matrix of low rank r is factorised, exact but for rounding; then item vectors have r dimensions instead of m.

    Example:
        >>> catalog, belief = from_scores([[3.0, 0.0, 1.0], [0.0, 2.0, 1.0]], labels=["tea", "coffee"])
        >>> (catalog.vectors([0, 1]) @ belief.particles.T).round(decimals=4).tolist()
        [[3.0, 0.0, 1.0], [0.0, 2.0, 1.0]]

    Args:
        scores: `(n, m)`, the utility of n items for m people: an array, a tensor, a DataFrame, or the path of an
            `.npy` file or of an `.npz` file that holds `scores`. A large file stays memory-mapped where the matrix is
            not of low rank.
        weights: m non-negative weights of the people, by default equal.
        ids: n distinct names of the items, by default `0..n-1`.
        labels: n texts to show, by default the ids.
        name: What to call an item, in the singular ("film").
        smooth: Let a new person's taste be a blend of the sampled ones, or near one of them: a kernel density in the r
            dimensions of a matrix of low rank, from which particles are drawn again when few are left. Otherwise a
            person is one of the sampled people, and answers only weigh these. By default the former where the rank is
            low: the regret of held-out people after eight questions was 0.07 instead of 0.10 on MovieLens-100k, and
            the same up to its error on MovieLens-1M and goodbooks-10k.
        cache: Where facts about large files are kept.
    """
    if isinstance(scores, str | Path):
        table = load_scores(Path(scores), ReadOptions(cache))
    else:
        matrix = as_floats(scores, NAME, rank=2).numpy()
        _validate_shape(*matrix.shape)
        table = Scores(Vectors(matrix))
    return table.described(name=name, ids=ids, labels=labels, weights=weights).opened(smooth=smooth)


@dataclass(frozen=True, eq=False)
class Scores:
    """A matrix of scores, with what its file says about items and people.

    Attributes:
        vectors: Its rows are the `items`, with their ids and labels.
        weights: `(m,)` of the people, by default equal.
    """

    vectors: Vectors
    weights: Any = None

    def described(
        self,
        *,
        name: str,
        ids: Sequence[ItemId] | None = None,
        labels: Sequence[str] | None = None,
        weights: Any = None,
    ) -> Scores:
        """The same scores with what was given in place of what the file says."""
        if ids is not None and len(ids) != len(self.vectors.items):
            raise InvalidInputError(f"`ids` must have {len(self.vectors.items)} entries, got {len(ids)}.")
        columns = {"item_ids": ids, "labels": labels}
        given: dict[str, Any] = {key: value for key, value in columns.items() if value is not None}
        return Scores(replace(self.vectors, name=name, **given), self.weights if weights is None else weights)

    def opened(self, *, smooth: bool | None = None) -> Opened:
        """The items and the people, in the fewest dimensions that hold them exactly; see `from_scores`."""
        storage = self._storage()
        vectors, (n, m) = self.vectors, storage.shape
        _validate_shape(n, m)
        factors = low_rank_factors(storage.tensor)
        if factors is not None:
            storage = TensorItems(factors.items)
        elif smooth:
            raise InvalidInputError(
                f"`smooth` must be left out for these scores: their rank is above half of the {m} people, and a "
                "density in as many dimensions as there are people says nothing about a new one."
            )
        people = torch.eye(m, dtype=torch.float32) if factors is None else factors.people
        smooth = factors is not None if smooth is None else smooth
        belief = Belief.from_users(people, self.weights, smooth=smooth)
        return Opened(Catalog(storage, vectors.item_ids, vectors.labels, name=vectors.name), belief)

    def _storage(self) -> ItemStorage:
        if self.vectors.matrix is not None:
            return MemoryMappedItems(self.vectors.matrix, self.vectors.options)
        return TensorItems(as_floats(self.vectors.items, NAME, rank=2))


def _validate_shape(n: int, m: int) -> None:
    if n < 2 or m < 2:
        raise InvalidInputError(
            f"`scores` must have a row for each of at least 2 items and a column for each of at least 2 people, "
            f"got shape ({n}, {m})."
        )


def save_scores(
    scores: Tensor, path: Path, item_ids: Sequence[ItemId] | None = None, labels: Sequence[str] | None = None
) -> Path:
    """Write scores `(n, m)` to an `.npz` file that can be memory-mapped. A crash leaves the old file or the new one."""
    if path.suffix != ".npz":
        raise InvalidInputError(f"`path` of a file of scores must end in .npz, got {path.name!r}.")
    columns = {"item_ids": item_ids, "labels": labels}
    try:
        with written_whole(path) as draft, ArchiveWriter.to(draft) as archive:
            archive.array(NAME, scores.numpy().astype(np.float32))
            for key, values in columns.items():
                if values is not None:
                    archive.array(key, np.asarray(list(values)))
    except OSError as error:
        raise RatherError(f"Cannot write {path}: {error.strerror or error}.") from None
    return path


def is_scores_file(path: Path) -> bool:
    """Whether a file holds scores: `scores.npy`, or an `.npz` file with an array of that name."""
    if path.suffix == ".npz":
        return path.exists() and NAME in MemoryMappedArchive(path)
    return path.name == f"{NAME}.npy"


def load_scores(path: Path, options: ReadOptions = ReadOptions()) -> Scores:  # noqa: B008 - immutable
    """Read an `.npy` file, or an `.npz` file with `scores` and, if they are there, `item_ids`, `labels`, `weights`."""
    if path.suffix != ".npz":
        return Scores(load_vectors(path, options))
    with damage_explained(path):
        return _from_archive(path, MemoryMappedArchive(path), options)


def _from_archive(path: Path, archive: MemoryMappedArchive, options: ReadOptions) -> Scores:
    if NAME not in archive:
        raise InvalidInputError(f"{path.name} must hold an array `{NAME}`; it holds {', '.join(archive)}.")
    found = archive.find(NAME) if options.is_large(path) else None
    matrix = None if found is None else found.matrix(path)
    items = np.array(archive[NAME]) if matrix is None else matrix.array()
    columns = {key: archive[key].tolist() for key in ("item_ids", "labels") if key in archive}
    vectors = Vectors(items, **columns, matrix=matrix, options=options)
    return Scores(vectors, np.array(archive["weights"]) if "weights" in archive else None)
