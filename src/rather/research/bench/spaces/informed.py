"""How little regret answers can leave: a recommendation that is told a number of bits about a user.

Whatever the questions are, eight answers that each say one of four things carry at most 16 bits. How good a
recommendation can be for so many bits is a rate-distortion function; here the distortion is the regret, and the code
that reaches it is found by alternating minimisation (Blahut 1972; Arimoto 1972). A user with utility vector `u` is
recommended configuration `x` with probability `q(x) exp(pull x @ u) / Z(u)`, where `q` is what all users together are
recommended. That `q` is a Markov chain along the decision diagram: 10^12 configurations take one pass over its edges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from rather.model.configured_items import Configurations, ConfiguredItems
from rather.model.diagrams import Diagram
from rather.research.bench.spaces.measurements import SpaceFloor
from rather.research.bench.spaces.worlds import World
from rather.retrieval.paths import longest_paths
from rather.simulation.conversations import draw_users

# How strongly a recommendation follows what is known, from hardly to almost always, in units of one over utility.
PULLS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 13.0, 17.0, 25.0)

# Keeps values that nobody is recommended yet possible, or rounding would rule them out for good.
LEAST = 1e-12


def informed_regret(
    world: World, bits: Sequence[float], users: int = 400, rounds: int = 25, pulls: Sequence[float] = PULLS
) -> list[SpaceFloor]:
    """The share of the start regret that is left when a recommendation is told so many bits about each user.

    Args:
        world: A product space.
        bits: For each of them; interpolated between the pulls.
        users: As many decide what is recommended, and as many others are recommended something.
        rounds: Of the alternating minimisation, for each pull.
        pulls: Ascending.
    """
    assert isinstance(world.catalog.storage, ConfiguredItems), "only the items of a product space are paths"
    space = world.catalog.storage.configurations
    drawn = draw_users(world.belief, 2 * users, seed=1)
    known, others = _weights(space, drawn[:users]), _weights(space, drawn[users:])
    best = longest_paths(space, drawn[users:], 1).scores[:, 0]
    first = longest_paths(space, world.belief.mean[None], 1).choices[:, 0]
    start = float((best - (drawn[users:] @ space.vectors(first)[0]).double()).mean())
    chain = _uniform(space.diagram)
    needed, left = [0.0], [1.0]
    for pull in pulls:
        for _ in range(rounds):
            chain = _average(space.diagram, recommended(space.diagram, chain, known, pull)[0])
        steps, log_total = recommended(space.diagram, chain, others, pull)
        worth = _worth(space.diagram, steps, others)
        needed.append(max(needed[-1], float((pull * worth - log_total).mean()) / math.log(2)))
        left.append(min(left[-1], float((best - worth).mean()) / start))
    return [SpaceFloor(each, float(np.interp(each, needed, left))) for each in bits]


def recommended(
    diagram: Diagram, chain: Sequence[Tensor], weights: Sequence[Tensor], pull: float
) -> tuple[list[Tensor], Tensor]:
    """What each of b users is recommended, `q(x) exp(pull x @ u) / Z(u)`, and `log Z(u)`.

    Args:
        diagram: The configurations.
        chain: `q`, for each layer the log-probability of each value at each node `(nodes, values)`.
        weights: For each layer `(symbols, b)`, what a choice adds to the utility.
        pull: How strongly it follows the user's taste.

    Returns:
        For each layer the log-probabilities `(nodes, values, b)`; and `(b,)`.
    """
    after, steps = weights[0].new_zeros(1, weights[0].shape[1]), []
    for layer, own, weight in zip(reversed(diagram.layers), reversed(chain), reversed(weights), strict=True):
        edges = own[:, :, None] + pull * weight[layer.symbol] + after[layer.target]
        after = torch.logsumexp(edges, dim=1)
        steps.append(edges - after[:, None])
    return steps[::-1], after[0]


def _weights(space: Configurations, users: Tensor) -> list[Tensor]:
    return [effects.double() @ users.double().T for effects in space.effects]


def _uniform(diagram: Diagram) -> list[Tensor]:
    """All valid configurations alike, as a chain."""
    paths = [
        after[layer.target] * layer.exists for layer, after in zip(diagram.layers, diagram.counts[1:], strict=True)
    ]
    return [_normalised(each.double()) for each in paths]


def _average(diagram: Diagram, steps: Sequence[Tensor]) -> list[Tensor]:
    """The chain that takes every edge as often as all users together do."""
    return [
        _normalised(taken.mean(dim=2) + LEAST * layer.exists)
        for layer, taken in zip(diagram.layers, _taken(diagram, steps), strict=True)
    ]


def _worth(diagram: Diagram, steps: Sequence[Tensor], weights: Sequence[Tensor]) -> Tensor:
    """The expected utility of what each user is recommended, `(b,)`."""
    parts = [
        (taken * weight[layer.symbol]).sum(dim=(0, 1))
        for layer, weight, taken in zip(diagram.layers, weights, _taken(diagram, steps), strict=True)
    ]
    return torch.stack(parts).sum(dim=0)


def _taken(diagram: Diagram, steps: Sequence[Tensor]) -> list[Tensor]:
    """The probability of every edge for each user, for each layer `(nodes, values, b)`."""
    reached, found = steps[0].new_ones(1, steps[0].shape[2]), []
    for layer, step, after in zip(diagram.layers, steps, diagram.counts[1:], strict=True):
        taken = reached[:, None] * step.exp()
        found.append(taken)
        reached = taken.new_zeros(len(after), taken.shape[2])
        reached.index_add_(0, layer.target.flatten(), taken.flatten(0, 1))
    return found


def _normalised(weights: Tensor) -> Tensor:
    return (weights / weights.sum(dim=1, keepdim=True)).log()
