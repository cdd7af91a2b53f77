import itertools
import math

import pytest
import torch

from rather import SAME, Belief, Logistic, PersonalNoise, Rejuvenation
from rather.errors import InvalidInputError
from rather.model.personal_noise import NoiseOfEach
from rather.model.priors import gaussian_prior
from rather.numerics.randomness import derive_generator
from rather.testing import check_response_model
from worlds import normal

NOISE = PersonalNoise((0.1, 0.5, 2.0), (0.2, 0.5, 0.3), none_utility=0.1, tie=0.4)
SLATES = [normal(2, 3, seed=1), normal(3, 3, seed=2), normal(2, 3, seed=3)]
ANSWERS = [0, SAME, 1]


def answered(belief, response=NOISE):
    for slate, answer in zip(SLATES, ANSWERS, strict=True):
        belief = belief.update(slate, answer, response)
    return belief


def joint(particles):
    """P(answers, level | u) for every level and particle, one product at a time: `(l, m)`."""
    rows = []
    for temperature, weight in zip(NOISE.temperatures, NOISE.weights, strict=True):
        model = Logistic(temperature, NOISE.none_utility, NOISE.tie)
        row = []
        for particle in particles:
            product = weight
            for slate, answer in zip(SLATES, ANSWERS, strict=True):
                place = {SAME: len(slate) + 1}.get(answer, answer)
                product *= float(model.log_probabilities((slate @ particle)[:, None])[place, 0].exp())
            row.append(product)
        rows.append(row)
    return torch.tensor(rows)


@pytest.mark.parametrize("model", [NOISE, PersonalNoise.around(0.3), PersonalNoise((1.0,), (1.0,), tie=2.0)], ids=str)
def test_personal_noise_meets_the_contract_of_response_models(model):
    check_response_model(model)


def test_the_posterior_is_that_of_all_pairs_of_a_utility_and_a_temperature():
    belief = Belief.from_users(normal(20, 3, seed=0), smooth=False)
    wanted = joint(belief.particles)
    posterior = answered(belief)
    torch.testing.assert_close(posterior.weights, wanted.sum(dim=0) / wanted.sum(), rtol=1e-4, atol=1e-7)
    torch.testing.assert_close(posterior.noise_levels(NOISE), wanted.sum(dim=1) / wanted.sum(), rtol=1e-4, atol=1e-7)
    total = posterior.log_likelihood(belief.particles)
    torch.testing.assert_close(total.exp(), wanted.sum(dim=0), rtol=1e-4, atol=1e-9)


def test_how_each_particle_answers_follows_from_its_own_levels():
    belief = answered(Belief.from_users(normal(20, 3, seed=0), smooth=False))
    levels = joint(belief.particles)
    levels = levels / levels.sum(dim=0)
    utilities = normal(2, 3, seed=9) @ belief.particles.T
    wanted = sum(
        levels[index] * Logistic(temperature, NOISE.none_utility, NOISE.tie).log_probabilities(utilities).exp()
        for index, temperature in enumerate(NOISE.temperatures)
    )
    torch.testing.assert_close(belief.answering(NOISE).log_probabilities(utilities).exp(), wanted, rtol=1e-4, atol=1e-6)


def test_the_order_of_answers_does_not_matter():
    belief = Belief.from_users(normal(20, 3, seed=0), smooth=False)
    first = answered(belief)
    for order in itertools.permutations(range(3)):
        other = belief
        for index in order:
            other = other.update(SLATES[index], ANSWERS[index], NOISE)
        torch.testing.assert_close(other.weights, first.weights, rtol=1e-4, atol=1e-7)


def test_one_level_is_a_fixed_temperature():
    belief = Belief.from_users(normal(20, 3, seed=0), smooth=False)
    fixed = answered(belief, Logistic(0.5, 0.1, 0.4))
    personal = answered(belief, PersonalNoise((0.5,), (1.0,), 0.1, 0.4))
    torch.testing.assert_close(personal.weights, fixed.weights, rtol=1e-5, atol=1e-7)


def test_hints_and_answers_speak_of_the_same_temperature():
    """Models that differ in their extra answers alone share the person's level."""
    without = PersonalNoise(NOISE.temperatures, NOISE.weights)
    belief = Belief.from_users(normal(20, 3, seed=0), smooth=False)
    mixed = belief.update(SLATES[0], 0, NOISE).update(SLATES[2], 1, without)
    product = torch.zeros(len(belief))
    for temperature, weight in zip(NOISE.temperatures, NOISE.weights, strict=True):
        first = Logistic(temperature, 0.1, 0.4).log_probabilities(SLATES[0] @ belief.particles.T)[0]
        second = Logistic(temperature).log_probabilities(SLATES[2] @ belief.particles.T)[1]
        product += weight * (first + second).exp()
    torch.testing.assert_close(mixed.weights, product / product.sum(), rtol=1e-4, atol=1e-7)


def test_the_drawn_levels_are_as_frequent_as_they_are_likely():
    belief = answered(Belief.from_users(normal(2, 3, seed=0).repeat_interleave(5000, dim=0), smooth=False))
    drawn = belief.drawn_noise(NOISE).temperature
    levels = joint(belief.particles[[0, 5000]])
    for half, wanted in ((drawn[:5000], levels[:, 0]), (drawn[5000:], levels[:, 1])):
        shares = [float((half == temperature).float().mean()) for temperature in NOISE.temperatures]
        # The discrepancy of the golden ratio's multiples is some log(n) / n; a random draw would need 0.02.
        assert shares == pytest.approx((wanted / wanted.sum()).tolist(), abs=0.002)


def test_a_temperature_for_each_particle_is_the_model_of_each_particle():
    temperatures = torch.tensor([0.1, 0.5, 2.0, 0.5])
    drawn = NoiseOfEach(NOISE, temperatures)
    utilities = normal(5, 2, 4, seed=0)
    for index, temperature in enumerate(temperatures.tolist()):
        alone = Logistic(temperature, NOISE.none_utility, NOISE.tie).log_probabilities(
            utilities[..., index : index + 1]
        )
        torch.testing.assert_close(drawn.log_probabilities(utilities)[..., index : index + 1], alone)


def test_rejuvenated_particles_follow_the_posterior_over_utility_and_noise():
    """Against importance sampling with many particles, within four standard errors of both."""
    prior = gaussian_prior([0.0, 0.0], [[1.0, 0.3], [0.3, 1.0]])
    slates, answers = normal(8, 2, 2, seed=0), [0, 1, 1, 0, 1, 0, 0, 1]
    model = PersonalNoise((0.05, 0.3, 2.0), (0.3, 0.4, 0.3))
    beliefs = {}
    for count in (4000, 400_000):
        belief = Belief.from_prior(prior, particles=count)
        for slate, answer in zip(slates, answers, strict=True):
            belief = belief.update(slate, answer, model)
        beliefs[count] = belief
    moved = Rejuvenation(threshold=1.0, moves=50, max_particles=4000)(beliefs[4000], derive_generator(0, "test"))
    exact = beliefs[400_000]
    spread = ((exact.particles - exact.mean).square().T @ exact.weights).sqrt()
    error = 4 * spread / math.sqrt(400)  # particles that share an ancestor are not independent
    assert bool(((moved.mean - exact.mean).abs() < error).all())
    assert moved.noise_levels(model).tolist() == pytest.approx(exact.noise_levels(model).tolist(), abs=0.05)


def test_consistent_answers_and_answers_at_random_are_told_apart():
    user, model = torch.tensor([1.0, -0.5, 0.3]), PersonalNoise.around(0.2)
    slates = normal(30, 2, 3, seed=0)
    start = Belief.from_users(normal(300, 3, seed=0))
    consistent, random = start, start
    for index, slate in enumerate(slates):
        consistent = consistent.update(slate, int((slate @ user).argmax()), model)
        random = random.update(slate, index % 2, model)
    assert consistent.noise_levels(model)[:3].sum() > 0.9
    assert random.noise_levels(model)[3:].sum() > 0.9


@pytest.mark.parametrize(
    ("temperatures", "weights", "said"),
    [
        ((), (), "at least one"),
        ((1.0, 2.0), (1.0,), "one entry for each"),
        ((1.0, 2.0), (0.5, 0.4), "sum of 1"),
        ((1.0, 2.0), (1.5, -0.5), "0 or above"),
        ((1.0, -2.0), (0.5, 0.5), "temperature"),
        ("abc", (1.0,), "numbers"),
    ],
)
def test_levels_that_make_no_sense_are_rejected(temperatures, weights, said):
    with pytest.raises(InvalidInputError, match=said):
        PersonalNoise(temperatures, weights)


def test_more_levels_than_can_be_told_apart_are_rejected():
    with pytest.raises(InvalidInputError, match="at most 20 levels"):
        PersonalNoise((1.0,) * 21, (1 / 21,) * 21)
