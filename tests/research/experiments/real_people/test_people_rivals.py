"""What others would do, on cases small enough for pen and paper."""

import numpy as np
import pytest
import torch

from rather import NONE, SAME
from rather.research.experiments.real_people.people import People, save_people
from rather.research.experiments.real_people.rated_user import RatedUser
from rather.research.experiments.real_people.rivals import (
    StarBelief,
    followed_scores,
    neighbour_scores,
    popularity,
    popularity_entropy,
    rated_scores,
)


@pytest.fixture
def people():
    """Three items; four who were learnt from, with one taste (+1 or -1) and a bias of 1."""
    return People(
        items=np.array([[1.0, 0.5], [-1.0, 0.0], [0.0, 1.0]], dtype=np.float32),
        users=np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, 1.0], [-1.0, 1.0]], dtype=np.float32),
        mean=3.0,
        generosity=0.0,
        residual=1.0,
        temperature=0.5,
        tie=1.0,
        learnt_users=np.array([0, 1, 2, 3, 0, 1]),
        learnt_items=np.array([0, 0, 0, 0, 1, 1]),
        learnt_values=np.array([5, 5, 1, 1, 3, 3], dtype=np.float32),
        held_users=np.array([0, 0, 0]),
        held_items=np.array([0, 1, 2]),
        held_values=np.array([5, 2, 4], dtype=np.float32),
    )


def test_popularity_counts_ratings(people):
    assert popularity(people).tolist() == [4, 2, 0]


def test_entropy_is_that_of_an_items_ratings(people):
    assert popularity_entropy(people).tolist() == pytest.approx([np.log(4) * np.log(2), 0.0, 0.0])


def test_a_rating_moves_the_belief_as_linear_regression_does(people):
    """One taste u with prior N(0, 4/3): a rating that is 1.5 above 3.5 moves it by (4/3) / (4/3 + 1) * 1.5."""
    prior = StarBelief.of(people)
    assert prior.scores.tolist() == pytest.approx([3.5, 3.0, 4.0])
    assert prior.variances.tolist() == pytest.approx([4 / 3, 4 / 3, 0.0])
    moved = (4 / 3) / (4 / 3 + 1) * 1.5
    after = prior.after(0, 5.0)
    assert after.scores.tolist() == pytest.approx([3.5 + moved, 3.0 - moved, 4.0])
    assert after.variances.tolist() == pytest.approx([4 / 7, 4 / 7, 0.0])  # 1 / (1 / variance + 1 / residual)


@pytest.mark.parametrize(("by", "first"), [("variance", 0), ("best", 2), ("popular", 0), ("popularity-entropy", 0)])
def test_the_item_that_is_rated_first(people, by, first):
    user = RatedUser(*people.ratings_of(0), seed=0)
    _, after = rated_scores(people, user, torch.ones(3, dtype=torch.bool), 1, by)
    assert after.tolist() == pytest.approx(StarBelief.of(people).after(first, user.by_row[first]).scores.tolist())


def test_a_rated_item_keeps_its_share_of_what_was_not_expected(people):
    """With a spread of tastes of 0.5 and a residual variance of 1, a quarter of it; other items are as without."""
    user = RatedUser(*people.ratings_of(0), seed=0)
    everything = torch.ones(3, dtype=torch.bool)
    _, without = rated_scores(people, user, everything, 1, "variance")
    _, after = rated_scores(people, user, everything, 1, "variance", item_tastes=0.5)
    assert float(after[0]) == pytest.approx(float(without[0]) + 0.25 * (5 - float(without[0])))
    assert after[1:].tolist() == pytest.approx(without[1:].tolist())


def test_no_item_is_rated_twice_and_none_that_is_not_allowed(people):
    user = RatedUser(np.array([0, 1]), np.array([5, 2], dtype=np.float32), seed=0)
    found = rated_scores(people, user, torch.tensor([True, True, False]), 2, "random")
    expected = StarBelief.of(people).after(0, 5.0).after(1, 2.0).scores
    assert found[-1].tolist() == pytest.approx(expected.tolist())


def test_neighbours_who_answer_alike_decide():
    """Users 0 and 1 prefer item 0 to item 1 and love item 2; users 2 and 3 do not. Their means are over more items."""
    table = torch.tensor([[5.0, 1, 5], [4, 2, 5], [1, 5, 2], [2, 4, 0]], dtype=torch.float64)
    means, biases = torch.tensor([3.0, 4.0, 3.0, 3.0], dtype=torch.float64), torch.zeros(3, dtype=torch.float64)
    assert neighbour_scores(table, means, biases, []).tolist() == [0, 0, 0]
    alike = neighbour_scores(table, means, biases, [((0, 1), 0)], damping=1.0)
    # Users 0 and 1, each with weight 1, ratings less their means; damped by one rating of 0.
    assert alike.tolist() == pytest.approx([(2 + 0) / 3, (-2 - 2) / 3, (2 + 1) / 3])


def test_about_the_same_is_shared_with_those_who_rated_alike():
    table = torch.tensor([[3.0, 3, 5], [5, 1, 1]], dtype=torch.float64)
    means, biases = torch.tensor([3.0, 3.0], dtype=torch.float64), torch.zeros(3, dtype=torch.float64)
    assert neighbour_scores(table, means, biases, [((0, 1), SAME)], damping=1.0).tolist() == [0, 0, 1]
    assert neighbour_scores(table, means, biases, [((0, 1), NONE)], damping=1.0).tolist() == [0, 0, 0]


def test_neighbours_are_given_the_answers_so_far(people, tmp_path):
    """Before the first answer the biases decide; then users 0 and 1, who gave item 0 one star above their mean."""
    save_people(people, tmp_path / "people.npz")
    user = RatedUser(*people.ratings_of(0), seed=0)
    before, after = followed_scores(str(tmp_path / "people.npz"), user, [((1, 0), 1)])
    assert before.tolist() == pytest.approx([0.5, 0.0, 1.0])
    assert after.tolist() == pytest.approx([(2 + 5 * 0.5) / 7, -2 / 7, 1.0])
