"""Which items to recommend together: the list whose best item is expected to be worth most, and the lists after it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from rather import value
from rather.model.allowed import Allowed
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.numerics.threads import one_thread
from rather.retrieval import Retriever, Screening
from rather.retrieval.protocol import has_favourites
from rather.value import Objective, Pool, Search
from rather.value.objectives import Linear

# The items of lists come from the whole catalogue up to this size; else from the best items of as many people at most,
# and a few of highest expected utility: of more, a shortlist would search the whole catalogue.
POOLED_ITEMS = 256
TOP_ITEMS = 8

# Items that questions are valued on: those of highest expected utility, and those that are the best for most. With the
# whole pool it takes three times as long.
VALUED_ITEMS = 64

# An item is listed for those who like nothing else on the list if it adds this share of what there is to gain.
SLOT_SHARE = 0.01

# The fewest items of a ranking by expected utility, from which all its pages are cut. A shortlist answers searches for
# the best few itself and searches all items for more, which may put others among the first.
RANKED_ITEMS = 50

# Lists that are chosen one after the other; who reads on gets what is left in the order of expected utility.
MOST_LISTS = 10


@dataclass(frozen=True, eq=False)
class Favourites:
    """Every particle's best allowed item, or nearly.

    Attributes:
        utilities: `(m,)`, what it is worth to the particle.
        rows: `(m,)`.
    """

    utilities: Tensor
    rows: Tensor

    def most_frequent(self, weights: Tensor, count: int) -> Tensor:
        """The `count` rows that are the best for most of the weight `(m,)`, or as many as there are."""
        rows, inverse = torch.unique(self.rows, return_inverse=True)
        held = torch.zeros(len(rows), dtype=weights.dtype).scatter_add(0, inverse, weights)
        most: Tensor = rows[held.topk(min(count, len(rows))).indices]
        return most


def favourites(retriever: Retriever, particles: Tensor, catalog: Catalog, allowed: Allowed | None) -> Favourites:
    """The best allowed items of particles `(m, d)`, or about that where to search for all of them would take long."""
    with one_thread():
        if has_favourites(retriever):
            best = retriever.favourites(particles, allowed)
            return Favourites(best.scores[:, 0], best.rows[:, 0])
        if not isinstance(retriever, Screening):
            found = retriever.top(particles, 1, allowed)
            return Favourites(found.scores[:, 0], found.rows[:, 0])
        rows = retriever.screen(particles, 1, allowed)[:, 0]
        utilities = value.nearly_best_utilities(
            particles, catalog.vectors(rows), lambda directions, count: retriever.top(directions, count, allowed)
        )
        return Favourites(utilities, rows)


@dataclass
class Recommended:
    """What a belief recommends for an objective, as far as somebody has asked for it.

    Attributes:
        regret: What the best list is expected to lose.
        pool: The rows that lists are made of.
        ranking: The rows of highest expected utility, best first.
        lists: The rows of the first recommendations, by their number.
    """

    regret: float | None = None
    pool: Tensor | None = None
    ranking: list[int] = field(default_factory=list)
    lists: dict[int, list[int]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Recommender:
    """What a belief recommends for an objective.

    Attributes:
        catalog: All items.
        belief: What we hold about the person.
        objective: What a list is worth.
        favourites: The best item of every particle.
        search: Finds the best allowed items.
        available: How many items may be recommended.
        known: What has been computed already.
    """

    catalog: Catalog
    belief: Belief
    objective: Objective
    favourites: Favourites
    search: Search
    available: int
    known: Recommended = field(default_factory=Recommended)

    def pool(self, excluded: Sequence[int] = ()) -> Pool:
        """What lists are made of, without the rows that are excluded."""
        rows = self._pooled(len(excluded))
        if excluded:
            rows = rows[~torch.isin(rows, torch.tensor(excluded))]
        return Pool.of(rows, self.catalog.vectors, self.belief, is_whole=self.available <= POOLED_ITEMS)

    def _pooled(self, more: int) -> Tensor:
        if not more and self.known.pool is not None:
            return self.known.pool
        if self.available <= POOLED_ITEMS:
            rows = self.search(self.belief.mean[None], self.available).rows[0]
        else:
            top = self.search(self.belief.mean[None], min(self.available, TOP_ITEMS + more)).rows[0]
            rows = torch.cat([top, self.favourites.most_frequent(self.belief.weights, POOLED_ITEMS)])
        if not more:
            self.known.pool = rows
        return rows

    def best_list(self, count: int, excluded: Sequence[int] = ()) -> list[int]:
        """The rows of the best list of `count` items, the highest expected utility first."""
        pool = self.pool(excluded)
        found = value.best_lists(
            self.objective,
            self.belief.weights[None],
            self.belief,
            pool,
            self.search,
            self.catalog.vectors,
            count=count,
            # A search cannot leave items out: what it finds may be among them.
            rounds=0 if excluded else 2,
        )
        kept = self._worth_a_slot(found.utilities[0])
        rows: list[int] = found.rows[0][kept].tolist()
        if len(rows) == len(kept):
            return rows
        ranked = pool.rows[(pool.utilities @ self.belief.weights).argsort(descending=True, stable=True)].tolist()
        others = [row for row in ranked if row not in rows]
        rows += others[: len(kept) - len(rows)]
        expected = self.catalog.vectors(rows) @ self.belief.mean
        return [rows[slot] for slot in expected.argsort(descending=True, stable=True).tolist()]

    def _worth_a_slot(self, utilities: Tensor) -> Tensor:
        """`(s,)` boolean: which items of a list, of utilities `(s, m)`, add enough to the others.

        Once a person is known well, nothing adds to the best item. What would then fill the list by the last digits of
        a sum is left out, for the items of highest expected utility.
        """
        weights = self.belief.weights
        perfect = value.perfect_information(self.objective, weights, self.favourites.utilities[None])
        least = SLOT_SHARE * (perfect - value.list_value(self.objective, utilities[:1], weights))
        kept = torch.ones(len(utilities), dtype=torch.bool)
        while int(kept.sum()) > 1:
            now = value.list_value(self.objective, utilities[kept], weights)
            slots = kept.nonzero()[:, 0].tolist()
            others = [[slot for slot in slots if slot != out] for out in slots]
            lost = now - value.list_value(self.objective, utilities[torch.tensor(others)], weights)
            if lost.min() >= least:
                break
            kept[slots[int(lost.argmin())]] = False
        return kept

    def listed(self, count: int) -> list[int]:
        """The rows of the first `count` recommendations: found once for the list, the regret and the stop."""
        if count not in self.known.lists:
            self.known.lists[count] = self.ranked(count)
        return self.known.lists[count]

    def ranked(self, count: int, offset: int = 0, excluded: Sequence[int] = ()) -> list[int]:
        """The rows of list after list, each the best of what is left: `count` of them from `offset` on."""
        if isinstance(self.objective, Linear):
            return self.by_mean(count, offset, excluded)
        total = min(offset + count, self.available - len(excluded))
        # What was shown before were lists of `count`, where that can be; else lists of the objective's size.
        size = min(total, self.objective.size, count if offset % count == 0 else total)
        rows: list[int] = []
        for _ in range(MOST_LISTS):
            if len(rows) >= total:
                break
            rows += self.best_list(min(size, self.available - len(excluded) - len(rows)), [*excluded, *rows])
        if len(rows) < total:
            rows += self.by_mean(total - len(rows), excluded=[*excluded, *rows])
        return rows[offset:total]

    def by_mean(self, count: int, offset: int = 0, excluded: Sequence[int] = ()) -> list[int]:
        """The rows of highest expected utility: `count` of them from `offset` on."""
        wanted = min(offset + count + len(excluded), self.available)
        ranking, left_out = self._ranking(wanted), set(excluded)
        return [row for row in ranking[:wanted] if row not in left_out][offset : offset + count]

    def _ranking(self, least: int) -> list[int]:
        """At least so many rows of highest expected utility."""
        found = self.known.ranking
        if len(found) < least:
            most = min(max(least, RANKED_ITEMS), self.available)
            found = self.known.ranking = self.search(self.belief.mean[None], most).rows[0].tolist()
        return found

    def evoi(self, probabilities: Tensor) -> float:
        """What a question adds to the best list, from the probabilities `(r, m)` of its answers."""
        rows = self._pooled(0)
        if self.available > POOLED_ITEMS and len(rows) > VALUED_ITEMS:
            rows = rows[:VALUED_ITEMS]
        pool = Pool.of(rows, self.catalog.vectors, self.belief)
        found = value.evoi_of_lists(self.objective, probabilities[None], self.belief, pool)
        return max(0.0, float(found))

    @property
    def expected_regret(self) -> float:
        """What the best list is expected to lose against one for somebody whose utilities are known."""
        if self.known.regret is None:
            own = self.favourites.utilities[None]
            if self.objective.depth > 1:
                own = self.search(self.belief.particles, min(self.objective.depth, self.available)).scores.T
            utilities = self.catalog.vectors(self.listed(self.objective.size)) @ self.belief.particles.T
            perfect = value.perfect_information(self.objective, self.belief.weights, own)
            now = value.list_value(self.objective, utilities, self.belief.weights)
            self.known.regret = max(0.0, float(perfect - now))
        return self.known.regret
