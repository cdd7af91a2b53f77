"""ContPartial: its regulariser and its gradient against slow references."""

import pytest
import torch

from rather import Belief, Catalog, Logistic, value
from rather.strategies import Problem
from rather.strategies.attributes.continuous import ContPartial, distance_from_partial, evoi_gradient


def make(seed=0, n=60, d=7, m=40, k=3, p=2, scale=1.0):
    generator = torch.Generator().manual_seed(seed)
    catalog = Catalog(torch.randn(n, d, generator=generator), features=[f"f{i}" for i in range(d)])
    belief = Belief.from_users(scale * torch.randn(m, d, generator=generator), smooth=False)
    return Problem(catalog, belief, Logistic(0.3 * scale), k, torch.Generator().manual_seed(seed), p=p)


def slow_distance(slate, p):
    """|| sort(x) - j ||_1 with j = (0, ..., 0, 1, ..., 1), summed over items, number by number."""
    total = 0.0
    for item in slate.tolist():
        ones_last = [0.0] * (len(item) - p) + [1.0] * p
        total += sum(abs(x - one) for x, one in zip(sorted(item), ones_last, strict=True))
    return total


@pytest.mark.parametrize("p", [1, 2, 5])
def test_distance_is_the_sorted_l1_of_the_paper(p):
    relaxed = torch.rand(8, 3, 9, generator=torch.Generator().manual_seed(p))
    distance = distance_from_partial(relaxed, p)
    assert distance.value.tolist() == pytest.approx([slow_distance(slate, p) for slate in relaxed], abs=1e-4)


@pytest.mark.parametrize("p", [1, 2, 5])
def test_distance_has_the_gradient_of_a_sort(p):
    relaxed = torch.rand(8, 3, 9, generator=torch.Generator().manual_seed(p)).requires_grad_()
    ones_last = torch.cat([torch.zeros(9 - p), torch.ones(p)])
    (relaxed.sort(dim=2).values - ones_last).abs().sum().backward()
    assert torch.equal(distance_from_partial(relaxed.detach(), p).gradient, relaxed.grad)


def test_distance_is_zero_for_whole_statements_only():
    whole = torch.tensor([[[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]])
    assert distance_from_partial(whole, 2).value.item() == 0
    assert torch.equal(distance_from_partial(whole, 2).gradient, torch.zeros_like(whole))
    assert distance_from_partial(whole, 1).value.item() == 2


def test_the_gradient_is_that_of_exact_evoi():
    problem, softmax = make(), Logistic(0.4)
    relaxed = torch.rand(5, 3, 7, generator=torch.Generator().manual_seed(3)).requires_grad_()
    slates = problem.catalog.average + relaxed @ problem.attributes.matrix
    value.evoi(slates, problem.belief, softmax, problem.search).sum().backward()
    assert torch.allclose(evoi_gradient(relaxed.detach(), problem, softmax), relaxed.grad, rtol=1e-3, atol=1e-5)


def test_the_gradient_agrees_with_finite_differences():
    problem, softmax = make(), Logistic(0.4)
    relaxed = torch.rand(1, 3, 7, generator=torch.Generator().manual_seed(3))
    slopes = evoi_gradient(relaxed, problem, softmax)
    step = 1e-3
    for place in [(0, 0, 0), (0, 1, 4), (0, 2, 6)]:
        around = []
        for sign in (-1, 1):
            moved = relaxed.clone()
            moved[place] += sign * step
            slates = (problem.catalog.average + moved @ problem.attributes.matrix).double()
            around.append(float(value.posterior_expected_utility(slates, problem.belief, softmax, problem.search)))
        assert float(slopes[place]) == pytest.approx((around[1] - around[0]) / (2 * step), abs=2e-3)


def test_the_ascent_ends_at_whole_statements():
    problem = make()
    cont = ContPartial(restarts=6)
    relaxed = cont.optimise(torch.rand(6, 3, 7, generator=torch.Generator().manual_seed(1)), problem)
    assert float(relaxed.min()) >= 0
    assert float(relaxed.max()) <= 1
    assert float(distance_from_partial(relaxed, 2).value.max()) < 0.5  # of 6 x 3 x 7 numbers, from 6 x 10 at first


def test_the_ascent_beats_rounding_where_it_started():
    problem = make(k=2, p=2, n=200)
    starts = torch.rand(20, 2, 7, generator=torch.Generator().manual_seed(1))
    cont = ContPartial()
    before = problem.evoi(problem.attributes.space.projected(starts)).mean()
    after = problem.evoi(problem.attributes.space.projected(cont.optimise(starts, problem))).mean()
    assert float(after) > 1.2 * float(before)


def test_the_question_does_not_depend_on_the_unit_of_utility():
    cont = ContPartial(restarts=4, steps=40)
    assert torch.equal(cont(make()), cont(make(scale=64.0)))
