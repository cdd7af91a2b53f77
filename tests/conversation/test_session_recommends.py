import itertools

import pytest
import torch
from hypothesis import given, settings
from small_sessions import session, titled

import rather
from rather import (
    NONE,
    SAME,
    Belief,
    BestItem,
    BestOfList,
    Catalog,
    ExactRetriever,
    Noiseless,
    Policy,
    Rejuvenation,
    Session,
    Stopping,
    value,
)
from rather.conversation.policy_settings import everyday_response
from rather.errors import InvalidInputError
from worlds import TINY, normal, world, worlds

# --- recommending ---------------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(worlds(n=(3, 12)))
def test_recommendations_are_what_the_belief_says(world):
    here = Session(Policy(world.catalog, world.belief, allowed=world.allowed))
    utilities = world.catalog.items @ world.belief.particles.T
    best = utilities[world.rows].amax(dim=0)
    means = utilities @ world.belief.weights
    spreads = ((utilities - means[:, None]).square() @ world.belief.weights).sqrt()
    found = here.recommend(len(world.rows), ranking="mean")
    assert {item.row for item in found} == set(world.rows)
    assert [item.expected_utility for item in found] == sorted((item.expected_utility for item in found), reverse=True)
    for item in found:
        assert item.expected_utility == pytest.approx(float(means[item.row]), abs=TINY)
        assert item.spread == pytest.approx(float(spreads[item.row]), abs=1e-3)
        unbeaten = world.belief.weights[utilities[item.row] >= best - 1e-5].sum()
        assert item.probability_best == pytest.approx(float(unbeaten), abs=1e-5)


def test_equal_items_are_equally_likely_to_be_the_best():
    catalog = Catalog(normal(10, 5).repeat(3, 1))
    here = Session(Policy(catalog, Belief.from_users(normal(200, 5, seed=1))))
    found = {item.row: item.probability_best for item in here.recommend(30)}
    for row in range(10):
        assert found[row] == pytest.approx(found[row + 10], abs=1e-5)
        assert found[row] == pytest.approx(found[row + 20], abs=1e-5)
    assert sum(found[row] for row in range(10)) == pytest.approx(1, abs=1e-4)


def test_a_certainty_is_exactly_one():
    users = torch.tensor([[1.0, 0.0]]) + 0.01 * normal(777, 2)
    here = Session(Policy(Catalog([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), Belief.from_users(users)))
    assert here.recommend(1)[0].probability_best == 1.0


def test_recommendations_show_what_the_catalogue_says():
    item = titled().recommend(1)[0]
    assert (item.id, item.label, item.facts) == (
        f"f{item.row}",
        f"Film {item.row}",
        {"year": str(1950 + item.row)},
    )


def test_no_more_is_recommended_than_there_is():
    assert len(session(n=4).recommend(10)) == 4


@pytest.mark.parametrize("count", [0, -3])
def test_recommending_nothing_is_refused(count):
    with pytest.raises(InvalidInputError, match=f"`count` must be at least 1, got {count}"):
        session().recommend(count)


def test_the_expected_regret_is_the_value_of_perfect_information():
    here = session(smooth=False, objective=BestItem())
    for answer in (0, 1):
        wanted = value.perfect_information_value(here.belief, world(n=30, m=40).search)
        assert here.expected_regret == pytest.approx(float(wanted), abs=TINY)
        here.tell(here.ask(), answer)


def test_the_expected_regret_follows_renewed_particles_and_undo():
    here = session(m=200, rejuvenation=Rejuvenation(threshold=1.0), objective=BestItem())
    start = here.expected_regret
    here.tell(here.ask(), 0)
    wanted = value.perfect_information_value(here.belief, world(n=30).search)
    assert here.expected_regret == pytest.approx(float(wanted), abs=TINY)
    here.undo()
    assert here.expected_regret == start


def test_answers_find_a_person_among_the_particles():
    here = world(n=60, m=64, d=5)
    person = rather.SimulatedUser(here.belief.particles[17], Noiseless(), seed=0)
    talk = Session(Policy(here.catalog, here.belief, response=Noiseless(), rejuvenation=None), stopping=Stopping())
    start = person.regret(talk.recommend(1)[0].row, here.catalog)
    for _ in range(12):
        talk.tell(talk.ask(), person.answer(talk.ask()))
    assert start > 0.5
    assert person.regret(talk.recommend(1)[0].row, here.catalog) == pytest.approx(0, abs=TINY)


def test_with_a_density_particles_are_renewed_and_without_they_are_not():
    renewed, kept = session(m=300), session(m=300, rejuvenation=None)
    for answer in (0, 1, 0, 1, 0, 1):
        renewed.tell(renewed.ask(), answer)
        kept.tell(kept.ask(), answer)
    assert not torch.equal(renewed.belief.particles, renewed.policy.prior.particles)
    assert kept.belief.particles is kept.policy.prior.particles
    assert renewed.belief.effective_sample_size > kept.belief.effective_sample_size


# --- everyday answers -----------------------------------------------------------------------------------------------


def test_everyday_people_answer_on_the_scale_of_the_catalogue():
    here = world(n=50, m=60)
    model = everyday_response(here.catalog, here.belief)
    utilities = here.catalog.items @ here.belief.particles.T
    assert model.temperature == pytest.approx(0.1 * float(utilities.std(correction=0)), rel=1e-4)
    assert model.none_utility == pytest.approx(float(utilities.mean()), abs=1e-4)
    assert model.extras == (NONE, SAME)


def test_everyday_answers_scale_with_utility():
    here = world(n=50, m=60)
    small = everyday_response(here.catalog, here.belief)
    large = everyday_response(Catalog(100 * here.catalog.items), here.belief)
    assert large.temperature == pytest.approx(100 * small.temperature, rel=1e-3)


def test_the_questions_of_everyday_people_do_not_depend_on_the_unit_of_utility():
    here = world(n=30, m=40)
    questions = [
        Session(Policy(Catalog(scale * here.catalog.items), here.belief)).ask().slate for scale in (1.0, 0.25, 64.0)
    ]
    assert len(set(questions)) == 1


def test_a_tie_between_equals_has_a_probability_of_one_in_five():
    model = everyday_response(world().catalog, world().belief)
    equal = torch.full((2, 1), 50.0)  # so good that "none" is out of the question
    assert float(model.log_probabilities(equal)[-1].exp()) == pytest.approx(0.2, abs=1e-4)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_slates_of_any_size_are_asked(k):
    here = session(k=k)
    for answer in itertools.islice(itertools.cycle(range(k)), 4):
        assert len(set(here.ask().slate)) == k
        here.tell(here.ask(), answer)


def test_the_list_the_regret_and_the_stop_take_one_search_for_the_mean():
    small = world()
    exact, means = ExactRetriever(small.catalog), []

    class Counting:
        def top(self, directions, count, allowed=None):
            means.extend(directions[:1] if len(directions) == 1 else [])
            return exact.top(directions, count, allowed)

    lists = {"objective": BestOfList(5)}
    policy = Policy(small.catalog, small.belief, retriever=Counting(), **lists)
    listed = policy.recommend(small.belief, 5)
    assert policy.expected_regret(small.belief) == Policy(small.catalog, small.belief, **lists).expected_regret(
        small.belief
    )
    assert policy.gain(small.belief, policy.item_question(1, [0, 1])) > 0
    assert policy.recommend(small.belief, 5) == listed
    assert len(means) == 1
