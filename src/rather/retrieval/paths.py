"""The best configurations of a product for given directions: the longest paths of its decision diagram.

A direction gives every edge a weight, what the choice adds to the inner product, and the best configuration is the
longest path. What can still be gained from every node is computed backwards, once for all directions (dynamic
programming; Bellman 1957). With it, the `count` best paths are found forwards, layer by layer: among all beginnings of
a path, ranked by the best that each can become, those of the `count` best paths are the first `count`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from rather.model.allowed import Allowed, AllowedConfigurations
from rather.model.catalog import Catalog
from rather.model.configured_items import Configurations, ConfiguredItems
from rather.numerics.threads import on_all_threads, one_thread
from rather.retrieval.protocol import Found, validate_count
from rather.retrieval.scan import best_first

# Numbers in one batch of directions: what can be gained from all nodes, in 32 MB.
BATCH_NUMBERS = 4_000_000

# Edges times directions from which batches run on all threads.
PARALLEL_FROM = 2_000_000

# Sums are compared to this many bits: finer than the float32 of scores, coarser than what sums of float64 lose.
RESOLUTION_BITS = 34

# Searches for the nearest configuration where totals have a worth. Nothing but the pull of `cont-reg` depends on it.
STEPS = 8


@dataclass(frozen=True)
class Paths:
    """The best paths for each direction, best first.

    Attributes:
        scores: `(b, count)` float64, the sums of their weights.
        choices: `(b, count, L)` the values they choose.
        symbols: `(b, count, L)` what their choices settle.
        numbers: `(b, count)` the numbers of the configurations.
    """

    scores: Tensor
    choices: Tensor
    symbols: Tensor
    numbers: Tensor


def longest_paths(
    configurations: Configurations, directions: Tensor, count: int, bonus: Sequence[Tensor] | None = None
) -> Paths:
    """The `count` best configurations for each direction, equal ones in the order of their numbers.

    Args:
        configurations: Where to search; there must be at least `count`.
        directions: `(b, d)`.
        count: How many for each.
        bonus: For each decision `(symbols,)` or `(symbols, b)`, what is added to the weights of its edges.
    """
    weights = _weights(configurations, directions, bonus)
    return _forwards(configurations, weights, configurations.diagram.longest(weights), count)


def _weights(configurations: Configurations, directions: Tensor, bonus: Sequence[Tensor] | None) -> list[Tensor]:
    """For each decision `(symbols, b)`, what its choices add. In float64: equal sums must compare as equal."""
    wanted = directions.double().T
    weights = [effects.double() @ wanted for effects in configurations.effects]
    if bonus is None:
        return weights
    return [
        weight + (extra if extra.dim() == 2 else extra[:, None]) for weight, extra in zip(weights, bonus, strict=True)
    ]


def _forwards(configurations: Configurations, weights: Sequence[Tensor], gains: Sequence[Tensor], count: int) -> Paths:
    b = weights[0].shape[1]
    nodes = torch.zeros(b, 1, dtype=torch.long)
    sums = torch.zeros(b, 1, dtype=torch.float64)
    column = torch.arange(b)[:, None, None]
    resolution, steps = _resolution(weights)[:, None, None], []
    for layer, weight, after in zip(configurations.diagram.layers, weights, gains[1:], strict=True):
        taken = sums[:, :, None] + weight[layer.symbol[nodes], column]
        if not layer.is_full:
            # The sums too: if a bonus forbids every path, one over a missing edge must not count as found.
            taken.masked_fill_(~layer.exists[nodes], -torch.inf)
        reach = ((taken + after[layer.target[nodes], column]) / resolution).round_()
        best = _first(reach.flatten(1), count)
        parent, value = best // layer.values, best % layer.values
        sums = taken.flatten(1).gather(1, best)
        left = nodes.gather(1, parent)
        steps.append((parent, value, left))
        nodes = layer.target[left, value]
    order = (sums / resolution[:, 0]).round_().argsort(dim=1, descending=True, stable=True)[:, :count]
    # Back along the paths that were kept to the end.
    kept, choices, visited = order, [], []
    for parent, value, left in reversed(steps):
        choices.append(value.gather(1, kept))
        visited.append(left.gather(1, kept))
        kept = parent.gather(1, kept)
    symbols, numbers = configurations.diagram.traced(choices[::-1], visited[::-1])
    return Paths(sums.gather(1, order), torch.stack(choices[::-1], dim=2), symbols, numbers)


def _resolution(weights: Sequence[Tensor]) -> Tensor:
    """For each direction `(b,)`, what sums must differ by to count as different.

    The same total comes about by different choices, and their sums differ in the last bits of float64.
    """
    finite = (weight.abs().nan_to_num(posinf=0.0) for weight in weights)  # minus infinity forbids a choice
    largest = torch.stack([weight.amax(dim=0) for weight in finite]).sum(dim=0)
    return largest.clamp_min(torch.finfo(torch.float64).tiny * 2**RESOLUTION_BITS) * 2.0**-RESOLUTION_BITS


def _first(reach: Tensor, count: int) -> Tensor:
    """Positions of the `count` highest of `(b, c)`, the first among equals; ascending, without those that lead nowhere.

    Where fewer lead anywhere for one direction, the same number do for all: the diagram does not depend on it.
    """
    if count == 1:
        return reach.argmax(dim=1, keepdim=True)
    possible = reach > -torch.inf
    if (there := int(possible[0].count_nonzero())) < count:
        return possible.nonzero()[:, 1].view(len(reach), there)
    order = reach.argsort(dim=1, descending=True, stable=True)[:, :count]
    return order.sort(dim=1).values


@dataclass(frozen=True, eq=False)
class PathRetriever:
    """Finds the best configurations for certain, without looking at every one.

    Attributes:
        catalog: A catalogue of configurations.
        batch_numbers: How much is computed at once; only speed and memory depend on it.
    """

    catalog: Catalog
    batch_numbers: int = BATCH_NUMBERS

    @property
    def storage(self) -> ConfiguredItems:
        """The items."""
        assert isinstance(self.catalog.storage, ConfiguredItems)
        return self.catalog.storage

    def top(self, directions: Tensor, count: int, allowed: Allowed | None = None) -> Found:
        """See `Retriever.top`."""
        where = self._where(allowed)
        validate_count(count, where.diagram.count)
        edges = where.diagram.edges
        size = max(1, self.batch_numbers // max(edges, count * sum(layer.values for layer in where.diagram.layers)))
        batches = torch.split(directions, size)

        def search(batch: Tensor) -> Found:
            paths = longest_paths(where, batch, count)
            vectors = where.settled_vectors(paths.symbols.flatten(0, 1)).view(len(batch), count, -1)
            scores = (vectors @ batch[:, :, None])[:, :, 0]
            if allowed is None:
                return Found(scores, paths.numbers, vectors)
            rows = self.storage.diagram.numbers(paths.choices.flatten(0, 1))
            return Found(scores, rows.view(len(batch), count), vectors)

        with one_thread():
            in_parallel = edges * len(directions) >= PARALLEL_FROM
            parts = on_all_threads(search, batches) if in_parallel else [search(batch) for batch in batches]
            return _in_order(parts[0] if len(parts) == 1 else _joined(parts))

    def _where(self, allowed: Allowed | None) -> Configurations:
        if allowed is None:
            return self.storage.configurations
        assert isinstance(allowed, AllowedConfigurations), "a product space is filtered by rules"
        return allowed.configurations


def nearest_configurations(points: Tensor, configurations: Configurations) -> Tensor:
    """For points `(b, d)` the vectors `(b, d)` of the nearest configurations, or nearly so.

    The nearest z maximises `x @ z - |z|^2 / 2`. The squares of dimensions that belong to one decision are a sum over
    decisions. Those of sums are not: a few steps of the Frank-Wolfe method, each the search for a linear distance, and
    the nearest of all that they find.
    """
    is_sum = configurations.is_sum
    bonus = [-effects.double()[:, ~is_sum].square().sum(dim=1) / 2 for effects in configurations.effects]
    turned, average = points.clone(), torch.zeros_like(points)
    best = torch.full_like(points, torch.inf)
    for step in range(STEPS if bool(is_sum.any()) else 1):
        turned[:, is_sum] = points[:, is_sum] - average[:, is_sum]
        found = configurations.settled_vectors(longest_paths(configurations, turned, 1, bonus).symbols[:, 0])
        nearer = (found - points).square().sum(dim=1) < (best - points).square().sum(dim=1)
        best = torch.where(nearer[:, None], found, best)
        average += 2 / (step + 2) * (found - average)
    return best


def _joined(parts: Sequence[Found]) -> Found:
    return Found(
        torch.cat([part.scores for part in parts]),
        torch.cat([part.rows for part in parts]),
        torch.cat([part.vectors for part in parts]),
    )


def _in_order(found: Found) -> Found:
    """By the scores as they are returned, equal ones in the order of their rows."""
    best = best_first(found.scores, found.rows, found.rows.shape[1])
    if torch.equal(best.rows, found.rows):
        return found
    order = (found.rows[:, None, :] == best.rows[:, :, None]).to(torch.uint8).argmax(dim=2)
    return Found(best.scores, best.rows, found.vectors.gather(1, order[:, :, None].expand_as(found.vectors)))
