"""Answers that follow from ratings, by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from rather import SAME, Logistic
from rather.research.experiments.real_people.rated_user import RatedUser


@pytest.fixture
def user():
    """Rated item 3 with 5 stars, 4 with 2, 7 with 5 and 9 with 2."""
    return RatedUser(np.array([3, 4, 7, 9]), np.array([5, 2, 5, 2], dtype=np.float32), seed=0)


def asked(*slate, number=1):
    return SimpleNamespace(slate=slate, number=number)


def test_the_higher_rating_wins(user):
    assert user.answer(asked(4, 3), Logistic(tie=1.0)) == 1
    assert user.answer(asked(7, 9), Logistic()) == 0
    assert user.answer(asked(4, 9, 3), Logistic(tie=1.0)) == 2


def test_equal_ratings_are_about_the_same(user):
    assert user.answer(asked(3, 7), Logistic(tie=1.0)) is SAME
    assert user.answer(asked(4, 9), Logistic(tie=1.0)) is SAME


def test_where_a_tie_is_not_offered_one_of_the_equal_options_is_drawn(user):
    drawn = [user.answer(asked(3, 7, number=number), Logistic()) for number in range(40)]
    assert set(drawn) == {0, 1}
    assert drawn == [user.answer(asked(3, 7, number=number), Logistic()) for number in range(40)]


def test_several_best_options_are_not_the_same_but_one_of_them(user):
    drawn = {user.answer(asked(3, 4, 7, number=number), Logistic(tie=1.0)) for number in range(40)}
    assert drawn == {0, 2}


def test_the_halves_are_all_that_was_rated(user):
    first, second = user.halves(12)
    assert sorted((first | second).nonzero()[:, 0].tolist()) == [3, 4, 7, 9]
    assert not (first & second).any()
    assert (int(first.sum()), int(second.sum())) == (2, 2)
    again = user.halves(12)[0]
    assert torch.equal(first, again)
