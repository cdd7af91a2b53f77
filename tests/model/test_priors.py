import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.distributions import Categorical, MixtureSameFamily, MultivariateNormal

from rather.errors import InvalidInputError
from rather.model.priors import Prior, gaussian_prior, kernel_prior
from worlds import normal

MEAN = torch.tensor([0.5, -1.0])
COV = torch.tensor([[1.0, 0.6], [0.6, 2.0]])


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def as_distribution(prior: Prior) -> MixtureSameFamily:
    scale = prior.scales[:, None, None] * prior.cholesky
    return MixtureSameFamily(Categorical(logits=prior.log_weights), MultivariateNormal(prior.centres, scale_tril=scale))


def moments(prior: Prior) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean and covariance of the mixture, from its parts."""
    weights = prior.log_weights.exp()
    mean = weights @ prior.centres
    centred = prior.centres - mean
    spread = weights @ prior.scales.square()
    return mean, (centred.T * weights) @ centred + spread * prior.cholesky @ prior.cholesky.T


def test_a_gaussian_has_the_density_of_torchs():
    points = normal(200, 2) * 2
    wanted = MultivariateNormal(MEAN, COV).log_prob(points)
    assert torch.allclose(gaussian_prior(MEAN, COV).log_density(points), wanted, atol=1e-4)


def test_a_gaussian_far_from_the_origin_has_the_density_of_torchs():
    mean = torch.tensor([1000.0, -3000.0])
    points = mean + normal(200, 2)
    wanted = MultivariateNormal(mean, COV).log_prob(points)
    assert torch.allclose(gaussian_prior(mean, COV).log_density(points), wanted, atol=1e-3)


@given(st.integers(2, 40), st.integers(1, 4), st.sampled_from([0.1, 0.5, 1.0]), st.integers(0, 1000))
def test_a_kernel_prior_has_the_density_of_torchs_mixture(m, d, bandwidth, seed):
    prior = kernel_prior(normal(m, d, seed=seed), generator(), bandwidth)
    points = normal(50, d, seed=seed + 1)
    wanted = as_distribution(prior).log_prob(points)
    assert torch.allclose(prior.log_density(points), wanted, rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize(
    "prior", [gaussian_prior(MEAN, COV), kernel_prior(normal(9, 2) * 1.5, generator())], ids=["gaussian", "kernel"]
)
def test_the_density_integrates_to_one(prior):
    axis = torch.linspace(-12, 12, 241)
    grid = torch.cartesian_prod(axis, axis)
    assert float(prior.log_density(grid).exp().sum()) * 0.1**2 == pytest.approx(1.0, abs=1e-3)


def test_component_logits_are_the_posterior_odds_of_the_components():
    prior = kernel_prior(normal(6, 2), generator(), 0.5)
    points = normal(40, 2, seed=1)
    mixture = as_distribution(prior)
    joint = mixture.component_distribution.log_prob(points[:, None]) + mixture.mixture_distribution.logits
    wanted = torch.softmax(joint, dim=1)
    assert torch.allclose(torch.softmax(prior.component_logits(points), dim=1), wanted, atol=1e-4)


@given(st.integers(2, 30), st.integers(1, 4), st.sampled_from([None, 0.2, 0.7, 1.0]), st.integers(0, 1000))
def test_a_kernel_prior_keeps_the_mean_and_covariance_of_the_users(m, d, bandwidth, seed):
    users = normal(m, d, seed=seed) + 2
    mean, covariance = moments(kernel_prior(users, generator(), bandwidth))
    assert torch.allclose(mean, users.mean(dim=0), atol=1e-4)
    ours = torch.cov(users.T).view(d, d)
    # The centres' own spread has the divisor m, the kernels' m - 1, and a thousandth of isotropic spread is added.
    assert torch.allclose(covariance, ours, atol=(1 / m + 2e-3) * float(ours.diagonal().max()))


def test_the_widest_kernels_have_the_unbiased_covariance_of_the_users():
    users = normal(6, 3)
    prior = kernel_prior(users, generator(), 1.0)
    wanted = torch.cov(users.T)
    wanted += 1e-3 * wanted.diagonal().mean() * torch.eye(3)
    assert torch.allclose(prior.cholesky @ prior.cholesky.T, wanted, rtol=1e-4, atol=1e-6)


def test_a_kernel_prior_keeps_the_weighted_mean_and_covariance():
    users = normal(400, 2)
    weights = torch.softmax(users[:, 0], dim=0)
    mean, covariance = moments(kernel_prior(users, generator(), 0.4, weights.log()))
    centred = users - weights @ users
    assert torch.allclose(mean, weights @ users, atol=1e-4)
    assert torch.allclose(covariance, (centred.T * weights) @ centred, atol=0.02)


@pytest.mark.parametrize(("component", "scale"), [(0, 0.5), (1, 2.0)])
def test_the_noise_of_a_component_has_its_covariance(component, scale):
    centres, log_weights = normal(2, 2) * 9, torch.tensor([0.5, 0.5]).log()
    prior = Prior(centres, log_weights, torch.linalg.cholesky(COV), torch.tensor([0.5, 2.0]))
    noise = prior.noise(torch.full((40_000,), component), generator())
    covariance = scale**2 * COV
    assert noise.mean(dim=0).abs().max() < 5 * float(covariance.max().sqrt()) / 200
    # An entry of a sample covariance has a variance of at most 2 / n times that of the largest variance, squared.
    assert torch.allclose(torch.cov(noise.T), covariance, atol=5 * math.sqrt(2) * float(covariance.max()) / 200)


def test_samples_have_the_mean_and_covariance_of_the_prior():
    prior = kernel_prior(normal(10, 2) * 2, generator(), 0.3)
    mean, covariance = moments(prior)
    draws = prior.sample(40_000, generator(1))
    assert torch.allclose(draws.mean(dim=0), mean, atol=5 * float(covariance.max().sqrt()) / 200)
    assert torch.allclose(torch.cov(draws.T), covariance, atol=8 * float(covariance.max()) / 200)


def test_samples_follow_the_seed_alone():
    prior = kernel_prior(normal(10, 2), generator())
    assert torch.equal(prior.sample(5, generator(3)), prior.sample(5, generator(3)))
    assert not torch.equal(prior.sample(5, generator(3)), prior.sample(5, generator(4)))


def bandwidth_of(prior: Prior, users: torch.Tensor) -> float:
    """h, from the kernels' share of the variance of the first coordinate."""
    return float(prior.cholesky[0, 0] / users[:, 0].std())


def test_separate_groups_of_users_get_a_smaller_bandwidth_than_one_cloud():
    cloud = normal(100, 2)
    groups = torch.cat([0.05 * cloud[:50] - 3, 0.05 * cloud[50:] + 3])
    assert bandwidth_of(kernel_prior(groups, generator()), groups) < 0.2
    assert bandwidth_of(kernel_prior(cloud, generator()), cloud) > 0.5


def test_the_default_bandwidth_is_the_likeliest_for_left_out_users():
    users = torch.cat([normal(30, 2), normal(30, 2, seed=1) + 4])

    def left_out_likelihood(bandwidth: float) -> float:
        prior = kernel_prior(users, generator(), bandwidth)
        single = MultivariateNormal(prior.centres[None], scale_tril=prior.cholesky)
        densities = single.log_prob(users[:, None]).fill_diagonal_(-math.inf)
        return float(torch.logsumexp(densities, dim=1).sum())

    chosen = bandwidth_of(kernel_prior(users, generator()), users)
    likeliest = max((0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0), key=left_out_likelihood)
    assert chosen == pytest.approx(likeliest, rel=0.01)


def test_uneven_weights_do_not_narrow_the_kernels():
    users = normal(200, 3)
    weights = torch.tensor([1.0] * 150 + [100.0] * 50)
    even = bandwidth_of(kernel_prior(users, generator()), users)
    uneven = bandwidth_of(kernel_prior(users, generator(), log_weights=(weights / weights.sum()).log()), users)
    assert uneven > 0.7 * even


def test_users_without_weight_are_no_centres():
    log_weights = torch.tensor([0.5, 0.0, 0.5, 0.0]).log()
    assert len(kernel_prior(normal(4, 2), generator(), log_weights=log_weights).centres) == 2


def test_very_many_users_are_described_by_fewer_centres():
    users = normal(500, 2)
    prior = kernel_prior(users, generator(), max_centres=64)
    mean, covariance = moments(prior)
    assert len(prior.centres) == 64
    assert float(prior.log_weights.exp().sum()) == pytest.approx(1, abs=1e-5)
    assert torch.allclose(mean, users.mean(dim=0), atol=5 / 8)
    assert torch.allclose(covariance, torch.cov(users.T), atol=0.8)


def test_fewer_centres_of_uneven_users_carry_uneven_weights():
    users = torch.arange(100.0)[:, None]
    weights = torch.tensor([0.5] + [0.5 / 99] * 99)
    prior = kernel_prior(users, generator(), log_weights=weights.log(), max_centres=50)
    assert float(prior.log_weights.exp()[0]) == pytest.approx(0.5, abs=0.03)
    assert len(prior.centres) <= 50


DEGENERATE = {
    "one user": torch.tensor([[1.0, 2.0, 3.0]]),
    "two users in three dimensions": normal(2, 3),
    "users on a line": torch.arange(5.0)[:, None] * torch.tensor([1.0, 2.0, -1.0]),
    "equal users": torch.full((6, 3), 0.3),
    "equal users far out": torch.full((6, 3), 1e4),
    "users at zero": torch.zeros(4, 3),
    "one user at zero": torch.zeros(1, 3),
}


@pytest.mark.parametrize("users", DEGENERATE.values(), ids=DEGENERATE)
def test_few_or_equal_users_still_have_a_density(users):
    prior = kernel_prior(users, generator())
    assert prior.log_density(users).isfinite().all()
    assert prior.sample(10, generator()).isfinite().all()


def test_equal_users_are_spread_like_one_of_them():
    one = kernel_prior(torch.tensor([[1.0, 2.0]]), generator(), 1.0)
    several = kernel_prior(torch.tensor([[1.0, 2.0]] * 5), generator(), 1.0)
    assert torch.allclose(one.cholesky, several.cholesky, rtol=1e-3)


@pytest.mark.parametrize("bandwidth", [0.0, -0.1, 1.5, math.nan])
def test_a_bandwidth_outside_its_range_is_rejected(bandwidth):
    with pytest.raises(InvalidInputError, match=r"`bandwidth` must lie in \(0, 1\]"):
        kernel_prior(normal(5, 2), generator(), bandwidth)


@pytest.mark.parametrize("cov", [[[1.0, 2.0], [2.0, 1.0]], [[1.0, 0.5], [0.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]])
def test_a_covariance_that_is_not_positive_definite_is_rejected(cov):
    with pytest.raises(InvalidInputError, match="`cov` must be symmetric and positive definite"):
        gaussian_prior([0.0, 0.0], cov)


def test_a_covariance_of_the_wrong_shape_is_rejected():
    with pytest.raises(InvalidInputError, match=r"`cov` must be \(2, 2\) to match `mean`, got \(3, 3\)"):
        gaussian_prior([0.0, 0.0], torch.eye(3))
