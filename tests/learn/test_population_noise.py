"""The share of people at each level of noise, learnt from conversations."""

import pytest
import torch

from rather import SKIP, Belief, Catalog, Logistic, PersonalNoise, Policy, Session, SimulatedUser
from rather.errors import InvalidInputError
from rather.learn import population_noise
from rather.learn.noise import _fitted
from worlds import normal

MODEL = PersonalNoise((0.05, 0.3, 2.0), (1 / 3, 1 / 3, 1 / 3))
CATALOG = Catalog(normal(40, 3))
BELIEF = Belief.gaussian([0.0] * 3, torch.eye(3), particles=300)


def conversations(levels, questions=12, response=None):
    """One with each of the users, who answer with these temperatures."""
    policy = Policy(CATALOG, BELIEF, response=response or Logistic(0.3), strategy="random")
    sessions = []
    for index, level in enumerate(levels):
        session = Session(policy.with_seed(index))
        user = SimulatedUser(normal(3, seed=100 + index), Logistic(level), seed=index)
        for _ in range(questions):
            question = session.ask()
            session.tell(question, user.answer(question))
        sessions.append(session)
    return sessions


def test_with_nobody_the_weights_stay():
    assert population_noise([], MODEL) == MODEL


def test_skipped_questions_say_nothing():
    session = Session(Policy(CATALOG, BELIEF, response=Logistic(0.3)))
    session.tell(session.ask(), SKIP)
    assert population_noise([session], MODEL).weights == pytest.approx(MODEL.weights, abs=1e-6)


def test_the_weights_of_known_likelihoods_are_the_maximum_of_their_posterior():
    """Two levels: against a grid of all weights."""
    likelihoods = torch.rand(30, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    start, people = torch.tensor([0.3, 0.7], dtype=torch.float64), 5.0
    first = torch.linspace(0.001, 0.999, 999, dtype=torch.float64)
    grid = torch.stack([first, 1 - first])
    posterior = (likelihoods @ grid).log().sum(dim=0) + people * (start @ grid.log())
    assert _fitted(likelihoods, start, people)[0] == pytest.approx(float(first[posterior.argmax()]), abs=0.001)


@pytest.mark.parametrize("assumed", [Logistic(0.3), MODEL], ids=["fixed", "personal"])
def test_people_who_answer_at_random_are_counted_as_such(assumed):
    """Three quarters are of the highest level, a quarter of the lowest: 40 people, a standard error of 0.07."""
    learnt = population_noise(conversations([0.05, 2.0, 2.0, 2.0] * 10, response=assumed), MODEL, people=1.0)
    assert learnt.weights[2] == pytest.approx(0.75, abs=0.21)
    assert learnt.weights[2] > 0.5
    assert sum(learnt.weights) == pytest.approx(1.0)


def test_many_imagined_people_outweigh_a_few_real_ones():
    learnt = population_noise(conversations([2.0, 2.0]), MODEL, people=1e6)
    assert learnt.weights == pytest.approx(MODEL.weights, abs=1e-4)


def test_no_imagined_people_at_all_are_rejected():
    with pytest.raises(InvalidInputError, match="people"):
        population_noise([], MODEL, people=0.0)
