import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rather import Logistic, value
from rather.retrieval import nearest_items
from rather.strategies import choose, strategy_named
from rather.strategies.continuous import Continuous, RecommendedSlate, slate_network
from rather.strategies.hypothetical import Adam
from rather.strategies.initialisers import balanced
from worlds import normal, world, worlds

FREE_SLATES = ["cont-free", "cont-reference", "cont-alter", "cont-deep-retr"]


@st.composite
def networks(draw):
    """A world, query and recommendation slates in double precision, and a temperature."""
    world, k, seed = draw(worlds()), draw(st.integers(2, 4)), draw(st.integers(0, 999))
    query = normal(2, k, world.catalog.dimensions, seed=seed).double()
    recommendation = normal(2, k, world.catalog.dimensions, seed=seed + 1).double()
    return world, query, recommendation, draw(st.sampled_from([0.3, 1.0]))


def by_definition(query, recommendation, belief, temperature) -> torch.Tensor:
    """f(X, Y) = sum_j w_j sum_i softmax_i(x_i @ u_j / tau) y_i @ u_j."""
    particles, weights = belief.particles.double(), belief.weights.double()
    share = torch.softmax(query @ particles.T / temperature, dim=1)
    return (weights * share * (recommendation @ particles.T)).sum(dim=(1, 2))


def finite_differences(function, slates, step=1e-6) -> torch.Tensor:
    slopes = torch.zeros_like(slates)
    for index in torch.cartesian_prod(*(torch.arange(size) for size in slates.shape)).tolist():
        nudge = torch.zeros_like(slates)
        nudge[tuple(index)] = step
        slopes[tuple(index)] = (function(slates + nudge) - function(slates - nudge)).sum() / (2 * step)
    return slopes


@given(networks())
def test_the_network_is_its_formula(case):
    here, query, recommendation, temperature = case
    found = slate_network(query, recommendation, here.belief, temperature).value
    assert torch.allclose(found, by_definition(query, recommendation, here.belief, temperature), atol=1e-8)


@given(networks())
def test_closed_form_gradients_agree_with_finite_differences(case):
    here, query, recommendation, temperature = case
    slopes = slate_network(query, recommendation, here.belief, temperature)

    def of_query(slates):
        return slate_network(slates, recommendation, here.belief, temperature).value

    def of_recommendation(slates):
        return slate_network(query, slates, here.belief, temperature).value

    assert torch.allclose(slopes.query, finite_differences(of_query, query), atol=1e-6)
    assert torch.allclose(slopes.recommendation, finite_differences(of_recommendation, recommendation), atol=1e-6)


@given(networks())
def test_closed_form_gradients_agree_with_autograd(case):
    here, query, recommendation, temperature = case
    slopes = slate_network(query, recommendation, here.belief, temperature)
    query.requires_grad_()
    recommendation.requires_grad_()
    total = by_definition(query, recommendation, here.belief, temperature).sum()
    wanted = torch.autograd.grad(total, (query, recommendation))
    assert torch.allclose(slopes.query, wanted[0], atol=1e-8)
    assert torch.allclose(slopes.recommendation, wanted[1], atol=1e-8)


@given(networks())
def test_with_the_query_recommended_it_is_the_slates_expected_utility(case):
    """ContFree climbs EUS: the same value, and the sum of both gradients is its gradient."""
    here, query, _, temperature = case
    slopes = slate_network(query, query, here.belief, temperature)
    slates = query.clone().requires_grad_()
    utility = value.slate_expected_utility(slates, here.belief, Logistic(temperature))
    (wanted,) = torch.autograd.grad(utility.sum(), slates)
    assert torch.allclose(slopes.value, utility, atol=1e-8)
    assert torch.allclose(slopes.query + slopes.recommendation, wanted, atol=1e-7)


@given(networks())
def test_with_deep_retrieval_recommended_it_is_the_posterior_expected_utility(case):
    """ContDeepRetr climbs PEU itself: the same value and the same gradient."""
    here, query, _, temperature = case
    model = Logistic(temperature)
    retrieved = value.deep_retrieval(query, here.belief, model, here.search).vectors[:, :, 0].double()
    slopes = slate_network(query, retrieved, here.belief, temperature)
    slates = query.clone().requires_grad_()
    utility = value.posterior_expected_utility(slates, here.belief, model, here.search)
    (wanted,) = torch.autograd.grad(utility.sum(), slates)
    assert torch.allclose(slopes.value, utility, atol=1e-8)
    assert torch.allclose(slopes.query, wanted, atol=1e-7)


def test_adam_takes_the_steps_of_torchs():
    ours, theirs = normal(3, 4), normal(3, 4).requires_grad_()
    optimiser, adam = torch.optim.Adam([theirs], lr=0.05), Adam(ours)
    for step in range(20):
        gradient = normal(3, 4, seed=step + 1)
        theirs.grad = gradient
        optimiser.step()
        ours = ours - 0.05 * adam(gradient)
    assert torch.allclose(ours, theirs.detach(), atol=1e-5)


def ascended(start, problem, strategy) -> torch.Tensor:
    """The slow obvious ascent: autograd of what the variant climbs, torch's Adam, projection on the ball."""
    softmax = Logistic(strategy.temperature * problem.utility_spread)
    radius = problem.catalog.largest_norm
    query, other = start.clone().requires_grad_(), start.clone().requires_grad_()
    kind = strategy.recommendation
    variables = [query, other] if kind is RecommendedSlate.FREE else [query]
    rate = strategy.step_size * radius / problem.catalog.dimensions**0.5
    adam = torch.optim.Adam(variables, lr=rate, maximize=True)
    for step in range(strategy.steps):
        if kind is RecommendedSlate.RETRIEVED and step % strategy.retrieve_every == 0:
            other = value.deep_retrieval(query, problem.belief, softmax, problem.search).vectors[:, :, 0]
        y = query if kind is RecommendedSlate.EQUAL else other
        share = softmax.log_probabilities(value.utilities(query, problem.belief)).exp()
        total = (share * value.utilities(y, problem.belief) * problem.belief.weights).sum()
        if strategy.pull:
            weight = strategy.pull * problem.utility_spread / radius**2
            nearest = nearest_items(query.detach(), problem.catalog, problem.allowed)
            total = total - weight * (query - nearest).square().sum()
        adam.zero_grad()
        total.backward()
        adam.param_groups[0]["lr"] = rate * (1 - step / strategy.steps)
        adam.step()
        with torch.no_grad():
            for variable in variables:
                variable *= (radius / variable.norm(dim=2, keepdim=True)).clamp_max(1.0)
    return query.detach()


@pytest.mark.parametrize("name", [*FREE_SLATES, "cont-reg"])
def test_every_variant_takes_the_steps_of_autograd(name):
    problem = world(n=30, m=20).problem()
    strategy = strategy_named(name, steps=12, step_size=0.05)
    start = balanced(problem, 5)
    assert torch.allclose(strategy.optimise(start, problem), ascended(start, problem, strategy), atol=2e-3)


def objective(slates, problem, strategy) -> float:
    """What the variant climbs, on average over restarts."""
    softmax = Logistic(strategy.temperature * problem.utility_spread)
    if strategy.recommendation is RecommendedSlate.RETRIEVED:
        values = value.posterior_expected_utility(slates, problem.belief, softmax, problem.search)
    else:
        values = value.slate_expected_utility(slates, problem.belief, softmax)
    return float(values.mean())


@pytest.mark.parametrize("name", FREE_SLATES)
def test_ascent_raises_what_it_climbs(name):
    problem, strategy = world(n=60, m=40, d=5).problem(k=3), strategy_named(name)
    start = balanced(problem, 10)
    end = strategy.optimise(start, problem)
    assert objective(end, problem, strategy) > objective(start, problem, strategy) + 0.1


@pytest.mark.parametrize("name", [*FREE_SLATES, "cont-reg"])
def test_hypothetical_items_stay_within_the_largest_norm(name):
    problem = world(n=30, m=20).problem()
    slates = strategy_named(name, step_size=2.0).optimise(3 * balanced(problem, 5), problem)
    assert (slates.norm(dim=2) <= problem.catalog.largest_norm * 1.0001).all()


def test_the_pull_of_cont_reg_brings_slates_nearer_to_items():
    problem = world(n=30, m=20, d=5).problem()
    start = balanced(problem, 10)

    def distance(pull: float) -> float:
        slates = strategy_named("cont-reg", pull=pull).optimise(start, problem)
        return float((slates - nearest_items(slates, problem.catalog)).norm(dim=2).mean())

    assert distance(100.0) < 0.2 * distance(0.0)


def test_cont_reg_without_pull_is_cont_free():
    problem = world(n=30, m=20).problem()
    start = balanced(problem, 5)
    with_pull_zero = strategy_named("cont-reg", pull=0.0).optimise(start, problem)
    assert torch.equal(with_pull_zero, strategy_named("cont-free").optimise(start, problem))


def test_cont_alter_retrieves_less_often_than_cont_deep_retr():
    here, searches = world(n=30, m=20), []

    class Counting:
        def top(self, directions, count, allowed=None):
            searches.append(count)
            return here.search(directions, count)

    def scans(name: str) -> int:
        searches.clear()
        strategy_named(name)(here.problem(retriever=Counting()))
        return len(searches)

    assert scans("cont-free") == 1  # the projection alone
    assert scans("cont-alter") == 60 / 10 + 1
    assert scans("cont-deep-retr") == 60 + 1


def test_optimising_leaves_the_starting_slates_alone():
    problem = world(n=30, m=20).problem()
    start = balanced(problem, 4)
    before = start.clone()
    strategy_named("cont-free").optimise(start, problem)
    assert torch.equal(start, before)


def test_more_restarts_are_never_worse():
    """The starts of fewer are among those of more when they are drawn one by one."""
    problem = world(n=60, m=40, d=5).problem()
    starts = balanced(problem, 12)

    def evoi(count: int) -> float:
        strategy = Continuous(RecommendedSlate.EQUAL, restarts=count, initialiser=lambda _, restarts: starts[:restarts])
        return choose(strategy, problem).evoi

    values = [evoi(count) for count in (1, 3, 6, 12)]
    assert values == sorted(values)


@pytest.mark.parametrize("name", [*FREE_SLATES, "cont-reg"])
def test_continuous_methods_come_close_to_the_optimum(name):
    reached, optimal = 0.0, 0.0
    for seed in range(3):
        problem = world(n=40, m=30, d=4, seed=seed).problem()
        reached += choose(strategy_named(name), problem.fork()).evoi
        optimal += choose(strategy_named("exhaustive-search"), problem).evoi
    assert reached > 0.9 * optimal
