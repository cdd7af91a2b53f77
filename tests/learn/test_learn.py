"""Learning finds what was planted, repeats with its seed, and is measured on what it has not seen."""

import numpy as np
import pytest
import torch

from rather.errors import InvalidInputError
from rather.learn import Factors, als, attribute_users, pmf
from rather.learn.item_attributes import ItemAttributes
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


def test_pmf_steps_along_the_gradient_and_repeats_a_share_of_the_last_step():
    """One user and two items in one batch, so that every epoch is one step."""
    ratings = Ratings.from_columns([0, 0], [0, 1], [1.0, 5.0])

    def after(steps, learning_rate=0.1):
        factors = pmf(ratings, dimensions=3, epochs=steps, learning_rate=learning_rate, momentum=0.8, batch=2)
        return factors.users[0], factors.items

    def gradient(user, items):
        errors = items @ user - torch.tensor([-2.0, 2.0])
        of_user = (2 * errors[:, None] * items + 0.1 * user).mean(dim=0)
        return of_user, (2 * errors[:, None] * user + 0.1 * items) / 2

    start, first, second = after(1, learning_rate=0.0), after(1), after(2)
    for before, once, slope in zip(start, first, gradient(*start), strict=True):
        assert torch.allclose(once, before - 0.1 * slope, atol=1e-6)
    for before, once, twice, slope in zip(start, first, second, gradient(*first), strict=True):
        assert torch.allclose(twice, once + 0.8 * (once - before) - 0.1 * slope, atol=1e-6)


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


def test_ndcg_of_a_perfect_list_is_one():
    ids, labels = list(range(4)), list("abcd")
    seen = Ratings(np.array([0]), np.array([0]), np.ones(1, np.float32), [0], ids, labels)
    relevant = Ratings(np.array([0, 0]), np.array([1, 2]), np.ones(2, np.float32), [0], ids, labels)
    perfect, second_and_third = torch.tensor([9.0, 1.0, 5.0, 0.0]), torch.tensor([9.0, 1.0, 5.0, 8.0])
    assert ranking(perfect, seen, relevant, 0, length=3)["NDCG@3"] == pytest.approx(1)
    wanted = (1 / np.log2(3) + 1 / np.log2(4)) / (1 + 1 / np.log2(3))
    assert ranking(second_and_third, seen, relevant, 0, length=3)["NDCG@3"] == pytest.approx(wanted)


@pytest.fixture(scope="module")
def tagged():
    """Users who like items for two of five attributes, one for each half of them."""
    rng = np.random.default_rng(2)
    values = (rng.random((50, 5)) < 0.4).astype(np.float32)
    tastes = np.where(np.arange(90)[:, None] % 2 == 0, [2, 0, 0, 0, -1], [0, 2, 0, 0, 1])
    who, what = np.nonzero(rng.random((90, 50)) < 0.6)
    liked = (tastes[who] * values[what]).sum(axis=1) + 0.5 * rng.normal(size=len(who)) > 0.9
    ratings = Ratings.from_columns(who, what, np.where(liked, 5, 2))
    return ratings, ItemAttributes(values, list("abcde"), ratings.item_ids, ratings.labels)


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
    stopped_at_the_best = attribute_users(*tagged, epochs=best + 1, learning_rate=0.3)
    assert torch.equal(factors.users, stopped_at_the_best.users)


def test_settings_that_leave_nothing_to_learn_from_are_rejected(tagged):
    ratings, attributes = tagged
    with pytest.raises(InvalidInputError, match="in the same order"):
        attribute_users(ratings, attributes.subset(np.arange(50)[::-1]))
    with pytest.raises(InvalidInputError, match="`liked` must be at most 5, the highest rating, got 6"):
        attribute_users(ratings, attributes, liked=6)
    with pytest.raises(InvalidInputError, match=r"`held_out` must be large enough .* got 0\.001"):
        attribute_users(ratings, attributes, held_out=0.001)
