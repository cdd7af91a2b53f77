"""A population learnt from answers: against brute force, against the truth, and with nobody at all."""

import math

import pytest
import torch

from rather.errors import InvalidInputError
from rather.learn import Conversation, population
from rather.learn.choices import batches_of
from rather.learn.held_out import answer_log_probabilities, compared
from rather.learn.hierarchical_bayes import Sweeps, fit_population
from rather.learn.respondents import Respondents
from rather.model.belief import Evidence
from rather.model.priors import Prior, gaussian_prior
from rather.model.responses import Logistic

RESPONSE = Logistic(0.3, none_utility=0.1, tie=0.5)
QUICK = Sweeps(count=150, warm_up=60, kept=30)


def log_likelihood(evidence, particles):
    return evidence.response.log_probabilities(evidence.vectors @ particles.T)[evidence.row]


def conversations(users, answers, *, response=RESPONSE, seed=0):
    """Random questions to these users, with the utilities' own noise."""
    generator = torch.Generator().manual_seed(seed)
    found = []
    for user in users:
        evidence = []
        for _ in range(answers):
            vectors = torch.randn(2, len(user), generator=generator)
            odds = response.log_probabilities((vectors @ user)[:, None])[:, 0].exp()
            evidence.append(Evidence(vectors, int(torch.multinomial(odds, 1, generator=generator)), response))
        found.append(Conversation(tuple(evidence)))
    return found


def drawn(mean, spread, count, seed=1):
    generator = torch.Generator().manual_seed(seed)
    return mean + spread * torch.randn(count, len(mean), generator=generator)


STANDARD = gaussian_prior(torch.zeros(2), torch.eye(2))


def test_stacked_answers_have_the_likelihood_of_the_response_model():
    told = conversations(drawn(torch.zeros(3), 1.0, 5), 4)
    told[2] = Conversation(told[2].evidence[:1])
    vectors = torch.randn(5, 3, generator=torch.Generator().manual_seed(3))
    for choices in batches_of(told, torch.zeros(3), torch.eye(3)):
        own = vectors[choices.people]
        found = choices.log_likelihood(choices.slopes(own[None])[0], torch.ones(len(own)))
        for index, person in enumerate(choices.people.tolist()):
            expected = sum(float(log_likelihood(each, vectors[person][None])) for each in told[person].evidence)
            assert float(found[index]) == pytest.approx(expected, abs=1e-4)


def test_slopes_of_the_likelihood_are_those_that_autograd_finds():
    told = conversations(drawn(torch.zeros(3), 1.0, 5), 4)
    (choices,) = batches_of(told, torch.zeros(3), torch.eye(3))
    vectors = torch.randn(5, 3, generator=torch.Generator().manual_seed(3))
    factors = torch.tensor([0.5, 1.0, 2.0, 1.0, 0.5])

    def moved_together(shift):
        return choices.log_likelihood(choices.slopes((vectors + shift)[None])[0], factors).sum()

    linear = choices.slopes(vectors[None])[0]
    likelihoods, residuals = choices.residuals(linear, factors)
    assert torch.allclose(likelihoods, choices.log_likelihood(linear, factors), atol=1e-4)
    slope = torch.autograd.functional.jacobian(moved_together, torch.zeros(3))
    assert torch.allclose(choices.gradient(residuals), slope, rtol=1e-3, atol=1e-3)
    bend = -torch.autograd.functional.hessian(moved_together, torch.zeros(3))
    assert torch.allclose(choices.curvature(linear, factors), bend, rtol=1e-3, atol=1e-3)
    some = torch.tensor([True, False, True])
    only = torch.where(some, vectors, torch.zeros(()))
    assert torch.allclose(choices.slopes_of(some, vectors[:, some]), choices.slopes(only[None])[0], atol=1e-4)


def test_the_chains_of_people_have_the_posterior_that_weighing_a_large_sample_finds():
    told = conversations(drawn(torch.zeros(2), 1.0, 3), 3)
    sample = torch.randn(200_000, 2, generator=torch.Generator().manual_seed(9))
    generator = torch.Generator().manual_seed(4)
    copies = [each for each in told for _ in range(400)]
    people = Respondents(list(batches_of(copies, torch.zeros(2), torch.eye(2))), len(copies), 2, generator)
    people.move(torch.zeros(len(copies), 2), torch.eye(2), generator, moves=200)
    for index, each in enumerate(told):
        weights = torch.softmax(sum(log_likelihood(one, sample) for one in each.evidence), dim=0)
        mean = weights @ sample
        deviation = (weights @ (sample - mean).square()).sqrt()
        chains = people.vectors[400 * index : 400 * (index + 1)]
        assert ((chains.mean(dim=0) - mean).abs() < 4 * deviation / 20).all()
        assert torch.allclose(chains.std(dim=0), deviation, rtol=0.2)


def test_many_people_make_the_prior_theirs():
    mean = torch.tensor([0.9, -0.6])
    people = fit_population(conversations(drawn(mean, 0.4, 300), 8), STANDARD, sweeps=QUICK)
    found, covariance = people.prior.moments
    assert torch.allclose(found.float(), mean, atol=0.15)
    assert torch.allclose(covariance.diagonal().sqrt().float(), torch.full((2,), 0.4), atol=0.15)


def test_with_nobody_it_is_the_prior_itself():
    people = population([], STANDARD)
    assert people.prior is STANDARD
    assert people.draws.shape == (0, 40, 2)


def test_a_person_without_answers_is_drawn_from_the_population():
    told = [*conversations(drawn(torch.zeros(2), 1.0, 20), 3), Conversation(())]
    people = fit_population(told, STANDARD, sweeps=QUICK)
    assert people.draws.shape == (21, 30, 2)
    assert float(people.draws[-1].std()) > 0.5


def test_one_segment_keeps_the_shape_of_a_mixture():
    mixture = Prior(torch.tensor([[-1.0, 0.0], [1.0, 0.0]]), torch.tensor([0.5, 0.5]).log(), 0.2 * torch.eye(2))
    people = fit_population(
        conversations(mixture.sample(30, torch.Generator().manual_seed(0)), 4), mixture, sweeps=QUICK
    )
    assert people.prior.centres.shape == (2, 2)
    assert float((people.prior.centres[1] - people.prior.centres[0])[0]) > 0.7


def test_held_out_answers_become_likelier_where_people_differ_from_the_prior():
    told = conversations(drawn(torch.tensor([1.0, 1.0]), 0.3, 120), 4)
    people = population(told, STANDARD, sweeps=QUICK, segments=1)
    measured = people.about["held out"]
    assert measured["people"] == 24
    assert measured["gain"] > 2 * measured["error"]
    assert measured["after"] > measured["before"]


def test_two_groups_become_two_segments():
    apart = torch.cat([drawn(torch.tensor([1.6, 0.0]), 0.15, 100), drawn(torch.tensor([-1.6, 0.0]), 0.15, 100, seed=2)])
    told = conversations(apart, 6)
    people = fit_population(told, STANDARD, segments=2, sweeps=QUICK)
    assert torch.allclose(people.segments.weights, torch.tensor([0.5, 0.5]), atol=0.1)
    firsts = sorted(people.segments.means[:, 0].tolist())
    assert firsts[0] < -1 < 1 < firsts[1]
    one = fit_population(told, STANDARD, sweeps=QUICK)
    assert compared(told, one.prior, people.prior).gain > 0


def test_two_clear_groups_are_found_as_two_segments():
    groups = [drawn(torch.tensor([side, 0.5, 0.0]), 0.3, 100, seed) for side, seed in ((1.8, 1), (-1.8, 2))]
    people = population(conversations(torch.cat(groups), 8), gaussian_prior(torch.zeros(3), torch.eye(3)), sweeps=QUICK)
    assert len(people.segments) == 2
    member = people.segments.members.argmax(dim=1)
    right = (member[:100] == member[0]).float().mean() + (member[100:] != member[0]).float().mean()
    assert float(right) / 2 > 0.9


def test_what_decides_for_everybody_is_found_to_decide():
    """Answers that it decides tell little of its size, but of its share of everything that matters."""
    users = drawn(torch.tensor([4.0, 0.2, -0.2, 0.1, 0.0, 0.0]), 0.3, 100)
    told = conversations(users, 8, response=Logistic(1.0))
    people = fit_population(told, gaussian_prior(torch.zeros(6), torch.eye(6)), sweeps=QUICK)
    shares = (people.draws.abs() / people.draws.abs().sum(dim=2, keepdim=True)).mean(dim=(0, 1))
    truth = (users.abs() / users.abs().sum(dim=1, keepdim=True)).mean(dim=0)
    assert float(truth[0]) > 0.7  # the prior expects a sixth
    assert float(shares[0]) == pytest.approx(float(truth[0]), abs=0.12)


def test_what_a_handful_of_people_like_the_prior_teach_is_not_much_worse_than_it():
    prior = gaussian_prior(torch.zeros(6), torch.eye(6))
    gains = []
    for seed in range(3):
        told = conversations(drawn(torch.zeros(6), 1.0, 105, seed=50 + seed), 6, response=Logistic(0.5), seed=seed)
        gains.append(compared(told[5:], prior, fit_population(told[:5], prior, sweeps=QUICK, seed=seed).prior).gain)
    # The log-probability of six answers, about -4 under the prior.
    assert sum(gains) / len(gains) > -0.12


def test_answers_that_a_prior_is_sure_of_have_the_probability_that_the_model_gives():
    told = conversations(drawn(torch.tensor([1.0, 0.0]), 1e-4, 1), 3)
    sure = gaussian_prior([1.0, 0.0], 1e-10 * torch.eye(2))
    expected = sum(float(log_likelihood(each, torch.tensor([[1.0, 0.0]]))) for each in told[0].evidence)
    assert float(answer_log_probabilities(told, sure)[0]) == pytest.approx(expected, abs=1e-3)


def test_the_same_seed_gives_the_same_population():
    told = conversations(drawn(torch.zeros(2), 1.0, 10), 3)
    one, other = (fit_population(told, STANDARD, sweeps=QUICK, seed=5) for _ in range(2))
    assert torch.equal(one.draws, other.draws)


@pytest.mark.parametrize("settings", [{"held_out": 1.0}, {"segments": 0}])
def test_impossible_settings_are_rejected(settings):
    with pytest.raises(InvalidInputError):
        population([], STANDARD, **settings)


def test_whoever_never_says_none_does_not_seem_to_like_everything():
    mean = torch.tensor([0.6, 0.0])
    offered = Logistic(0.3, none_utility=0.0)
    told = conversations(drawn(mean, 0.3, 150), 6, response=Logistic(0.3))
    never = [Conversation(tuple(Evidence(e.vectors, e.row, offered) for e in each.evidence)) for each in told]
    # One direction in which all that was shown is far above the outside option.
    shifted = [
        Conversation(tuple(Evidence(e.vectors + torch.tensor([0.0, 1.0]), e.row, offered) for e in each.evidence))
        for each in never
    ]
    found, _ = fit_population(shifted, STANDARD, sweeps=QUICK).prior.moments
    assert torch.allclose(found.float(), mean, atol=0.3)


def test_noise_of_ones_own_is_told_apart():
    users = drawn(torch.zeros(2), 1.0, 60)
    careful = conversations(users[:30], 20, response=Logistic(0.3))
    careless = conversations(users[30:], 20, response=Logistic(1.5))
    same = [Conversation(tuple(Evidence(e.vectors, e.row, Logistic(0.3)) for e in each.evidence)) for each in careless]
    people = fit_population([*careful, *same], STANDARD, sweeps=QUICK)
    log = people.temperatures.log()
    assert float(log[30:].mean() - log[:30].mean()) > math.log(1.5)
