"""Rivals from outside the paper are what their own fields say they are."""

import itertools
import math

import pytest
import torch

from rather import Belief, Catalog, Logistic, Noiseless
from rather.strategies import Problem, strategy_named
from rather.strategies.rivals import mutual_information


@pytest.fixture
def problem():
    generator = torch.Generator().manual_seed(3)
    catalog = Catalog(torch.randn(12, 3, generator=generator))
    belief = Belief.from_users(torch.randn(9, 3, generator=generator), torch.rand(9, generator=generator), smooth=False)
    return Problem(catalog, belief, Logistic(0.3), 2, torch.Generator().manual_seed(1))


def pairs(problem):
    return torch.tensor(list(itertools.combinations(range(len(problem.catalog)), 2)))


def test_mutual_information_by_its_other_formula(problem):
    """I = sum_j w_j KL(p_j || p), written out."""
    for slate, value in zip(pairs(problem), mutual_information(pairs(problem), problem), strict=True):
        share = problem.response.log_probabilities(problem.vectors(slate) @ problem.belief.particles.T).exp()
        marginal = share @ problem.belief.weights
        by_hand = sum(
            float(w) * sum(float(p) * math.log(float(p / q)) for p, q in zip(column, marginal, strict=True) if p > 0)
            for w, column in zip(problem.belief.weights, share.T, strict=True)
        )
        assert float(value) == pytest.approx(by_hand, abs=1e-5)
        assert value <= math.log(2) + 1e-6


def test_mutual_information_finds_the_most_telling_slate(problem):
    [slate] = strategy_named("mutual-information")(problem)
    assert mutual_information(slate[None], problem).item() == pytest.approx(
        float(mutual_information(pairs(problem), problem).max()), rel=1e-5
    )


def test_qeubo_finds_the_slate_with_the_best_expected_maximum(problem):
    def expected_maximum(slates):
        return (problem.vectors(slates) @ problem.belief.particles.T).amax(dim=1) @ problem.belief.weights

    [slate] = strategy_named("qeubo", restarts=40)(problem)
    assert float(expected_maximum(slate[None])) == pytest.approx(
        float(expected_maximum(pairs(problem)).max()), rel=1e-5
    )


def test_qeubo_is_the_best_question_of_people_without_noise(problem):
    """Viappiani & Boutilier: without noise the best slate to have is the best slate to ask."""
    noiseless = Problem(problem.catalog, problem.belief, Noiseless(), 2, problem.generator)
    [slate] = strategy_named("qeubo", restarts=40)(noiseless)
    assert float(noiseless.evoi(slate[None])) == pytest.approx(float(noiseless.evoi(pairs(problem)).max()), rel=1e-4)


def test_thompson_defends_the_recommendation(problem):
    best = int(problem.search(problem.belief.mean[None], 1).rows)
    favourites = set(problem.search(problem.belief.particles, 2).rows.flatten().tolist())
    for _ in range(10):
        [slate] = strategy_named("thompson")(problem).tolist()
        assert slate[0] == best
        assert slate[1] in favourites - {best}
