import pytest
import torch

from rather import Belief, Catalog, ExactRetriever, Logistic, Policy, value
from rather.retrieval import ScreeningRetriever, ShortlistRetriever
from rather.retrieval.shortlist_settings import ShortlistSettings
from rather.strategies import choose, strategy_named
from rather.strategies.problem import Problem
from rather.testing import check_retriever
from worlds import normal


def screening(catalog: Catalog, fewest: int = 1) -> ScreeningRetriever:
    belief = Belief.from_users(normal(60, catalog.dimensions, seed=1))
    return ScreeningRetriever(ShortlistRetriever.build(catalog, belief), fewest)


def test_searches_are_exact():
    check_retriever(screening)


def test_only_the_shortlist_is_screened():
    retriever = screening(Catalog(normal(3000, 12)))
    directions = normal(7, 12, seed=2)
    shortlist = retriever.shortlist
    expected = shortlist.rows[(directions @ shortlist.items.T).topk(3).indices]
    assert torch.equal(retriever.screen(directions, 3), expected)


def test_a_filter_is_respected_and_if_it_leaves_too_few_all_items_are_screened():
    catalog, directions = Catalog(normal(3000, 12)), normal(7, 12, seed=2)
    retriever = screening(catalog, fewest=40)
    rows = retriever.shortlist.rows
    some = torch.zeros(3000, dtype=torch.bool)
    some[rows[:50]] = True
    assert set(retriever.screen(directions, 3, some).flatten().tolist()) <= set(rows[:50].tolist())
    few = ~some
    few[rows[30:]] = False
    assert torch.equal(retriever.screen(directions, 3, few), ExactRetriever(catalog).top(directions, 3, few).rows)


def test_a_question_found_by_a_first_look_is_worth_as_much_as_query_iteration_over_all_items():
    catalog, share = Catalog(normal(20_000, 12)), []
    for seed in range(4):
        belief = Belief.from_users(normal(80, 12, seed=seed + 10))
        retriever = ScreeningRetriever(ShortlistRetriever.build(catalog, belief), fewest=1)
        policy = Policy(catalog, belief, response=Logistic(1.0), retriever=retriever)
        asked = policy.question(belief, ())
        after = policy.after(belief, asked, 0)
        generator = torch.Generator().manual_seed(seed)
        exact = Problem(catalog, after, policy.response, 2, generator, asked=frozenset([frozenset(asked.slate)]))
        found = policy.question(after, [asked])
        iterated = choose(strategy_named("query-iteration", restarts=20), exact).evoi
        value = float(exact.evoi(torch.tensor([found.slate]))[0])
        assert abs(found.evoi - value) < 1e-4  # the value that is reported is that over all items
        share.append(value / iterated)
    assert sum(share) / len(share) > 0.98


def test_the_best_of_every_particle_is_exact_where_all_are_searched_or_the_first_look_finds_it():
    items, particles = normal(500, 6), normal(40, 6, seed=1)
    search = ExactRetriever(Catalog(items)).top
    best = (particles @ items.T).max(dim=1)
    everyone = value.nearly_best_utilities(particles, items[:40], search, searched=40)
    torch.testing.assert_close(everyone, best.values)
    found = value.nearly_best_utilities(particles, items[best.indices], search, searched=4)
    torch.testing.assert_close(found, best.values)


def test_what_a_first_look_misses_is_added_from_the_particles_that_were_searched():
    items, particles = normal(500, 6), normal(40, 6, seed=1)
    best, good = (particles @ items.T).amax(dim=1), (particles * items[:40]).sum(dim=1)
    about = value.nearly_best_utilities(particles, items[:40], ExactRetriever(Catalog(items)).top, searched=8)
    torch.testing.assert_close(about[::5], best[::5])
    torch.testing.assert_close((about - good).mean(), (best - good)[::5].mean())


def test_regret_and_chances_are_about_those_of_exact_searches():
    catalog, belief = Catalog(normal(20_000, 12)), Belief.from_users(normal(600, 12, seed=1))
    shortlist = ShortlistRetriever.build(catalog, belief, settings=ShortlistSettings(enlargements=0))
    retriever = ScreeningRetriever(shortlist)
    looked, exact = (Policy(catalog, belief, retriever=each) for each in (retriever, ExactRetriever(catalog)))
    for seed in range(4):
        question = exact.with_seed(seed).question(belief, [])
        after = exact.with_seed(seed).after(belief, question, seed % 2)
        assert looked.expected_regret(after) == pytest.approx(exact.expected_regret(after), rel=0.05)
        for ours, theirs in zip(looked.recommend(after, 5), exact.recommend(after, 5), strict=True):
            assert ours.id == theirs.id
            assert ours.probability_best == pytest.approx(theirs.probability_best, abs=0.05)
