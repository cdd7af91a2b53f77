import torch
from hypothesis import given
from hypothesis import strategies as st

from rather import Logistic, Noiseless, value
from rather.strategies.additions import Additions, is_plain_softmax
from worlds import TINY, temperatures, world, worlds


@given(worlds(n=(4, 9), whole=False), temperatures, st.integers(1, 3))
def test_the_closed_form_is_the_slates_expected_utility_with_the_candidate_appended(world, temperature, size):
    items, belief = world.catalog.items, world.belief
    utilities = items @ belief.particles.T
    slate = torch.arange(size)
    additions = Additions(utilities, belief.weights, temperature)
    found = additions.appended(additions.slates(utilities[slate][None]))[0]
    slates = torch.cat([slate.expand(len(items), -1), torch.arange(len(items))[:, None]], dim=1)
    expected = value.slate_expected_utility(items[slates], belief, Logistic(temperature))
    assert torch.allclose(found, expected, atol=TINY, rtol=TINY)


def test_slates_in_a_batch_get_what_they_get_alone():
    here = world(n=10)
    utilities = here.catalog.items @ here.belief.particles.T
    additions = Additions(utilities, here.belief.weights, 0.2)
    slates = torch.tensor([[0, 1], [4, 7], [9, 2]])
    together = additions.appended(additions.slates(utilities[slates]))
    alone = torch.cat([additions.appended(additions.slates(utilities[slate][None])) for slate in slates])
    assert torch.allclose(together, alone, atol=1e-6)


@given(worlds(n=(4, 9), whole=False), temperatures)
def test_a_slate_that_was_joined_is_the_slate_of_all_its_options(world, temperature):
    utilities = world.catalog.items @ world.belief.particles.T
    additions = Additions(utilities, world.belief.weights, temperature)
    joined = additions.joined(additions.slates(utilities[None, :1]), torch.tensor([1]))
    joined = additions.joined(joined, torch.tensor([2]))
    whole = additions.slates(utilities[None, :3])
    assert torch.allclose(joined.level, whole.level, atol=TINY, rtol=TINY)
    assert torch.allclose(joined.expected, whole.expected, atol=TINY, rtol=TINY)


def test_utilities_far_apart_give_no_nan():
    utilities = torch.tensor([[1e4, -1e4], [-1e4, 1e4], [0.0, 0.0]])
    additions = Additions(utilities, torch.tensor([0.5, 0.5]), 0.01)
    found = additions.appended(additions.slates(utilities[:1][None]))
    assert torch.allclose(found, torch.tensor([[0.0, 1e4, 5e3]]), rtol=1e-5)


def test_only_a_softmax_without_further_answers_is_plain():
    assert is_plain_softmax(Logistic(0.3))
    for response in (Logistic(0.3, tie=0.5), Logistic(0.3, none_utility=0.0), Noiseless()):
        assert not is_plain_softmax(response)
