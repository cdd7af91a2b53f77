"""The recommendation layer that holds lists: its formula and gradients, and the questions it leads to."""

import pytest
import torch

from rather import BestOfList, DiscountedList, Logistic, RiskAverse, Satisfaction, SmoothBestOfList
from rather.strategies import choose, strategy_named
from rather.strategies.continuous import slate_network
from rather.strategies.initialisers import balanced
from rather.strategies.recommended_lists import FreeLists, list_network, lists_after
from rather.value import list_value
from worlds import normal, world

OBJECTIVES = [
    BestOfList(3),
    SmoothBestOfList(0.3, 3),
    DiscountedList(3),
    Satisfaction(0.5, 0.3, 3),
    RiskAverse(0.3, 3),
]
GRADIENT = ["cont-free", "cont-reference", "cont-alter", "cont-deep-retr"]


def by_definition(query, lists, belief, temperature, objective) -> torch.Tensor:
    """f(X, Y), restart by restart and choice by choice."""
    particles, weights = belief.particles.double(), belief.weights.double()
    totals = []
    for slate, listed in zip(query, lists, strict=True):
        share = torch.softmax(slate @ particles.T / temperature, dim=0)
        worth = [list_value(objective, listed[i] @ particles.T, share[i] * weights) for i in range(len(slate))]
        totals.append(torch.stack(worth).sum())
    return torch.stack(totals)


def slope(function, at, index, step=1e-6) -> float:
    nudge = torch.zeros_like(at)
    nudge[index] = step
    return float((function(at + nudge) - function(at - nudge)).sum() / (2 * step))


@pytest.mark.parametrize("objective", OBJECTIVES, ids=repr)
def test_the_network_of_lists_is_its_formula_and_its_gradients_are_finite_differences(objective):
    here = world(m=15)
    query, lists = normal(2, 2, 3, seed=5).double(), normal(2, 2, 3, 3, seed=6).double()
    found = list_network(query, lists @ here.belief.particles.double().T, here.belief, 0.5, objective)
    assert torch.allclose(found.value, by_definition(query, lists, here.belief, 0.5, objective), atol=1e-7)
    for restart, option, axis in torch.cartesian_prod(*(torch.arange(size) for size in query.shape)).tolist():
        index = (restart, option, axis)
        wanted = slope(lambda at: by_definition(at, lists, here.belief, 0.5, objective), query, index)
        assert float(found.query[index]) == pytest.approx(wanted, abs=1e-5)
        index = (restart, option, 1, axis)
        wanted = slope(lambda at: by_definition(query, at, here.belief, 0.5, objective), lists, index)
        assert float(found.lists[index]) == pytest.approx(wanted, abs=1e-5)


def test_with_lists_of_one_it_is_the_network_of_single_items():
    here = world(m=15)
    query, recommended = normal(3, 2, 3, seed=5), normal(3, 2, 3, seed=6)
    one = slate_network(query, recommended, here.belief, 0.5)
    lists = list_network(query, (recommended @ here.belief.particles.T)[:, :, None], here.belief, 0.5, BestOfList(1))
    assert torch.allclose(lists.value, one.value, atol=1e-5)
    assert torch.allclose(lists.query, one.query, atol=1e-5)
    assert torch.allclose(lists.lists[:, :, 0], one.recommendation, atol=1e-5)


def test_cont_free_for_lists_of_one_takes_the_steps_of_cont_free():
    here, strategy = world(n=30, m=20), strategy_named("cont-free", steps=12, step_size=0.05)
    start = balanced(here.problem(), 5)
    lists = strategy.optimise(start, here.problem(objective=BestOfList(1)))
    assert torch.allclose(lists, strategy.optimise(start, here.problem()), atol=1e-3)


@pytest.mark.parametrize("objective", OBJECTIVES, ids=repr)
@pytest.mark.parametrize("headed", [False, True], ids=["free", "headed"])
def test_free_lists_climb(objective, headed):
    """With X at rest, a step of the lists alone raises f."""
    problem = world(n=40, m=30, d=4).problem(objective=objective)
    query, softmax = balanced(problem, 5), Logistic(0.3)
    layer = FreeLists(query, problem, softmax, headed=headed)

    def climbed() -> float:
        listed = layer.lists(query) @ problem.belief.particles.T
        return float(list_network(query, listed, problem.belief, 0.3, objective).value.mean())

    before = climbed()
    for step in range(20):
        layer.uphill(query, step, rate=0.02)
    assert climbed() > before + 1e-3


def test_free_lists_start_at_the_best_of_the_catalogue():
    problem = world(n=40, m=30, d=4).problem(objective=BestOfList(3))
    query, softmax = balanced(problem, 5), Logistic(0.3)
    rows = lists_after(query, problem, softmax).rows
    found = FreeLists(query, problem, softmax, headed=False).lists(query)
    assert torch.equal(found.flatten(0, 1), problem.catalog.vectors(rows))
    headed = FreeLists(query, problem, softmax, headed=True).lists(query)
    assert torch.equal(headed[:, :, 0], query)
    assert torch.equal(headed[:, :, 1:], found[:, :, 1:])


@pytest.mark.parametrize("objective", [BestOfList(2), DiscountedList(2), RiskAverse(0.3, 1)], ids=repr)
@pytest.mark.parametrize("name", GRADIENT)
def test_questions_for_lists_come_close_to_the_best_of_all(name, objective):
    reached, optimal = 0.0, 0.0
    for seed in range(3):
        problem = world(n=20, m=30, d=4, seed=seed).problem(objective=objective)
        reached += choose(strategy_named(name), problem.fork()).evoi
        optimal += choose(strategy_named("exhaustive-search"), problem).evoi
    assert optimal > 0
    assert 0.85 * optimal < reached <= optimal + 1e-4
