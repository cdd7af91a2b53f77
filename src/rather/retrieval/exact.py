"""The exact retriever: scores every item that could be among the best and, where norms allow, no other."""

from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor

from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.numerics.threads import one_thread
from rather.retrieval.protocol import Found, validate_count
from rather.retrieval.scan import Best, ScanSettings, best_first, best_of, best_rows
from rather.retrieval.score_bounds import ScoreBounds

# Rounding error of two float32 inner products over some hundred dimensions. Without it an item of equal score could be
# missed.
ROUNDING = 1 + 1e-5


@dataclass(frozen=True)
class ExactSettings:
    """When a search starts with the longest items (the head), and when it stops. Only speed depends on it.

    Attributes:
        small_catalog: Up to this many items, one scan of all is faster than starting with the head.
        max_count: Searches for more items than this scan all of them.
        max_head_rows: Size of the head, at most,
        head_share: and at most this share of all items.
        first_ring: The head is searched in rings of doubling size; the first is at most this large.
        trial_directions: After this many directions the head is judged:
        worthwhile_share: if it has answered no more than this share of them, it is no longer used.
        scan: How scans divide their work.
    """

    small_catalog: int = 131_072
    max_count: int = 1024
    max_head_rows: int = 2**20
    head_share: float = 1 / 8
    first_ring: int = 16_384
    trial_directions: int = 256
    worthwhile_share: float = 1 / 4
    scan: ScanSettings = field(default_factory=ScanSettings)


@dataclass
class EarlyStops:
    """How many directions were searched, and how many the longest items alone answered."""

    directions: int = 0
    answered: int = 0

    def record(self, answered: Tensor) -> None:
        """Count directions `(b,)`, true where the longest items were enough."""
        self.directions += len(answered)
        self.answered += int(answered.sum())

    def worthwhile(self, settings: ExactSettings) -> bool:
        """Whether starting with the longest items has been worth it so far."""
        return (
            self.directions < settings.trial_directions or self.answered > settings.worthwhile_share * self.directions
        )


@dataclass(frozen=True)
class ExactRetriever:
    """Finds the best items for certain, in blocks of bounded memory. Equal scores come in the order of their rows.

    No item scores above its norm times the direction's (Cauchy-Schwarz). So the longest items are scanned first, and
    a direction whose count-th best score is above what any shorter item could reach is answered. Where item norms
    vary widely, as those of learnt vectors do, most directions end there; the others cost a full scan.

    Example:
        >>> import torch, rather
        >>> catalog = rather.Catalog([[1.0, 0.0], [0.0, 1.0], [0.7, 0.7]])
        >>> found = rather.ExactRetriever(catalog).top(torch.tensor([[1.0, 0.2]]), count=2)
        >>> found.rows.tolist()
        [[0, 2]]

    Attributes:
        catalog: Where to search.
        stop_by_norm: False always scores every item: one scan, the unit of the benchmark.
        population: For whom it will search. Needed by `refine`, which bounds scores on the main axes of these users.
        settings: When to use the longest items; only speed depends on it.
        early_stops: How often they were enough so far.
    """

    catalog: Catalog
    stop_by_norm: bool = True
    population: Belief | None = field(default=None, repr=False, compare=False)
    settings: ExactSettings = field(default_factory=ExactSettings, repr=False, compare=False)
    early_stops: EarlyStops = field(default_factory=EarlyStops, init=False, repr=False, compare=False)

    def top(self, directions: Tensor, count: int, allowed: Tensor | None = None) -> Found:
        """See `Retriever.top`."""
        validate_count(count, len(self.catalog) if allowed is None else int(allowed.count_nonzero()))
        with one_thread():
            if self._starts_with_head(count):
                best = self._from_head(directions, count, allowed)
            else:
                best = best_rows(self.catalog.items, directions, count, allowed, self.settings.scan)
            return Found(best.scores, best.rows, self.catalog.vectors(best.rows))

    def refine(self, directions: Tensor, found: Best, allowed: Tensor | None = None) -> Found | None:
        """What `top` finds, given the best rows `(b, count)` among some of the items.

        Scores only the items that could beat the last of them. None if items too short for the head could, or if the
        catalogue is small.
        """
        count = found.scores.shape[1]
        bounds = self._score_bounds
        positions = None if bounds is None else bounds.may_reach(directions, found.scores[:, -1])
        if positions is None:
            return None
        rows, order = self._head.rows[positions].sort()
        if allowed is not None:
            order, rows = order[allowed[rows]], rows[allowed[rows]]
        vectors = self._head.items[positions[order]]
        # Products with one to three directions may round equal items differently, depending on where they stand in the
        # matrix; products with four do not.
        b = len(directions)
        several = directions if b >= 4 else directions.repeat(-(-4 // b), 1)
        best = best_of((several @ vectors.T)[:b], count)
        return Found(best.scores, rows[best.rows], vectors[best.rows])

    def can_refine(self, directions: Tensor, found: Best) -> Tensor:
        """For which of the directions, `(b,)`, `refine` finds something; all of them if the catalogue is small."""
        if self._score_bounds is None:
            return torch.ones(len(directions), dtype=torch.bool)
        return self._score_bounds.covers(directions, found.scores[:, -1])

    def is_cheap_for(self, directions: Tensor) -> bool:
        """Whether the longest items alone answer most of the directions `(b, d)`."""
        if not self.stop_by_norm or self._is_small:
            return False
        with one_thread():
            answered = self._head.best(directions, 1, None)[1]
        return bool(answered.float().mean() > 1 / 2)

    @property
    def _is_small(self) -> bool:
        return len(self.catalog) <= self.settings.small_catalog

    def _starts_with_head(self, count: int) -> bool:
        possible = self.stop_by_norm and not self._is_small and count <= self.settings.max_count
        return possible and self.early_stops.worthwhile(self.settings)

    @cached_property
    def _head(self) -> "Head":
        return Head.of(self.catalog, self.settings)

    @cached_property
    def _score_bounds(self) -> ScoreBounds | None:
        if self.population is None or self._is_small:
            return None
        return ScoreBounds.of(self._head.items, self._head.longest_outside, self.population)

    def _from_head(self, directions: Tensor, count: int, allowed: Tensor | None) -> Best:
        best, answered = self._head.best(directions, count, allowed)
        self.early_stops.record(answered)
        if not answered.all():
            rest = best_rows(self.catalog.items, directions[~answered], count, allowed, self.settings.scan)
            best.scores[~answered], best.rows[~answered] = rest.scores, rest.rows
        return best


@dataclass(frozen=True)
class Head:
    """The longest items, longest first, in rings of doubling size.

    Attributes:
        rows: `(h,)` their rows in the catalogue.
        items: `(h, d)` their vectors.
        rings: For each ring its start, its end, and the norm of the longest item after it.
        scan: How scans of a ring divide their work.
    """

    rows: Tensor
    items: Tensor
    rings: tuple[tuple[int, int, float], ...]
    scan: ScanSettings

    @classmethod
    def of(cls, catalog: Catalog, settings: ExactSettings) -> "Head":
        """The head of a catalogue."""
        size = min(settings.max_head_rows, int(settings.head_share * len(catalog)))
        norms, rows = catalog.storage.norms.topk(size + 1)
        ends = [size]
        while ends[-1] > settings.first_ring:
            ends.append(ends[-1] // 2)
        ends.reverse()
        rings = tuple((start, end, float(norms[end])) for start, end in zip([0, *ends], ends, strict=False))
        return cls(rows[:size], catalog.vectors(rows[:size]), rings, settings.scan)

    @property
    def longest_outside(self) -> float:
        """The norm of the longest item that is not in the head."""
        return self.rings[-1][2]

    def best(self, directions: Tensor, count: int, allowed: Tensor | None) -> tuple[Best, Tensor]:
        """The best rows, `(b, count)`, and for which directions they are the best of all items, `(b,)`."""
        b = len(directions)
        scores = torch.zeros(b, count, dtype=directions.dtype)
        rows, answered = torch.zeros(b, count, dtype=torch.long), torch.zeros(b, dtype=torch.bool)
        pending, reach = torch.arange(b), directions.norm(dim=1) * ROUNDING
        # One more than wanted: items here are not in the order of their rows, so a tie at the cut is left unanswered.
        best = Best(scores.new_full((b, count + 1), -torch.inf), torch.zeros(b, count + 1, dtype=torch.long))
        allowed = None if allowed is None else allowed[self.rows]
        for start, end, longest_after in self.rings:
            best = self._with_ring(best, directions[pending], slice(start, end), allowed)
            last, next_best = best.scores[:, count - 1], best.scores[:, count]
            enough = (last > longest_after * reach[pending]) & (last > next_best)
            done = pending[enough]
            scores[done], rows[done] = best.scores[enough, :count], best.rows[enough, :count]
            answered[done] = True
            pending, best = pending[~enough], Best(best.scores[~enough], best.rows[~enough])
            if not len(pending):
                break
        return best_first(scores, rows, count), answered

    def _with_ring(self, best: Best, directions: Tensor, ring: slice, allowed: Tensor | None) -> Best:
        count = best.rows.shape[1]
        found = best_rows(self.items[ring], directions, count, None if allowed is None else allowed[ring], self.scan)
        scores = torch.cat([best.scores, found.scores], dim=1)
        rows = torch.cat([best.rows, self.rows[ring][found.rows]], dim=1)
        top = scores.topk(count, dim=1)
        return Best(top.values, rows.gather(1, top.indices))
