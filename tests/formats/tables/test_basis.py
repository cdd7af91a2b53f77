"""The parameters of numbers against a slow reference; monotone where a direction is given; readable edges."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rather.formats.tables.basis import (
    CURVE_RANGES,
    Degree,
    Hats,
    Indicators,
    Steps,
    bucket_edges,
    expected_range,
    grid_of,
    readable,
    with_unknown,
)

KNOTS = (1.0, 2.0, 4.0, 8.0)
numbers = st.floats(-1e6, 1e6, allow_nan=False)
samples = st.lists(numbers | st.integers(0, 5).map(float), min_size=2, max_size=60).filter(lambda xs: len(set(xs)) > 1)


def hat(knots, j, x):
    """h_j at x, by cases."""
    if x <= knots[0]:
        return float(j == 0)
    if x >= knots[-1]:
        return float(j == len(knots) - 1)
    if j > 0 and knots[j - 1] <= x <= knots[j]:
        return (x - knots[j - 1]) / (knots[j] - knots[j - 1])
    if j < len(knots) - 1 and knots[j] <= x <= knots[j + 1]:
        return (knots[j + 1] - x) / (knots[j + 1] - knots[j])
    return 0.0


@given(st.lists(numbers | st.sampled_from(KNOTS), min_size=1, max_size=20))
def test_hats_are_the_reference(values):
    rows = Hats(KNOTS).rows(np.array(values))
    expected = [[hat(KNOTS, j, x) for j in range(len(KNOTS))] for x in values]
    np.testing.assert_allclose(rows, expected, atol=1e-12)
    np.testing.assert_allclose(rows.sum(axis=1), 1)


@given(st.lists(numbers, min_size=1, max_size=20))
def test_hats_interpolate_any_worth_at_the_knots(values):
    worth = np.array([3.0, -1.0, 0.5, 2.0])
    np.testing.assert_allclose(Hats(KNOTS).rows(np.array(values)) @ worth, np.interp(values, KNOTS, worth), atol=1e-9)


@given(st.lists(numbers, min_size=2, max_size=20), st.lists(st.floats(0, 5), min_size=3, max_size=3), st.booleans())
def test_steps_of_any_height_at_or_above_zero_are_monotone(values, heights, less):
    utility = Steps(KNOTS, less).rows(np.sort(values)) @ np.array(heights)
    change = np.diff(utility)
    assert (change <= 1e-12).all() if less else (change >= -1e-12).all()


def test_steps_reach_every_monotone_worth_at_the_knots():
    worth = np.array([0.0, 0.5, 0.5, 3.0])
    rows = Steps(KNOTS).rows(np.array([0.0, 1.0, 1.5, 3.0, 8.0, 99.0]))
    np.testing.assert_allclose(rows @ np.diff(worth), np.interp([0, 1, 1.5, 3, 8, 99], KNOTS, worth))
    np.testing.assert_allclose(Steps(KNOTS, less=True).rows(np.array([1.0, 8.0])).sum(axis=1), [3, 0])


@pytest.mark.parametrize("basis", [Hats(KNOTS), Steps(KNOTS), Steps(KNOTS, less=True), Degree()])
def test_a_missing_number_has_no_part_in_the_parameters_of_numbers(basis):
    rows = basis.rows(np.array([np.nan, 2.0]))
    assert (rows[0] == 0).all()
    assert (rows[1] != 0).any()


def test_close_knots_overflow_nothing():
    knots = (0.0, 5e-324, 1.0)
    assert Steps(knots).rows(np.array([1e100, -1e100])).tolist() == [[1, 1], [0, 0]]
    assert Hats(knots).rows(np.array([1e100, 0.0])).tolist() == [[0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize("less", [False, True])
def test_the_prior_of_steps_points_in_the_good_direction(less):
    prior = Steps(KNOTS, less).prior()
    assert (prior.mean > 0).all()
    assert prior.mean.sum() == pytest.approx(1)
    # A step against the direction is two standard deviations away.
    np.testing.assert_allclose(prior.mean / np.sqrt(np.diag(prior.covariance)), 2)


def test_neighbouring_knots_have_similar_worth():
    correlation = Hats(tuple(range(6))).prior().covariance
    assert (np.diff(correlation[0]) < 0).all()
    assert correlation[0, 1] / correlation[0, 0] > 0.9
    assert correlation[0, 5] / correlation[0, 0] < 0.2


def mean_range(prior, draws=40_000):
    """Best minus worst of the parameters, over people."""
    people = np.random.default_rng(0).multivariate_normal(prior.mean, prior.covariance, draws)
    return (people.max(axis=1) - people.min(axis=1)).mean()


@pytest.mark.parametrize("count", [2, 3, 5, 6, 9])
def test_every_column_ranges_over_about_one(count):
    """The Monte-Carlo error of 40,000 draws is below 0.5 %; the table of curve ranges is rounded to 2 digits."""
    assert mean_range(Hats(tuple(map(float, range(count)))).prior()) == pytest.approx(1, abs=0.03)
    assert mean_range(Indicators(count).prior()) == pytest.approx(1, abs=0.02)
    people = np.random.default_rng(0).normal(0, np.sqrt(Degree().prior().covariance[0, 0]), 40_000)
    assert np.abs(people).mean() == pytest.approx(1, abs=0.02)
    assert len(CURVE_RANGES) == 6


def test_the_expected_range_of_normal_draws_is_the_known_one():
    assert expected_range(2) == pytest.approx(2 / math.sqrt(math.pi), abs=1e-6)
    assert expected_range(3) == pytest.approx(3 / math.sqrt(math.pi), abs=1e-6)


def test_tags_are_yes_or_no_each():
    np.testing.assert_allclose(
        Indicators(5, exclusive=False).prior().covariance, Degree().prior().covariance[0, 0] * np.eye(5)
    )


@pytest.mark.parametrize("basis", [Hats(KNOTS), Steps(KNOTS), Indicators(4), Degree(sign=-1)])
def test_unknown_is_worth_an_average_value_give_or_take(basis):
    prior = basis.prior()
    average = np.linspace(0.1, 0.4, basis.size)
    joint = with_unknown(prior, average)
    assert joint.mean[-1] == pytest.approx(average @ prior.mean)
    difference = np.append(average, -1.0)
    assert difference @ joint.covariance @ difference == pytest.approx(0.25**2)
    assert (np.linalg.eigvalsh(joint.covariance) > 0).all()
    np.testing.assert_array_equal(joint.covariance[:-1, :-1], prior.covariance)


@pytest.mark.parametrize(
    ("value", "tolerance", "expected"),
    [(23_817, 1000, 24_000), (23_817, 5000, 20_000), (0.3171, 0.02, 0.3), (7.3, 0.1, 7.2), (-2.96, 0.1, -3), (5, 0, 5)],
)
def test_readable_numbers(value, tolerance, expected):
    assert readable(value, tolerance) == expected


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e6))
def test_a_readable_number_is_within_tolerance(value, tolerance):
    assert abs(readable(value, tolerance) - value) <= tolerance
    assert abs(readable(value, tolerance, as_year=True) - value) <= tolerance


def test_years_are_rounded_to_years_then_to_months():
    assert readable(2014.3, 0.5, as_year=True) == 2014
    assert readable(2014.3, 0.1, as_year=True) == 2014.25
    assert readable(2014.3, 0.02, as_year=True) == pytest.approx(2014 + 4 / 12, abs=0.04)


@given(samples)
def test_edges_rise_within_the_values_and_knots_hold_them(values):
    array = np.array(values)
    edges = bucket_edges(array)
    assert 1 <= len(edges) <= 5
    assert all(b > a for a, b in pairwise(edges))
    assert array.min() < edges[0]
    assert edges[-1] <= array.max() + 0.2 * (array.max() - array.min())
    grid = grid_of(array)
    assert all(b > a for a, b in pairwise(grid.knots))
    assert set(grid.edges) <= set(grid.knots)


@given(samples)
def test_given_edges_that_were_found_give_the_same_grid(values):
    grid = grid_of(np.array(values))
    if grid.edges:
        assert grid_of(np.array(values), grid.edges) == grid


def test_each_of_few_values_is_a_knot_and_many_fall_into_buckets_of_about_equally_many():
    assert grid_of(np.array([4.0, 6, 8, 4, 4])).knots == (4, 6, 8)
    values = np.random.default_rng(0).lognormal(10, 0.5, 1000)
    edges = grid_of(values).edges
    assert all(edge == float(f"{edge:.2g}") for edge in edges)
    shares = np.diff([0, *np.searchsorted(np.sort(values), edges), 1000]) / 1000
    assert (np.abs(shares - 0.2) < 0.07).all()


def test_a_spike_at_the_lowest_value_is_a_bucket_of_its_own():
    values = np.array([0.0] * 70 + list(np.linspace(141, 450, 30)))
    edges = grid_of(values).edges
    assert 0 < edges[0] <= 141
    assert edges[0] == 100
