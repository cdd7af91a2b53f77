import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rather import Belief, Catalog, ExactRetriever
from rather.numerics.threads import one_thread
from rather.retrieval import exact as exact_module
from rather.retrieval.scan import best_rows
from rather.retrieval.score_bounds import Sketch
from worlds import normal


def longest_first(items):
    return items[items.norm(dim=1).argsort(descending=True)]


@given(st.integers(0, 99), st.integers(1, 12), st.integers(1, 4))
def test_every_item_that_reaches_a_score_is_among_those_that_could(seed, d, b):
    items, people = longest_first(normal(60, d, seed=seed)), Belief.from_users(normal(9, d, seed=seed + 1))
    directions = normal(b, d, seed=seed + 2)
    scores = directions @ items.T
    least = scores.topk(5, dim=1).values[:, -1].clamp_min(1e-3)
    places = Sketch.of(items, 0.0, people).could_reach(directions, least)
    reaching = (scores >= least[:, None]).any(dim=0).nonzero()[:, 0]
    assert set(reaching.tolist()) <= set(places.tolist())


def test_axes_that_people_share_leave_few_items_to_look_at():
    d = 30
    people = Belief.from_users(normal(200, d, seed=1) / 20 + torch.linspace(-1, 1, d))
    items, mean = longest_first(normal(5000, d)), people.mean[None]
    least = (mean @ items.T).amax(dim=1)
    long = int((items.norm(dim=1) * mean.norm() >= least).sum())
    assert len(Sketch.of(items, 0.0, people).could_reach(mean, least)) < long / 50


def test_where_a_shorter_item_could_reach_the_score_nothing_is_claimed():
    sketch = Sketch.of(torch.tensor([[2.0, 0.0], [0.0, 1.5]]), 1.0, Belief.from_users(normal(5, 2)))
    direction = torch.tensor([[1.0, 0.0]])
    assert sketch.could_reach(direction, torch.tensor([0.9])) is None
    assert sketch.could_reach(direction, torch.tensor([1.1])).tolist() == [0]


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("filtered", [False, True])
def test_what_some_items_know_is_confirmed_by_all(count, filtered, monkeypatch):
    monkeypatch.setattr(exact_module, "SMALL_CATALOG", 0)
    items = normal(4000, 6) * torch.rand(4000, 1, generator=torch.Generator().manual_seed(1)).pow(-0.5)
    items[77] = items[3]  # equals, of which the first is found
    people = Belief.from_users(normal(40, 6, seed=2) / 3 + 1.0)
    exact, allowed = ExactRetriever(Catalog(items), people=people), torch.arange(4000) % 2 == 1 if filtered else None
    some = torch.arange(4000)[::9] if allowed is None else allowed.nonzero()[::9, 0]
    confirmed = 0
    for direction in people.particles[:10]:
        known = best_rows(items[some], direction[None], count)
        found = exact.confirmed(direction[None], known, allowed)
        assert (found is not None) == bool(exact.confirms(direction[None], known)[0])
        if found is not None:
            confirmed += 1
            plain = ExactRetriever(Catalog(items), stop_by_norm=False).top(direction[None], count, allowed)
            assert torch.equal(found.rows, plain.rows)
            assert torch.allclose(found.scores, plain.scores)
            assert torch.equal(found.vectors, items[found.rows])
    assert confirmed >= 5


def test_without_people_or_in_a_small_catalogue_nothing_is_confirmed():
    items, people = normal(50, 3), Belief.from_users(normal(5, 3))
    known = best_rows(items, people.mean[None], 1)
    for exact in (ExactRetriever(Catalog(items)), ExactRetriever(Catalog(items), people=people)):
        assert exact.confirmed(people.mean[None], known) is None


@pytest.mark.parametrize("scale", [1e-10, 1e-18, 1e-22, 1e-30])
def test_directions_whose_squares_vanish_are_searched_like_others(scale, monkeypatch):
    monkeypatch.setattr(exact_module, "SMALL_CATALOG", 0)
    items = normal(4000, 6) * torch.rand(4000, 1, generator=torch.Generator().manual_seed(1)).pow(-0.5)
    people = Belief.from_users(normal(40, 6, seed=2) / 3 + 1.0)
    exact, mean = ExactRetriever(Catalog(items), people=people), people.mean[None]
    with one_thread():  # where numbers too small for full precision count as 0, as in every search
        known = best_rows(items[::9], mean * scale, 3)
        found = exact.confirmed(mean * scale, known)
    assert torch.equal(found.rows, (mean @ items.T).topk(3).indices)


def test_nothing_is_known_of_what_is_no_number():
    sketch = Sketch.of(torch.eye(3), 0.0, Belief.from_users(normal(5, 3)))
    assert sketch.could_reach(torch.full((1, 3), torch.nan), torch.tensor([torch.nan])) is None
