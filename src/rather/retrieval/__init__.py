"""The best items for given utility directions: the only code that touches every item of a catalogue."""

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from rather.catalog import BLOCK_ROWS, Catalog
from rather.errors import InvalidInputError
from rather.threads import all_threads

# Scores held at a time, 16 MiB, whatever n and however many directions.
SCORES_AT_A_TIME = 2**22

# Below this many multiplications a second thread costs more than it saves.
SMALL_SCAN = 20_000_000


@dataclass(frozen=True, eq=False)
class Found:
    """The best items for each direction, best first.

    Attributes:
        scores: `(b, count)` inner products with the direction.
        rows: `(b, count)` rows of the catalogue.
        vectors: `(b, count, d)` the items themselves.
    """

    scores: Tensor
    rows: Tensor
    vectors: Tensor


class Retriever(Protocol):
    """Maximum inner product search over a catalogue ("deep retrieval" once directions are posterior means)."""

    def top(self, directions: Tensor, count: int, allowed: Tensor | None = None) -> Found:
        """The `count` best items for each direction.

        Args:
            directions: `(b, d)`.
            count: How many items for each direction, at most the number of allowed ones.
            allowed: `(n,)` boolean; items that may be found. None allows all.
        """
        ...


@dataclass(frozen=True)
class ExactRetriever:
    """Looks at every item, in blocks of bounded memory. Equal scores come in the order of their rows."""

    catalog: Catalog

    def top(self, directions: Tensor, count: int, allowed: Tensor | None = None) -> Found:
        """See `Retriever.top`."""
        available = len(self.catalog) if allowed is None else int(allowed.sum())
        if not 1 <= count <= available:
            raise InvalidInputError(f"`count` must be 1..{available} (the items allowed), got {count}.")
        at_a_time = SCORES_AT_A_TIME // min(len(self.catalog), BLOCK_ROWS)
        parts = [self._top(part, count, allowed) for part in torch.split(directions, at_a_time)]
        scores = torch.cat([part[0] for part in parts])
        rows = torch.cat([part[1] for part in parts])
        return Found(scores, rows, self.catalog.items[rows])

    def _top(self, directions: Tensor, count: int, allowed: Tensor | None) -> tuple[Tensor, Tensor]:
        items = self.catalog.items
        if items.shape[0] * items.shape[1] * len(directions) < SMALL_SCAN:
            return self._scan(directions, count, allowed)
        with all_threads():
            return self._scan(directions, count, allowed)

    def _scan(self, directions: Tensor, count: int, allowed: Tensor | None) -> tuple[Tensor, Tensor]:
        best: tuple[Tensor, Tensor] | None = None
        for start in range(0, len(self.catalog), BLOCK_ROWS):
            block = self.catalog.items[start : start + BLOCK_ROWS]
            scores = directions @ block.T
            if allowed is not None:
                scores.masked_fill_(~allowed[start : start + BLOCK_ROWS], -torch.inf)
            found, rows = _best_of_block(scores, min(count, len(block)))
            rows = rows + start
            if best is not None:
                found, rows = torch.cat([best[0], found], dim=1), torch.cat([best[1], rows], dim=1)
            best = _best_first(found, rows, count)
        assert best is not None  # a catalogue has at least one item
        return best


def _best_of_block(scores: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The `count` highest of scores `(b, n)` and their places; of equal ones at the cut the first."""
    if count == 1:
        highest = scores.max(dim=1, keepdim=True)  # the first of equals, and faster than topk
        return highest.values, highest.indices
    found, rows = scores.topk(min(count + 1, scores.shape[1]), dim=1)
    if count == scores.shape[1]:
        return found, rows
    # topk keeps any of the equals at the cut. Excluded items (-inf) are equal too, but never get through.
    tied = (found[:, count] == found[:, count - 1]) & found[:, count].isfinite()
    found, rows = found[:, :count], rows[:, :count]
    if tied.any():
        rows[tied] = _first_of_equals(scores[tied], found[tied, -1:], count)
        found[tied] = scores[tied].gather(1, rows[tied])
    return found, rows


def _first_of_equals(scores: Tensor, cut: Tensor, count: int) -> Tensor:
    """Places `(b, count)` of the scores `(b, n)` above the cut `(b, 1)` and of the first ones that equal it."""
    above, equal = scores > cut, scores == cut
    wanted = count - above.sum(dim=1, keepdim=True)
    kept = above | (equal & (equal.cumsum(dim=1) <= wanted))
    return kept.nonzero()[:, 1].view(-1, count)


def _best_first(scores: Tensor, rows: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Sorted by falling score, equal scores by rising row, cut to `count`."""
    by_row = rows.argsort(dim=1)
    scores, rows = scores.gather(1, by_row), rows.gather(1, by_row)
    order = scores.argsort(dim=1, descending=True, stable=True)[:, :count]
    return scores.gather(1, order), rows.gather(1, order)


def nearest_items(points: Tensor, catalog: Catalog, allowed: Tensor | None = None) -> Tensor:
    """For points `(..., d)` the nearest allowed item of the catalogue, `(..., d)`.

    The nearest z maximises `x @ z - |z|^2 / 2`.
    """
    flat = points.reshape(-1, points.shape[-1])
    best = torch.full((len(flat),), -torch.inf, dtype=flat.dtype)
    rows = torch.zeros(len(flat), dtype=torch.long)
    for start in range(0, len(catalog), BLOCK_ROWS):
        block = catalog.items[start : start + BLOCK_ROWS]
        scores = flat @ block.T - block.square().sum(dim=1) / 2
        if allowed is not None:
            scores.masked_fill_(~allowed[start : start + BLOCK_ROWS], -torch.inf)
        found, places = scores.max(dim=1)
        rows = torch.where(found > best, places + start, rows)
        best = torch.maximum(found, best)
    return catalog.items[rows].view(points.shape)
