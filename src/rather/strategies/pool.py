"""The few items that matter for one question, and a thorough search among them.

For a given belief nearly all items of a large catalogue are the best for nobody and for no group of people. The items
that are the best for the whole belief, for single particles or for random groups of them make a pool of some hundred.
In it, slates are valued and improved without touching the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from rather.randomness import systematic_rows
from rather.responses import Logistic
from rather.retrieval.directions import group_means
from rather.strategies.additions import Additions
from rather.strategies.problem import Problem
from rather.strategies.projection import first_not_taken
from rather.value import directions_after

# Catalogues up to this size are their own pool.
SMALL_CATALOG = 512

# Particles taken, of which groups are stretches.
SEQUENCE = 512

# Directions looked up between two looks at the clock.
FEW_DIRECTIONS = 16

# An exchange must raise a slate's utility by more than float32 rounding, or two slates could swap for ever.
ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Ranked:
    """Slates of places in a pool `(b, k)`, and their PEU `(b,)` within the pool."""

    slates: Tensor
    values: Tensor

    def __add__(self, other: Ranked) -> Ranked:
        return Ranked(torch.cat([self.slates, other.slates]), torch.cat([self.values, other.values]))

    def without(self, asked: Collection[frozenset[Hashable]], rows: Tensor) -> Ranked:
        """Those that have not been asked, where places stand for these rows."""
        if not asked:
            return self
        keep = torch.tensor([frozenset(slate) not in asked for slate in rows[self.slates].tolist()], dtype=torch.bool)
        return Ranked(self.slates[keep], self.values[keep])

    def best(self, count: int) -> Tensor:
        """The best `count` distinct slates, best first."""
        order = self.values.argsort(descending=True)
        chosen: dict[tuple[int, ...], None] = {}
        for slate in self.slates[order].sort(dim=1).values.tolist():
            chosen.setdefault(tuple(slate))
            if len(chosen) == count:
                break
        return torch.tensor(list(chosen), dtype=torch.long)


@dataclass(frozen=True, eq=False)
class Pool:
    """Some items of a problem. A slate is given by places in `rows`.

    Attributes:
        problem: Where they come from.
        rows: `(p,)` their rows in the catalogue, rising; at least k.
    """

    problem: Problem
    rows: Tensor

    @classmethod
    def screened(
        cls,
        problem: Problem,
        groups: int,
        depth: int,
        single: int,
        also: Tensor,
        out_of_time: Callable[[], bool] | None = None,
    ) -> Pool:
        """The best items for the mean of the belief, random groups of particles and single ones, and the rows `also`.

        Args:
            problem: What is asked about; its generator draws the groups.
            groups: How many. The breadth of directions matters more than how many items are taken for each.
            depth: Items for each group; at least k are taken.
            single: Particles whose own best item is taken, at most 512. An item that only few people like best is the
                best of hardly any random group, but of the group that an answer in its favour singles out.
            also: Rows that take part in any case.
            out_of_time: When given, groups are looked up a few at a time until it says so.
        """
        if problem.available <= SMALL_CATALOG:
            return cls(problem, problem.rows)
        belief, found = problem.belief, [also]
        taken = systematic_rows(belief.log_weights, SEQUENCE, problem.generator)
        sequence = belief.particles[taken[torch.randperm(SEQUENCE, generator=problem.generator)]]
        means = torch.cat([belief.mean[None], group_means(sequence, groups, problem.generator)])
        at_a_time = SEQUENCE if out_of_time is None else FEW_DIRECTIONS
        for directions, count in ((means, max(depth, problem.k)), (sequence[:single], 1)):
            for part in torch.split(directions, at_a_time):
                found.append(problem.search(part, count).rows.flatten())
                if out_of_time is not None and out_of_time():
                    return cls(problem, torch.unique(torch.cat(found)))
        return cls(problem, torch.unique(torch.cat(found)))

    def enlarged(self, slates: Tensor, depth: int) -> Pool:
        """With the best items of all after each answer to slates of rows `(b, k)`, `depth` for each."""
        problem = self.problem
        if len(self.rows) == problem.available:
            return self
        directions = directions_after(self.utilities[self.places(slates)], problem.belief, problem.response)
        found = problem.search(directions.flatten(0, 1), min(depth, problem.available)).rows
        rows: Tensor = torch.unique(torch.cat([self.rows, found.flatten()]))
        return Pool(problem, rows)

    @cached_property
    def items(self) -> Tensor:
        """`(p, d)`."""
        return self.problem.catalog.items[self.rows]

    @cached_property
    def utilities(self) -> Tensor:
        """`(p, m)`."""
        return self.items @ self.problem.belief.particles.T

    @cached_property
    def additions(self) -> Additions:
        """The items as candidates, under a softmax that stands for the person's choice among the options."""
        problem, response = self.problem, self.problem.response
        # Without noise a softmax that sharp is nearly right, and still tells losing by a little from losing by a lot.
        temperature = response.temperature if isinstance(response, Logistic) else 0.02 * problem.utility_spread
        return Additions(self.utilities, problem.belief.weights, temperature)

    def places(self, slates: Tensor) -> Tensor:
        """Places in the pool of slates of rows, all of which must be in it."""
        return torch.searchsorted(self.rows, slates)

    def extended(self, slates: Tensor) -> Tensor:
        """EUS `(b, p)` of slates `(b, j)` with each item appended; minus infinity for those on the slate already."""
        return self.additions.appended(self.utilities[slates]).scatter_(1, slates, -torch.inf)

    def greedy(self) -> Tensor:
        """Greedy in the pool: from the item of highest expected utility, append what most raises EUS. `(1, k)`."""
        slate = self.additions.expected.argmax()[None, None]
        while slate.shape[1] < self.problem.k:
            slate = torch.cat([slate, self.extended(slate).argmax(dim=1, keepdim=True)], dim=1)
        return slate

    def best_of_particles(self, particles: Tensor) -> Tensor:
        """RandUserTopItem in the pool: the best items of particles `(b, k)`, distinct in each slate, `(b, k)`."""
        b, k = particles.shape
        lists = self.utilities.T[particles.flatten()].topk(k, dim=1).indices
        return first_not_taken(lists.view(b, k, k))

    def exchanged(self, slates: Tensor, most: int) -> Tensor:
        """Slates `(b, k)` after exchanging single items, each time the exchange that most raises EUS.

        Args:
            slates: Where to start.
            most: At most this many exchanges.
        """
        slates, moving = slates.clone(), torch.arange(len(slates))
        for _ in range(most):
            now = slates[moving]
            values = self.extended(_without_one(now).flatten(0, 1)).view(*now.shape, -1)
            current = values[:, 0].gather(1, now[:, :1])[:, 0]
            best, exchange = values.flatten(1).max(dim=1)
            better = best > current + ROUNDING * current.abs()
            if not better.any():
                break
            moving, exchange = moving[better], exchange[better]
            slates[moving, exchange // values.shape[2]] = exchange % values.shape[2]
        return slates

    def settled(self, slates: Tensor, most_steps: int = 30) -> Ranked:
        """QueryIteration in the pool: every slate met on the way from each of these to a fixed point."""
        met, values = [], []
        for _ in range(most_steps):
            value, replaced = self._deep_retrieval(slates)
            met.append(slates)
            values.append(value)
            moved = (replaced.sort(dim=1).values != slates.sort(dim=1).values).any(dim=1)
            slates = replaced[moved]
            if not len(slates):
                break
        return Ranked(torch.cat(met), torch.cat(values))

    def _deep_retrieval(self, slates: Tensor) -> tuple[Tensor, Tensor]:
        """PEU `(b,)` of slates, and the slates of the best item after each choice, `(b, k)`."""
        k, d = slates.shape[1], self.items.shape[1]
        directions = directions_after(self.utilities[slates], self.problem.belief, self.problem.response)
        scores = (directions.view(-1, d) @ self.items.T).view(*directions.shape[:2], -1)
        highest = scores.max(dim=2)
        return highest.values.sum(dim=1), _distinct(highest.indices[:, :k], scores[:, :k])

    def neighbours(self, slate: Tensor, depth: int) -> Tensor:
        """The slate `(k,)` with one item exchanged for one of the `depth` best others by EUS, `(k * depth, k)`."""
        others = _without_one(slate[None])[0]
        values = self.extended(others).scatter_(1, slate[:, None], -torch.inf)
        found = values.topk(min(depth, len(self.rows) - len(slate)), dim=1).indices
        return torch.cat([others[:, None].expand(-1, found.shape[1], -1), found[:, :, None]], dim=2).flatten(0, 1)


def _without_one(slates: Tensor) -> Tensor:
    """For slates `(b, k)` the k ways to leave one item out, `(b, k, k - 1)`."""
    k = slates.shape[1]
    places = torch.arange(k)
    return slates[:, (places + (places >= torch.arange(k)[:, None]))[:, : k - 1]]


def _distinct(best: Tensor, scores: Tensor) -> Tensor:
    """The best items `(b, k)` after each choice; where two are the same, the next best for the later one."""
    ordered = best.sort(dim=1).values
    clash = (ordered[:, 1:] == ordered[:, :-1]).any(dim=1)
    if clash.any():
        best = best.clone()
        best[clash] = first_not_taken(scores[clash].topk(best.shape[1], dim=2).indices)
    return best
