import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rather import Belief, Catalog, ExactRetriever
from rather.numerics.threads import one_thread
from rather.retrieval import ExactSettings
from rather.retrieval.scan import Best
from rather.retrieval.score_bounds import ScoreBounds
from worlds import brute_force, normal

NEVER_SMALL = ExactSettings(small_catalog=0)


def longest_first(items):
    return items[items.norm(dim=1).argsort(descending=True)]


def best_among(rows, items, directions, count) -> Best:
    """The best rows among some of the items, by sorting all of them."""
    found = (directions @ items[rows].T).sort(dim=1, descending=True)
    return Best(found.values[:, :count], rows[found.indices[:, :count]])


@given(st.integers(0, 99), st.integers(1, 12), st.integers(1, 4))
def test_every_item_that_reaches_a_score_is_among_those_that_may(seed, d, b):
    items, population = longest_first(normal(60, d, seed=seed)), Belief.from_users(normal(9, d, seed=seed + 1))
    directions = normal(b, d, seed=seed + 2)
    scores = directions @ items.T
    thresholds = scores.topk(5, dim=1).values[:, -1].clamp_min(1e-3)
    positions = ScoreBounds.of(items, 0.0, population).may_reach(directions, thresholds)
    reaching = (scores >= thresholds[:, None]).any(dim=0).nonzero()[:, 0]
    assert set(reaching.tolist()) <= set(positions.tolist())


def test_axes_that_users_share_leave_few_items_to_score():
    d = 30
    population = Belief.from_users(normal(200, d, seed=1) / 20 + torch.linspace(-1, 1, d))
    items, mean = longest_first(normal(5000, d)), population.mean[None]
    highest = (mean @ items.T).amax(dim=1)
    long_enough = int((items.norm(dim=1) * mean.norm() >= highest).sum())
    assert len(ScoreBounds.of(items, 0.0, population).may_reach(mean, highest)) < long_enough / 50


def test_where_an_item_outside_could_reach_the_score_nothing_is_claimed():
    bounds = ScoreBounds.of(torch.tensor([[2.0, 0.0], [0.0, 1.5]]), 1.0, Belief.from_users(normal(5, 2)))
    direction = torch.tensor([[1.0, 0.0]])
    assert bounds.may_reach(direction, torch.tensor([0.9])) is None
    assert bounds.may_reach(direction, torch.tensor([1.1])).tolist() == [0]
    assert bounds.covers(direction.expand(2, 2), torch.tensor([0.9, 1.1])).tolist() == [False, True]


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("filtered", [False, True])
def test_refining_the_best_of_some_items_gives_the_best_of_all(count, filtered):
    items = normal(4000, 6) * torch.rand(4000, 1, generator=torch.Generator().manual_seed(1)).pow(-0.5)
    items[77] = items[3]
    population = Belief.from_users(normal(40, 6, seed=2) / 3 + 1.0)
    exact = ExactRetriever(Catalog(items), population=population, settings=NEVER_SMALL)
    allowed = torch.arange(4000) % 2 == 1 if filtered else None
    some = torch.arange(4000)[::9] if allowed is None else allowed.nonzero()[::9, 0]
    refined = 0
    for direction in population.particles[:10]:
        known = best_among(some, items, direction[None], count)
        found = exact.refine(direction[None], known, allowed)
        assert (found is not None) == bool(exact.can_refine(direction[None], known)[0])
        if found is not None:
            refined += 1
            assert torch.equal(found.rows, brute_force(direction[None], items, count, allowed))
            assert torch.allclose(found.scores[0], items[found.rows[0]] @ direction)
            assert torch.equal(found.vectors, items[found.rows])
    assert refined >= 5


@pytest.mark.parametrize("b", [1, 2, 3, 5])
def test_refining_finds_the_first_of_equal_items(b):
    items = normal(4000, 20) * torch.rand(4000, 1, generator=torch.Generator().manual_seed(1)).pow(-0.5)
    for seed in range(8):  # whether a product rounds equal items differently depends on the numbers
        population = Belief.from_users(normal(40, 20, seed=seed) / 3 + 1.0)
        directions = torch.cat([population.mean[None], population.mean + normal(b - 1, 20, seed=seed) / 50])
        best = int((items @ population.mean).argmax())
        copies = torch.cat([items, items[best : best + 1].expand(50, -1)])
        exact = ExactRetriever(Catalog(copies), population=population, settings=NEVER_SMALL)
        found = exact.refine(directions, best_among(torch.arange(0, 4050, 9), copies, directions, 5))
        assert found.rows.tolist() == [[best, 4000, 4001, 4002, 4003]] * b


def test_without_a_population_or_in_a_small_catalogue_nothing_is_refined():
    items, population = normal(50, 3), Belief.from_users(normal(5, 3))
    known = best_among(torch.arange(50), items, population.mean[None], 1)
    for exact in (
        ExactRetriever(Catalog(items), settings=NEVER_SMALL),
        ExactRetriever(Catalog(items), population=population),
    ):
        assert exact.refine(population.mean[None], known) is None
        assert exact.can_refine(population.mean[None], known).tolist() == [True]


@pytest.mark.parametrize("scale", [1e-10, 1e-18, 1e-22, 1e-30])
def test_directions_whose_squares_vanish_are_refined_like_others(scale):
    items = normal(4000, 6) * torch.rand(4000, 1, generator=torch.Generator().manual_seed(1)).pow(-0.5)
    population = Belief.from_users(normal(40, 6, seed=2) / 3 + 1.0)
    exact, mean = ExactRetriever(Catalog(items), population=population, settings=NEVER_SMALL), population.mean[None]
    with one_thread():  # there, as in every search, numbers below full precision count as 0
        found = exact.refine(mean * scale, best_among(torch.arange(0, 4000, 9), items, mean * scale, 3))
    assert torch.equal(found.rows, brute_force(mean, items, 3))


def test_nothing_is_claimed_about_directions_that_are_not_numbers():
    bounds = ScoreBounds.of(torch.eye(3), 0.0, Belief.from_users(normal(5, 3)))
    assert bounds.may_reach(torch.full((1, 3), torch.nan), torch.tensor([torch.nan])) is None
