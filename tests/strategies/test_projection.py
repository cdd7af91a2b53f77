import torch
from hypothesis import given
from hypothesis import strategies as st

from rather import Logistic, Noiseless
from rather.strategies.projection import deep_retrieval_unique, first_not_taken
from worlds import models, normal, world, worlds


@st.composite
def ranked_lists(draw):
    """`(b, k, count >= k)` rows, each list without repeats, the lists much alike."""
    k, more, b = draw(st.integers(2, 4)), draw(st.integers(0, 2)), draw(st.integers(1, 3))
    ranking = st.permutations(range(k + more))
    return torch.tensor([[draw(ranking) for _ in range(k)] for _ in range(b)])


@given(ranked_lists())
def test_each_list_gives_its_first_item_that_no_earlier_list_gave(lists):
    chosen = first_not_taken(lists)
    for slate, ranked in zip(chosen.tolist(), lists.tolist(), strict=True):
        taken = []
        for ranking in ranked:
            taken.append(next(row for row in ranking if row not in taken))
        assert slate == taken


@given(worlds(n=(3, 8)), models, st.integers(2, 3), st.integers(0, 999))
def test_the_projection_never_repeats_an_item(world, model, k, seed):
    problem = world.problem(model, k=k)
    slates = deep_retrieval_unique(normal(4, k, world.catalog.dimensions, seed=seed), problem)
    assert all(len(set(slate)) == k and set(slate) <= set(world.rows) for slate in slates.tolist())


def test_the_projection_of_barely_k_items_is_all_of_them():
    for k in (2, 3, 5):
        problem = world(n=k).problem(k=k)
        slates = deep_retrieval_unique(normal(6, k, 3), problem)
        assert torch.equal(slates.sort(dim=1).values, torch.arange(k).expand(6, k))


def test_the_projection_of_equal_options_is_distinct():
    """Equal options get equal answers, so every list is the same."""
    problem = world(n=9).problem(k=4)
    slates = deep_retrieval_unique(normal(1, 1, 3).expand(2, 4, 3), problem)
    assert all(len(set(slate)) == 4 for slate in slates.tolist())


@given(worlds(n=(3, 8)), st.integers(0, 999))
def test_a_response_model_of_its_own_splits_the_particles(world, seed):
    """The continuous methods project under the softmax they climbed with, not under the person's noise."""
    slates = normal(3, 2, world.catalog.dimensions, seed=seed)
    under_own = deep_retrieval_unique(slates, world.problem(Logistic(50.0)), Noiseless())
    assert torch.equal(under_own, deep_retrieval_unique(slates, world.problem(Noiseless())))


def test_without_duplicates_the_projection_is_deep_retrieval():
    here = world(n=40, m=30, d=4)
    problem = here.problem(Noiseless(), k=3)
    slates = here.catalog.items[problem.random_slates(50)]
    retrieved = deep_retrieval_unique(slates, problem)
    winners = torch.nn.functional.one_hot((slates @ here.belief.particles.T).argmax(dim=1), 3).float().mT
    directions = (winners * here.belief.weights) @ here.belief.particles
    best = (directions @ here.catalog.items.T).argmax(dim=2)
    distinct = torch.tensor([len(set(slate)) == 3 for slate in best.tolist()])
    assert distinct.sum() > 10
    assert torch.equal(retrieved[distinct], best[distinct])
