"""A shortlist: the items that are ever the best for anybody of a population, and a measure of what it misses.

For a population with learnt tastes nearly all items of a large catalogue are never found by any search. The shortlist
holds those that are: the best few for many directions in which conversations search. It does not grow with the
catalogue. What it loses is measured against exact searches in fresh directions, when it is built and again whenever it
is fitted to a belief, and it is enlarged where it loses too much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from rather.belief import Belief
from rather.catalog import Catalog
from rather.randomness import derive_generator
from rather.retrieval.directions import conversation_directions, group_means, others_of, people_of
from rather.retrieval.exact import ExactRetriever
from rather.retrieval.protocol import Found, Retriever, refuse_count
from rather.retrieval.scan import best_rows
from rather.threads import one_thread

# Searches for so few directions are exact where norms make that as cheap as the shortlist: the recommendation itself,
# and the value of the question that is asked.
FEW_DIRECTIONS = 8

# Of so many beliefs one is checked in the directions of this many particles, and not of its mean alone.
CHECK_ONE_IN = 8
CHECKED_PARTICLES = 4

# Best items for the mean of a belief that are found exactly and kept.
KEPT_FOR_MEAN = 8

# The same inner product in another batch may differ by so much.
ROUNDING = 1e-6

# Filters whose shortlists are kept.
MOST_FILTERS = 16


@dataclass(frozen=True)
class Plan:
    """How thoroughly a shortlist is made.

    Attributes:
        directions: Searched when it is built, and again for each enlargement.
        depth: Items taken for each direction; twice as many at every enlargement.
        bound: Largest loss that is let pass: the share of what there is to gain by asking. See `Report.loss`.
        enlargements: At most this many when it is built.
        checks: Fresh directions that measure the loss.
        refresh: Directions searched when it has to be enlarged for a belief.
        seed: Of the directions.
    """

    directions: int = 1024
    depth: int = 8
    bound: float = 0.01
    enlargements: int = 2
    checks: int = 128
    refresh: int = 128
    seed: int = 0


@dataclass(frozen=True)
class Report:
    """What is known of a shortlist.

    Attributes:
        items: How many items it holds.
        catalog: Of how many.
        directions: Searched to find them.
        loss: What it loses in fresh directions, as a share of what those directions gain over the item that is best on
            average: 0 when it always holds the best item, 1 when it might as well hold that one alone.
        checks: How many fresh directions that was measured in.
        bound: The loss that is let pass.
        enlargements: How often it was enlarged.
        exact_is_cheap: Whether norms stop most exact searches early, so that searches for few directions are exact.
    """

    items: int
    catalog: int
    directions: int
    loss: float
    checks: int
    bound: float
    enlargements: int
    exact_is_cheap: bool

    @property
    def trusted(self) -> bool:
        """Whether the loss is within the bound."""
        return self.loss <= self.bound


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
    plan: Plan
    report: Report
    _items: Tensor = field(repr=False)
    _mean: tuple[Tensor, Found] | None = field(default=None, repr=False)
    _for_filters: dict[int, ShortlistRetriever] = field(default_factory=dict, repr=False)

    @classmethod
    def build(
        cls,
        catalog: Catalog | ExactRetriever,
        belief: Belief,
        allowed: Tensor | None = None,
        plan: Plan = Plan(),  # noqa: B008 - immutable
    ) -> ShortlistRetriever:
        """The shortlist of a catalogue for the people of a belief.

        Args:
            catalog: Where to search, or its exact retriever.
            belief: Whom it will be searched for.
            allowed: `(n,)` boolean, the items that may be found; by default all.
            plan: How thoroughly.
        """
        exact = catalog if isinstance(catalog, ExactRetriever) else ExactRetriever(catalog)
        with one_thread():
            return _Builder(exact, belief, allowed, plan).build()

    def top(self, directions: Tensor, count: int, allowed: Tensor | None = None) -> Found:
        """See `Retriever.top`."""
        if self._knows(directions, count) and self._is_for(allowed):
            return self._known(count)
        few = self.report.exact_is_cheap and len(directions) <= FEW_DIRECTIONS
        # A long ranking for one person: most of its items are nobody's best, and not on the shortlist.
        ranking = len(directions) == 1 and count > self.plan.depth
        if few or ranking or count > len(self.rows) or not self._is_for(allowed):
            return self.exact.top(directions, count, allowed)
        refuse_count(count, len(self.rows))
        with one_thread():
            best = best_rows(self._items, directions, count)
            return Found(best.scores, self.rows[best.rows], self._items[best.rows])

    def _knows(self, directions: Tensor, count: int) -> bool:
        """Whether this asks for the best items of the belief it was fitted to."""
        if self._mean is None or len(directions) != 1 or count > self._mean[1].rows.shape[1]:
            return False
        return torch.equal(directions, self._mean[0])

    def _known(self, count: int) -> Found:
        assert self._mean is not None
        found = self._mean[1]
        return Found(found.scores[:, :count], found.rows[:, :count], found.vectors[:, :count])

    def bytes_beside(self, other: Retriever) -> int:
        """Memory that it holds besides what it shares with another shortlist."""
        shared = isinstance(other, ShortlistRetriever) and self._items is other._items
        parts = (self.rows,) if shared else (self.rows, self._items)
        return sum(part.numel() * part.element_size() for part in parts)

    def candidates(self, allowed: Tensor | None = None) -> Tensor:
        """The rows that are ever found, rising; all allowed ones under a filter it was not built for."""
        if self._is_for(allowed):
            return self.rows
        return torch.arange(len(self.exact.catalog)) if allowed is None else allowed.nonzero()[:, 0]

    def fitted(self, belief: Belief, allowed: Tensor | None = None) -> Retriever:
        """The shortlist with what exact searches find for this belief; more of them where it loses too much.

        Follows from the shortlist, the belief and the filter alone.
        """
        with one_thread():
            if not self._is_for(allowed):
                return self._filtered(allowed).fitted(belief, allowed)
            generator = derive_generator(self.plan.seed, "fit", belief.content_hash)
            sampled = int(torch.randint(CHECK_ONE_IN, (), generator=generator)) == 0
            if not (sampled or self.report.exact_is_cheap):
                return self
            mean = self.exact.top(belief.mean[None], min(KEPT_FOR_MEAN, len(self.rows)), allowed)
            checked = [(belief.mean[None], mean)]
            if sampled:
                some = torch.multinomial(belief.weights, CHECKED_PARTICLES, replacement=True, generator=generator)
                checked.append(self._answered(belief.particles[some]))
            loss, rows = self._loss(checked, belief), [found.rows.flatten() for _, found in checked]
            if enlarge := loss > self.plan.bound:
                directions = group_means(people_of(belief, generator), self.plan.refresh, generator)
                rows.append(self.exact.top(directions, self.plan.depth, allowed).rows.flatten())
            checks = sum(len(directions) for directions, _ in checked)
            return self._with(torch.cat(rows), checked[0], loss, checks, enlarge)

    def _answered(self, directions: Tensor) -> tuple[Tensor, Found]:
        """Those of the directions for which the exact best item is found cheaply, and it."""
        if not self.report.exact_is_cheap:
            return directions, self.exact.top(directions, 1, self.allowed)
        found, answered = self.exact.glance(directions, 1, self.allowed)
        return directions[answered], Found(found.scores[answered], found.rows[answered], found.vectors[answered])

    def _loss(self, checked: Sequence[tuple[Tensor, Found]], belief: Belief) -> float:
        """See `Report.loss`; what there is to gain is that of the belief, estimated by the shortlist."""
        directions = torch.cat([direction for direction, _ in checked])
        best = torch.cat([found.scores[:, 0] for _, found in checked])
        missed = (best - best_rows(self._items, directions, 1).scores[:, 0]).clamp_min(0)
        if float((missed - ROUNDING * best.abs()).max()) <= 0:
            return 0.0
        highest = (self._items @ belief.particles.T).amax(dim=0)
        gain = highest @ belief.weights - (self._items @ belief.mean).max()
        return float(missed.mean() / gain.clamp_min(1e-12))

    def _with(
        self, rows: Tensor, mean: tuple[Tensor, Found], loss: float, checks: int, enlarged: bool
    ) -> ShortlistRetriever:
        every: Tensor = torch.unique(torch.cat([self.rows, rows]))
        items = self._items if len(every) == len(self.rows) else self.exact.catalog.items[every]
        enlargements = self.report.enlargements + enlarged
        report = replace(self.report, items=len(every), loss=loss, checks=checks, enlargements=enlargements)
        return replace(self, rows=every, report=report, _items=items, _mean=mean)

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
    plan: Plan

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
        report = Report(
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
    """See `Report.loss`."""
    missed = (best - best_rows(items, directions, 1).scores[:, 0]).clamp_min(0).sum()
    gain = (best - directions @ best_on_average).clamp_min(0).sum()
    return float(missed / gain.clamp_min(1e-12))
