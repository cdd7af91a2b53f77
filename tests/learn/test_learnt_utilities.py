"""Utilities learnt from ratings: what was planted is found, by the model that can express it."""

from functools import cache

import numpy as np
import pytest
import torch

import rather
from rather.errors import InvalidInputError, UnknownNameError
from rather.learn import learn_utility
from rather.learn.metrics import rmse
from rather.learn.ratings import Ratings
from rather.research.utilities import compare_utilities


def planted(people=150, items=80, noise=0.1, seed=0):
    """Ratings by distance to ideals on a plane, all of a random half of the pairs."""
    rng = np.random.default_rng(seed)
    places, ideals = rng.normal(size=(items, 2)), rng.normal(size=(people, 2))
    utilities = -0.5 * np.square(places[None] - ideals[:, None]).sum(axis=2)
    users, rated = np.nonzero(rng.random((people, items)) < 0.5)
    values = (4 + utilities[users, rated] + noise * rng.normal(size=len(users))).astype(np.float32)
    ids = [f"item {row}" for row in range(items)]
    return Ratings(users, rated, values, range(people), ids, ids), utilities


@cache
def measured(method):
    """The model learnt in two dimensions, and its error on held-out ratings."""
    seen, rest = planted()[0].split(0.2, 0)
    settings = {"dimensions": 2, "epochs": 40, "batch": 200, "learning_rate": 0.1, "regularisation": 0.001}
    learnt = learn_utility(seen, method, **settings)
    return learnt, rmse(learnt, rest)


def test_ideal_points_are_found_where_they_were_planted():
    """Two numbers for an item are enough for distances, not for a product of vectors; the noise is 0.1."""
    assert measured("ideal-point")[1] < 0.2
    assert measured("linear")[1] > 0.5


def test_a_network_bends_where_a_product_cannot():
    assert measured("network")[1] < 0.5 * measured("linear")[1]


def test_predictions_are_levels_and_utilities():
    ratings, _ = planted(people=20, items=15)
    for method in ("linear", "ideal-point", "network"):
        learnt = learn_utility(ratings, method, epochs=2)
        users, items = torch.tensor([0, 7, 19]), torch.tensor([3, 3, 14])
        wanted = learnt.levels[users] + learnt.model.utilities(learnt.inputs)[items, users]
        torch.testing.assert_close(learnt.predict(users, items), wanted, rtol=0, atol=1e-5)
        some = learnt.of_people(torch.tensor([5, 2])).utilities(learnt.inputs)
        torch.testing.assert_close(some, learnt.model.utilities(learnt.inputs)[:, [5, 2]])


def test_the_same_seed_learns_the_same_and_another_does_not():
    ratings, _ = planted(people=20, items=15)
    first, again, other = (learn_utility(ratings, "network", epochs=2, seed=seed).inputs for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_scores_are_those_of_people_drawn_in_their_order():
    ratings, _ = planted(people=20, items=15)
    learnt = learn_utility(ratings, "ideal-point", epochs=2)
    everybody = learnt.model.utilities(learnt.inputs)
    assert torch.equal(learnt.scores(50), everybody)
    some = learnt.scores(6)
    columns = [int((everybody - column[:, None]).abs().sum(dim=0).argmin()) for column in some.T]
    assert columns == sorted(set(columns))
    torch.testing.assert_close(some, everybody[:, columns])


def test_wrong_settings_are_named():
    ratings, _ = planted(people=5, items=5)
    with pytest.raises(
        UnknownNameError, match=r"No utility is called 'tree'\. There are: linear, ideal-point, network"
    ):
        learn_utility(ratings, "tree")
    with pytest.raises(InvalidInputError, match="`dimensions`, `epochs` and `batch` must be at least 1, got 0, 30"):
        learn_utility(ratings, dimensions=0)


def test_a_learnt_utility_is_asked_about():
    utilities, (learnt, _) = planted()[1], measured("ideal-point")
    policy = rather.Policy(*rather.from_utility(learnt.model, learnt.inputs), strategy="cont-alter")
    before, after = [], []
    for person in (3, 10, 40, 77, 120):
        truth, session = utilities[person], rather.Session(policy)
        before.append(truth.max() - truth[session.recommend(1)[0].row])
        for _ in range(6):
            question = session.ask()
            session.tell(question, int(np.argmax(truth[list(question.slate)])))
        after.append(truth.max() - truth[session.recommend(1)[0].row])
    assert np.mean(after) < 0.3 * np.mean(before)


def test_conversations_with_people_held_out_end_with_less_regret():
    ratings, _ = planted(people=200, items=60)
    (compared,) = compare_utilities(ratings, ["ideal-point"], people=40, questions=6, least=5)
    assert compared.regrets.shape == (40, 7)
    assert (compared.regrets >= 0).all()
    gained = compared.regrets[:, 0] - compared.regrets[:, -1]
    assert gained.mean() > 3 * gained.std() / 40**0.5


def test_too_few_people_are_rejected():
    with pytest.raises(InvalidInputError, match="at least 4 people with 1 ratings of items that got as many, got 3"):
        compare_utilities(planted(people=3, items=20)[0], least=1)
