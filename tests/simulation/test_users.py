import numpy as np
import pytest
import torch

from rather import NONE, SAME, Catalog, Logistic, Noiseless, Policy, Session, SimulatedUser, Stopping
from rather.errors import InvalidInputError
from rather.model.questions import Option, Question
from worlds import normal, world

UTILITY = torch.tensor([1.0, -0.5, 0.3])


def question(number: int = 1, k: int = 3, seed: int = 0) -> Question:
    vectors = normal(k, 3, seed=seed)
    options = tuple(Option(str(row), {}, row) for row in range(k))
    return Question(number, tuple(range(k)), options, 0.0, vectors)


def test_without_noise_a_user_chooses_what_they_like_best():
    for seed in range(10):
        asked = question(seed=seed)
        assert SimulatedUser(UTILITY, Noiseless(), seed=0).answer(asked) == int((asked.vectors @ UTILITY).argmax())


@pytest.mark.parametrize(
    ("model", "answer"), [(Noiseless(none_utility=100.0), NONE), (Noiseless(tie=100.0), SAME)], ids=["none", "same"]
)
def test_a_user_gives_extra_answers_where_they_are_offered(model, answer):
    assert SimulatedUser(UTILITY, model, seed=0).answer(question()) is answer


def test_a_user_answers_as_often_as_the_model_says():
    model = Logistic(0.8, none_utility=0.2, tie=0.7)
    wanted = model.log_probabilities(question().vectors @ UTILITY[:, None]).exp()[:, 0]
    answers = [0, 1, 2, NONE, SAME]
    user, count = SimulatedUser(UTILITY, model, seed=1), 4000
    given = [answers.index(user.answer(question(number))) for number in range(count)]
    shares = torch.bincount(torch.tensor(given), minlength=5) / count
    assert ((shares - wanted).abs() < 5 * (wanted * (1 - wanted) / count).sqrt()).all()


def test_the_noise_depends_on_the_seed_and_the_number_alone():
    model = Logistic(2.0)
    noisy = [
        [SimulatedUser(UTILITY, model, seed).answer(question(number)) for number in range(40)] for seed in (1, 1, 2)
    ]
    assert noisy[0] == noisy[1] != noisy[2]
    assert SimulatedUser(UTILITY, model, 1).answer(question(7)) == noisy[0][7]


def test_an_answer_of_probability_zero_is_never_given(monkeypatch):
    monkeypatch.setattr(torch, "rand", lambda *shape, **settings: torch.zeros(()))
    for seed in range(9):  # among them slates whose first option has probability 0
        asked = question(seed=seed)
        assert SimulatedUser(UTILITY, Noiseless(), seed=0).answer(asked) == int((asked.vectors @ UTILITY).argmax())


def test_regret_is_what_the_best_item_has_over_this_one():
    catalog = Catalog(normal(12, 3))
    utilities = catalog.items @ UTILITY
    user = SimulatedUser(UTILITY, Noiseless(), seed=0)
    for row in range(12):
        assert user.regret(row, catalog) == pytest.approx(float(utilities.max() - utilities[row]), abs=1e-5)
    assert user.regret(int(utilities.argmax()), catalog) == 0.0


def test_regret_looks_at_allowed_items_only():
    catalog = Catalog(normal(12, 3))
    utilities = catalog.items @ UTILITY
    allowed = torch.arange(12) != int(utilities.argmax())
    second = utilities.sort(descending=True).values[1]
    row = int(utilities.argmin())
    found = SimulatedUser(UTILITY, Noiseless(), seed=0).regret(row, catalog, allowed)
    assert found == pytest.approx(float(second - utilities[row]), abs=1e-5)


@pytest.mark.parametrize("utility", [[1.0, -0.5, 0.3], np.array([1.0, -0.5, 0.3]), UTILITY.double()])
def test_a_utility_may_come_from_any_library(utility):
    assert torch.equal(SimulatedUser(utility, Noiseless(), seed=0).utility, UTILITY)


def test_a_utility_that_is_no_vector_is_rejected():
    with pytest.raises(InvalidInputError, match="`utility` must have 1 dimension, got shape"):
        SimulatedUser([[1.0]], Noiseless(), seed=0)


def test_a_user_can_hold_a_whole_conversation():
    here = world(n=20, m=30)
    talk = Session(Policy(here.catalog, here.belief), stopping=Stopping(questions=5))
    user = SimulatedUser(here.belief.particles[3], talk.policy.response, seed=0)
    while talk.stop is None:
        talk.tell(talk.ask(), user.answer(talk.ask()))
    assert len(talk.turns) == 5
