"""Every strategy by name, under the checks that a third party can run on theirs."""

import pytest
import torch

import rather
from rather.strategies import choose
from rather.testing import check_strategy
from worlds import TINY, World, world

NAMES = list(rather.STRATEGIES)


@pytest.mark.parametrize("name", NAMES)
def test_every_strategy_keeps_the_contract(name):
    check_strategy(rather.strategy_named(name))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_no_strategy_beats_exhaustive_search(name, k):
    problem = world(n=9, m=15).problem(k=k)
    best = choose(rather.strategy_named("exhaustive-search"), problem).evoi
    assert choose(rather.strategy_named(name), problem.fork()).evoi <= best + TINY


@pytest.mark.parametrize("name", [name for name in NAMES if name != "random"])
def test_every_strategy_that_thinks_beats_random_questions_on_average(name):
    gain = 0.0
    for seed in range(5):
        problem = world(n=40, m=40, d=5, seed=seed).problem(k=2)
        random = problem.fork().evoi(problem.random_slates(50)).mean()
        gain += choose(rather.strategy_named(name), problem).evoi - float(random)
    assert gain > 0


@pytest.mark.parametrize("name", ["greedy", "top5-exhaustive", "exhaustive-search"])
def test_strategies_that_draw_nothing_do_not_depend_on_the_order_of_particles(name):
    here = world(n=15, m=20)
    order = torch.randperm(20, generator=torch.Generator().manual_seed(0))
    turned = World(here.catalog, rather.Belief.from_users(here.belief.particles[order], smooth=False))
    strategy = rather.strategy_named(name)
    assert choose(strategy, here.problem()).slate == choose(strategy, turned.problem()).slate


@pytest.mark.parametrize("broken", ["repeats", "forbidden", "fickle", "one too few", "floats", "global"])
def test_the_contract_catches_a_strategy_that_breaks_it(broken):
    calls = []

    def strategy(problem):
        slates = problem.random_slates(2)
        calls.append(problem)
        if broken == "repeats":
            slates[:, 1] = slates[:, 0]
        if broken == "forbidden":
            slates[0] = torch.arange(problem.k)
        if broken == "fickle":
            slates = slates.roll(len(calls), dims=1)
        if broken == "one too few":
            slates = slates[:, 1:]
        if broken == "floats":
            slates = slates.float()
        if broken == "global":
            torch.rand(1)
        return slates

    with pytest.raises(AssertionError, match="Broken promise"):
        check_strategy(strategy)


@pytest.mark.parametrize("name", NAMES)
def test_every_strategy_says_what_it_is_and_costs(name):
    named = rather.STRATEGIES[name]
    assert named.summary
    assert named.scans


@pytest.mark.parametrize(
    "paper",
    [
        "Random",
        "Top5Exhaustive",
        "Greedy",
        "QueryIteration",
        "RandUserTopItem",
        "ExhaustiveSearch",
        "ContFree",
        "ContReg",
        "ContDeepRetr",
        "ContAlter",
    ],
)
def test_every_method_of_the_paper_has_its_name_here(paper):
    assert paper in {named.paper for named in rather.STRATEGIES.values()}


def test_settings_reach_the_strategy():
    assert rather.strategy_named("query-iteration", restarts=77).restarts == 77
    assert rather.strategy_named("cont-free", steps=3).steps == 3


def test_an_unknown_name_is_refused_with_those_there_are():
    with pytest.raises(rather.RatherError, match=r"No strategy for items is called 'magic'. There are: auto, .*random"):
        rather.strategy_named("magic")
