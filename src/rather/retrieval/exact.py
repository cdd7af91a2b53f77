"""The exact retriever: looks at every item that could be among the best, and at no other where norms allow."""

from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor

from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.numerics.threads import one_thread
from rather.retrieval.protocol import Found, validate_count
from rather.retrieval.scan import Best, best_first, best_of, best_rows
from rather.retrieval.score_bounds import Sketch

# A catalogue this small is scanned faster than it is sorted through.
SMALL_CATALOG = 131_072

# Who wants more items than this wants a look at all of them.
MOST_COUNT = 1024

# At most this many of the longest items are kept in order of length, and at most this share of all.
MOST_HEAD_ROWS = 2**20
HEAD_SHARE = 1 / 8

# The first of them that are looked at, at most; then as many again, and so on.
FIRST_RING = 16_384

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
        people: Whom it will be searched for. Their main axes tell which items could beat what was found elsewhere; see
            `confirmed`.
    """

    catalog: Catalog
    stop_by_norm: bool = True
    people: Belief | None = field(default=None, repr=False, compare=False)
    _stops: "Stops" = field(default_factory=lambda: Stops(), init=False, repr=False, compare=False)

    def top(self, directions: Tensor, count: int, allowed: Tensor | None = None) -> Found:
        """See `Retriever.top`."""
        validate_count(count, len(self.catalog) if allowed is None else int(allowed.count_nonzero()))
        with one_thread():
            if self._can_stop(count):
                best = self._among_longest(directions, count, allowed)
            else:
                best = best_rows(self.catalog.items, directions, count, allowed)
            return Found(best.scores, best.rows, self.catalog.items[best.rows])

    def confirmed(self, directions: Tensor, found: Best, allowed: Tensor | None = None) -> Found | None:
        """What `top` finds, from the best rows `(b, count)` of some of the items.

        Looks at those items alone that could beat the last of them; None where items too short to be in the head could.
        """
        count = found.scores.shape[1]
        places = None if self._sketch is None else self._sketch.could_reach(directions, found.scores[:, -1])
        if places is None:
            return None
        rows, order = self._head.rows[places].sort()
        if allowed is not None:
            order, rows = order[allowed[rows]], rows[allowed[rows]]
        vectors = self._head.items[places[order]]
        # For a single direction equal items may come out unequal in the last digit, by their place; for two never.
        several = directions.expand(2, -1) if len(directions) == 1 else directions
        best = best_of((several @ vectors.T)[: len(directions)], count)
        return Found(best.scores, rows[best.rows], vectors[best.rows])

    def confirms(self, directions: Tensor, found: Best) -> Tensor:
        """For which of the directions, `(b,)`, `confirmed` finds something; all where a catalogue is small."""
        if self._sketch is None:
            return torch.ones(len(directions), dtype=torch.bool)
        return self._sketch.covers(directions, found.scores[:, -1])

    def stops_early(self, directions: Tensor) -> bool:
        """Whether most of the directions `(b, d)` are answered by the longest items alone."""
        if not self.stop_by_norm or len(self.catalog) <= SMALL_CATALOG:
            return False
        with one_thread():
            answered = self._head.best(directions, 1, None)[1]
        return bool(answered.float().mean() > 1 / 2)

    def _can_stop(self, count: int) -> bool:
        large = len(self.catalog) > SMALL_CATALOG and count <= MOST_COUNT
        return self.stop_by_norm and large and self._stops.worthwhile

    @cached_property
    def _head(self) -> "Head":
        return Head.of(self.catalog)

    @cached_property
    def _sketch(self) -> Sketch | None:
        if self.people is None or len(self.catalog) <= SMALL_CATALOG:
            return None
        return Sketch.of(self._head.items, self._head.longest_left, self.people)

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
    """The longest items, longest first, in rings of doubling size.

    Attributes:
        rows: `(h,)` their rows in the catalogue.
        items: `(h, d)` their vectors.
        rings: For each ring where it starts and ends, and the norm of the longest item after it.
    """

    rows: Tensor
    items: Tensor
    rings: tuple[tuple[int, int, float], ...]

    @classmethod
    def of(cls, catalog: Catalog) -> "Head":
        """The head of a catalogue."""
        size = min(MOST_HEAD_ROWS, int(HEAD_SHARE * len(catalog)))
        norms, rows = catalog.norms.topk(size + 1)
        ends = [size]
        while ends[-1] > FIRST_RING:
            ends.append(ends[-1] // 2)
        ends.reverse()
        rings = tuple((start, end, float(norms[end])) for start, end in zip([0, *ends], ends, strict=False))
        return cls(rows[:size], catalog.items[rows[:size]], rings)

    @property
    def longest_left(self) -> float:
        """The norm of the longest item that is not in the head."""
        return self.rings[-1][2]

    def best(self, directions: Tensor, count: int, allowed: Tensor | None) -> tuple[Best, Tensor]:
        """The best rows, `(b, count)`, and for which directions they are the best of all items, `(b,)`."""
        b = len(directions)
        scores = torch.zeros(b, count, dtype=directions.dtype)
        rows, answered = torch.zeros(b, count, dtype=torch.long), torch.zeros(b, dtype=torch.bool)
        left, reach = torch.arange(b), directions.norm(dim=1) * ROUNDING
        # One more than wanted: items are not in the order of their rows here, so equals at the cut are left alone.
        best = Best(scores.new_full((b, count + 1), -torch.inf), torch.zeros(b, count + 1, dtype=torch.long))
        allowed = None if allowed is None else allowed[self.rows]
        for start, end, longest_left in self.rings:
            best = self._with_ring(best, directions[left], slice(start, end), allowed)
            last, next_best = best.scores[:, count - 1], best.scores[:, count]
            enough = (last > longest_left * reach[left]) & (last > next_best)
            done = left[enough]
            scores[done], rows[done] = best.scores[enough, :count], best.rows[enough, :count]
            answered[done] = True
            left, best = left[~enough], Best(best.scores[~enough], best.rows[~enough])
            if not len(left):
                break
        return best_first(scores, rows, count), answered

    def _with_ring(self, best: Best, directions: Tensor, ring: slice, allowed: Tensor | None) -> Best:
        count = best.rows.shape[1]
        found = best_rows(self.items[ring], directions, count, None if allowed is None else allowed[ring])
        scores = torch.cat([best.scores, found.scores], dim=1)
        rows = torch.cat([best.rows, self.rows[ring][found.rows]], dim=1)
        top = scores.topk(count, dim=1)
        return Best(top.values, rows.gather(1, top.indices))
