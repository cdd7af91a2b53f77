"""Exact searches beside a shortlist that says where to look first.

Where items have no structure, a shortlist loses too much to stand for the catalogue. It still holds items that are
nearly the best for most directions, and a first look at them saves scans for hundreds of directions.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from rather.retrieval.protocol import Found
from rather.retrieval.scan import best_rows
from rather.retrieval.shortlist import ShortlistRetriever

# With fewer allowed items than this on the shortlist, its best are far from the best.
FEWEST = 2048


@dataclass(frozen=True, eq=False)
class ScreeningRetriever:
    """Searches all items, like the exact retriever; screens those of a shortlist.

    Attributes:
        shortlist: Where to look first.
        fewest: With fewer allowed items than this on the shortlist, all items are screened.
    """

    shortlist: ShortlistRetriever
    fewest: int = FEWEST

    def top(self, directions: Tensor, count: int, allowed: Tensor | None = None) -> Found:
        """See `Retriever.top`."""
        return self.shortlist.exact.top(directions, count, allowed)

    def screen(self, directions: Tensor, count: int, allowed: Tensor | None = None) -> Tensor:
        """See `Screening.screen`."""
        shortlist = self.shortlist
        mask = None if allowed is None else allowed[shortlist.rows]
        left = len(shortlist.rows) if mask is None else int(mask.count_nonzero())
        if left < max(count, self.fewest):
            return self.top(directions, count, allowed).rows
        return shortlist.rows[best_rows(shortlist.items, directions, count, mask).rows]
