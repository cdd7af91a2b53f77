"""Biases by hand, and vectors that carry them."""

import numpy as np
import pytest
import torch

from rather.learn.biases import Biases, biased_pmf, rating_biases
from rather.learn.ratings import Ratings


def test_one_sweep_by_hand():
    ratings = Ratings.from_columns([0, 0, 1], [0, 1, 0], [5.0, 2.0, 5.0])
    biases = rating_biases(ratings, damping=1.0, sweeps=1)
    assert biases.mean == pytest.approx(4.0)
    # Items: (1 + 1) / (2 + 1) and -2 / (1 + 1); then users, less what the items explain.
    assert biases.items.tolist() == pytest.approx([2 / 3, -1.0])
    assert biases.users.tolist() == pytest.approx([(1 / 3 - 1.0) / 3, (1 / 3) / 2])


def test_undamped_biases_explain_what_is_additive():
    generosity, quality = np.array([-0.5, 0.0, 0.5]), np.array([-1.0, 0.25, 0.75])
    who, what = (each.ravel() for each in np.meshgrid(range(3), range(3)))
    ratings = Ratings.from_columns(who, what, 3 + generosity[who] + quality[what])
    left = rating_biases(ratings, damping=0.0).residuals(ratings)
    assert np.abs(left.values).max() < 1e-6
    assert np.array_equal(left.users, ratings.users)


def test_the_last_dimension_is_the_bias():
    ratings = Ratings.from_columns([0, 0, 1], [0, 1, 0], [5.0, 2.0, 5.0])
    biases = Biases(4.0, np.zeros(2, np.float32), np.array([0.5, -0.5], np.float32))
    factors = biased_pmf(ratings, biases, dimensions=2, epochs=1)
    assert factors.items.shape == (2, 3)
    assert factors.items[:, -1].tolist() == [0.5, -0.5]
    assert torch.equal(factors.users[:, -1], torch.ones(2))
    assert factors.offset == 4.0
