import math
from dataclasses import replace

import pytest
import torch
from torch.distributions import MultivariateNormal

from rather import Belief, Logistic, Noiseless, Rejuvenation
from rather.model import rejuvenation
from rather.model.priors import Prior, gaussian_prior, kernel_prior
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
    rejuvenated = Rejuvenation(moves=200, max_particles=count)(replace(posterior, log_weights=one), generator())
    found, found_spread = moments(rejuvenated.particles, rejuvenated.weights)
    # Monte Carlo errors of both samples; the spread of a spread is 1 / sqrt(2) of that of a mean under normality.
    error = spread * math.sqrt(1 / count + 1 / sample.effective_sample_size)
    assert ((found - mean).abs() < 5 * error).all()
    assert ((found_spread - spread).abs() < 5 * error).all()


@pytest.mark.parametrize("response", RESPONSES.values(), ids=RESPONSES)
def test_every_rejuvenated_particle_could_have_given_the_answers(response):
    rejuvenated = Rejuvenation(threshold=1.0)(after_answers(Belief.from_prior(PRIORS["kernel"]), response), generator())
    assert rejuvenated.log_likelihood(rejuvenated.particles).isfinite().all()


@pytest.mark.parametrize("batch_entries", [100_000, 1000])
def test_moving_particles_in_batches_leaves_the_posterior_the_same(batch_entries):
    response, prior = Logistic(0.5), PRIORS["kernel"]
    posterior = after_answers(Belief.from_prior(prior, particles=4000), response)
    mean, spread = moments(posterior.particles, posterior.weights)
    rejuvenation = Rejuvenation(threshold=1.0, max_particles=4000)
    rejuvenated = rejuvenation(posterior, generator(), batch_entries=batch_entries)
    error = spread * math.sqrt(1 / len(rejuvenated) + 1 / posterior.effective_sample_size)
    assert ((rejuvenated.mean - mean).abs() < 5 * error).all()


@pytest.mark.parametrize("response", RESPONSES.values(), ids=RESPONSES)
def test_moves_keep_particles_that_already_follow_the_posterior(response):
    """One move of exact draws: what many moves would wash out shows here."""
    prior = PRIORS["kernel"]
    sample = after_answers(Belief.from_prior(prior, particles=400_000, seed=1), response)
    mean, spread = moments(sample.particles, sample.weights)
    exact = sample.resampled(40_000, generator(3))
    rejuvenation = Rejuvenation(threshold=1.1, moves=1, max_particles=len(exact))
    moved = rejuvenation(exact, generator())
    assert (moved.particles != exact.particles).any(dim=1).float().mean() > 0.9
    found, found_spread = moments(moved.particles, moved.weights)
    error = spread * math.sqrt(1 / len(moved) + 1 / sample.effective_sample_size)
    assert ((found - mean).abs() < 5 * error).all()
    assert ((found_spread - spread).abs() < 5 * error).all()


@pytest.mark.parametrize("entries", [1, 12, 2**20])
def test_components_are_drawn_by_their_posterior_odds(entries):
    """Against the densities of torch's own Gaussians, for two points with copies and one without."""
    scales = torch.tensor([0.5, 1.0, 1.5, 1.0])
    prior = Prior(
        normal(4, 2), torch.tensor([0.1, 0.2, 0.3, 0.4]).log(), torch.tensor([[1.0, 0.0], [0.4, 0.8]]), scales
    )
    points, copies = normal(3, 2, seed=1), torch.tensor([30_000, 1, 20_000])
    white = prior.whitened(points).repeat_interleave(copies, dim=0)
    found = rejuvenation._components(white, prior, generator(), entries=entries).split(copies.tolist())
    densities = MultivariateNormal(prior.centres, scale_tril=scales[:, None, None] * prior.cholesky)
    wanted = (densities.log_prob(points[:, None]) + prior.log_weights).softmax(dim=1)
    for drawn, odds in zip(found, wanted, strict=True):
        shares = torch.bincount(drawn, minlength=4) / len(drawn)
        assert ((shares - odds).abs() <= 5 * (odds * (1 - odds) / len(drawn)).sqrt()).all()


@pytest.mark.parametrize("components", [1, 31, 32, 33, 200])
def test_known_odds_draw_the_components_that_odds_computed_anew_draw(components):
    prior = Prior(normal(components, 2), torch.rand(components).log_softmax(dim=0), torch.eye(2))
    white = prior.whitened(normal(50, 2, seed=1))
    rows = torch.arange(50).repeat_interleave(torch.arange(50) % 4)
    draw = rejuvenation._Odds.of(white, prior).at(rows)
    found = rejuvenation._components(white[rows], prior, generator(), draw)
    assert torch.equal(found, rejuvenation._components(white[rows], prior, generator()))


def test_particles_move_alike_whether_or_not_all_conversations_start_from_them():
    start = Belief.from_prior(PRIORS["kernel"], particles=300)
    posterior = after_answers(start, Logistic(0.5))
    plain = Rejuvenation(threshold=1.0)(posterior, generator())
    copied = replace(posterior, particles=posterior.particles.clone())
    for belief in (posterior, copied):
        known = Rejuvenation(threshold=1.0)(belief, generator(), start)
        torch.testing.assert_close(known.particles, plain.particles, rtol=1e-4, atol=1e-4)
    assert torch.equal(
        Rejuvenation(threshold=1.0)(posterior, generator(), start).particles,
        Rejuvenation(threshold=1.0)(copied, generator(), start).particles,
    )


def test_odds_are_kept_for_the_particles_of_the_start_only():
    start = Belief.from_prior(PRIORS["kernel"], particles=300)
    later = Rejuvenation(threshold=1.0)(after_answers(start, Logistic(0.5)), generator())
    assert rejuvenation._known_odds(start, start) is not None
    assert rejuvenation._known_odds(later, start) is None


def test_components_without_weight_are_never_drawn():
    weights = torch.tensor([0.0, 0.5, 0.0, 0.5, 0.0])
    prior = Prior(torch.zeros(5, 1), weights.log(), torch.eye(1))
    drawn = rejuvenation._components(torch.zeros(100_000, 1), prior, generator())
    assert torch.equal(drawn.unique(), torch.tensor([1, 3]))


@pytest.mark.parametrize("response", RESPONSES.values(), ids=RESPONSES)
def test_the_likelihood_along_an_ellipse_is_that_of_its_points(response):
    prior = PRIORS["kernel"]
    belief = after_answers(Belief.from_prior(prior, particles=50), response)
    answered = rejuvenation._Answers(belief, prior)
    centres, points, noise = (normal(50, 3, seed=seed) for seed in (1, 2, 3))
    of_centres, of_points = answered.utilities(centres), answered.utilities(points)
    ellipses = torch.stack([of_centres, of_points - of_centres, answered.slopes @ noise.T])
    angles = normal(6, 50, seed=4)
    found = answered.log_likelihood(rejuvenation._along(ellipses, angles))
    for row, turn in zip(found, angles[..., None], strict=True):
        turned = prior.unwhitened(centres + (points - centres) * turn.cos() + noise * turn.sin())
        torch.testing.assert_close(row, belief.log_likelihood(turned), rtol=1e-4, atol=1e-4)


def test_the_first_angle_on_the_slice_is_taken():
    """One answer whose likelihood falls with the utility: a level is reached at some angles and not at others."""
    belief = Belief.from_prior(gaussian_prior([0.0], [[1.0]]), particles=4).update([[1.0], [0.0]], 0, Logistic(1.0))
    answered = rejuvenation._Answers(belief, belief.prior)
    # The particle is at 1 and its noise at 0: at an angle its utility is the cosine.
    ellipses = torch.stack([torch.zeros(2, 4), torch.tensor([[1.0] * 4, [0.0] * 4]), torch.zeros(2, 4)])
    angles = torch.full((sum(rejuvenation.TRIES), 4), math.pi)
    wanted = torch.tensor([0.1, 0.2, 0.3, 0.0])
    angles[0, 0], angles[2, 1], angles[3, 1], angles[-1, 2] = 0.1, 0.2, 0.05, 0.3
    level = torch.full((4,), math.log(0.7))
    now = torch.full((4,), -0.25)
    found, likelihood = rejuvenation._first_on_slice(answered, ellipses, angles, level, now)
    torch.testing.assert_close(found, wanted)
    expected = torch.where(wanted == 0, now, torch.nn.functional.logsigmoid(wanted.cos()))
    torch.testing.assert_close(likelihood, expected)


@pytest.mark.parametrize("response", RESPONSES.values(), ids=RESPONSES)
def test_the_likelihood_of_all_answers_is_the_product_of_each(response):
    belief = after_answers(Belief.from_prior(PRIORS["gaussian"], particles=50), response)
    one_by_one = torch.zeros(50)
    for vectors, answer in answers(response):
        row = answer if isinstance(answer, int) else len(vectors) + response.extras.index(answer)
        one_by_one += response.log_probabilities(vectors @ belief.particles.T)[row]
    torch.testing.assert_close(belief.log_likelihood(belief.particles), one_by_one)


def test_the_bracket_shrinks_towards_the_particle():
    angles = rejuvenation._shrinking((500,), 40, generator())
    assert ((angles[0] > 0) & (angles[0] < 2 * math.pi)).all()
    low, high = angles[0] - 2 * math.pi, angles[0]
    for angle in angles[1:]:
        assert ((low <= angle) & (angle <= high)).all()
        low, high = torch.where(angle < 0, angle, low), torch.where(angle < 0, high, angle)
    assert (angles.abs().amin(dim=0) < 1e-3).all()


def test_angles_are_uniform_on_their_bracket():
    first, second = rejuvenation._shrinking((100_000,), 2, generator())
    # The second bracket is [first - 2 pi, first]: the whole circle again.
    for shares in (first / (2 * math.pi), (first - second) / (2 * math.pi)):
        assert float(shares.mean()) == pytest.approx(0.5, abs=5 * math.sqrt(1 / 12 / 100_000))
        assert float(shares.square().mean()) == pytest.approx(1 / 3, abs=5 * math.sqrt(4 / 45 / 100_000))


def test_a_larger_population_becomes_fewer_particles():
    belief = after_answers(Belief.from_prior(PRIORS["kernel"], particles=2000), Logistic(0.1))
    rejuvenated = Rejuvenation(threshold=1.0, max_particles=1000)(belief, generator())
    assert len(rejuvenated) == 1000
    assert rejuvenated.effective_sample_size == pytest.approx(1000, rel=1e-4)
    mean, spread = moments(belief.particles, belief.weights)
    error = spread * math.sqrt(1 / 1000 + 1 / belief.effective_sample_size)
    assert ((rejuvenated.mean - mean).abs() < 5 * error).all()


def test_a_larger_population_is_kept_while_enough_of_it_carry_weight():
    belief = after_answers(Belief.from_users(normal(600, 3)), Logistic(0.1))
    enough = int(belief.effective_sample_size)
    assert Rejuvenation(threshold=0.5, max_particles=2 * enough)(belief, generator()) is belief
    assert len(Rejuvenation(threshold=0.5, max_particles=2 * enough + 4)(belief, generator())) == 2 * enough + 4


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
    rejuvenation = Rejuvenation(threshold=1.0, moves=30, max_particles=len(early))
    rejuvenated = rejuvenation(early, generator()).update(*last, response)
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
