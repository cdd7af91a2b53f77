"""What a partial comparison is worth, and that a question never repeats while any is left."""

import itertools

import pytest
import torch

from rather import Attribute, Belief, Catalog, Logistic, Noiseless
from rather.errors import InvalidInputError, NoQuestionLeftError
from rather.strategies import Problem, choose, strategy_named
from rather.strategies.attributes.options import AttributeOptions


def make(seed=0, n=40, d=6, m=30, k=2, p=1, response=None, **settings):
    generator = torch.Generator().manual_seed(seed)
    catalog = Catalog(torch.randn(n, d, generator=generator) + 0.5, features=[f"f{i}" for i in range(d)])
    belief = Belief.from_users(torch.randn(m, d, generator=generator), smooth=False)
    response = response or Logistic(0.3)
    return Problem(catalog, belief, response, k, torch.Generator().manual_seed(seed), p=p, **settings)


@pytest.mark.parametrize("response", [Logistic(0.3), Logistic(0.3, tie=0.5), Noiseless(), Noiseless(tie=0.2)])
@pytest.mark.parametrize("p", [1, 2, 3])
def test_answers_are_those_to_any_uniform_completion(response, p):
    problem = make(k=3, p=p)
    generator = torch.Generator().manual_seed(1)
    added = problem.attributes.matrix[problem.random_slates(20)].sum(dim=2).double()
    people = problem.belief.particles.double()
    expected = response.log_probabilities(added @ people.T).exp()
    for _ in range(5):
        rest = 3 * torch.randn(20, 1, 6, generator=generator, dtype=torch.float64)
        completed = response.log_probabilities((added + rest) @ people.T).exp()
        assert torch.allclose(completed, expected, atol=1e-9)


def test_none_of_these_is_judged_against_an_otherwise_average_item():
    problem = make(p=2)
    slates = problem.random_slates(5)
    expected = problem.catalog.items.mean(dim=0) + torch.eye(6)[slates].sum(dim=2)
    assert torch.allclose(problem.vectors(slates), expected, atol=1e-6)


@pytest.mark.parametrize("response", [Logistic(0.3, none_utility=0.2, tie=0.5), Noiseless(none_utility=0.1)])
@pytest.mark.parametrize("p", [1, 3])
def test_evoi_is_that_of_the_vectors_by_a_loop_over_people(response, p):
    problem = make(p=p, k=3, response=response)
    slates = problem.random_slates(6)
    items, people, weights = problem.catalog.items.double(), problem.belief.particles.double(), problem.belief.weights
    for slate, found in zip(slates, problem.evoi(slates).tolist(), strict=True):
        vectors = problem.vectors(slate[None])[0].double()
        posteriors = sum(
            weight * torch.outer(response.log_probabilities((vectors @ person)[:, None])[:, 0].exp(), person)
            for person, weight in zip(people, weights, strict=True)
        )
        best = (items @ posteriors.T).amax(dim=0).sum() - (items @ (weights.double() @ people)).max()
        assert found == pytest.approx(float(best), abs=1e-5)


def test_kept_utilities_and_vectors_give_the_same_utilities():
    problem = make(p=2, k=3, response=Logistic(0.3, none_utility=0.0, tie=0.5))
    slates = problem.random_slates(10)
    from_vectors = AttributeOptions(problem.catalog, problem.belief, 3, 2, kept_numbers=0)
    assert torch.allclose(problem.attributes.utilities(slates), from_vectors.utilities(slates), atol=1e-5)


def test_variance_of_statements_counts_weights():
    problem = make()
    problem = Problem(
        problem.catalog,
        Belief.from_users(problem.belief.particles, weights=range(30), smooth=False),
        problem.response,
        2,
        problem.generator,
        p=1,
    )
    weights = torch.arange(30.0) / torch.arange(30.0).sum()
    worth = problem.belief.particles.T
    expected = (worth - (worth @ weights)[:, None]).square() @ weights
    assert torch.allclose(problem.attributes.variance, expected, atol=1e-5)


def test_every_slate_is_asked_once_and_then_there_is_none_left():
    asked: set[frozenset[object]] = set()
    names = itertools.cycle(["auto", "greedy", "cont-partial", "random", "exhaustive-search"])
    for _ in range(15):  # C(6, 2)
        problem = make(asked=frozenset(asked))
        chosen = choose(strategy_named(next(names), "attributes"), problem)
        assert AttributeOptions.name(chosen.slate) not in asked
        asked.add(AttributeOptions.name(chosen.slate))
    with pytest.raises(NoQuestionLeftError, match="All 15"):
        choose(strategy_named("random", "attributes"), make(asked=frozenset(asked)))


def test_a_catalogue_without_statements_is_refused_by_name():
    catalog = Catalog(torch.randn(5, 2))
    belief = Belief.from_users(torch.randn(4, 2), smooth=False)
    with pytest.raises(InvalidInputError, match=r"no attributes.*`features`"):
        Problem(catalog, belief, Logistic(), 2, torch.Generator(), p=1)


def test_k_may_exceed_the_items_but_not_the_partial_items():
    generator = torch.Generator().manual_seed(0)
    said = [Attribute(text, text, [float(place), 1.0]) for place, text in enumerate("abcd")]
    catalog = Catalog(torch.randn(3, 2), attributes=said)
    belief = Belief.from_users(torch.randn(4, 2), smooth=False)
    problem = Problem(catalog, belief, Logistic(), 4, generator, p=1)
    assert len(choose(strategy_named("greedy", "attributes"), problem).slate) == 4
    with pytest.raises(InvalidInputError, match=r"`k` must be 2..4"):
        Problem(catalog, belief, Logistic(), 5, generator, p=1)


def test_a_small_problem_is_thinned_to_itself_and_a_large_one_to_less():
    small = make()
    assert small.thinned(1024, 512) is small
    large = make(n=3000, m=3000)
    thinned = large.thinned(1024, 512)
    assert len(thinned.belief) == 1024
    assert len(thinned.retriever.catalog) <= 512
    slates = large.random_slates(200)
    exact, ranked = large.evoi(slates), thinned.evoi(slates)
    # A rank correlation: the head of one list lies in the head of the other.
    assert exact.argmax() in ranked.topk(20).indices


def test_thinning_leaves_the_generator_alone():
    large = make(n=3000, m=3000)
    before = large.generator.get_state()
    large.thinned(100, 100)
    assert torch.equal(large.generator.get_state(), before)
