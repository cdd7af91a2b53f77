"""What questions cost, in turn for all catalogues, so that a busy machine slows all of them alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

from rather.conversation.policy import Policy
from rather.model.allowed import AllowedConfigurations
from rather.research.bench.contest import unknown
from rather.research.bench.measurements import Times
from rather.research.bench.spaces.measurements import MustHave, SpaceQuestion
from rather.research.bench.spaces.worlds import World
from rather.research.bench.timing import timed
from rather.simulation.users import SimulatedUser

# What every laptop satisfies.
EVERYTHING = "weight > 0"


def question_times(
    worlds: Sequence[World], table: World, sizes: Sequence[int], repeats: int, on_step: Callable[[], None]
) -> list[SpaceQuestion]:
    """The second question in each world, and its time over that for the table, which is one of the worlds."""
    found = []
    for k in sizes:
        policies = [Policy(world.catalog, world.belief, k) for world in worlds]
        firsts = [policy.question(policy.prior, ()) for policy in policies]
        seconds: list[list[float]] = [[] for _ in worlds]
        for seed in range(repeats + 1):
            for policy, first, taken in zip(policies, firsts, seconds, strict=True):
                own, prior = policy.with_seed(seed), policy.prior
                user = SimulatedUser(prior.particles[seed % len(prior)], own.response, seed)
                after = own.after(prior, first, user.answer(first))
                taken.append(timed(partial(own.question, unknown(after, prior), [first])))
            on_step()
        times = [Times.of(taken[1:]) for taken in seconds]  # the first turn only warms up
        least = times[list(worlds).index(table)].median
        found += [
            SpaceQuestion(world.name, *world.catalog.storage.shape, k, each, each.median / least)
            for world, each in zip(worlds, times, strict=True)
        ]
    return found


def must_have(world: World, expression: str) -> MustHave:
    """What must-haves cost that nobody has asked for before."""
    _ = world.catalog.where(EVERYTHING)  # what all filters share is not what one of them costs
    start = time.perf_counter()
    allowed = world.catalog.where(expression)
    seconds = time.perf_counter() - start
    assert isinstance(allowed, AllowedConfigurations), "a product space is filtered by rules"
    policy = Policy(world.catalog, world.belief, allowed=allowed)
    asked = timed(partial(policy.question, world.belief, ()))
    return MustHave(expression, allowed.count, allowed.configurations.diagram.edges, seconds, asked)
