import math

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

import rather
from rather import Belief, Catalog, Logistic, Noiseless, value
from worlds import TINY, models, normal, plain_models, world, worlds


def slates_of(world, data, k=None) -> torch.Tensor:
    """A few slates of allowed rows `(b, k)`."""
    k = k or data.draw(st.integers(2, min(4, len(world.rows))))
    draw = st.lists(st.sampled_from(world.rows), min_size=k, max_size=k, unique=True)
    return torch.tensor(data.draw(st.lists(draw, min_size=1, max_size=4)))


def answer_chances(vectors, world, model) -> torch.Tensor:
    """w_j R(r | slate, u_j) for one slate, `(r, m)`, in double precision."""
    utilities = (vectors @ world.belief.particles.T).double()
    return model.log_probabilities(utilities).exp() * world.belief.weights.double()


def peu_by_definition(vectors, world, model) -> float:
    """For every answer: its probability times the best expected utility under the posterior."""
    total = 0.0
    for chances in answer_chances(vectors, world, model):
        probability = float(chances.sum())
        if probability > 0:
            mean = (chances / probability) @ world.belief.particles.double()
            total += probability * max(float(world.catalog.items[row].double() @ mean) for row in world.rows)
    return total


def eus_by_definition(vectors, world, model) -> float:
    """Users get what they choose; those who choose nothing get the slate's best item given that answer."""
    utilities = (vectors @ world.belief.particles.T).double()
    chances = answer_chances(vectors, world, model)
    k = len(vectors)
    return float((chances[:k] * utilities).sum()) + sum(float((utilities @ row).max()) for row in chances[k:])


@given(worlds(), models, st.data())
def test_posterior_expected_utility_is_its_definition(world, model, data):
    vectors = world.catalog.items[slates_of(world, data)]
    found = value.posterior_expected_utility(vectors, world.belief, model, world.search)
    wanted = [peu_by_definition(slate, world, model) for slate in vectors]
    assert found.tolist() == pytest.approx(wanted, abs=TINY)


@given(worlds(), models, st.data())
def test_slate_expected_utility_is_its_definition(world, model, data):
    vectors = world.catalog.items[slates_of(world, data)]
    found = value.slate_expected_utility(vectors, world.belief, model)
    assert found.tolist() == pytest.approx([eus_by_definition(slate, world, model) for slate in vectors], abs=TINY)


@given(worlds(), models, st.data())
def test_evoi_is_never_negative(world, model, data):
    vectors = world.catalog.items[slates_of(world, data)]
    assert (rather.evoi(vectors, world.belief, model, world.search) >= -TINY).all()


@given(worlds(), models, st.data())
def test_evoi_of_hypothetical_items_is_never_negative(world, model, data):
    vectors = 2 * normal(3, 2, world.catalog.dimensions, seed=data.draw(st.integers(0, 999)))
    assert (rather.evoi(vectors, world.belief, model, world.search) >= -TINY).all()


@given(worlds(), models, st.data())
def test_evoi_never_exceeds_the_value_of_perfect_information(world, model, data):
    vectors = world.catalog.items[slates_of(world, data)]
    bound = value.perfect_information_value(world.belief, world.search)
    assert (rather.evoi(vectors, world.belief, model, world.search) <= bound + TINY).all()


@given(worlds(), models, st.data())
def test_the_slates_utility_never_exceeds_the_posteriors(world, model, data):
    """EUS <= PEU, with "none" and "same" on offer and without."""
    vectors = world.catalog.items[slates_of(world, data)]
    restricted = value.slate_expected_utility(vectors, world.belief, model)
    assert (restricted <= value.posterior_expected_utility(vectors, world.belief, model, world.search) + TINY).all()


@given(worlds(n=(3, 7)), st.integers(2, 3))
def test_without_noise_the_best_slate_utility_is_the_best_posterior_utility(world, k):
    vectors = world.catalog.items[world.slates(k)]
    restricted = value.slate_expected_utility(vectors, world.belief, Noiseless())
    free = value.posterior_expected_utility(vectors, world.belief, Noiseless(), world.search)
    assert float(restricted.max()) == pytest.approx(float(free.max()), abs=TINY)


def test_the_best_slate_utility_meets_the_best_posterior_utility_as_noise_vanishes():
    here = world(n=12, m=20, seed=6)  # where noise does make a difference
    vectors = here.catalog.items[here.slates(3)]

    def gap(temperature: float) -> float:
        model = Logistic(temperature)
        free = value.posterior_expected_utility(vectors, here.belief, model, here.search).max()
        return float(free - value.slate_expected_utility(vectors, here.belief, model).max())

    assert gap(2.0) > 0.1
    assert gap(0.001) == pytest.approx(0, abs=TINY)


@given(worlds(), plain_models, st.data())
def test_deep_retrieval_is_brute_forces_best_item_after_each_answer(world, model, data):
    vectors = world.catalog.items[slates_of(world, data)]
    found = value.deep_retrieval(vectors, world.belief, model, world.search, count=2)
    for index, slate in enumerate(vectors):
        directions = answer_chances(slate, world, model) @ world.belief.particles.double()
        scores = directions @ world.catalog.items[world.rows].double().T
        best = scores.sort(dim=1, descending=True).values[:, :2]
        assert torch.allclose(found.scores[index].double(), best, atol=TINY)
        assert set(found.rows[index].flatten().tolist()) <= set(world.rows)


@given(worlds(), models, st.data())
def test_permuting_the_slate_permutes_what_is_retrieved(world, model, data):
    vectors = world.catalog.items[slates_of(world, data)]
    k = vectors.shape[1]
    order = torch.tensor(data.draw(st.permutations(range(k))))
    straight = value.deep_retrieval(vectors, world.belief, model, world.search).scores
    permuted = value.deep_retrieval(vectors[:, order], world.belief, model, world.search).scores
    assert torch.allclose(permuted[:, :k], straight[:, order], atol=TINY)
    assert torch.allclose(permuted[:, k:], straight[:, k:], atol=TINY)


@given(worlds(), models, st.data())
def test_permuting_the_slate_leaves_its_values_the_same(world, model, data):
    vectors = world.catalog.items[slates_of(world, data)]
    turned = vectors[:, torch.tensor(data.draw(st.permutations(range(vectors.shape[1]))))]
    for law in (value.posterior_expected_utility, rather.evoi):
        before, after = (law(slates, world.belief, model, world.search) for slates in (vectors, turned))
        assert torch.allclose(before, after, atol=TINY)
    before, after = (value.slate_expected_utility(slates, world.belief, model) for slates in (vectors, turned))
    assert torch.allclose(before, after, atol=TINY)


@given(worlds(), models)
def test_answer_directions_add_up_to_the_mean(world, model):
    vectors = world.catalog.items[world.slates(2)]
    directions = value.answer_directions(vectors, world.belief, model)
    assert torch.allclose(directions.sum(dim=1), world.belief.mean.expand(len(vectors), -1), atol=TINY)


@given(worlds(), models, st.data())
def test_an_answer_direction_is_the_posterior_mean_times_the_answers_probability(world, model, data):
    vectors = world.catalog.items[slates_of(world, data)][0]
    direction = value.answer_directions(vectors[None], world.belief, model)[0, 0]
    probability = float(answer_chances(vectors, world, model)[0].sum())
    assume(probability > 1e-6)
    posterior = world.belief.update(vectors, 0, model)
    assert torch.allclose(direction, probability * posterior.mean, atol=TINY)


@given(worlds(), plain_models)
def test_a_question_about_equal_items_is_worth_nothing(world, model):
    vectors = world.catalog.items[:1].expand(2, -1)[None]
    assert float(rather.evoi(vectors, world.belief, model, world.search)) == pytest.approx(0, abs=TINY)


@pytest.mark.parametrize("law", [value.posterior_expected_utility, value.evoi])
def test_values_do_not_depend_on_the_size_of_a_batch(law):
    here, model = world(n=10, m=15), Logistic(0.2, none_utility=0.1, tie=0.5)
    vectors, entries = here.catalog.items[here.slates(3)], 7 * 5 * 15
    assert value.slates_per_batch(3, here.belief, model, entries) == 7
    assert len(vectors) % 7 > 0
    together = law(vectors, here.belief, model, here.search)
    in_batches = law(vectors, here.belief, model, here.search, batch_entries=entries)
    assert torch.allclose(together, in_batches, atol=1e-5)


def test_a_batch_holds_at_least_one_slate():
    assert value.slates_per_batch(2, world(m=15).belief, Logistic(), entries=1) == 1


@given(worlds())
def test_the_best_expected_utility_is_that_of_brute_force(world):
    wanted = max(float(world.catalog.items[row] @ world.belief.mean) for row in world.rows)
    assert float(value.best_expected_utility(world.belief, world.search)) == pytest.approx(wanted, abs=TINY)


@given(worlds())
def test_perfect_information_is_worth_knowing_every_particles_best_item(world):
    utilities = world.catalog.items[world.rows] @ world.belief.particles.T
    wanted = float(utilities.amax(dim=0) @ world.belief.weights - (utilities @ world.belief.weights).max())
    assert float(value.perfect_information_value(world.belief, world.search)) == pytest.approx(wanted, abs=TINY)


@given(worlds())
def test_expected_utility_is_the_mean_over_the_belief(world):
    wanted = (world.catalog.items @ world.belief.particles.T) @ world.belief.weights
    assert torch.allclose(value.expected_utility(world.catalog.items, world.belief), wanted, atol=TINY)


def finite_differences(function, slates, step=1e-6) -> torch.Tensor:
    """Central differences of a function of slates `(1, k, d)` in double precision."""
    slopes = torch.zeros_like(slates)
    for index in torch.cartesian_prod(*(torch.arange(size) for size in slates.shape)).tolist():
        nudge = torch.zeros_like(slates)
        nudge[tuple(index)] = step
        slopes[tuple(index)] = (function(slates + nudge) - function(slates - nudge)).sum() / (2 * step)
    return slopes


@given(worlds(whole=False), st.data())
def test_the_gradient_of_posterior_expected_utility_agrees_with_finite_differences(world, data):
    model = Logistic(0.5, data.draw(st.sampled_from([None, 0.3])), data.draw(st.sampled_from([None, 0.5])))
    slates = normal(1, 2, world.catalog.dimensions, seed=data.draw(st.integers(0, 999))).double()

    def law(slates):
        return value.posterior_expected_utility(slates, world.belief, model, world.search)

    slates.requires_grad_()
    (slopes,) = torch.autograd.grad(law(slates).sum(), slates)
    assert torch.allclose(slopes, finite_differences(law, slates.detach()), atol=1e-5)


@given(worlds(whole=False), st.data())
def test_the_gradient_of_slate_expected_utility_agrees_with_finite_differences(world, data):
    model = Logistic(0.5, data.draw(st.sampled_from([None, 0.3])), data.draw(st.sampled_from([None, 0.5])))
    slates = normal(1, 3, world.catalog.dimensions, seed=data.draw(st.integers(0, 999))).double()

    def law(slates):
        return value.slate_expected_utility(slates, world.belief, model)

    slates.requires_grad_()
    (slopes,) = torch.autograd.grad(law(slates).sum(), slates)
    assert torch.allclose(slopes, finite_differences(law, slates.detach()), atol=1e-5)


def test_the_spread_of_utility_is_its_standard_deviation_over_items_and_belief():
    here = world(n=50, m=30)
    utilities = here.catalog.items @ here.belief.particles.T
    assert value.utility_spread(here.catalog, here.belief) == pytest.approx(float(utilities.std(correction=0)))


def test_the_spread_of_utility_does_not_drown_in_a_shared_offset():
    items = Catalog([[1000.0, 0.0], [1000.0, 1.0]]).items
    belief = Belief.from_users([[1.0, 0.1], [1.0, -0.1]], smooth=False)
    assert value.utility_spread(Catalog(items), belief) == pytest.approx(0.1 / math.sqrt(2), rel=1e-2)


def test_equal_items_and_a_sure_belief_still_have_a_scale():
    assert value.utility_spread(Catalog(torch.ones(3, 2)), Belief.from_users([[1.0, 1.0]], smooth=False)) > 0
