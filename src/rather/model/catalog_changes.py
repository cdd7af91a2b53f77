"""What a new version of a catalogue changes about its items."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from rather.model.catalog import Catalog
from rather.nouns import counted

# The facts of an item are put together when they are looked at: some 10 microseconds each.
MOST_COMPARED_FACTS = 100_000

# Vectors that are compared at a time.
BATCH = 65_536


@dataclass(frozen=True)
class CatalogChanges:
    """How many items differ between two versions of a catalogue, by their ids.

    Attributes:
        added: Items that only the new version has.
        gone: Items that only the old version has.
        changed: Items of both that differ in what is shown of them, or in their vectors where these were given; None
            where there are too many to compare.
    """

    added: int
    gone: int
    changed: int | None

    def sentence(self, noun: str) -> str:
        """The same in words."""
        changed = "" if self.changed is None else f", {self.changed:,} changed"
        return f"{counted(self.added, noun)} added, {self.gone:,} gone{changed}."


def catalog_changes(old: Catalog, new: Catalog) -> CatalogChanges:
    """What the new version changes."""
    rows = {id: row for row, id in enumerate(old.ids)}
    pairs = [(rows[id], row) for row, id in enumerate(new.ids) if id in rows]
    added, gone = len(new) - len(pairs), len(old) - len(pairs)
    if (old.facts or new.facts) and len(pairs) > MOST_COMPARED_FACTS:
        return CatalogChanges(added, gone, None)
    return CatalogChanges(added, gone, int((_looks_differ(old, new, pairs) | _vectors_differ(old, new, pairs)).sum()))


def _looks_differ(old: Catalog, new: Catalog, pairs: Sequence[tuple[int, int]]) -> Tensor:
    """`(pairs,)` boolean, whether the label or the facts of two items differ."""
    before, after = list(old.labels or old.ids), list(new.labels or new.ids)
    differ = [before[own] != after[other] or old.facts_of(own) != new.facts_of(other) for own, other in pairs]
    return torch.tensor(differ, dtype=torch.bool)


def _vectors_differ(old: Catalog, new: Catalog, pairs: Sequence[tuple[int, int]]) -> Tensor:
    """`(pairs,)` boolean, whether the vectors of two items differ.

    Those of a table, with a name for each dimension and facts beside them, do not count: they are put on one scale over
    all rows, so that one other price moves them all. What the person sees of an item tells whether it changed.
    """
    if all(catalog.features and catalog.facts for catalog in (old, new)):
        return torch.zeros(len(pairs), dtype=torch.bool)
    if old.dimensions != new.dimensions:
        return torch.ones(len(pairs), dtype=torch.bool)
    own, other = torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).T
    batches = zip(own.split(BATCH), other.split(BATCH), strict=True)
    return torch.cat([(old.vectors(a) != new.vectors(b)).any(dim=1) for a, b in batches])
