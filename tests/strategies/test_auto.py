import time
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from rather import ExactRetriever
from rather.strategies import auto as auto_module
from rather.strategies import choose, clock, pool, strategy_named
from rather.strategies.auto import Auto
from rather.strategies.discrete import Greedy
from rather.strategies.rivals import mutual_information
from worlds import TINY, models, world, worlds


@settings(max_examples=15)
@given(worlds(n=(5, 30), m=(2, 30)), models, st.sampled_from([2, 3, 5]), st.integers(0, 99))
def test_auto_is_never_worse_than_greedy(world, model, k, seed):
    problem = world.problem(model, k=k, seed=seed)
    assert choose(Auto(), problem.fork()).evoi >= choose(Greedy(), problem.fork()).evoi - TINY


def test_what_was_asked_is_not_among_the_finalists_while_others_are():
    problem = world(n=12).problem()
    slates = world(n=12).slates()
    ranked = slates[problem.evoi(slates).argsort(descending=True)]
    for count in (1, 3, 6):
        left = replace(problem, asked=frozenset(frozenset(slate) for slate in ranked[:count].tolist()))
        assert frozenset(Auto()(left)[0].tolist()) not in left.asked


@pytest.mark.parametrize("k", [2, 3])
def test_auto_meets_the_optimum_of_small_catalogues(k):
    for seed in range(4):
        problem = world(n=14, m=25, d=4, seed=seed).problem(k=k)
        best = choose(strategy_named("exhaustive-search"), problem).evoi
        assert choose(Auto(), problem.fork()).evoi >= 0.995 * best - TINY


def test_a_slate_may_hold_all_items():
    assert sorted(Auto()(world(n=10).problem(k=10))[0].tolist()) == list(range(10))


def test_exchanges_never_lower_the_best_and_raise_it_at_times():
    gained = []
    for seed in range(8):
        problem = world(n=60, m=30, d=5, seed=seed).problem(k=4)
        without = choose(Auto(exchanges=0, drawn=1, foresight=0), problem.fork()).evoi
        gained.append(choose(Auto(exchanges=5, drawn=1, foresight=0), problem.fork()).evoi - without)
    assert min(gained) >= -TINY
    assert max(gained) > TINY


@pytest.mark.parametrize("k", [2, 4])
def test_foresight_gives_up_no_more_than_its_share_and_asks_what_tells_more(k):
    told = []
    for seed in range(8):
        problem = world(n=60, m=40, d=5, seed=seed).problem(k=k)
        near, far = (choose(Auto(foresight=share), problem.fork()) for share in (0, 1))
        assert far.evoi >= 0.9 * near.evoi - TINY  # of the first question only a tenth is given up
        tells = mutual_information(torch.tensor([near.slate, far.slate]), problem)
        told.append(float(tells[1] - tells[0]))
    assert min(told) >= -TINY
    assert max(told) > 0.01


def test_nothing_is_given_up_where_particles_are_plenty():
    for seed in range(8):
        problem = world(n=60, m=auto_module.PLENTY, d=5, seed=seed).problem(k=2)
        near, far = (choose(Auto(foresight=share), problem.fork()) for share in (0, 1))
        assert far == near


def test_a_pool_that_lacks_the_best_items_looks_them_up():
    gained = []
    for seed in range(8):
        problem = world(n=300, m=60, d=5, seed=seed).problem(k=3)
        poor, better = (Auto(groups=4, single=0, looked_up=count, foresight=0, small_catalog=0) for count in (0, 16))
        gained.append(choose(better, problem.fork()).evoi / choose(poor, problem.fork()).evoi)
    assert min(gained) > 0.98
    assert sum(gained) / len(gained) > 1.01


def test_a_screened_pool_finds_nearly_what_all_items_would():
    share = []
    for seed in range(6):
        problem = world(n=400, m=60, d=4, seed=seed).problem(k=3)
        whole = choose(Auto(), problem.fork()).evoi
        share.append(choose(Auto(small_catalog=0), problem.fork()).evoi / whole)
    assert min(share) > 0.97


def test_a_budget_that_is_spent_while_screening_still_gives_a_question():
    problem = world(n=400, m=60, d=4).problem(k=3)
    searched = []

    def search(directions, count, allowed=None):
        searched.append(len(directions))
        time.sleep(0.03)
        return ExactRetriever(problem.catalog).top(directions, count, allowed)

    slow = replace(problem, retriever=SimpleNamespace(top=search))
    assert Auto(budget_ms=50, small_catalog=0)(slow).shape[1] == 3
    assert sum(searched) < 100  # of 480 directions


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


@pytest.mark.parametrize("budget_ms", [20, 100, 200])
def test_a_budget_is_kept_whatever_a_search_costs(monkeypatch, budget_ms):
    """On a clock that only searches move: a millisecond for each direction, 274 of them without a budget."""
    problem, elapsed = world(n=400, m=60, d=4).problem(k=2), [0.0]
    monkeypatch.setattr(clock, "time", SimpleNamespace(perf_counter=lambda: elapsed[0]))

    def search(directions, count, allowed=None):
        elapsed[0] += len(directions) / 1000
        return ExactRetriever(problem.catalog).top(directions, count, allowed)

    slow = replace(problem, retriever=SimpleNamespace(top=search))
    slates = Auto(budget_ms=budget_ms, small_catalog=0)(slow)
    assert slates.shape[1] == 2
    # What is under way is finished: a few directions of the first look, and those of the second.
    assert 1000 * elapsed[0] <= max(budget_ms, 0.5 * budget_ms + pool.FEW_DIRECTIONS + 1)
    elapsed[0] = 0.0
    Auto(small_catalog=0)(slow)
    assert 1000 * elapsed[0] > 260


@pytest.mark.parametrize("setting", [{"drawn": 0}, {"drawn": 1}, {"going_on": 0}, {"single": 0}, {"looked_up": 0}])
def test_settings_may_leave_a_step_out(setting):
    problem = world(n=60, m=20, d=4).problem(k=3)
    assert len(set(choose(Auto(small_catalog=0, **setting), problem).slate)) == 3


@settings(max_examples=25)
@given(worlds(n=(4, 8), m=(2, 6)), models, st.integers(1, 3))
def test_of_few_slates_the_best_that_is_left_is_asked(world, model, count):
    problem = world.problem(model, k=2)
    slates = world.slates()
    values = problem.evoi(slates)
    order = values.argsort(descending=True)
    left = replace(problem, asked=frozenset(frozenset(slate) for slate in slates[order[:count]].tolist()))
    assert choose(Auto(foresight=0), left).evoi >= float(values[order[count]]) - TINY
