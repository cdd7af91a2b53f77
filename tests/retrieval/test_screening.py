import torch

from rather import Belief, Catalog, ExactRetriever, Logistic, Policy
from rather.retrieval import ScreeningRetriever, ShortlistRetriever
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
