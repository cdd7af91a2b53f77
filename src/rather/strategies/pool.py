"""The few items that matter for one question, and a thorough search among them.

For a given belief nearly all items of a large catalogue are the best for no particle and no group of them. The items
that are the best for the whole belief, for single particles or for random groups of them make a pool of some hundred.
In it, slates are valued and improved without touching the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, field
from functools import cache, cached_property

import torch
from torch import Tensor

from rather.model.personal_noise import Softmax
from rather.numerics.randomness import systematic_rows
from rather.retrieval.directions import group_means
from rather.retrieval.scan import argmax
from rather.strategies.additions import Additions
from rather.strategies.problem import Problem
from rather.strategies.projection import first_not_taken
from rather.value import directions_after

# Particles taken, of which groups are stretches.
SEQUENCE = 512

# Directions searched between two looks at the clock.
FEW_DIRECTIONS = 16

# An exchange must raise a slate's utility by more than float32 rounding, or two slates could swap for ever.
ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Ranked:
    """Slates of positions in a pool `(b, k)`, and their PEU `(b,)` within the pool."""

    slates: Tensor
    values: Tensor

    def __add__(self, other: Ranked) -> Ranked:
        return Ranked(torch.cat([self.slates, other.slates]), torch.cat([self.values, other.values]))

    def without(self, asked: Collection[frozenset[Hashable]], rows: Tensor) -> Ranked:
        """Those that have not been asked, where positions stand for these rows."""
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
    """Some items of a problem. A slate is given by positions in `rows`.

    Attributes:
        problem: Where they come from.
        rows: `(p,)` their rows in the catalogue, ascending; at least k.
    """

    problem: Problem
    rows: Tensor
    _extended: dict[tuple[int, ...], Tensor] = field(default_factory=dict, repr=False)

    @classmethod
    def screened(
        cls,
        problem: Problem,
        groups: int,
        depth: int,
        single: int,
        out_of_time: Callable[[], bool] | None = None,
        small_catalog: int = 512,
    ) -> Pool:
        """The best items for the mean of the belief, random groups of particles and single ones.

        Args:
            problem: What is asked about; its generator draws the groups.
            groups: How many. The breadth of directions matters more than how many items are taken for each.
            depth: Items for each group; at least k are taken.
            single: Particles whose own best item is taken, at most 512; where those are found on a shortlist, this many
                for each option after the first. An item that is best for only a few particles is the best of hardly any
                random group, but of the group that an answer in its favour singles out.
            out_of_time: When given, groups are looked up a few at a time until it says so.
            small_catalog: A catalogue up to this size is its own pool.
        """
        if problem.available <= small_catalog:
            return cls(problem, problem.rows)
        belief, found = problem.belief, list[Tensor]()
        taken = systematic_rows(belief.log_weights, SEQUENCE, problem.generator)
        some = torch.arange(min(SEQUENCE, single * (problem.k - 1)))
        if (favourites := problem.favourites(taken[some * SEQUENCE // max(1, len(some))])) is not None:
            found, single = [favourites], 0
        sequence = belief.particles[taken[torch.randperm(SEQUENCE, generator=problem.generator)]]
        means = torch.cat([belief.mean[None], group_means(sequence, groups, problem.generator)])
        batch_size = SEQUENCE if out_of_time is None else FEW_DIRECTIONS
        for directions, count in ((means, max(depth, problem.k)), (sequence[:single], 1)):
            for part in torch.split(directions, batch_size) if len(directions) else ():
                found.append(problem.screen(part, count).flatten())
                if out_of_time is not None and out_of_time():
                    return cls(problem, torch.unique(torch.cat(found)))
        return cls(problem, torch.unique(torch.cat(found)))

    def enlarged(self, slates: Tensor, depth: int) -> Pool:
        """With the best items of all after each answer to slates of rows `(b, k)`, `depth` for each."""
        problem = self.problem
        directions = directions_after(self.utilities[self.positions(slates)], problem.belief, problem.response)
        found = problem.search(directions.flatten(0, 1), min(depth, problem.available)).rows
        rows: Tensor = torch.unique(torch.cat([self.rows, found.flatten()]))
        return Pool(problem, rows)

    @property
    def is_screened(self) -> bool:
        """Whether there are further items outside."""
        return len(self.rows) < self.problem.available

    @cached_property
    def items(self) -> Tensor:
        """`(p, d)`."""
        return self.problem.catalog.vectors(self.rows)

    @cached_property
    def utilities(self) -> Tensor:
        """`(p, m)`."""
        return self.items @ self.problem.belief.particles.T

    @cached_property
    def additions(self) -> Additions:
        """The items as candidates, under a softmax that stands for the person's choice among the options."""
        problem, response = self.problem, self.problem.response
        # Without noise a softmax that sharp is nearly right, and still tells losing by a little from losing by a lot.
        temperature = response.temperature if isinstance(response, Softmax) else 0.02 * problem.utility_spread
        return Additions(self.utilities, problem.belief.weights, temperature)

    def positions(self, slates: Tensor) -> Tensor:
        """Positions in the pool of slates of rows, all of which must be in it."""
        return torch.searchsorted(self.rows, slates)

    def was_asked(self, slate: Tensor) -> bool:
        """Whether the slate `(k,)` is not to be asked again."""
        return frozenset(self.rows[slate].tolist()) in self.problem.asked

    def extended(self, slates: Tensor) -> Tensor:
        """EUS `(b, p)` of slates `(b, j)` with each item appended; minus infinity for those on the slate already.

        Each is computed once: what greedy appends its last item to, and what is left after an exchange, come again.
        """
        keys = [tuple(sorted(slate)) for slate in slates.tolist()]
        new = {key: number for number, key in enumerate(keys) if key not in self._extended}
        if new:
            additions = self.additions
            found = additions.appended(additions.slates(self.utilities[slates[list(new.values())]]))
            self._extended.update(zip(new, found.unbind(), strict=True))
        return torch.stack([self._extended[key] for key in keys]).scatter_(1, slates, -torch.inf)

    def greedy(self) -> Tensor:
        """Greedy in the pool: from the item of highest expected utility, append what most raises EUS. `(1, k)`."""
        additions = self.additions
        chosen = additions.expected.argmax()[None, None]
        slate = additions.slates(self.utilities[chosen])
        while True:
            values = additions.appended(slate)
            self._extended[tuple(sorted(chosen[0].tolist()))] = values[0]
            best = values.scatter(1, chosen, -torch.inf).argmax(dim=1)
            chosen = torch.cat([chosen, best[:, None]], dim=1)
            if chosen.shape[1] == self.problem.k:
                return chosen
            slate = additions.joined(slate, best)

    def best_of_particles(self, particles: Tensor) -> Tensor:
        """RandUserTopItem in the pool: the best items of particles `(b, k)`, distinct in each slate, `(b, k)`."""
        scores = self.problem.belief.particles[particles] @ self.items.T
        return _distinct(argmax(scores), scores)

    def exchanged(self, slates: Tensor, most: int, depth: int) -> tuple[Tensor, Tensor]:
        """Slates `(b, k)` after exchanging single items, each time the exchange that most raises EUS, and their like.

        Args:
            slates: Where to start.
            most: At most this many exchanges.
            depth: Around each slate that no exchange improves are those with one item exchanged for one of the `depth`
                best others, `(k * depth, k)`; the second result has all of these, none when it is 0.
        """
        slates, moving, around = slates.clone(), torch.arange(len(slates)), [slates[:0]]
        for _ in range(most):
            now = slates[moving]
            values = self.extended(_without_one(now).flatten(0, 1)).view(*now.shape, -1)
            current = values[:, 0].gather(1, now[:, :1])[:, 0]
            best, exchange = values.flatten(1).max(dim=1)
            better = best > current + ROUNDING * current.abs()
            if depth and not better.all():
                around.append(_one_exchanged(now[~better], values[~better], depth))
            if not better.any():
                break
            moving, exchange = moving[better], exchange[better]
            slates[moving, exchange // values.shape[2]] = exchange % values.shape[2]
        return slates, torch.cat(around)

    def settled(self, slates: Tensor, most_steps: int = 30, going_on: int | None = None) -> Ranked:
        """QueryIteration in the pool: every slate met on the way from each of these to a fixed point.

        Those of the start come first, in their order.

        Args:
            slates: Where to start.
            most_steps: Slates valued on each way, at most.
            going_on: Only this many of the best starts take a step; by default all.
        """
        met, values, slates = [], [], slates.sort(dim=1).values
        for _ in range(most_steps):
            value, replaced = self._deep_retrieval(slates)
            met.append(slates)
            values.append(value)
            moved = (replaced != slates).any(dim=1)
            if going_on is not None and going_on < len(slates):
                moved &= value >= value.topk(max(1, going_on)).values[-1]
            slates = replaced[moved]
            if not len(slates):
                break
        return Ranked(torch.cat(met), torch.cat(values))

    def _deep_retrieval(self, slates: Tensor) -> tuple[Tensor, Tensor]:
        """PEU `(b,)` of slates, and the slates of the best item after each choice, `(b, k)`, ascending."""
        k, d = slates.shape[1], self.items.shape[1]
        directions = directions_after(self.utilities[slates], self.problem.belief, self.problem.response)
        scores = (directions.view(-1, d) @ self.items.T).view(*directions.shape[:2], -1)
        best = argmax(scores)
        values = scores.gather(2, best[:, :, None]).sum(dim=(1, 2))
        return values, _distinct(best[:, :k], scores[:, :k])


def _without_one(slates: Tensor) -> Tensor:
    """For slates `(b, k)` the k ways to leave one item out, `(b, k, k - 1)`."""
    return slates[:, _all_but_one(slates.shape[1])]


@cache
def _all_but_one(k: int) -> Tensor:
    """The slots `0..k-1` without the first, without the second, and so on, `(k, k - 1)`."""
    return torch.tensor([[slot for slot in range(k) if slot != left_out] for left_out in range(k)])


def _one_exchanged(slates: Tensor, values: Tensor, depth: int) -> Tensor:
    """Slates `(b, k)` with one item exchanged for one of the `depth` best others by values `(b, k, p)`, `(b', k)`."""
    k, p = values.shape[1:]
    found = values.scatter_(2, slates[:, :, None], -torch.inf).topk(min(depth, p - k), dim=2).indices
    others = _without_one(slates)[:, :, None].expand(-1, -1, found.shape[2], -1)
    return torch.cat([others, found[:, :, :, None]], dim=3).view(-1, k)


def _distinct(best: Tensor, scores: Tensor) -> Tensor:
    """The best items `(b, k)` after each choice, ascending; where two are the same, the next best for the later one."""
    ordered = best.sort(dim=1).values
    clash = (ordered[:, 1:] == ordered[:, :-1]).any(dim=1)
    if clash.any():
        ranked = scores[clash].topk(best.shape[1], dim=2).indices
        ordered[clash] = first_not_taken(ranked).sort(dim=1).values
    return ordered
