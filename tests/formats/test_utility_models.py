"""Utilities by a differentiable model: exact identities with the linear model, and gradients through it."""

import pytest
import torch

import rather
from rather.errors import InvalidInputError
from rather.model.utilities import Embedding
from rather.strategies import STRATEGIES, strategy_named
from rather.strategies.continuous import slate_network
from rather.strategies.hypothetical import InputSlates
from worlds import World, normal

INPUTS, IDEALS = normal(60, 2, seed=1), normal(30, 2, seed=2)
WEIGHTS = normal(30, 2, seed=3).abs() + 0.2
RESPONSE = rather.Logistic(0.5)
CONTINUOUS = [name for name in STRATEGIES if name.startswith("cont-")]


def expanded(points):
    """Features in which an ideal point is linear: `(x^2, x, 1)`."""
    return torch.cat([points.square(), points, torch.ones_like(points[..., :1])], dim=-1)


LINEAR_USERS = torch.cat([-WEIGHTS, 2 * WEIGHTS * IDEALS, -(WEIGHTS * IDEALS.square()).sum(dim=1, keepdim=True)], dim=1)


def network(people=20, width=6, seed=5):
    layers = [
        (normal(8, 2, seed=seed), normal(8, seed=seed + 1)),
        (normal(width, 8, seed=seed + 2), normal(width, seed=seed + 3)),
    ]
    return rather.NeuralUtility(layers, normal(people, width, seed=seed + 4))


def test_ideal_points_are_their_formula():
    found = rather.IdealPoints(IDEALS, WEIGHTS).utilities(INPUTS)
    for item, person in ((0, 0), (7, 3), (59, 29)):
        wanted = -sum(WEIGHTS[person, c] * (INPUTS[item, c] - IDEALS[person, c]) ** 2 for c in range(2))
        assert float(found[item, person]) == pytest.approx(float(wanted), abs=1e-4)


def test_a_network_is_its_formula():
    model = network()
    (w1, b1), (w2, b2) = model.layers
    wanted = torch.tanh(w2 @ torch.tanh(w1 @ INPUTS[4] + b1) + b2) @ model.people[3]
    assert float(model.utilities(INPUTS)[4, 3]) == pytest.approx(float(wanted), abs=1e-5)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_models_keep_the_axes_and_the_precision_of_their_inputs(dtype):
    points = normal(3, 4, 2).to(dtype)
    for model, m in ((rather.IdealPoints(IDEALS), 30), (network(), 20)):
        found = model.utilities(points)
        assert found.dtype == dtype
        torch.testing.assert_close(found[2, 1], model.utilities(points[2, 1]))
        assert found.shape == (3, 4, m)


def test_an_ideal_point_is_a_linear_model_of_squares():
    """The same EVOI for every slate as with five-dimensional vectors."""
    scored = World(*rather.from_utility(rather.IdealPoints(IDEALS, WEIGHTS), INPUTS))
    linear = World(rather.Catalog(expanded(INPUTS)), rather.Belief.from_users(LINEAR_USERS, smooth=False))
    assert scored.catalog.dimensions == 5
    slates = linear.slates()[::7]
    found, wanted = (world.problem(RESPONSE).evoi(slates) for world in (scored, linear))
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-4)


def test_hypothetical_items_are_worth_what_the_model_says():
    for model in (rather.IdealPoints(IDEALS, WEIGHTS), network(), network(people=8)):
        catalog, belief = rather.from_utility(model, INPUTS)
        points = normal(5, 3, 2, seed=8)
        found = catalog.embedding(points) @ belief.particles.T
        torch.testing.assert_close(found, model.utilities(points), rtol=0, atol=1e-4)


def test_gradients_through_the_model_are_those_of_the_linear_identity():
    """df/dx by autograd of the ideal points equals the closed form in `(x^2, x, 1)` times its Jacobian."""
    catalog, belief = rather.from_utility(rather.IdealPoints(IDEALS, WEIGHTS), INPUTS)
    linear = rather.Belief.from_users(LINEAR_USERS, smooth=False)
    points, recommended = normal(4, 2, 2, seed=8), normal(4, 2, 2, seed=9)
    embedding = catalog.embedding
    vectors, closed = embedding(points), embedding(recommended)
    _, found = embedding.pulled_back(points, slate_network(vectors, closed, belief, 0.7).query)
    slopes = slate_network(expanded(points), expanded(recommended), linear, 0.7).query
    wanted = slopes[..., :2] * 2 * points + slopes[..., 2:4]
    torch.testing.assert_close(found, wanted, rtol=1e-3, atol=1e-4)


def test_gradients_through_a_network_agree_with_finite_differences():
    model = network()
    embedding = Embedding(model, None, INPUTS.double())
    belief = rather.Belief.from_users(torch.eye(20), smooth=False)
    points = normal(2, 2, 2, seed=8).double()
    fixed = embedding(normal(2, 2, 2, seed=9).double())

    def value(at):
        return slate_network(embedding(at), fixed, belief, 0.7).value

    _, found = embedding.pulled_back(points, slate_network(embedding(points), fixed, belief, 0.7).query)
    for index in ((0, 0, 0), (1, 1, 1), (1, 0, 1)):
        nudge = torch.zeros_like(points)
        nudge[index] = 1e-5
        slope = (value(points + nudge) - value(points - nudge)).sum() / 2e-5
        assert float(found[index]) == pytest.approx(float(slope), abs=1e-7)


def test_hypothetical_items_climb_and_stay_among_the_inputs():
    catalog, belief = rather.from_utility(rather.IdealPoints(IDEALS), INPUTS)
    slates = InputSlates(INPUTS[:6].view(3, 2, 2), catalog.embedding)
    before = slate_network(slates.vectors, slates.vectors, belief, 0.5).value
    for _ in range(40):
        slopes = slate_network(slates.vectors, slates.vectors, belief, 0.5)
        slates.climb(slopes.query + slopes.recommendation, 0.1)
    after = slate_network(slates.vectors, slates.vectors, belief, 0.5).value
    assert (after > before).all()
    low, high = catalog.embedding.bounds
    assert ((slates.points >= low) & (slates.points <= high)).all()
    torch.testing.assert_close(slates.vectors, catalog.embedding(slates.points))


@pytest.mark.parametrize("name", CONTINUOUS)
@pytest.mark.parametrize("model", [rather.IdealPoints(IDEALS, WEIGHTS), network()], ids=["ideal points", "network"])
def test_continuous_strategies_come_close_to_the_best_of_all_slates(name, model):
    world = World(*rather.from_utility(model, INPUTS))
    problem = world.problem(RESPONSE)
    values = problem.evoi(world.slates())
    found = problem.evoi(strategy_named(name)(problem)).max()
    assert found > 0.8 * values.max()


def test_the_continuous_strategies_do_pass_through_the_model(monkeypatch):
    catalog, belief = rather.from_utility(network(), INPUTS)
    passed = []
    monkeypatch.setattr(Embedding, "pulled_back", lambda self, points, gradient: passed.append(1) or (points, points))
    strategy_named("cont-free", steps=3)(World(catalog, belief).problem(RESPONSE))
    assert len(passed) == 3


def test_wrong_models_are_named():
    class OneColumn:
        def utilities(self, inputs):
            return inputs.sum(dim=-1)

    class Rounded:
        def utilities(self, inputs):
            return inputs.detach() @ torch.ones(2, 3)

    with pytest.raises(InvalidInputError, match=r"a column for each person, got \(60,\) for inputs of shape \(60, 2\)"):
        rather.from_utility(OneColumn(), INPUTS)
    with pytest.raises(InvalidInputError, match=r"`model\.utilities` must be differentiable in its inputs by torch"):
        rather.from_utility(Rounded(), INPUTS)
    with pytest.raises(
        InvalidInputError, match=r"`weights` must be \(30, 2\) like `ideals`, or \(30, 1\), got \(3, 2\)"
    ):
        rather.IdealPoints(IDEALS, torch.ones(3, 2))
    with pytest.raises(InvalidInputError, match=r"`ideals` must have 2 dimensions, got shape \(2,\)"):
        rather.IdealPoints(IDEALS[0])
    with pytest.raises(InvalidInputError, match=r"`model\.utilities` must take inputs of shape \(60, 3\)"):
        rather.from_utility(rather.IdealPoints(IDEALS), normal(60, 3))
    for model in (5, rather.IdealPoints):
        with pytest.raises(InvalidInputError, match=r"`model` must have a method `utilities\(inputs\)`"):
            rather.from_utility(model, INPUTS)


def test_ideals_may_be_an_array_or_lists():
    ours = rather.IdealPoints(IDEALS, torch.ones(30, 1)).utilities(INPUTS)
    for given in (IDEALS.numpy(), IDEALS.tolist()):
        torch.testing.assert_close(rather.IdealPoints(given, [[1.0]] * 30).utilities(INPUTS), ours)
