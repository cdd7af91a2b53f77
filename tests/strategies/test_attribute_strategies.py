"""Every strategy for attributes by name: under the shared checks, against brute force, and against each other."""

import itertools
from dataclasses import replace

import pytest
import torch

import rather
from rather import Attribute, Belief, Catalog, Logistic
from rather.errors import TooManySlatesError, UnknownNameError
from rather.research.first_questions import first_questions
from rather.strategies import Problem, choose, clock, strategy_named
from rather.strategies.attributes.auto import PROPOSED, AutoAttributes, head, swap, varied_slates
from rather.strategies.attributes.continuous import ContPartial
from rather.strategies.attributes.greedy import GreedyAttributes
from rather.strategies.attributes.pooled import PARTICLES, PooledEvoi, recommendable
from rather.strategies.discrete import ExhaustiveSearch
from rather.testing import check_attribute_strategy
from worlds import TINY, normal

NAMES = list(rather.ATTRIBUTE_STRATEGIES)


def make(k=2, p=1, seed=0, n=80, m=40, columns="aabcddefg", d=6, scale=1.0, combinable=None, **parts):
    vectors = normal(len(columns), d, seed=100 + seed)
    said = [Attribute(f"{column}{place}", column, vectors[place]) for place, column in enumerate(columns)]
    catalog = Catalog(normal(n, d, seed=2 * seed), attributes=said, combinable=combinable)
    belief = Belief.from_users(scale * (normal(m, d, seed=2 * seed + 1) + 0.2), smooth=False)
    generator = torch.Generator().manual_seed(seed)
    return Problem(catalog, belief, parts.pop("response", Logistic(0.3)), k, generator, p=p, **parts)


def worth(strategy, problem):
    return choose(strategy, problem.fork()).evoi


@pytest.mark.parametrize("name", NAMES)
def test_every_strategy_keeps_the_contract(name):
    settings = {"restarts": 3, "steps": 10} if name == "cont-partial" else {}
    check_attribute_strategy(strategy_named(name, "attributes", **settings))


def test_auto_without_its_look_at_all_slates_keeps_the_contract():
    check_attribute_strategy(AutoAttributes(fewest_starts=4, most_starts=4, kept=2, sweeps=2, few=0))


def test_an_unknown_name_is_told_which_there_are():
    with pytest.raises(UnknownNameError, match="auto, cont-partial"):
        strategy_named("query-iteration", "attributes")


@pytest.mark.parametrize(("k", "p"), [(2, 1), (3, 1), (2, 2)])
def test_exhaustive_is_brute_force_and_no_other_is_better(k, p):
    problem = make(k, p, columns="aabcd")
    items = list(problem.attributes.space.every_item())
    slates = torch.tensor(list(itertools.combinations(items, k)))
    best = float(problem.evoi_of_vectors(problem.vectors(slates)).max())
    assert worth(ExhaustiveSearch(), problem) == pytest.approx(best, abs=TINY)
    for name in NAMES:
        assert worth(strategy_named(name, "attributes"), problem) <= best + TINY


@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_auto_loses_to_neither_greedy_nor_gradient(k, p):
    for seed in range(3):
        problem = make(k, p, seed)
        auto = worth(AutoAttributes(few=0), problem)
        assert auto >= worth(GreedyAttributes(), problem) - 1e-6
        assert auto >= worth(ContPartial(restarts=6, steps=40), problem) - 1e-6


@pytest.mark.parametrize(("k", "p"), [(2, 1), (3, 1), (4, 1), (2, 2), (2, 3)])
def test_auto_comes_within_a_percent_of_exhaustive(k, p):
    for seed in range(2):
        problem = make(k, p, seed)
        best = worth(ExhaustiveSearch(), problem)
        assert worth(AutoAttributes(few=0), problem) >= 0.99 * best
        assert worth(AutoAttributes(), problem) >= 0.99 * best


def test_auto_looks_at_all_slates_where_they_are_few():
    problem = make(2, 1)
    assert torch.equal(AutoAttributes()(problem.fork()), ExhaustiveSearch()(problem.fork()))


def test_auto_chooses_on_the_whole_sample_when_there_are_very_many_particles():
    problem = make(3, 2, n=1500, m=6 * PARTICLES)
    proposals = AutoAttributes()(problem.fork())
    assert len(proposals) <= PROPOSED
    auto = choose(lambda _: proposals, problem)
    assert auto.evoi == pytest.approx(float(problem.evoi(proposals).max()), abs=1e-6)
    assert auto.evoi >= worth(GreedyAttributes(), problem) - 1e-6
    assert auto.evoi >= worth(ContPartial(restarts=4, steps=20, particles=500), problem) - 1e-6


@pytest.mark.parametrize(("k", "p", "impossible"), [(3, 1, 0), (2, 2, 0), (3, 3, 0), (3, 3, 1), (2, 3, 4)])
def test_greedy_adds_the_best_statement_each_time(k, p, impossible):
    never: set[tuple[int, ...]] = set()
    problem = make(k, p, combinable=lambda said: said not in never)
    for _ in range(impossible):  # what it would say last is not possible
        never.add(tuple(GreedyAttributes()(problem)[0, -1].tolist()))
    utilities = problem.attributes.matrix @ problem.belief.particles.T
    columns = problem.attributes.space.columns.tolist()
    items = [[int(utilities.var(dim=1).argmax())]]
    for turn in range(1, k * p):
        place = turn % k
        if place == len(items):
            items.append([])
        best, best_value = None, -1.0
        for attribute in range(len(columns)):
            grown = [[*item] for item in items]
            grown[place].append(attribute)
            said = [columns[place] for place in grown[place]]
            if tuple(sorted(grown[place])) in never:
                continue
            if len(set(said)) < len(said) or len({frozenset(item) for item in grown}) < len(grown):
                continue
            vectors = torch.stack(
                [problem.catalog.average + problem.attributes.matrix[item].sum(dim=0) for item in grown]
            )
            value = float(problem.evoi_of_vectors(vectors[None]))
            if value > best_value:
                best, best_value = attribute, value
        items[place].append(best)
    assert GreedyAttributes()(problem).tolist() == [[sorted(item) for item in items]]


def test_exhaustive_refuses_what_would_not_end_and_says_how_long_it_would_take():
    problem = make(6, 3, columns="abcdefghijklmnopqrst")
    with pytest.raises(
        TooManySlatesError, match=r"1,140 partial items .* 3,\d{3},\d{3},\d{3},\d{3},\d{3} slates.*years"
    ):
        ExhaustiveSearch()(problem)


def pooled(problem):
    return PooledEvoi.of(problem, recommendable(problem))


def test_swaps_never_lower_evoi_and_end_where_no_swap_raises_it():
    problem = make(3, 2)
    starts = problem.random_slates(6)
    ends, values = swap(starts, problem, pooled(problem), sweeps=50)
    assert values.tolist() == pytest.approx(problem.evoi(ends).tolist(), abs=1e-5)
    assert float(values.min()) >= float(problem.evoi(starts).min())
    assert float(values.max()) >= float(problem.evoi(starts).max())
    for end in ends:
        nearby = problem.evoi(problem.attributes.space.neighbours(end[None]))
        assert float(nearby.max()) <= float(problem.evoi(end[None])) * (1 + 2e-6) + 1e-6


def test_swaps_lead_to_what_has_not_been_asked():
    problem = make(2, 1)
    best = swap(problem.random_slates(6), problem, pooled(problem), sweeps=50)
    asked = replace(problem, asked=frozenset(problem.options.name(slate) for slate in best.slates.tolist()))
    ends, values = swap(best.slates, asked, pooled(asked), sweeps=50)
    assert not asked.was_asked(ends[values > -torch.inf]).any()
    assert float(values.max()) == pytest.approx(worth(ExhaustiveSearch(), asked), abs=1e-5)


def test_seeds_favour_statements_that_people_disagree_about():
    problem = make(2, 1, columns="abcdefgh")
    loud = replace(problem, belief=Belief.from_users(problem.belief.particles, smooth=False))
    drawn = varied_slates(loud, 400)
    often = torch.bincount(drawn.flatten(), minlength=8)
    variance = loud.attributes.variance
    assert often[variance.argmax()] > often[variance.argmin()]


def test_the_table_holds_a_cell_for_each_size_and_strategy_and_says_why_one_is_empty():
    problem = make()
    strategies = {"greedy": GreedyAttributes(), "all": ExhaustiveSearch(most_slates=40)}
    cells = first_questions(problem.catalog, problem.belief, problem.response, strategies, [(2, 1), (2, 2)], trials=2)
    assert [(cell.strategy, cell.k, cell.p) for cell in cells] == [
        ("greedy", 2, 1),
        ("all", 2, 1),
        ("greedy", 2, 2),
        ("all", 2, 2),
    ]
    assert cells[1].slates == 36
    assert cells[1].evoi >= cells[0].evoi - TINY
    assert cells[3].evoi is None
    assert "would evaluate" in cells[3].reason


def test_sieved_swaps_never_lower_evoi_and_the_best_of_them_go_on():
    problem = make(3, 2, columns="aabcddefghijklmnopqrstuvwxyzABCDEFGH")
    evoi = pooled(problem)
    starts = problem.random_slates(6)
    ends, values = swap(starts, problem, evoi, 10, sieve=evoi.thinned(8, 8, problem.generator), fewest=1)
    assert float(problem.evoi(ends).max()) >= float(problem.evoi(starts).max())
    assert float(problem.evoi(head(ends, values, 1))) == pytest.approx(float(values.max()), abs=1e-5)


class Ticks:
    """A clock that moves by a millisecond each time somebody looks at it."""

    def __init__(self):
        self.looks = 0

    def perf_counter(self):
        self.looks += 1
        return self.looks / 1000


@pytest.mark.parametrize("budget_ms", [1, 10, 20])
@pytest.mark.parametrize(
    "strategy",
    [AutoAttributes(few=0), GreedyAttributes(), ContPartial(restarts=2)],
    ids=lambda each: type(each).__name__,
)
def test_a_budget_is_kept_and_gives_a_question(monkeypatch, strategy, budget_ms):
    """Whoever looks at the clock before each step takes no more steps than the budget has milliseconds."""
    problem = make(4, 4, n=600, columns="abcdefghijklmnopqrst")
    ticks = Ticks()
    monkeypatch.setattr(clock, "time", ticks)
    slates = replace(strategy, budget_ms=budget_ms)(problem.fork())
    assert {len({tuple(option) for option in slate}) for slate in slates.tolist()} == {4}
    assert ticks.looks <= budget_ms + 10
    assert choose(replace(strategy, budget_ms=budget_ms), problem).evoi >= 0
    ticks.looks = 0
    replace(strategy, budget_ms=1e9)(problem.fork())
    assert ticks.looks > 20  # without a limit


@pytest.mark.parametrize("strategy", [AutoAttributes(few=0), GreedyAttributes(), ContPartial(restarts=2)])
def test_a_large_budget_gives_what_no_budget_gives(strategy):
    problem = make(3, 2, n=400)
    assert choose(replace(strategy, budget_ms=1e9), problem.fork()) == choose(strategy, problem.fork())


def test_more_time_gives_a_better_question(monkeypatch):
    found = []
    for budget_ms in (1, 30, 300):
        total = 0.0
        for seed in range(4):
            monkeypatch.setattr(clock, "time", Ticks())
            total += worth(AutoAttributes(few=0, budget_ms=budget_ms), make(3, 3, seed, columns="abcdefghijklmnop"))
        found.append(total)
    assert found == sorted(found)
    assert found[2] > 1.02 * found[0]
