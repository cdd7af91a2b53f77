"""The pooled EVOI against the exact one, and swaps in closed form against the slates that they lead to."""

import pytest
import torch

from rather import Attribute, Belief, Catalog, Logistic, Noiseless
from rather.strategies import Problem
from rather.strategies.attributes.pooled import SIEVED, PooledEvoi, best_swaps, recommendable
from worlds import normal

MODELS = [
    Logistic(0.3),
    Logistic(0.3, none_utility=0.1),
    Logistic(0.3, tie=0.5),
    Logistic(0.3, none_utility=0.1, tie=0.5),
    Noiseless(),
    Noiseless(none_utility=0.1, tie=0.2),
]


def make(response=MODELS[3], k=3, p=2, n=60, m=50, a=9, d=6, scale=1.0):
    vectors = normal(a, d, seed=7)
    said = [Attribute(f"a{index}", f"c{index}", vectors[index]) for index in range(a)]
    catalog = Catalog(normal(n, d, seed=1), attributes=said)
    belief = Belief.from_users(scale * normal(m, d, seed=2), weights=torch.arange(1, m + 1), smooth=False)
    return Problem(catalog, belief, response, k, torch.Generator().manual_seed(0), p=p)


def pooled(problem, **settings):
    return PooledEvoi(problem.attributes, problem.response, problem.catalog.items, **settings)


@pytest.mark.parametrize("response", MODELS, ids=str)
@pytest.mark.parametrize("batch_entries", [1, 2**18])
def test_with_all_items_in_the_pool_it_is_the_exact_evoi(response, batch_entries):
    problem = make(response)
    slates = problem.random_slates(20)
    found = pooled(problem, batch_entries=batch_entries)(slates)
    assert found.tolist() == pytest.approx(problem.evoi(slates).tolist(), abs=1e-5)


def test_a_smaller_pool_gives_at_most_the_exact_peu():
    problem = make(n=300)
    slates = problem.random_slates(20)
    few = PooledEvoi(problem.attributes, problem.response, problem.catalog.items[:40])
    now = float(
        (problem.catalog.items @ problem.belief.mean).max() - (problem.catalog.items[:40] @ problem.belief.mean).max()
    )
    assert (few(slates) <= problem.evoi(slates) + now + 1e-5).all()


@pytest.mark.parametrize("response", MODELS, ids=str)
@pytest.mark.parametrize("scale", [1.0, 100.0], ids=["usual", "sharp"])
@pytest.mark.parametrize("batch_entries", [1, 2**18])
def test_a_swap_is_worth_what_the_slate_that_it_leads_to_is(response, scale, batch_entries):
    """Also where utilities are hundreds of times the temperature, and exponentials out of the range of float32."""
    problem = make(response, scale=scale)
    evoi, slates = pooled(problem, batch_entries=batch_entries), problem.random_slates(5)
    for option, position in ((0, 0), (1, 1), (2, 0)):
        candidates = torch.arange(9).expand(5, 9)
        valid = problem.attributes.space.swaps(slates, option, position)[1]
        after = slates[:, None].repeat(1, 9, 1, 1)
        after[:, :, option, position] = candidates
        slow = evoi(after[valid])
        for attributes in (candidates, None):
            fast = evoi.swapped(slates, option, position, attributes)[valid]
            assert torch.allclose(fast, slow, rtol=1e-4, atol=1e-5 * scale)


def test_incomplete_slates_are_worth_what_they_state():
    problem = make()
    complete = torch.tensor([[[3, 5], [1, 4]]])
    evoi = pooled(problem)
    vectors = problem.catalog.average + problem.attributes.matrix[[3, 1]]
    assert float(evoi(torch.tensor([[[-1, 3], [-1, 1]]]))) == pytest.approx(
        float(problem.evoi_of_vectors(vectors[None])), abs=1e-5
    )
    stated = evoi.swapped(torch.tensor([[[3, 5], [-1, 4]]]), 1, 0, torch.tensor([[1]]))
    assert float(stated) == pytest.approx(float(evoi(complete)), abs=1e-5)


def test_thinned_ones_rank_slates_almost_alike():
    problem = make(n=400, m=2000, a=20)
    evoi = PooledEvoi.of(problem, recommendable(problem))
    thinned = evoi.thinned(256, 24, problem.generator)
    assert (len(thinned.options.belief), len(thinned.items)) == (256, 24)
    slates = problem.random_slates(200)
    assert evoi(slates).argmax() in thinned(slates).topk(20).indices
    assert problem.evoi(slates).argmax() in evoi(slates).topk(5).indices


def test_the_sieve_spares_most_swaps_and_keeps_the_good_ones():
    problem = make(a=6 * SIEVED)
    evoi, slates = pooled(problem), problem.random_slates(4)
    valid = problem.attributes.space.swaps(slates, 1, 0)[1]
    every = best_swaps(slates, 1, 0, valid, evoi)
    sieved = best_swaps(slates, 1, 0, valid, evoi, evoi.thinned(25, 30, problem.generator))
    assert every.values.shape == (4, 6 * SIEVED)
    assert sieved.values.shape == (4, SIEVED)
    assert torch.equal(every.values == -torch.inf, ~valid)
    assert (sieved.values.amax(dim=1) > every.values.amax(dim=1) * 0.9).all()
    assert torch.allclose(every.values.gather(1, sieved.attributes), sieved.values, atol=1e-6)
