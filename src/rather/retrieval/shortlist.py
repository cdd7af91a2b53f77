"""A shortlist: the items that are the best for anybody in a population, and a measure of what it misses.

For a population with learnt tastes, searches never find nearly all items of a large catalogue. The shortlist holds
those they do find: the best few for many directions that conversations search. It does not grow with the catalogue.
What it loses is measured against exact searches, when it is built (for fresh beliefs and fresh users) and again when it
is fitted to a belief, and it is enlarged where it loses too much.

Questions and recommendations search in the directions of beliefs' means. There the shortlist of a million films loses
nothing in the conversations of 20 people it was not built from; in the directions of single particles, which only the
expected regret looks at, 0.4 to 3.6 %. So the two have bounds of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from rather.caching.by_identity import ByIdentity
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.numerics.randomness import derive_generator, derive_seed
from rather.numerics.threads import one_thread
from rather.retrieval.directions import (
    belief_directions,
    conversation_directions,
    drawn_groups,
    group_means,
    representative_users,
    unseen_users,
)
from rather.retrieval.exact import ExactRetriever
from rather.retrieval.protocol import Found, Retriever, validate_count
from rather.retrieval.scan import Best, best_rows
from rather.retrieval.shortlist_settings import ShortlistReport, ShortlistSettings

# Searches for up to this many directions are exact where norms make that as cheap as the shortlist: the recommendation
# itself, and the value of the question that is asked (its answers, and the belief as it is).
FEW_DIRECTIONS = 9

# A belief is checked in the direction of its mean and of this many groups of particles. Exact searches for single
# particles would score a hundred times as many items.
CHECKED_GROUPS = 4

# The same inner product computed in another batch may differ by this much, relatively.
ROUNDING = 1e-6

# Filters whose shortlists are kept.
MAX_FILTERS = 16

# Sets of particles whose favourites are kept: those of the people who answer at the moment.
CACHED_PARTICLES = 256


@dataclass(frozen=True, eq=False)
class Check:
    """What an exact search finds, and for each direction how much better its best item is, `(b,)`."""

    found: Found
    missed: Tensor


@dataclass(eq=False)
class MeanSearch:
    """The mean of a belief, `(1, d)`, and the longest ranking found for it so far."""

    direction: Tensor
    found: Found | None = None


@dataclass(frozen=True, eq=False)
class Favourites:
    """The best items of particles among those of a shortlist as it was built.

    What is added for a belief is left out, so that they follow from the particles alone.
    """

    rows: Tensor
    items: Tensor
    _found: ByIdentity[Best] = field(default_factory=lambda: ByIdentity(CACHED_PARTICLES))

    def of(self, particles: Tensor) -> Best:
        """For particles `(m, d)`, one item each; searched once while the particles live."""

        def search() -> Best:
            best = best_rows(self.items, particles, 1)
            return Best(best.scores, self.rows[best.rows])

        return self._found(particles, search)


@dataclass(frozen=True, eq=False)
class ShortlistRetriever:
    """Searches the items of a shortlist; build one with `ShortlistRetriever.build`.

    Attributes:
        exact: Searches the whole catalogue: what the shortlist is built from and measured against.
        rows: `(s,)` the items' rows in the catalogue, ascending.
        population: The belief it was built for.
        allowed: The filter it was built for. Another filter is searched exactly; `fitted` builds a shortlist for it.
        settings: How it was built.
        report: What was measured about it.
        items: `(s, d)` the vectors of the rows.
    """

    exact: ExactRetriever
    rows: Tensor
    population: Belief
    allowed: Tensor | None
    settings: ShortlistSettings
    report: ShortlistReport
    items: Tensor = field(repr=False)
    _mean: MeanSearch | None = field(default=None, repr=False)
    _for_filters: dict[int, ShortlistRetriever] = field(default_factory=dict, repr=False)
    _favourites: Favourites = field(default=None, repr=False)  # type: ignore[assignment]  # filled in below

    def __post_init__(self) -> None:
        if self._favourites is None:
            object.__setattr__(self, "_favourites", Favourites(self.rows, self.items))

    @classmethod
    def build(
        cls,
        catalog: Catalog | ExactRetriever,
        belief: Belief,
        allowed: Tensor | None = None,
        settings: ShortlistSettings = ShortlistSettings(),  # noqa: B008 - immutable
    ) -> ShortlistRetriever:
        """The shortlist of a catalogue for the population of a belief.

        Args:
            catalog: Where to search, or its exact retriever.
            belief: The population it will serve.
            allowed: `(n,)` boolean, the items that may be found; by default all.
            settings: How thoroughly.
        """
        exact = catalog if isinstance(catalog, ExactRetriever) else ExactRetriever(catalog, population=belief)
        with one_thread():
            return _Builder(exact, belief, allowed, settings).build()

    def top(self, directions: Tensor, count: int, allowed: Tensor | None = None) -> Found:
        """See `Retriever.top`."""
        # Most items of a long ranking for one user are nobody's best, so they are not on the shortlist.
        is_ranking = len(directions) == 1 and count > self.settings.depth
        if is_ranking or count > len(self.rows) or not self._is_for(allowed):
            return self.exact.top(directions, count, allowed)
        validate_count(count, len(self.rows))
        with one_thread():
            if self.report.exact_is_cheap and 0 < len(directions) <= FEW_DIRECTIONS:
                return self._exactly(directions, count)
            best = best_rows(self.items, directions, count)
            return Found(best.scores, self.rows[best.rows], self.items[best.rows])

    def _exactly(self, directions: Tensor, count: int) -> Found:
        """What an exact search finds; cached for the mean of the belief it is fitted to."""
        mean = self._mean
        if mean is None or len(directions) != 1 or not torch.equal(directions, mean.direction):
            return self._checked(directions, count).found
        found = mean.found  # read once: another thread may replace it by a shorter ranking at any time
        if found is None or count > found.rows.shape[1]:
            found = mean.found = self._checked(directions, count).found
        return Found(found.scores[:, :count], found.rows[:, :count], found.vectors[:, :count])

    def _checked(self, directions: Tensor, count: int) -> Check:
        """What an exact search finds; knowing the shortlist's own best leaves it few other items to score."""
        known = best_rows(self.items, directions, count)
        found = self.exact.refine(directions, known, self.allowed) or self.exact.top(directions, count, self.allowed)
        return Check(found, found.scores[:, 0] - known.scores[:, 0])

    def bytes_not_shared_with(self, other: Retriever) -> int:
        """Memory that it takes besides what it shares with another shortlist."""
        shared = isinstance(other, ShortlistRetriever) and self.items is other.items
        parts = (self.rows,) if shared else (self.rows, self.items)
        return sum(part.numel() * part.element_size() for part in parts)

    def candidates(self, allowed: Tensor | None = None) -> Tensor:
        """The rows that searches find, ascending; all allowed ones under a filter it was not built for."""
        if self._is_for(allowed):
            return self.rows
        return torch.arange(len(self.exact.catalog)) if allowed is None else allowed.nonzero()[:, 0]

    def favourites(self, particles: Tensor, allowed: Tensor | None = None) -> Best:
        """See `HasFavourites.favourites`."""
        if not self._is_for(allowed):
            found = self.exact.top(particles, 1, allowed)
            return Best(found.scores, found.rows)
        with one_thread():
            return self._favourites.of(particles)

    def fitted(self, belief: Belief, allowed: Tensor | None = None) -> Retriever:
        """The shortlist for a belief: for some beliefs checked by exact searches, and enlarged if it loses too much.

        Depends on the shortlist, the belief and the filter alone.
        """
        with one_thread():
            if not self._is_for(allowed):
                return self._filtered(allowed).fitted(belief, allowed)
            # By the mean alone: to hash all particles takes a twentieth of a question.
            seed = derive_seed(self.settings.seed, "fit", belief.mean.numpy().tobytes().hex())
            fresh = replace(self, _mean=MeanSearch(belief.mean[None]))
            one_in = self.settings.check_one_in if self.report.exact_is_cheap else self.settings.scan_one_in
            if seed % one_in:
                return fresh
            generator = torch.Generator().manual_seed(seed)
            directions = self._directions_to_check(belief, generator)
            return fresh._enlarged(directions, belief, generator) if len(directions) else fresh

    def _directions_to_check(self, belief: Belief, generator: torch.Generator) -> Tensor:
        """Directions that a conversation may search: the mean, and groups of particles that an answer may single out.

        If exact searches are cheap, only the directions for which they are.
        """
        groups = drawn_groups(belief.particles, belief.weights.expand(CHECKED_GROUPS, -1), generator)
        directions = torch.cat([belief.mean[None], groups])
        if not self.report.exact_is_cheap:
            return directions
        return directions[self.exact.can_refine(directions, best_rows(self.items, directions, 1))]

    def _enlarged(self, directions: Tensor, belief: Belief, generator: torch.Generator) -> ShortlistRetriever:
        """With what exact searches find in these directions, and in further ones if it loses too much there."""
        check = self._checked(directions, 1)
        loss, rows = self._loss(check, belief), check.found.rows.flatten()
        if enlarge := loss > self.settings.bound:
            further = group_means(representative_users(belief, generator), self.settings.refresh, generator)
            rows = torch.cat([rows, self.exact.top(further, self.settings.depth, self.allowed).rows.flatten()])
        rows = torch.unique(torch.cat([self.rows, rows]))
        items = self.items if len(rows) == len(self.rows) else self.exact.catalog.vectors(rows)
        enlargements = self.report.enlargements + enlarge
        report = replace(self.report, items=len(rows), loss=loss, checks=len(directions), enlargements=enlargements)
        return replace(self, rows=rows, report=report, items=items)

    def _loss(self, check: Check, belief: Belief) -> float:
        """See `ShortlistReport.loss`; here the gain is that of the belief, estimated by the shortlist."""
        if float((check.missed - ROUNDING * check.found.scores[:, 0].abs()).max()) <= 0:
            return 0.0
        highest = (self.items @ belief.particles.T).amax(dim=0)
        gain = highest @ belief.weights - (self.items @ belief.mean).max()
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
            known = ShortlistRetriever.build(self.exact, self.population, allowed, self.settings)
            while len(self._for_filters) >= MAX_FILTERS:
                self._for_filters.pop(next(iter(self._for_filters)), None)
            self._for_filters[key] = known
        return known


@dataclass
class _Builder:
    exact: ExactRetriever
    belief: Belief
    allowed: Tensor | None
    settings: ShortlistSettings

    def build(self) -> ShortlistRetriever:
        settings, generator = self.settings, derive_generator(self.settings.seed, "shortlist")
        users = representative_users(self.belief, generator)
        searched = torch.cat([self.belief.mean[None], group_means(users, settings.checks // 4, generator)])
        rows = self._best(searched, settings.depth)
        asked_about = self._items(rows)
        best_on_average = self._items(self._best(self.belief.mean[None], 1))[0]
        others = unseen_users(self.belief, users, generator)
        beliefs = belief_directions(others, asked_about, settings.checks, generator)
        checks = torch.cat([beliefs, others[: settings.checks // 4]])
        truth = self.exact.top(checks, 1, self.allowed).scores[:, 0]
        count, losses = len(searched), []
        for enlargement in range(settings.enlargements + 1):
            directions = conversation_directions(users, asked_about, settings.directions, generator)
            # Deeper each time: in a very large catalogue many items are nearly the best for one direction, and in the
            # slightly different direction of a real conversation another of them comes first.
            rows = torch.unique(torch.cat([rows, self._best(directions, settings.depth * 2**enlargement)]))
            count += len(directions)
            if enlargement == 0:
                # The expected regret is computed from every user's own best item.
                rows = torch.unique(torch.cat([rows, self._best(users, max(1, settings.depth // 4))]))
                count += len(users)
            missed = (truth - best_rows(self._items(rows), checks, 1).scores[:, 0]).clamp_min(0)
            gain = (truth - checks @ best_on_average).clamp_min(0)
            losses.append(
                [_share(missed[part], gain[part]) for part in (slice(len(beliefs)), slice(len(beliefs), None))]
            )
            if self._is_final(losses):
                break
            users = unseen_users(self.belief, users, generator)  # the same ones would teach little that is new
        report = ShortlistReport(
            items=len(rows),
            catalog=len(self.exact.catalog),
            directions=count,
            loss=losses[-1][0],
            user_loss=losses[-1][1],
            checks=len(beliefs),
            bound=settings.bound,
            user_bound=settings.user_bound,
            enlargements=len(losses) - 1,
            exact_is_cheap=self.exact.is_cheap_for(beliefs),
        )
        return ShortlistRetriever(self.exact, rows, self.belief, self.allowed, settings, report, self._items(rows))

    def _is_final(self, losses: list[list[float]]) -> bool:
        """Whether the last of the losses for beliefs and for users are good enough, or hopeless."""
        bounds = (self.settings.bound, self.settings.user_bound)
        too_high = [number for number, bound in enumerate(bounds) if losses[-1][number] > bound]
        if not too_high or len(losses) == 1:
            return not too_high
        left = self.settings.enlargements + 1 - len(losses)
        falls = [(losses[-1][number] / losses[-2][number], losses[-1][number], bounds[number]) for number in too_high]
        return any(fall > 0.7 or loss * fall**left > bound for fall, loss, bound in falls)

    def _best(self, directions: Tensor, depth: int) -> Tensor:
        available = len(self.exact.catalog) if self.allowed is None else int(self.allowed.count_nonzero())
        rows: Tensor = torch.unique(self.exact.top(directions, min(depth, available), self.allowed).rows)
        return rows

    def _items(self, rows: Tensor) -> Tensor:
        return self.exact.catalog.vectors(rows)


def _share(missed: Tensor, gain: Tensor) -> float:
    return float(missed.sum() / gain.sum().clamp_min(1e-12))
