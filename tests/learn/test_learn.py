"""Learning finds what was planted, repeats with its seed, and is measured on what it has not seen."""

import numpy as np
import pytest
import torch

from rather.errors import InvalidInputError
from rather.learn import Factors, als, attribute_users, pmf
from rather.learn.attributes import Attributes
from rather.learn.metrics import ranking, rmse
from rather.learn.ratings import Ratings


@pytest.fixture(scope="module")
def planted():
    """Ratings of 60 items by 80 users whose tastes have two dimensions, with a little noise."""
    rng = np.random.default_rng(0)
    users, items = rng.normal(size=(80, 2)), rng.normal(size=(60, 2))
    who, what = np.nonzero(rng.random((80, 60)) < 0.5)
    values = 3 + (users[who] * items[what]).sum(axis=1) + 0.1 * rng.normal(size=len(who))
    return Ratings.from_columns(who, what, values)


def test_pmf_finds_planted_tastes(planted):
    seen, held_out = planted.split(0.2, seed=1)
    factors = pmf(seen, dimensions=2, epochs=150, regularisation=0.01, batch=200, seed=0)
    assert rmse(factors, held_out) < 0.35 * held_out.values.std()
    assert rmse(Factors(torch.zeros(80, 2), torch.zeros(60, 2), factors.offset), held_out) == pytest.approx(
        held_out.values.std(), rel=0.02
    )


def test_the_seed_decides(planted):
    first, again, other = (pmf(planted, epochs=2, seed=seed).users for seed in (5, 5, 6))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_every_epoch_is_reported(planted):
    reported = []
    pmf(planted, epochs=3, on_epoch=lambda *progress: reported.append(progress[:2]))
    assert reported == [(1, 3), (2, 3), (3, 3)]


def test_divergence_is_rejected(planted):
    with pytest.raises(InvalidInputError, match="`learning_rate` must be lower for these ratings: with 50"):
        pmf(planted, learning_rate=50, epochs=30, batch=10)


def test_als_recommends_what_users_went_on_to_rate():
    pytest.importorskip("implicit", reason="the extra `data` is not installed")
    rng = np.random.default_rng(1)
    who, what = np.nonzero(rng.random((60, 40)) < np.where(np.arange(60)[:, None] % 2 == np.arange(40) % 2, 0.5, 0.02))
    ratings = Ratings.from_columns(who, what, np.ones(len(who)))
    seen, held_out = ratings.split(0.2, seed=0)
    factors = als(seen, dimensions=4, iterations=10)
    popularity = torch.from_numpy(seen.popularity).float()
    assert ranking(factors, seen, held_out, 0)["NDCG@10"] > 1.3 * ranking(popularity, seen, held_out, 0)["NDCG@10"]
    assert torch.equal(als(seen, dimensions=4, iterations=2).users, als(seen, dimensions=4, iterations=2).users)


def test_ranking_metrics_by_hand():
    seen = Ratings.from_columns([0, 1], [0, 1], [1, 1])
    everything = Ratings(np.array([0]), np.array([1]), np.ones(1, np.float32), [0, 1], list(range(4)), list("abcd"))
    seen = Ratings(seen.users, seen.items, seen.values, [0, 1], list(range(4)), list("abcd"))
    scores = torch.tensor([9.0, 1.0, 5.0, 0.0])  # user 0 has seen item 0, so item 1 comes second
    assert ranking(scores, seen, everything, 0, length=2) == pytest.approx(
        {"hit rate@2": 1.0, "NDCG@2": 1 / np.log2(3)}
    )
    assert ranking(scores, seen, everything, 0, length=1)["hit rate@1"] == 0


@pytest.fixture(scope="module")
def tagged():
    """Users who like items for two of five attributes, one for each half of them."""
    rng = np.random.default_rng(2)
    values = (rng.random((50, 5)) < 0.4).astype(np.float32)
    tastes = np.where(np.arange(90)[:, None] % 2 == 0, [2, 0, 0, 0, -1], [0, 2, 0, 0, 1])
    who, what = np.nonzero(rng.random((90, 50)) < 0.6)
    liked = (tastes[who] * values[what]).sum(axis=1) + 0.5 * rng.normal(size=len(who)) > 0.9
    ratings = Ratings.from_columns(who, what, np.where(liked, 5, 2))
    return ratings, Attributes(values, list("abcde"), ratings.item_ids, ratings.labels)


def test_attribute_users_find_planted_tastes(tagged):
    factors = attribute_users(*tagged, learning_rate=0.05, batch=200)
    assert factors.notes["held-out accuracy"] > factors.notes["popularity accuracy"] + 0.05
    assert (factors.users[::2, 0] > factors.users[::2, 1]).float().mean() > 0.9
    assert (factors.users[1::2, 1] > factors.users[1::2, 0]).float().mean() > 0.9


def test_attribute_users_stop_when_accuracy_does(tagged):
    accuracies = []
    factors = attribute_users(
        *tagged,
        patience=2,
        learning_rate=0.3,
        on_epoch=lambda epoch, epochs, text: accuracies.append(float(text.split()[-1])),
    )
    best = accuracies.index(max(accuracies))
    assert len(accuracies) == best + 1 + 2 < 100
    assert factors.notes["epochs"] == len(accuracies)
    assert factors.notes["held-out accuracy"] == pytest.approx(accuracies[best], abs=1e-4)


def test_the_order_of_items_and_the_lowest_liked_rating_are_checked(tagged):
    ratings, attributes = tagged
    with pytest.raises(InvalidInputError, match="in the same order"):
        attribute_users(ratings, attributes.subset(np.arange(50)[::-1]))
    with pytest.raises(InvalidInputError, match="`liked` must be a rating that somebody gave, but none is 6 or higher"):
        attribute_users(ratings, attributes, liked=6)
