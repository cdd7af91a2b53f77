from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from rather.strategies import choose, strategy_named
from rather.strategies.auto import PARTS, Auto
from rather.strategies.discrete import Greedy, QueryIteration, Random
from worlds import TINY, models, world, worlds


@settings(max_examples=15)
@given(worlds(n=(5, 30), m=(2, 30)), models, st.sampled_from([2, 3, 5]), st.integers(0, 99))
def test_auto_is_never_worse_than_any_of_its_parts_alone(world, model, k, seed):
    problem = world.problem(model, k=k, seed=seed)
    auto = choose(Auto(), problem.fork()).evoi
    for part in PARTS:
        assert auto >= choose(part, problem.fork()).evoi - TINY


def test_auto_is_never_worse_than_parts_of_ones_own():
    parts = (Greedy(), Random(), QueryIteration(restarts=1))
    for seed in range(10):
        problem = world(n=40, m=20, seed=seed).problem(k=3, seed=seed)
        auto = choose(Auto(parts), problem.fork()).evoi
        assert auto >= max(choose(part, problem.fork()).evoi for part in parts) - TINY


def test_every_part_draws_what_it_would_draw_alone():
    problem, drawn = world(n=40).problem(), []

    def part(own):
        drawn.append(own.random_slates(3))
        return drawn[-1]

    Auto((part, part, part))(problem)
    assert torch.equal(drawn[0], drawn[1])
    assert torch.equal(drawn[0], drawn[2])
    assert torch.equal(drawn[0], problem.random_slates(3))  # and nothing was drawn from the problem itself


def test_proposals_of_the_parts_stand_in_when_the_finalists_were_asked():
    problem = world(n=12).problem()
    ranked = world(n=12).slates()[problem.evoi(world(n=12).slates()).argsort(descending=True)]
    first, second = ranked[0], ranked[5]
    auto = Auto((lambda _: torch.stack([first, second]),), exchanges=0, finalists=1)
    left = replace(problem, asked=frozenset({frozenset(first.tolist())}))
    assert choose(auto, left).slate == tuple(second.tolist())


@pytest.mark.parametrize("k", [2, 3])
def test_auto_meets_the_optimum_of_small_catalogues(k):
    for seed in range(4):
        problem = world(n=14, m=25, d=4, seed=seed).problem(k=k)
        best = choose(strategy_named("exhaustive-search"), problem).evoi
        assert choose(Auto(), problem.fork()).evoi >= 0.995 * best - TINY


def test_exchanges_never_lower_the_best():
    for seed in range(5):
        problem = world(n=60, m=30, d=5, seed=seed).problem(k=4)
        parts = (Random(),)
        without = choose(Auto(parts, exchanges=0), problem.fork()).evoi
        assert choose(Auto(parts, exchanges=5), problem.fork()).evoi > without


def test_a_spent_budget_still_gives_the_first_parts_question():
    problem = world(n=40).problem()
    assert choose(Auto(budget_ms=0), problem.fork()).slate == choose(PARTS[0], problem.fork()).slate


def test_a_large_budget_gives_what_no_budget_gives():
    problem = world(n=40).problem()
    assert choose(Auto(budget_ms=1e9), problem.fork()).slate == choose(Auto(), problem.fork()).slate


def test_after_skips_auto_polishes_what_can_still_be_asked():
    """The share of the best question left that auto finds, on average."""
    share = []
    for seed in range(3):
        problem, asked = world(n=60, m=60, d=4, seed=seed).problem(), frozenset()
        for _ in range(4):
            left = replace(problem, asked=asked)
            chosen = choose(Auto(), left.fork())
            share.append(chosen.evoi / choose(strategy_named("exhaustive-search"), left).evoi)
            asked |= {frozenset(chosen.slate)}
    assert sum(share) / len(share) > 0.97
