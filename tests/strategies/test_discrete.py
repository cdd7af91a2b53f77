import itertools
import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import rather.strategies.discrete
import rather.value
from rather import Noiseless, value
from rather.errors import TooManySlatesError
from rather.strategies import choose
from rather.strategies.discrete import (
    ExhaustiveSearch,
    Greedy,
    QueryIteration,
    Random,
    RandUserTopItem,
    TopExhaustive,
    iterate,
)
from rather.strategies.projection import deep_retrieval_unique
from worlds import TINY, models, world, worlds


@given(worlds(n=(4, 12)), st.integers(2, 4), st.data())
def test_a_step_of_query_iteration_never_lowers_evoi_without_noise(world, k, data):
    k = min(k, len(world.rows))
    problem = world.problem(Noiseless(), k=k, seed=data.draw(st.integers(0, 99)))
    slates = problem.random_slates(8)
    for _ in range(4):
        replaced = deep_retrieval_unique(problem.vectors(slates), problem)
        assert (problem.evoi(replaced) >= problem.evoi(slates) - TINY).all()
        slates = replaced


@given(worlds(n=(4, 12)), st.integers(0, 99))
def test_query_iteration_ends_in_fixed_points_without_noise(world, seed):
    problem = world.problem(Noiseless(), seed=seed)
    met = iterate(problem.random_slates(6), problem)
    best = met[problem.evoi(met).argmax()][None]
    again = deep_retrieval_unique(problem.vectors(best), problem)
    assert float(problem.evoi(again)) == pytest.approx(float(problem.evoi(best)), abs=TINY)


@given(worlds(n=(4, 12)), models, st.integers(0, 99))
def test_query_iteration_keeps_every_slate_it_meets(world, model, seed):
    """Under noise a step may lower EVOI; the start must then still be among the proposals."""
    problem = world.problem(model, seed=seed)
    start = problem.random_slates(4)
    met = {frozenset(slate) for slate in iterate(start, problem).tolist()}
    assert {frozenset(slate) for slate in start.tolist()} <= met
    step = deep_retrieval_unique(problem.vectors(start), problem)
    assert {frozenset(slate) for slate in step.tolist()} <= met


def test_query_iteration_stops_after_its_most_steps():
    problem = world(n=30, m=30).problem()
    start = problem.random_slates(1)
    assert len(iterate(start, problem, most_steps=1)) <= 2


def test_more_restarts_of_query_iteration_find_the_optimum_of_a_small_catalogue():
    for seed in range(4):
        problem = world(n=15, m=20, seed=seed).problem(Noiseless())
        found = choose(QueryIteration(restarts=200), problem).evoi
        assert found == pytest.approx(choose(ExhaustiveSearch(), problem).evoi, abs=TINY)


def test_greedy_starts_from_the_best_item():
    here = world(n=20)
    slate = Greedy()(here.problem(k=3))[0]
    assert int(slate[0]) == int((here.catalog.items @ here.belief.mean).argmax())


@given(worlds(n=(4, 9), whole=False), models, st.integers(2, 4))
def test_greedy_appends_the_item_that_most_raises_the_slates_utility(world, model, k):
    k = min(k, len(world.rows))
    slate = Greedy()(world.problem(model, k=k))[0].tolist()
    for size in range(2, k + 1):
        others = [row for row in world.rows if row not in slate[: size - 1]]
        candidates = torch.tensor([[*slate[: size - 1], row] for row in others])
        values = value.slate_expected_utility(world.catalog.items[candidates], world.belief, model)
        assert float(values[others.index(slate[size - 1])]) == pytest.approx(float(values.max()), abs=TINY)


def test_greedy_does_not_depend_on_the_size_of_its_batches():
    problem = world(n=30).problem(k=3)
    assert torch.equal(Greedy(batch_entries=100)(problem), Greedy()(problem))


def test_top5_exhaustive_proposes_all_slates_of_the_five_best_items():
    here = world(n=20)
    best = (here.catalog.items @ here.belief.mean).topk(5).indices.tolist()
    proposals = {frozenset(slate) for slate in TopExhaustive()(here.problem(k=3)).tolist()}
    assert proposals == {frozenset(slate) for slate in itertools.combinations(best, 3)}


def test_top_exhaustive_takes_at_least_k_and_at_most_all_items():
    assert TopExhaustive(top=2)(world(n=9).problem(k=4)).shape == (1, 4)
    assert TopExhaustive(top=50)(world(n=4).problem(k=2)).shape == (6, 2)


def test_rand_user_top_item_asks_about_best_items_of_particles():
    here = world(n=40, m=10)
    best = set(here.search(here.belief.particles, 2).rows.flatten().tolist())
    assert set(RandUserTopItem(restarts=30)(here.problem()).flatten().tolist()) <= best


def test_random_asks_about_other_items_under_another_seed():
    here = world(n=100)
    assert len({frozenset(Random()(here.problem(seed=seed))[0].tolist()) for seed in range(20)}) > 15


@given(worlds(n=(3, 8)), models, st.integers(2, 3))
def test_exhaustive_search_finds_brute_forces_best(world, model, k):
    problem = world.problem(model, k=k)
    best = max(
        float(value.evoi(world.catalog.items[list(slate)][None], world.belief, model, world.search))
        for slate in itertools.combinations(world.rows, k)
    )
    assert float(problem.evoi(ExhaustiveSearch()(problem))) == pytest.approx(best, abs=TINY)


def test_exhaustive_search_does_not_depend_on_the_size_of_its_batches():
    problem = world(n=10).problem(k=3)
    assert torch.equal(ExhaustiveSearch(batch_size=7)(problem), ExhaustiveSearch()(problem))


def test_exhaustive_search_passes_over_what_was_asked():
    problem, ranked = world(n=8).problem(), []
    for _ in range(5):
        asked = frozenset(frozenset(slate) for slate in ranked)
        ranked.append(ExhaustiveSearch()(replace(problem, asked=asked))[0].tolist())
    slates = world(n=8).slates(2)
    best = problem.evoi(slates).sort(descending=True).values[:5]
    assert torch.allclose(problem.evoi(torch.tensor(ranked)), best, atol=TINY)


def test_exhaustive_search_refuses_what_would_not_end_with_the_number_of_slates_and_the_time():
    problem = world(n=300).problem(k=4)
    slates = f"{math.comb(300, 4):,}"
    message = f"over 300 items would evaluate {slates} slates of 4, about [0-9,]+ (seconds|minutes|hours|days)"
    with pytest.raises(TooManySlatesError, match=message):
        ExhaustiveSearch()(problem)


def test_exhaustive_search_counts_only_allowed_items():
    allowed = torch.arange(300) < 6
    assert ExhaustiveSearch(most_slates=20)(world(n=300).problem(k=3, allowed=allowed)).shape == (1, 3)
    with pytest.raises(TooManySlatesError, match="over 6 items would evaluate 20 slates of 3"):
        ExhaustiveSearch(most_slates=19)(world(n=300).problem(k=3, allowed=allowed))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "0 seconds"), (90, "90 seconds"), (600, "10 minutes"), (86_400 * 3, "3 days"), (3.2e10, "1,014 years")],
)
def test_the_time_it_would_take_is_said_in_units_a_person_uses(seconds, words):
    assert rather.strategies.discrete.duration(seconds) == words
