"""Intervals cover what they say they cover."""

import pytest
import torch

from rather.insights.estimates import Estimate, Replicates, population_means, respondent_means

POPULATION, SPREAD, NOISE = 0.7, 1.0, 0.8


def posterior_draws(people, draws, generator):
    """Joint draws of everybody's utility under a hierarchy with a flat prior of the mean, and variances known."""
    truth = POPULATION + SPREAD * torch.randn(people, generator=generator)
    seen = truth + NOISE * torch.randn(people, generator=generator)
    total = SPREAD**2 + NOISE**2
    mean = seen.mean() + (total / people) ** 0.5 * torch.randn(draws, generator=generator)
    gain = SPREAD**2 / total
    own = mean + gain * (seen[:, None] - mean)
    own = own + (gain * NOISE**2) ** 0.5 * torch.randn(people, draws, generator=generator)
    return truth, own[:, :, None]


def test_intervals_hold_the_population_mean_in_19_of_20_studies():
    generator = torch.Generator().manual_seed(5)
    held = 0
    for _ in range(300):
        _, draws = posterior_draws(30, 60, generator)
        (found,) = population_means(draws, Replicates.of(draws, generator))
        held += found.low <= POPULATION <= found.high
    # The Monte Carlo error of 300 studies is 1.3 %; a bootstrap over 30 people is a little too narrow (about 94 %).
    assert 0.90 <= held / 300 <= 0.985


def test_intervals_of_respondents_hold_their_own_truth():
    generator = torch.Generator().manual_seed(6)
    truth, draws = posterior_draws(600, 200, generator)
    held = [
        each[0].low <= own <= each[0].high for each, own in zip(respondent_means(draws), truth.tolist(), strict=True)
    ]
    assert sum(held) / 600 == pytest.approx(0.95, abs=0.03)


def test_the_value_is_the_plain_mean():
    draws = torch.tensor([[[1.0], [3.0]], [[5.0], [7.0]]])
    (found,) = population_means(draws, Replicates.of(draws, torch.Generator().manual_seed(0)))
    assert found.value == pytest.approx(4.0)


def test_people_who_all_want_the_same_leave_no_doubt():
    draws = torch.full((5, 4, 1), 2.0)
    (found,) = population_means(draws, Replicates.of(draws, torch.Generator().manual_seed(0)))
    assert (found.low, found.high) == (pytest.approx(2.0), pytest.approx(2.0))


def test_weights_of_a_replicate_sum_to_one():
    weights = Replicates.of(torch.zeros(7, 3, 2), torch.Generator().manual_seed(0)).weights
    torch.testing.assert_close(weights.sum(dim=2), torch.ones(weights.shape[:2]))


def test_an_interval_is_clear_if_it_leaves_out_zero():
    assert Estimate(1, 0.5, 2).is_clear
    assert Estimate(-1, -2, -0.5).is_clear
    assert not Estimate(1, -0.5, 2).is_clear
