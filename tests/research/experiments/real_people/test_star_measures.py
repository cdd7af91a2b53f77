"""Stars, rankings and calibration, by hand."""

import math

import pytest
import torch

from rather.research.experiments.real_people.measures import (
    binned,
    calibration_error,
    favourite_hit,
    ranked,
    star_ndcg,
    star_regret,
)


def test_only_allowed_items_are_ranked_and_equal_scores_keep_their_order():
    scores = torch.tensor([0.1, 0.9, 0.5, 0.5, 2.0])
    allowed = torch.tensor([True, True, True, True, False])
    assert ranked(scores, allowed, {0: 1.0, 1: 2.0, 2: 3.0, 3: 4.0, 4: 5.0}) == [2.0, 3.0, 4.0, 1.0]


def test_regret_is_the_best_less_the_best_of_the_list():
    stars = [3.0, 2.0, 4.0, 5.0]
    assert [star_regret(stars, length) for length in (1, 2, 3, 4)] == [2.0, 2.0, 1.0, 0.0]


def test_ndcg_by_hand():
    # Gains 1 and 7 at discounts 1 and 1 / log2(3); the best order has them the other way round.
    second = 1 / math.log2(3)
    assert star_ndcg([1.0, 3.0]) == pytest.approx((1 + 7 * second) / (7 + second))
    assert star_ndcg([3.0, 1.0]) == pytest.approx(1.0)
    assert star_ndcg([1.0, 3.0], length=1) == pytest.approx(1 / 7)


def test_a_hit_is_the_share_of_favourites_that_are_found():
    assert favourite_hit([4.0, 5.0, 5.0, 5.0], length=2) == pytest.approx(1 / 3)
    assert favourite_hit([4.0, 4.0], length=1) == 0.5


def test_stated_probabilities_are_binned_and_their_error_is_the_mean_gap():
    bins = binned([(0.25, True), (0.29, False), (1.0, True), (0.0, False)])
    assert bins["stated"] == [1, 0, 2, 0, 0, 0, 0, 0, 0, 1]
    assert bins["stated_sum"][2] == pytest.approx(0.54)
    assert bins["came_true"][2] == 1
    # Of four, two are in a bin whose gap is 0.5 - 0.27; the others came true as stated.
    assert calibration_error(**bins) == pytest.approx(2 / 4 * (0.5 - 0.27))
