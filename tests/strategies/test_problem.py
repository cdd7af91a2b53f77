import itertools
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rather import Belief, Catalog, Logistic, Problem
from rather.errors import InvalidInputError, NoQuestionLeftError
from rather.strategies.problem import choose, item_neighbours
from worlds import TINY, models, normal, world, worlds


def fixed(*slates):
    """A strategy that always proposes the same."""
    return lambda problem: torch.tensor(slates)


def nothing_new(problem):
    """A strategy that proposes only what has been asked."""
    return torch.tensor([sorted(slate) for slate in problem.asked])


@pytest.mark.parametrize("k", [-1, 0, 1, 13])
def test_a_slate_larger_than_the_catalogue_or_smaller_than_two_is_refused(k):
    with pytest.raises(InvalidInputError, match=rf"`k` must be 2..12 \(the items that may be asked about\), got {k}"):
        world(n=12).problem(k=k)


def test_a_slate_larger_than_the_filter_allows_is_refused():
    allowed = torch.arange(12) < 3
    with pytest.raises(InvalidInputError, match=r"`k` must be 2..3 \(the items that may be asked about\), got 4"):
        world(n=12).problem(k=4, allowed=allowed)


def test_a_belief_of_other_dimensions_is_refused():
    with pytest.raises(InvalidInputError, match="`belief` must have 3 dimensions like the catalogue, got 2"):
        Problem(Catalog(normal(5, 3)), Belief.from_users(normal(4, 2)), Logistic(), 2, torch.Generator())


@given(worlds(n=(3, 8)), models)
def test_the_best_proposal_by_exact_evoi_is_chosen(world, model):
    slates, problem = world.slates(2), world.problem(model)
    chosen = choose(lambda _: slates, problem)
    assert chosen.evoi == pytest.approx(max(0.0, float(problem.evoi(slates).max())), abs=TINY)
    assert float(problem.evoi(torch.tensor([chosen.slate]))) == pytest.approx(chosen.evoi, abs=TINY)


def test_a_proposal_that_was_asked_is_passed_over():
    problem = replace(world().problem(), asked=frozenset({frozenset({0, 1})}))
    assert choose(fixed((1, 0), (2, 3)), problem).slate == (2, 3)


def test_when_all_proposals_were_asked_a_neighbour_stands_in():
    problem = replace(world().problem(), asked=frozenset({frozenset({0, 1})}))
    slate = choose(fixed((0, 1)), problem).slate
    assert len({0, 1} & set(slate)) == 1


@pytest.mark.parametrize("k", [2, 3, 4])
def test_no_question_repeats_until_all_are_asked(k):
    problem, seen = world(n=5).problem(k=k), set()
    proposed = fixed(tuple(range(k)))
    for _ in itertools.combinations(range(5), k):
        chosen = frozenset(choose(proposed, replace(problem, asked=frozenset(seen))).slate)
        assert chosen not in seen
        seen.add(chosen)
    with pytest.raises(NoQuestionLeftError, match=f"All {len(seen)} possible slates have been asked"):
        choose(proposed, replace(problem, asked=frozenset(seen)))


@pytest.mark.parametrize("missing", [0, 77, 189])
def test_the_last_question_left_is_found(missing):
    slates = [frozenset(slate) for slate in itertools.combinations(range(20), 2)]
    asked = frozenset(slates[:missing] + slates[missing + 1 :])
    problem = replace(world(n=20).problem(), asked=asked)
    assert frozenset(choose(nothing_new, problem).slate) == slates[missing]


@given(worlds(n=(4, 10)), models, st.data())
def test_neighbours_differ_from_a_slate_in_one_item(world, model, data):
    k = data.draw(st.integers(2, 3))
    problem = world.problem(model, k=k)
    slate = torch.tensor([data.draw(st.lists(st.sampled_from(world.rows), min_size=k, max_size=k, unique=True))])
    for other in item_neighbours(slate, problem).tolist():
        assert len(set(other)) == k
        assert len(set(other) & set(slate[0].tolist())) == k - 1
        assert set(other) <= set(world.rows)


def test_a_catalogue_of_one_slate_has_no_neighbours():
    problem = world(n=3).problem(k=3)
    assert item_neighbours(torch.tensor([[0, 1, 2]]), problem).shape == (0, 3)


@given(worlds(n=(3, 30)), st.integers(2, 3))
def test_random_slates_hold_distinct_allowed_items(world, k):
    slates = world.problem(k=k).random_slates(50).tolist()
    assert all(len(set(slate)) == k and set(slate) <= set(world.rows) for slate in slates)


@pytest.mark.parametrize("n", [6, 12])
def test_random_slates_hold_every_item_equally_often(n):
    """n = 6 is drawn by sorting, n = 12 by rejection."""
    slates = world(n=n).problem(k=2).random_slates(6000)
    times = torch.bincount(slates.flatten(), minlength=n).double()
    expected = 12_000 / n
    assert ((times - expected).abs() < 5 * expected**0.5).all()


def test_particles_are_drawn_by_their_weights():
    here = world(m=3)
    problem = replace(here.problem(), belief=Belief.from_users(here.belief.particles, [0.0, 1.0, 3.0]))
    times = torch.bincount(problem.draw_particles(4000), minlength=3)
    assert times[0] == 0
    assert abs(int(times[2]) - 3000) < 5 * 750**0.5


def test_a_fork_draws_the_same_and_leaves_the_original_alone():
    problem = world().problem()
    forked = problem.fork().random_slates(5)
    assert torch.equal(problem.fork().random_slates(5), forked)
    assert torch.equal(problem.random_slates(5), forked)


def test_a_retriever_of_ones_own_is_the_only_way_to_the_catalogue():
    here, asked = world(), []

    class Counting:
        def top(self, directions, count, allowed=None):
            asked.append(len(directions))
            return here.search(directions, count)

    problem = here.problem(retriever=Counting())
    problem.evoi(torch.tensor([[0, 1], [2, 3], [4, 5]]))
    assert asked == [7]  # one direction for each of two answers to three slates, and the mean
