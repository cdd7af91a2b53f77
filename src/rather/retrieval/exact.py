"""The exact retriever: looks at every item that could be among the best, and at no other where norms allow."""

from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor

from rather.catalog import Catalog
from rather.retrieval.protocol import Found, refuse_count
from rather.retrieval.scan import FEW_ROWS, Best, best_first, best_rows
from rather.threads import one_thread

# A catalogue this small is scanned faster than it is sorted through.
SMALL_CATALOG = 131_072

# Who wants more items than this wants a look at all of them.
MOST_COUNT = 1024

# At most this many of the longest items are kept in order of length, and at most this share of all.
MOST_HEAD_ROWS = 2**20
HEAD_SHARE = 1 / 8

# Rounding of two float32 inner products over some hundred dimensions; without it a stop could miss an equal.
ROUNDING = 1 + 1e-5

# Directions after which the head is judged, and the share it must have answered to be asked further.
TRIAL_DIRECTIONS = 256
WORTHWHILE_SHARE = 1 / 4


@dataclass(frozen=True)
class ExactRetriever:
    """Finds the best items for certain, in blocks of bounded memory. Equal scores come in the order of their rows.

    No item scores above its norm times the direction's (Cauchy-Schwarz). So the longest items are scanned first, and
    a direction whose count-th best score is above what any shorter item could reach is answered. Where item norms
    spread, as those of learnt vectors do, most directions end there; the others cost a full scan.

    Attributes:
        catalog: Where to search.
        stop_by_norm: False always looks at every item: one scan, the unit of the benchmark.
    """

    catalog: Catalog
    stop_by_norm: bool = True
    _stops: "Stops" = field(default_factory=lambda: Stops(), init=False, repr=False, compare=False)

    def top(self, directions: Tensor, count: int, allowed: Tensor | None = None) -> Found:
        """See `Retriever.top`."""
        refuse_count(count, len(self.catalog) if allowed is None else int(allowed.sum()))
        with one_thread():
            if self._can_stop(count):
                best = self._among_longest(directions, count, allowed)
            else:
                best = best_rows(self.catalog.items, directions, count, allowed)
            return Found(best.scores, best.rows, self.catalog.items[best.rows])

    def _can_stop(self, count: int) -> bool:
        large = len(self.catalog) > SMALL_CATALOG and count <= MOST_COUNT
        return self.stop_by_norm and large and self._stops.worthwhile

    @cached_property
    def _head(self) -> "Head":
        return Head.of(self.catalog)

    def _among_longest(self, directions: Tensor, count: int, allowed: Tensor | None) -> Best:
        best, answered = self._head.best(directions, count, allowed)
        self._stops.record(answered)
        if not answered.all():
            rest = best_rows(self.catalog.items, directions[~answered], count, allowed)
            best.scores[~answered], best.rows[~answered] = rest.scores, rest.rows
        return best


@dataclass
class Stops:
    """How often the longest items were enough. Only speed depends on it, never what is found."""

    directions: int = 0
    answered: int = 0

    def record(self, answered: Tensor) -> None:
        """Count the directions `(b,)` that ended among the longest items."""
        self.directions += len(answered)
        self.answered += int(answered.sum())

    @property
    def worthwhile(self) -> bool:
        """Whether looking at the longest items first has paid so far."""
        return self.directions < TRIAL_DIRECTIONS or self.answered > WORTHWHILE_SHARE * self.directions


@dataclass(frozen=True)
class Head:
    """The longest items, longest first.

    Attributes:
        rows: `(h,)` their rows in the catalogue.
        items: `(h, d)` their vectors.
        levels: How many of them to look at before asking whether that was enough, and the norm of the longest item
            not among those.
    """

    rows: Tensor
    items: Tensor
    levels: tuple[tuple[int, float], ...]

    @classmethod
    def of(cls, catalog: Catalog) -> "Head":
        """The head of a catalogue."""
        size = min(MOST_HEAD_ROWS, int(HEAD_SHARE * len(catalog)))
        norms, rows = catalog.norms.topk(size + 1)
        sizes = [size]
        while sizes[-1] > FEW_ROWS:
            sizes.append(sizes[-1] // 4)
        levels = tuple((level, float(norms[level])) for level in reversed(sizes))
        return cls(rows[:size], catalog.items[rows[:size]], levels)

    def best(self, directions: Tensor, count: int, allowed: Tensor | None) -> tuple[Best, Tensor]:
        """The best rows, `(b, count)`, and for which directions they are the best of all items, `(b,)`."""
        b = len(directions)
        scores = torch.zeros(b, count, dtype=directions.dtype)
        rows, answered = torch.zeros(b, count, dtype=torch.long), torch.zeros(b, dtype=torch.bool)
        lengths = directions.norm(dim=1) * ROUNDING
        allowed = None if allowed is None else allowed[self.rows]
        for size, longest_left in self.levels:
            left = (~answered).nonzero()[:, 0]
            among = None if allowed is None else allowed[:size]
            # One more than wanted: items are not in the order of their rows here, so equals at the cut are left alone.
            found = best_rows(self.items[:size], directions[left], count + 1, among)
            last, next_best = found.scores[:, count - 1], found.scores[:, count]
            enough = (last > longest_left * lengths[left]) & (last > next_best)
            done = left[enough]
            scores[done], rows[done] = found.scores[enough, :count], self.rows[found.rows[enough, :count]]
            answered[done] = True
            if answered.all():
                break
        return best_first(scores, rows, count), answered
