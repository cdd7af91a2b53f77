"""Tastes for single items: utility stays linear, and an answer tells about the items themselves."""

import math

import pytest
import torch

from rather import Belief, Catalog, Logistic, Policy
from rather.errors import InvalidInputError
from rather.model.item_tastes import with_item_tastes

TWINS = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]


def population(count=400):
    return Belief.from_users(torch.randn(count, 2, generator=torch.Generator().manual_seed(1)))


def test_expected_utilities_stay_and_variances_grow_by_the_square_of_the_spread():
    belief = population(4_000)
    vectors, tasted = with_item_tastes(TWINS, belief, 0.5)
    assert (vectors @ tasted.mean).tolist() == pytest.approx((torch.tensor(TWINS) @ belief.mean).tolist(), abs=1e-5)
    before = (torch.tensor(TWINS) @ belief.particles.T).var(dim=1)
    after = (vectors @ tasted.particles.T).var(dim=1)
    # The variance of a sample of 4,000 has a standard error of 2 %, and a covariance of the two parts of about as much.
    assert (after - before).tolist() == pytest.approx([0.25] * 3, abs=0.08)


def test_the_prior_has_the_same_moments_as_the_particles():
    vectors, tasted = with_item_tastes(TWINS, population(), 0.5)
    drawn = tasted.prior.sample(20_000, torch.Generator().manual_seed(2))
    assert drawn.mean(dim=0).tolist() == pytest.approx(tasted.mean.tolist(), abs=0.05)
    assert (vectors @ drawn.T).var(dim=1).tolist() == pytest.approx([1.25] * 3, abs=0.2)


def test_an_answer_is_learnt_from_as_by_integration():
    """Two items with nothing but tastes: the difference is N(0, 2 s^2), and a choice weighs it by a logistic."""
    spread, temperature = 0.6, 0.3
    belief = Belief.from_users(torch.ones(40_000, 1), smooth=False)
    vectors, tasted = with_item_tastes([[1.0], [1.0]], belief, spread)
    policy = Policy(Catalog(vectors), tasted, response=Logistic(temperature), rejuvenation=None)
    after = policy.after(tasted, policy.item_question(1, [0, 1]), 0)
    x = torch.linspace(-6, 6, 4_001, dtype=torch.float64)
    weight = (-(x**2) / (4 * spread**2)).exp() * torch.sigmoid(x / temperature)
    expected = float((x * weight).sum() / weight.sum())
    difference = (vectors[0] - vectors[1]) @ after.mean
    # The difference has a standard deviation of 0.85: four standard errors of 40,000 particles are 0.017.
    assert float(difference) == pytest.approx(expected, abs=0.02)


def test_of_two_items_with_the_same_vector_the_chosen_one_is_recommended():
    vectors, tasted = with_item_tastes(TWINS, population(), 0.5)
    policy = Policy(Catalog(vectors), tasted, response=Logistic(0.1))
    after = policy.after(tasted, policy.item_question(1, [0, 1]), 1)
    utilities = vectors @ after.mean
    assert utilities[1] > utilities[0] + 0.2


def test_particles_are_rejuvenated_with_their_tastes():
    vectors, tasted = with_item_tastes(TWINS, population(), 0.5)
    policy = Policy(Catalog(vectors), tasted, response=Logistic(0.05))
    belief = tasted
    for number, slate in enumerate([(0, 1), (0, 2), (1, 2)], start=1):
        belief = policy.after(belief, policy.item_question(number, list(slate)), 0)
    assert belief.effective_sample_size > 0.5 * len(belief)
    assert (vectors @ belief.mean).argsort(descending=True).tolist() == [0, 1, 2]


@pytest.mark.parametrize("spread", [0.0, -1.0, math.inf, math.nan])
def test_a_spread_that_is_none_is_rejected(spread):
    with pytest.raises(InvalidInputError, match="`spread` must be above 0 and finite"):
        with_item_tastes(TWINS, population(), spread)


def test_answers_about_items_of_fewer_dimensions_are_rejected():
    policy = Policy(Catalog(TWINS), population())
    answered = policy.after(policy.prior, policy.item_question(1, [0, 2]), 0)
    with pytest.raises(InvalidInputError, match="without answers"):
        with_item_tastes(TWINS, answered, 0.5)
