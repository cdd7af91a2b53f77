import math
from dataclasses import replace

import pytest
import torch

from rather import Belief, Logistic, Noiseless, Rejuvenation
from rather.model import rejuvenation
from rather.model.priors import gaussian_prior, kernel_prior
from worlds import normal

PRIORS = {
    "gaussian": gaussian_prior([0.5, -0.5, 0.0], [[1.0, 0.4, 0.0], [0.4, 1.5, 0.2], [0.0, 0.2, 0.8]]),
    # Two groups of users: particles must find their way between components.
    "kernel": kernel_prior(
        torch.cat([0.6 * normal(15, 3) + 0.7, 0.6 * normal(15, 3, seed=1) - 0.7]), torch.Generator(), 0.5
    ),
}

RESPONSES = {
    "logistic": Logistic(0.5),
    "none and same": Logistic(0.5, none_utility=0.2, tie=0.5),
    "noiseless": Noiseless(),
}


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def answers(response):
    """Three slates with answers as someone at (1, 1, 0) gives them, one of them an extra one if there are any."""
    slates = [normal(2, 3, seed=5), normal(3, 3, seed=6), normal(2, 3, seed=7)]
    choices = [int((slate @ torch.tensor([1.0, 1.0, 0.0])).argmax()) for slate in slates]
    return list(zip(slates, [*choices[:2], response.extras[0] if response.extras else choices[2]], strict=True))


def after_answers(belief: Belief, response) -> Belief:
    for vectors, answer in answers(response):
        belief = belief.update(vectors, answer, response)
    return belief


def moments(points, weights):
    mean = weights @ points
    return mean, (weights @ (points - mean).square()).sqrt()


@pytest.mark.parametrize("response", RESPONSES.values(), ids=RESPONSES)
@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
def test_rejuvenated_particles_agree_with_a_large_importance_sample(prior, response):
    """From the hardest start, copies of one particle: any agreement is due to the moves."""
    sample = after_answers(Belief.from_prior(prior, particles=200_000, seed=1), response)
    mean, spread = moments(sample.particles, sample.weights)
    count = 3000
    posterior = after_answers(Belief.from_prior(prior, particles=count, seed=2), response)
    one = torch.full((count,), -math.inf)
    one[posterior.log_weights.argmax()] = 0.0
    rejuvenated = Rejuvenation(moves=50)(replace(posterior, log_weights=one), generator())
    found, found_spread = moments(rejuvenated.particles, rejuvenated.weights)
    # Monte Carlo errors of both samples; the spread of a spread is 1 / sqrt(2) of that of a mean under normality.
    error = spread * math.sqrt(1 / count + 1 / sample.effective_sample_size)
    assert ((found - mean).abs() < 5 * error).all()
    assert ((found_spread - spread).abs() < 5 * error).all()


@pytest.mark.parametrize("response", RESPONSES.values(), ids=RESPONSES)
def test_every_rejuvenated_particle_could_have_given_the_answers(response):
    rejuvenated = Rejuvenation(threshold=1.0)(after_answers(Belief.from_prior(PRIORS["kernel"]), response), generator())
    assert rejuvenated.log_likelihood(rejuvenated.particles).isfinite().all()


@pytest.mark.parametrize("batch_entries", [30 * 777, 1000])
def test_moving_particles_in_batches_leaves_the_posterior_the_same(batch_entries):
    response, prior = Logistic(0.5), PRIORS["kernel"]
    posterior = after_answers(Belief.from_prior(prior, particles=4000), response)
    mean, spread = moments(posterior.particles, posterior.weights)
    rejuvenated = Rejuvenation(threshold=1.0)(posterior, generator(), batch_entries=batch_entries)
    error = spread * math.sqrt(1 / len(rejuvenated) + 1 / posterior.effective_sample_size)
    assert ((rejuvenated.mean - mean).abs() < 5 * error).all()


@pytest.mark.parametrize("response", RESPONSES.values(), ids=RESPONSES)
def test_the_likelihood_along_an_ellipse_is_that_of_its_points(response):
    belief = after_answers(Belief.from_prior(PRIORS["kernel"], particles=50), response)
    centres, offset, noise = (normal(50, 3, seed=seed) for seed in (1, 2, 3))
    some = torch.tensor([4, 7, 30])
    angles = normal(6, 3, seed=4)
    found = rejuvenation._Ellipses(belief, centres, offset, noise).log_likelihood(angles, some)
    for row, turn in zip(found, angles[..., None], strict=True):
        points = centres[some] + offset[some] * turn.cos() + noise[some] * turn.sin()
        torch.testing.assert_close(row, belief.log_likelihood(points), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("response", RESPONSES.values(), ids=RESPONSES)
def test_the_likelihood_of_all_answers_is_the_product_of_each(response):
    belief = after_answers(Belief.from_prior(PRIORS["gaussian"], particles=50), response)
    one_by_one = torch.zeros(50)
    for vectors, answer in answers(response):
        row = answer if isinstance(answer, int) else len(vectors) + response.extras.index(answer)
        one_by_one += response.log_probabilities(vectors @ belief.particles.T)[row]
    torch.testing.assert_close(belief.log_likelihood(belief.particles), one_by_one)


def test_the_bracket_shrinks_towards_the_particle():
    angle = torch.tensor([3.0, 1.0, 6.0])
    angles, last, low, high = rejuvenation._shrinking(angle, angle - 2 * math.pi, angle, 40, generator())
    assert torch.equal(angles[0], angle)
    assert ((low <= 0) & (high >= 0) & (low <= last) & (last <= high)).all()
    assert (angles.abs().cummin(dim=0).values[-1] < 1e-3).all()
    assert ((angles >= angle - 2 * math.pi) & (angles <= angle)).all()


def test_rejuvenated_particles_are_distinct_and_weigh_the_same():
    belief = after_answers(Belief.from_prior(PRIORS["gaussian"], particles=500), Logistic(0.1))
    assert belief.effective_sample_size < 250
    rejuvenated = Rejuvenation()(belief, generator())
    assert rejuvenated.effective_sample_size == pytest.approx(500, rel=1e-4)
    assert len(rejuvenated.particles.unique(dim=0)) > 490


def test_the_next_answer_counts_once_after_rejuvenation():
    """Updating rejuvenated particles is the same as rejuvenating after the update, up to Monte Carlo error."""
    response, prior = Logistic(0.5), PRIORS["gaussian"]
    last = (normal(2, 3, seed=9), 1)
    sample = after_answers(Belief.from_prior(prior, particles=200_000, seed=1), response).update(*last, response)
    mean, spread = moments(sample.particles, sample.weights)
    early = after_answers(Belief.from_prior(prior, particles=4000, seed=2), response)
    rejuvenated = Rejuvenation(threshold=1.0, moves=30)(early, generator()).update(*last, response)
    error = spread / math.sqrt(rejuvenated.effective_sample_size)
    assert ((rejuvenated.mean - mean).abs() < 5 * error).all()


def test_a_healthy_belief_is_left_as_it_is():
    belief = Belief.from_prior(PRIORS["gaussian"])
    assert Rejuvenation()(belief, generator()) is belief


def test_a_belief_without_a_density_is_left_as_it_is():
    belief = Belief.from_users(normal(50, 3), smooth=False)
    answered = belief.update(normal(2, 3, seed=5), 0, Logistic(0.01))
    answered = answered.update(normal(2, 3, seed=6), 0, Logistic(0.01))
    assert answered.effective_sample_size < 25
    assert Rejuvenation()(answered, generator()) is answered


@pytest.mark.parametrize(("threshold", "rejuvenates"), [(0.3, False), (0.9, True)])
def test_the_threshold_is_a_share_of_the_particles(threshold, rejuvenates):
    log_weights = torch.full((100,), -math.inf)
    log_weights[:50] = -math.log(50)
    belief = replace(Belief.from_prior(PRIORS["gaussian"], particles=100), log_weights=log_weights)
    assert (Rejuvenation(threshold)(belief, generator()) is not belief) == rejuvenates


def test_rejuvenation_follows_the_generator_alone():
    belief = after_answers(Belief.from_prior(PRIORS["kernel"], particles=300), Logistic(0.1))
    rejuvenation = Rejuvenation(threshold=1.0)
    hashes = [rejuvenation(belief, generator(seed)).content_hash for seed in (1, 1, 2)]
    assert hashes[0] == hashes[1] != hashes[2]
