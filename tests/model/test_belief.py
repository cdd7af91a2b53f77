import math
import re
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rather import NONE, SAME, SKIP, Belief, Catalog, Logistic, Noiseless, Policy, Session, Stopping
from rather.errors import ImpossibleAnswerError, InvalidInputError
from rather.model.priors import kernel_prior
from worlds import models, normal, worlds

USERS = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 0.5]]
SLATE = [[1.0, 0.0], [0.0, 1.0]]


def test_users_become_equally_weighted_particles():
    belief = Belief.from_users(USERS)
    assert belief.particles.tolist() == USERS
    assert belief.weights.tolist() == pytest.approx([0.25] * 4)


@pytest.mark.parametrize("users", [np.array(USERS), torch.tensor(USERS), pd.DataFrame(USERS)])
def test_users_of_every_library_give_the_same_belief(users):
    assert Belief.from_users(users).content_hash == Belief.from_users(USERS).content_hash


def test_weights_are_normalised():
    belief = Belief.from_users(USERS, weights=[1, 2, 0, 5])
    assert belief.weights.tolist() == pytest.approx([0.125, 0.25, 0.0, 0.625])


def test_the_mean_weighs_the_particles():
    belief = Belief.from_users(USERS, weights=[1, 3, 0, 0])
    assert belief.mean.tolist() == pytest.approx([0.25, 0.75])


@pytest.mark.parametrize(("weights", "size"), [([1, 1, 1, 1], 4), ([1, 0, 0, 0], 1), ([1, 1, 0, 0], 2)])
def test_the_effective_sample_size_counts_particles_that_carry_weight(weights, size):
    assert Belief.from_users(USERS, weights).effective_sample_size == pytest.approx(size, rel=1e-5)


def test_an_answer_reweighs_by_its_probability():
    likelihood = [1 / (1 + math.exp((u[1] - u[0]) / 0.5)) for u in USERS]
    posterior = Belief.from_users(USERS).update(SLATE, 0, Logistic(0.5))
    assert posterior.weights.tolist() == pytest.approx([value / sum(likelihood) for value in likelihood], rel=1e-5)


def test_a_noiseless_answer_excludes_who_would_have_answered_otherwise():
    posterior = Belief.from_users(USERS).update(SLATE, 1, Noiseless())
    assert posterior.weights.tolist() == pytest.approx([0.0, 0.4, 0.2, 0.4])  # the third user is undecided


@pytest.mark.parametrize("answer", [NONE, SAME])
def test_extra_answers_reweigh_too(answer):
    likelihood = []
    for first, second in USERS:  # the slate's items are the axes, so these are their utilities
        options = math.exp(first / 0.5), math.exp(second / 0.5)
        extras = {NONE: math.exp(0.3 / 0.5), SAME: 0.4 * math.sqrt(math.prod(options))}
        likelihood.append(extras[answer] / (sum(options) + sum(extras.values())))
    posterior = Belief.from_users(USERS).update(SLATE, answer, Logistic(0.5, none_utility=0.3, tie=0.4))
    assert posterior.weights.tolist() == pytest.approx([value / sum(likelihood) for value in likelihood], rel=1e-4)


@st.composite
def answered(draw):
    """A world, a response model and slates with answers that someone in the belief could have given."""
    world, model = draw(worlds(m=(2, 15))), draw(models)
    answers, belief = [], world.belief
    for _ in range(draw(st.integers(1, 5))):
        slate = draw(st.lists(st.sampled_from(world.rows), min_size=2, max_size=3, unique=True))
        vectors = world.catalog.items[slate]
        likelihood = model.log_probabilities(vectors @ belief.particles.T).exp() @ belief.weights
        row = draw(st.sampled_from([row for row, chance in enumerate(likelihood.tolist()) if chance > 1e-6]))
        answer = row if row < len(slate) else model.extras[row - len(slate)]
        belief = belief.update(vectors, answer, model)
        answers.append((vectors, answer))
    return world.belief, model, answers


@given(answered())
def test_the_posterior_by_update_is_the_posterior_from_scratch(case):
    prior, model, answers = case
    updated = prior
    for vectors, answer in answers:
        updated = updated.update(vectors, answer, model)
    joint = prior.weights.double()
    for vectors, answer in answers:
        row = answer if isinstance(answer, int) else len(vectors) + model.extras.index(answer)
        joint = joint * model.log_probabilities((vectors @ prior.particles.T).double())[row].exp()
    assert torch.allclose(updated.weights.double(), joint / joint.sum(), rtol=1e-2, atol=1e-5)


@given(answered())
def test_the_order_of_answers_does_not_matter(case):
    prior, model, answers = case
    forwards, backwards = prior, prior
    for vectors, answer in answers:
        forwards = forwards.update(vectors, answer, model)
    for vectors, answer in reversed(answers):
        backwards = backwards.update(vectors, answer, model)
    assert torch.allclose(forwards.weights, backwards.weights, rtol=1e-2, atol=1e-5)


@given(answered())
def test_all_answers_so_far_give_the_likelihood_that_turned_prior_into_posterior(case):
    prior, model, answers = case
    posterior = prior
    for vectors, answer in answers:
        posterior = posterior.update(vectors, answer, model)
    logits = prior.log_weights + posterior.log_likelihood(prior.particles)
    assert torch.allclose(torch.softmax(logits, dim=0), posterior.weights, atol=1e-4)


def test_answers_may_come_from_different_response_models():
    prior = Belief.from_users(USERS, smooth=False)
    posterior = prior.update(SLATE, 0, Logistic(0.5)).update(SLATE, 1, Logistic(2.0)).update(SLATE, 0, Logistic(0.5))
    likelihood = [1 / (1 + math.exp((b - a) / 0.5)) ** 2 / (1 + math.exp((a - b) / 2.0)) for a, b in USERS]
    wanted = [value / sum(likelihood) for value in likelihood]
    assert posterior.weights.tolist() == pytest.approx(wanted, rel=1e-4)
    assert torch.softmax(posterior.log_likelihood(prior.particles), dim=0).tolist() == pytest.approx(wanted, rel=1e-4)


@given(answered())
def test_permuting_a_slate_with_its_answer_gives_the_same_posterior(case):
    prior, model, answers = case
    vectors, answer = answers[0]
    turned = (answer - 1) % len(vectors) if isinstance(answer, int) else answer
    straight, permuted = prior.update(vectors, answer, model), prior.update(vectors.roll(-1, 0), turned, model)
    assert torch.allclose(straight.weights, permuted.weights, rtol=1e-3, atol=1e-6)


def test_many_answers_do_not_underflow():
    belief = Belief.from_users(USERS, smooth=False)
    for _ in range(500):  # the likelihood of 500 such answers is below the smallest float
        belief = belief.update(SLATE, 0, Logistic(0.05))
    assert belief.weights.tolist() == pytest.approx([1.0, 0.0, 0.0, 0.0])


def test_a_skip_leaves_the_belief_as_it_is():
    belief = Belief.from_users(USERS)
    assert belief.update(SLATE, SKIP) is belief
    assert belief.update(SLATE, "skip") is belief


def test_an_update_leaves_the_belief_before_it_alone():
    belief = Belief.from_users(USERS)
    before = belief.content_hash
    belief.update(SLATE, 0)
    assert belief.content_hash == before
    with pytest.raises(FrozenInstanceError):
        belief.particles = torch.zeros(1, 2)


def test_an_update_takes_a_question_or_its_vectors():
    catalog_items = normal(8, 2)
    belief = Belief.from_users(USERS)
    question = Session(Policy(Catalog(catalog_items), belief), stopping=Stopping()).ask()
    by_question, by_vectors = belief.update(question, 1), belief.update(catalog_items[list(question.slate)], 1)
    assert torch.equal(by_question.weights, by_vectors.weights)


def test_an_answer_nobody_could_have_given_is_rejected():
    with pytest.raises(ImpossibleAnswerError, match="No particle of the belief could have answered 0 under Noiseless"):
        Belief.from_users([[0.0, 1.0]]).update(SLATE, 0, Noiseless())


def test_a_question_of_other_dimensions_is_rejected():
    with pytest.raises(InvalidInputError, match="`question` must have 2 dimensions like the belief, got 3"):
        Belief.from_users(USERS).update(normal(2, 3), 0)


def test_an_answer_that_is_not_on_the_slate_is_rejected():
    with pytest.raises(InvalidInputError, match=r"`choice` must be 0..1 for a slate of 2, got 2"):
        Belief.from_users(USERS).update(SLATE, 2)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1], "`weights` must have 4 entries to match `users`, got 2"),
        ([1, 1, 1, -1], "`weights` must be non-negative with a positive sum"),
        ([0, 0, 0, 0], "`weights` must be non-negative with a positive sum"),
        ([1, 1, 1, math.nan], r"`weights` must be finite, but entry \[3\] is nan"),
    ],
)
def test_weights_without_meaning_are_rejected(weights, message):
    with pytest.raises(InvalidInputError, match=message):
        Belief.from_users(USERS, weights)


def test_no_users_are_rejected():
    with pytest.raises(InvalidInputError, match="`users` must hold at least one user"):
        Belief.from_users(np.zeros((0, 3)))


def test_users_have_a_density_around_them_unless_they_are_the_whole_population():
    assert Belief.from_users(USERS, smooth=False).prior is None
    assert len(Belief.from_users(USERS).prior.centres) == len(USERS)


def test_the_density_follows_the_users_weights():
    belief = Belief.from_users(USERS, weights=[1, 2, 0, 5], bandwidth=0.5)
    wanted = kernel_prior(torch.tensor(USERS), torch.Generator(), 0.5, torch.tensor([1 / 8, 1 / 4, 0, 5 / 8]).log())
    points = normal(10, 2)
    assert torch.allclose(belief.prior.log_density(points), wanted.log_density(points), atol=1e-5)


def test_a_gaussian_belief_is_drawn_from_its_mean_and_covariance():
    mean, cov = torch.tensor([1.0, -2.0]), torch.tensor([[2.0, 0.5], [0.5, 1.0]])
    belief = Belief.gaussian(mean, cov, particles=20_000, seed=1)
    assert torch.allclose(belief.mean, mean, atol=5 * math.sqrt(2 / 20_000))
    assert torch.allclose(torch.cov(belief.particles.T), cov, atol=5 * 2 * math.sqrt(2 / 20_000))


def test_a_gaussian_belief_follows_its_seed():
    drawn = [Belief.gaussian([0.0], [[1.0]], particles=5, seed=seed).content_hash for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_belief_without_particles_is_rejected():
    with pytest.raises(InvalidInputError, match="`particles` must be at least 1, got 0"):
        Belief.gaussian([0.0], [[1.0]], particles=0)


def test_the_hash_distinguishes_particles_weights_and_kinds_of_prior():
    beliefs = [
        Belief.from_users(USERS),
        Belief.from_users(USERS[::-1]),
        Belief.from_users(USERS, weights=[1, 2, 3, 4]),
        Belief.from_users(USERS, smooth=False),
    ]
    assert len({belief.content_hash for belief in beliefs}) == 4


def test_beliefs_can_be_compared():
    belief, other = Belief.from_users(USERS), Belief.from_users(USERS)
    assert belief in [other, belief]
    assert belief != other


def test_a_belief_says_its_size_and_how_many_answers_it_has_seen():
    belief = Belief.from_users(USERS, weights=[1, 1, 0, 0])
    assert repr(belief) == "Belief(4 particles, 2 dimensions, effective sample size 2.0, 0 answers)"
    assert repr(belief.update(SLATE, SKIP)).endswith("0 answers)")
    assert repr(belief.update(SLATE, 0)).endswith("1 answer)")
    assert repr(Belief.gaussian([0.0], [[1.0]], particles=1200)).startswith("Belief(1,200 particles, 1 dimension, ")


def test_a_notebook_shows_a_belief_as_a_table():
    html = Belief.from_users(USERS, weights=[1, 1, 0, 0]).update(SLATE, 0, Noiseless())._repr_html_()
    headings, cells = (re.findall(rf"<{tag}(?: [^>]*)?>(.*?)</{tag}>", html) for tag in ("th", "td"))
    shown = dict(zip(headings, cells, strict=True))
    assert shown == {"particles": "4", "dimensions": "2", "effective sample size": "1.0", "answers": "1"}


@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=8), st.integers(1, 20), st.integers(0, 99))
def test_resampling_repeats_each_particle_in_proportion_to_its_weight(weights, count, seed):
    weights = [*weights, 0.5]
    users = torch.arange(float(len(weights)))[:, None]
    belief = Belief.from_users(users, weights, smooth=False)
    drawn = belief.resampled(count, torch.Generator().manual_seed(seed))
    times = torch.bincount(drawn.particles[:, 0].long(), minlength=len(weights))
    assert drawn.weights.tolist() == pytest.approx([1 / count] * count, rel=1e-4)
    assert (times - count * belief.weights).abs().max() < 1 + 1e-4
    assert (times[belief.weights == 0] == 0).all()
