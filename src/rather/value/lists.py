"""The best recommendation for any objective: greedy, then exchanges of single items, then deep retrieval.

Weights `(b, m)` in, lists of items out. For objectives that are weighted sums of utilities, one search finds the best
list. For others, items are taken one by one from a pool of candidates, each the one that adds most, and then exchanged
one at a time. What the pool lacks is found by gradient and projection: the value's gradient with respect to an item is
the direction in which a better one lies, and a search finds the best item of the catalogue there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeGuard

import torch
from torch import Tensor

from rather.model.belief import Belief
from rather.retrieval import Found
from rather.retrieval.scan import argmax
from rather.value.network import BATCH_ENTRIES, Search
from rather.value.objectives import BestOfList, Joins, Linear, Objective, list_value

Vectors = Callable[[Tensor], Tensor]
"""Rows in, item vectors out."""

# An exchange must gain more than rounding does, relatively.
ROUNDING = 1e-6

# Rounds of exchanges in which every slot has its turn. Films and cars need one or two.
MOST_ROUNDS = 4

# Slates that are valued at once: the intermediate numbers of more of them leave the processor's cache.
SLATES_PER_BATCH = 16


@dataclass(frozen=True, eq=False)
class Lists:
    """The best lists for weights `(b, m)`.

    Attributes:
        values: `(b,)`, what each is worth: `list_value`.
        rows: `(b, s)`, its items.
        utilities: `(b, s, m)`, of these items.
    """

    values: Tensor
    rows: Tensor
    utilities: Tensor

    def or_better(self, others: "Lists") -> "Lists":
        """Of each two lists for the same weights, the one that is worth more."""
        better = others.values > self.values
        return Lists(
            torch.where(better, others.values, self.values),
            torch.where(better[:, None], others.rows, self.rows),
            torch.where(better[:, None, None], others.utilities, self.utilities),
        )

    def exchanged(
        self, objective: Objective, weights: Tensor, rows: Tensor, vectors: Vectors, belief: Belief
    ) -> "Lists":
        """The lists after exchanging their items for those in other rows, while that gains anything."""
        pool = Pool.of(torch.cat([self.rows.flatten(), rows]), vectors, belief)
        picks = torch.searchsorted(pool.rows, self.rows)
        return pool.lists(objective, weights, pool.exchanged(objective, weights, picks))

    @property
    def first(self) -> "Lists":
        """The first of them alone."""
        return Lists(self.values[:1], self.rows[:1], self.utilities[:1])

    def worth_for(self, objective: Objective, weights: Tensor) -> Tensor:
        """`(b, c)`: what each list is worth for other weights `(c, m)`."""
        return list_value(objective, self.utilities[:, None], weights[None])


@dataclass(frozen=True, eq=False)
class Pool:
    """The items that lists are made of.

    Attributes:
        rows: `(p,)`, distinct.
        utilities: `(p, m)`.
        is_whole: Whether it holds all items that may be recommended.
    """

    rows: Tensor
    utilities: Tensor
    is_whole: bool = False

    @classmethod
    def of(cls, rows: Tensor, vectors: Vectors, belief: Belief, *, is_whole: bool = False) -> "Pool":
        """The pool of the items in these rows, of which there may be some twice."""
        rows = torch.unique(rows)
        return cls(rows, vectors(rows) @ belief.particles.T, is_whole)

    @classmethod
    def of_found(cls, belief: Belief, *found: Found, is_whole: bool = False) -> "Pool":
        """The pool of all items that searches found."""
        rows, order = torch.cat([each.rows.flatten() for each in found]).sort(stable=True)
        first = torch.cat([torch.ones(1, dtype=torch.bool), rows[1:] != rows[:-1]])
        vectors = torch.cat([each.vectors.flatten(0, 1) for each in found])[order[first]]
        return cls(rows[first], vectors @ belief.particles.T, is_whole)

    def best_lists(self, objective: Objective, weights: Tensor, count: int, *, exchange: bool = True) -> Lists:
        """For weights `(b, m)` the lists of `count` items that the pool offers, or of all it has.

        Args:
            objective: What a list is worth.
            weights: Of the particles, once or for each of several answers.
            count: Items of a list.
            exchange: Whether to improve the greedy list by exchanging single items.
        """
        count = min(count, len(self.rows))
        greedy = self._greedy(objective, weights, count)
        found = self._improved(objective, weights, greedy, exchange, last_is_best=True)
        if count == 1 or isinstance(objective, BestOfList):
            return found
        # Where two items are worth more than the sum of both, greedy begins badly; a list with something for everybody
        # is another place to begin.
        varied = self._greedy(BestOfList(count), weights, count)
        return found.or_better(self._improved(objective, weights, varied, exchange))

    def _improved(
        self, objective: Objective, weights: Tensor, picks: Tensor, exchange: bool, *, last_is_best: bool = False
    ) -> Lists:
        if exchange and picks.shape[1] < len(self.rows):
            picks = self.exchanged(objective, weights, picks, last_is_best=last_is_best)
        return self.lists(objective, weights, picks)

    def lists(self, objective: Objective, weights: Tensor, picks: Tensor) -> Lists:
        """The lists of these picks `(b, s)`, positions in the pool, the highest expected utility first."""
        expected = (self.utilities[picks] * weights[:, None]).sum(dim=2)
        picks = picks.gather(1, expected.argsort(dim=1, descending=True, stable=True))
        utilities = self.utilities[picks]
        return Lists(list_value(objective, utilities, weights), self.rows[picks], utilities)

    def _greedy(self, objective: Objective, weights: Tensor, count: int) -> Tensor:
        """`(b, count)`: items taken one by one, each the one that adds most."""
        picks, taken = torch.empty(len(weights), 0, dtype=torch.long), None
        while picks.shape[1] < count:
            added = self._extended(objective, weights, taken).scatter_(1, picks, -torch.inf)
            picks = torch.cat([picks, argmax(added)[:, None]], dim=1)
            taken = _together(objective, taken, self.utilities[picks[:, -1:]])
        return picks

    def exchanged(self, objective: Objective, weights: Tensor, picks: Tensor, *, last_is_best: bool = False) -> Tensor:
        """Picks `(b, s)` after exchanging one item at a time while that gains anything.

        Args:
            objective: What a list is worth.
            weights: `(b, m)`.
            picks: Where to begin.
            last_is_best: Whether nothing in the pool is better than the last pick beside the others, as after greedy.
        """
        picks, s = picks.clone(), picks.shape[1]
        enough = _gain_from(list_value(objective, self.utilities[picks], weights))
        # Slots in a row that were left as they are. A slot that was exchanged has the best item beside the others, so
        # all are settled once all others were left.
        left = 0 if last_is_best else -1
        for _ in range(MOST_ROUNDS):
            following = self._following(objective, picks)
            passed: Tensor | None = None
            for slot in range(s):
                if left == s - 1:
                    return picks
                others = _together(objective, passed, following[slot])
                best, choice = self._extended(objective, weights, others).scatter_(1, picks, -torch.inf).max(dim=1)
                better = best > enough
                left += 1
                if better.any():
                    left, picks[better, slot] = 0, choice[better]
                    enough = torch.where(better, _gain_from(best), enough)
                passed = _together(objective, passed, self.utilities[picks[:, slot : slot + 1]])
        return picks

    def _following(self, objective: Objective, picks: Tensor) -> list[Tensor | None]:
        """For each slot of picks `(b, s)` what the items after it are together; None after the last."""
        found: list[Tensor | None] = [None]
        for slot in range(picks.shape[1] - 1, 0, -1):
            found.append(_together(objective, self.utilities[picks[:, slot : slot + 1]], found[-1]))
        return found[::-1]

    def _extended(self, objective: Objective, weights: Tensor, taken: Tensor | None) -> Tensor:
        """`(b, p)`: what lists, of utilities `(b, t, m)` together, are worth with each item of the pool added."""
        entries = weights.numel() * (1 if taken is None else 1 + taken.shape[1])
        if entries * len(self.rows) <= BATCH_ENTRIES:
            return _added(objective, weights, taken, self.utilities)
        parts = torch.split(self.utilities, max(1, BATCH_ENTRIES // entries))
        return torch.cat([_added(objective, weights, taken, part) for part in parts], dim=1)


def _gain_from(values: Tensor) -> Tensor:
    """What is a gain over these values, and not only another rounding."""
    return values + ROUNDING * values.abs()


def _joins(objective: Objective) -> TypeGuard[Joins]:
    """Whether one imagined item may stand for several."""
    return _has_join(type(objective))


@cache
def _has_join(kind: type[Objective]) -> bool:
    """Once for each kind: to ask whether an object follows a protocol takes as long as a small kernel."""
    return issubclass(kind, Joins)


def _together(objective: Objective, first: Tensor | None, second: Tensor | None) -> Tensor | None:
    """Two parts of lists, `(b, t, m)` each, as one: of a single item that is worth as much where there is one."""
    if first is None or second is None:
        return second if first is None else first
    if _joins(objective):
        return objective.join(first, second)
    return torch.cat([first, second], dim=1)


def _added(objective: Objective, weights: Tensor, start: Tensor | None, items: Tensor) -> Tensor:
    """`(b, p)`: what lists `(b, t, m)` are worth together with each of the items `(p, m)`."""
    b, p, m = len(weights), len(items), items.shape[1]
    if start is None:
        lists = items[None, :, None].expand(b, p, 1, m)
    elif _joins(objective):
        lists = objective.join(start, items[None])[:, :, None]
    else:
        lists = torch.cat([start[:, None].expand(b, p, -1, m), items[None, :, None].expand(b, p, 1, m)], dim=2)
    worth = objective.worth(lists, weights[:, None])
    # The other way round, with weights as a column, it takes ten times as long.
    return torch.bmm(weights[:, None], worth.mT)[:, 0]


def better_directions(objective: Objective, lists: Lists, weights: Tensor, belief: Belief) -> Tensor:
    """The gradients `(b, s, d)` of what lists are worth with respect to their items."""
    utilities = lists.utilities.detach().requires_grad_()
    with torch.enable_grad():
        (slopes,) = torch.autograd.grad(list_value(objective, utilities, weights).sum(), utilities)
    return slopes @ belief.particles


def best_lists(
    objective: Objective,
    weights: Tensor,
    belief: Belief,
    pool: Pool,
    search: Search,
    vectors: Vectors,
    *,
    count: int | None = None,
    rounds: int = 2,
) -> Lists:
    """The best lists for weights `(b, m)`: by one search where that is exact, else from a pool that searches enlarge.

    Args:
        objective: What a list is worth.
        weights: Of the particles, once or for each of several answers.
        belief: The particles.
        pool: Where to begin; not looked at where a search is exact.
        search: Finds the best items that may be recommended.
        vectors: The items of the catalogue.
        count: Items of a list, by default the objective's.
        rounds: Of gradient and projection, at most; none where the pool is the whole catalogue.
    """
    count = objective.size if count is None else count
    if isinstance(objective, Linear):
        found = search(weights @ belief.particles, count)
        utilities = found.vectors @ belief.particles.T
        return Lists(list_value(objective, utilities, weights), found.rows, utilities)
    lists = pool.best_lists(objective, weights, count)
    for _ in range(0 if pool.is_whole else rounds):
        directions = better_directions(objective, lists, weights, belief).flatten(0, 1)
        found_rows = search(directions, 1).rows[:, 0]
        if bool(torch.isin(found_rows, lists.rows).all()):
            break
        improved = lists.exchanged(objective, weights, found_rows, vectors, belief)
        if not bool((improved.values > _gain_from(lists.values)).any()):
            break
        lists = improved
    return lists


def evoi_of_lists(objective: Objective, probabilities: Tensor, belief: Belief, pool: Pool) -> Tensor:
    """EVOI `(b,)` of slates for lists from a pool, from the probabilities `(b, r, m)` of their answers.

    After every answer the list that is best now is among those compared, so that no answer makes matters worse.
    """
    b, r, m = probabilities.shape
    after = (probabilities * belief.weights).reshape(b * r, m)
    # The belief as it is goes first, with the answers to the first slates: kernels this small cost as much as there are
    # of them.
    first, *others = torch.split(torch.cat([belief.weights[None], after]), SLATES_PER_BATCH * r + 1)
    now = pool.best_lists(objective, first, objective.size)
    later = [pool.best_lists(objective, batch, objective.size).values for batch in others]
    best = torch.maximum(torch.cat([now.values, *later])[1:], now.first.worth_for(objective, after)[0])
    return best.view(b, r).sum(dim=1) - now.values[0]


def perfect_information(objective: Objective, weights: Tensor, own_best: Tensor) -> Tensor:
    """What a list would be worth if the person's utilities were known, a scalar; no question can lead further.

    Args:
        objective: What a list is worth.
        weights: `(m,)`.
        own_best: `(depth, m)`, the utilities of each particle's own best items, best first.
    """
    # One belief for each particle: an objective may look at all particles of a belief together.
    return list_value(objective, own_best.T[:, :, None], weights[:, None]).sum()
