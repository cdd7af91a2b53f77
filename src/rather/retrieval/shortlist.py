"""A shortlist: the items that are ever the best for anybody of a population, and a measure of what it misses.

For a population with learnt tastes nearly all items of a large catalogue are never found by any search. The shortlist
holds those that are: the best few for many directions in which conversations search. It does not grow with the
catalogue. What it loses is measured against exact searches in fresh directions, when it is built and again whenever it
is fitted to a belief, and it is enlarged where it loses too much.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.numerics.randomness import derive_generator
from rather.numerics.threads import one_thread
from rather.retrieval.directions import conversation_directions, group_means, others_of, people_of
from rather.retrieval.exact import ExactRetriever
from rather.retrieval.protocol import Found, Retriever, validate_count
from rather.retrieval.scan import best_rows
from rather.retrieval.shortlist_settings import ShortlistPlan, ShortlistReport

# Searches for so few directions are exact where norms make that as cheap as the shortlist: the recommendation itself,
# and the value of the question that is asked (its answers, and the belief as it is).
FEW_DIRECTIONS = 9

# Of so many beliefs one is checked, in the directions of its mean and of this many groups of its particles. Exact
# searches for single particles would look at a hundred times as many items.
CHECK_ONE_IN = 8
CHECKED_GROUPS = 4
GROUP = 8

# The same inner product in another batch may differ by so much.
ROUNDING = 1e-6

# Filters whose shortlists are kept.
MOST_FILTERS = 16


@dataclass(frozen=True, eq=False)
class Check:
    """What an exact search finds, and for each direction how much better its best is than the shortlist's, `(b,)`."""

    found: Found
    missed: Tensor


@dataclass(eq=False)
class Mean:
    """The mean of a belief, `(1, d)`, and what was found for it so far."""

    direction: Tensor
    found: Found | None = None


@dataclass(frozen=True, eq=False)
class ShortlistRetriever:
    """Searches the items of a shortlist; build one with `ShortlistRetriever.build`.

    Attributes:
        exact: Searches the whole catalogue: what the shortlist is made from and measured against.
        rows: `(s,)` the items' rows in the catalogue, rising.
        prior: The belief it was built for.
        allowed: The filter it was built for. Another filter is searched exactly; `fitted` builds a shortlist for it.
        plan: How it was made.
        report: What is known of it.
    """

    exact: ExactRetriever
    rows: Tensor
    prior: Belief
    allowed: Tensor | None
    plan: ShortlistPlan
    report: ShortlistReport
    _items: Tensor = field(repr=False)
    _mean: Mean | None = field(default=None, repr=False)
    _for_filters: dict[int, ShortlistRetriever] = field(default_factory=dict, repr=False)

    @classmethod
    def build(
        cls,
        catalog: Catalog | ExactRetriever,
        belief: Belief,
        allowed: Tensor | None = None,
        plan: ShortlistPlan = ShortlistPlan(),  # noqa: B008 - immutable
    ) -> ShortlistRetriever:
        """The shortlist of a catalogue for the people of a belief.

        Args:
            catalog: Where to search, or its exact retriever.
            belief: Whom it will be searched for.
            allowed: `(n,)` boolean, the items that may be found; by default all.
            plan: How thoroughly.
        """
        exact = catalog if isinstance(catalog, ExactRetriever) else ExactRetriever(catalog, people=belief)
        with one_thread():
            return _Builder(exact, belief, allowed, plan).build()

    def top(self, directions: Tensor, count: int, allowed: Tensor | None = None) -> Found:
        """See `Retriever.top`."""
        # A long ranking for one person: most of its items are nobody's best, and not on the shortlist.
        ranking = len(directions) == 1 and count > self.plan.depth
        if ranking or count > len(self.rows) or not self._is_for(allowed):
            return self.exact.top(directions, count, allowed)
        validate_count(count, len(self.rows))
        with one_thread():
            if self.report.exact_is_cheap and 0 < len(directions) <= FEW_DIRECTIONS:
                return self._exactly(directions, count)
            best = best_rows(self._items, directions, count)
            return Found(best.scores, self.rows[best.rows], self._items[best.rows])

    def _exactly(self, directions: Tensor, count: int) -> Found:
        """What an exact search finds; that for the belief it was fitted to is remembered."""
        mean = self._mean
        if mean is None or len(directions) != 1 or not torch.equal(directions, mean.direction):
            return self._checked(directions, count).found
        found = mean.found  # another thread may put a shorter list there at any time
        if found is None or count > found.rows.shape[1]:
            found = mean.found = self._checked(directions, count).found
        return Found(found.scores[:, :count], found.rows[:, :count], found.vectors[:, :count])

    def _checked(self, directions: Tensor, count: int) -> Check:
        """What an exact search finds; the shortlist's own best leave few others to look at."""
        known = best_rows(self._items, directions, count)
        found = self.exact.confirmed(directions, known, self.allowed) or self.exact.top(directions, count, self.allowed)
        return Check(found, found.scores[:, 0] - known.scores[:, 0])

    def bytes_beside(self, other: Retriever) -> int:
        """Cache that it holds besides what it shares with another shortlist."""
        shared = isinstance(other, ShortlistRetriever) and self._items is other._items
        parts = (self.rows,) if shared else (self.rows, self._items)
        return sum(part.numel() * part.element_size() for part in parts)

    def candidates(self, allowed: Tensor | None = None) -> Tensor:
        """The rows that are ever found, rising; all allowed ones under a filter it was not built for."""
        if self._is_for(allowed):
            return self.rows
        return torch.arange(len(self.exact.catalog)) if allowed is None else allowed.nonzero()[:, 0]

    def fitted(self, belief: Belief, allowed: Tensor | None = None) -> Retriever:
        """The shortlist for this belief: for some, checked by exact searches and enlarged where it loses too much.

        Follows from the shortlist, the belief and the filter alone.
        """
        with one_thread():
            if not self._is_for(allowed):
                return self._filtered(allowed).fitted(belief, allowed)
            generator = derive_generator(self.plan.seed, "fit", belief.content_hash)
            fresh = replace(self, _mean=Mean(belief.mean[None]))
            if int(torch.randint(CHECK_ONE_IN, (), generator=generator)):
                return fresh
            directions = self._to_check(belief, generator)
            return fresh._enlarged(directions, belief, generator) if len(directions) else fresh

    def _to_check(self, belief: Belief, generator: torch.Generator) -> Tensor:
        """Directions that a conversation may search: the mean, and groups of particles that an answer may single out.

        Where exact searches are cheap, those of them for which they are.
        """
        some = torch.multinomial(belief.weights, CHECKED_GROUPS * GROUP, replacement=True, generator=generator)
        groups = belief.particles[some.view(CHECKED_GROUPS, GROUP)].mean(dim=1)
        directions = torch.cat([belief.mean[None], groups])
        if not self.report.exact_is_cheap:
            return directions
        return directions[self.exact.confirms(directions, best_rows(self._items, directions, 1))]

    def _enlarged(self, directions: Tensor, belief: Belief, generator: torch.Generator) -> ShortlistRetriever:
        """With what exact searches find in these directions, and in further ones if it loses too much there."""
        check = self._checked(directions, 1)
        loss, rows = self._loss(check, belief), check.found.rows.flatten()
        if enlarge := loss > self.plan.bound:
            further = group_means(people_of(belief, generator), self.plan.refresh, generator)
            rows = torch.cat([rows, self.exact.top(further, self.plan.depth, self.allowed).rows.flatten()])
        every = torch.unique(torch.cat([self.rows, rows]))
        items = self._items if len(every) == len(self.rows) else self.exact.catalog.items[every]
        enlargements = self.report.enlargements + enlarge
        report = replace(self.report, items=len(every), loss=loss, checks=len(directions), enlargements=enlargements)
        return replace(self, rows=every, report=report, _items=items)

    def _loss(self, check: Check, belief: Belief) -> float:
        """See `ShortlistReport.loss`; what there is to gain is that of the belief, estimated by the shortlist."""
        if float((check.missed - ROUNDING * check.found.scores[:, 0].abs()).max()) <= 0:
            return 0.0
        highest = (self._items @ belief.particles.T).amax(dim=0)
        gain = highest @ belief.weights - (self._items @ belief.mean).max()
        return float(check.missed.clamp_min(0).mean() / gain.clamp_min(1e-12))

    def _is_for(self, allowed: Tensor | None) -> bool:
        if allowed is None or self.allowed is None or allowed is self.allowed:
            return allowed is self.allowed
        return torch.equal(allowed, self.allowed)

    def _filtered(self, allowed: Tensor | None) -> ShortlistRetriever:
        """The shortlist for another filter."""
        key = 0 if allowed is None else hash(allowed.numpy().tobytes())
        known = self._for_filters.get(key)
        if known is None or not known._is_for(allowed):
            known = ShortlistRetriever.build(self.exact, self.prior, allowed, self.plan)
            while len(self._for_filters) >= MOST_FILTERS:
                self._for_filters.pop(next(iter(self._for_filters)), None)
            self._for_filters[key] = known
        return known


@dataclass
class _Builder:
    exact: ExactRetriever
    belief: Belief
    allowed: Tensor | None
    plan: ShortlistPlan

    def build(self) -> ShortlistRetriever:
        plan, generator = self.plan, derive_generator(self.plan.seed, "shortlist")
        people = people_of(self.belief, generator)
        searched = torch.cat([self.belief.mean[None], group_means(people, plan.checks, generator)])
        rows = self._best(searched, plan.depth)
        asked_about = self._items(rows)
        best_on_average = self._items(self._best(self.belief.mean[None], 1))[0]
        others = others_of(self.belief, people, generator)
        checks = conversation_directions(others, asked_about, plan.checks, generator)
        truth = self.exact.top(checks, 1, self.allowed)
        count, losses = len(searched), []
        for enlargement in range(plan.enlargements + 1):
            directions = conversation_directions(people, asked_about, plan.directions, generator)
            # Everybody's own best item is what the expected regret is computed from.
            directions = torch.cat([directions, people]) if enlargement == 0 else directions
            # Deeper each time: in a very large catalogue many items are nearly the best for one direction, and a
            # conversation's own direction, a little beside, has another of them at the top.
            rows = torch.unique(torch.cat([rows, self._best(directions, plan.depth * 2**enlargement)]))
            count += len(directions)
            losses.append(_loss(truth.scores[:, 0], checks, self._items(rows), best_on_average))
            if losses[-1] <= plan.bound or (enlargement and losses[-1] > 0.7 * losses[-2]):
                break  # good enough, or hopeless
        report = ShortlistReport(
            len(rows),
            len(self.exact.catalog),
            count,
            losses[-1],
            len(checks),
            plan.bound,
            len(losses) - 1,
            self.exact.stops_early(checks),
        )
        return ShortlistRetriever(self.exact, rows, self.belief, self.allowed, plan, report, self._items(rows))

    def _best(self, directions: Tensor, depth: int) -> Tensor:
        available = len(self.exact.catalog) if self.allowed is None else int(self.allowed.count_nonzero())
        rows: Tensor = torch.unique(self.exact.top(directions, min(depth, available), self.allowed).rows)
        return rows

    def _items(self, rows: Tensor) -> Tensor:
        return self.exact.catalog.items[rows]


def _loss(best: Tensor, directions: Tensor, items: Tensor, best_on_average: Tensor) -> float:
    """See `ShortlistReport.loss`."""
    missed = (best - best_rows(items, directions, 1).scores[:, 0]).clamp_min(0).sum()
    gain = (best - directions @ best_on_average).clamp_min(0).sum()
    return float(missed / gain.clamp_min(1e-12))
