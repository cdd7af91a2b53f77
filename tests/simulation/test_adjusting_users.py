"""Simulated users who adjust what is recommended: what they choose, against brute force, and what it teaches."""

import pytest

import rather
from product_spaces import bicycle
from rather.conversation.adjusting import single_changes
from rather.errors import InvalidInputError
from rather.numerics.randomness import derive_seed
from rather.simulation import Adjusting, as_rows, draw_users, simulate, summarise
from rather.simulation.hinting import given_adjustment


@pytest.fixture(scope="module")
def policy():
    catalog, belief = rather.open(bicycle())
    return rather.Policy(catalog, belief, seed=0)


@pytest.fixture(scope="module")
def certain(policy):
    """The same with hardly any noise in answers and hints."""
    return rather.Policy(policy.catalog, policy.prior, response=rather.Logistic(1e-5))


def first_id(policy):
    """What is recommended first, before any question."""
    return rather.Session(policy).recommend(5)[0].id


def by_hand(policy, utility, changes):
    """The id that the best change of each step leads to, by asking what becomes of every single value."""
    session, start, wanted = rather.Session(policy), first_id(policy), {}
    now = start
    for _ in range(changes):
        found = [(float(policy.catalog.vectors(policy.catalog.row(now)) @ utility), now, None, None)]
        for decision in policy.catalog.configurator.decisions:
            for value in decision.values if decision.column not in wanted and not decision.is_shown_only else ():
                item = session.adjust(start, {**wanted, decision.column: value}).item
                if item is not None and item.id != now:
                    worth = float(policy.catalog.vectors(item.row) @ utility)
                    found.append((worth, item.id, decision.column, value))
        _, now, column, value = max(found, key=lambda each: each[0])
        if column is None:
            break
        wanted[column] = value
    return now


@pytest.mark.parametrize("changes", [1, 2, 3])
def test_users_without_noise_take_the_changes_that_gain_most(certain, changes):
    taken = 0
    for seed, utility in enumerate(draw_users(certain.prior, 8, seed=3)):
        user = rather.SimulatedUser(utility, certain.response, seed)
        found = given_adjustment(user, certain, certain.prior, 1, Adjusting(1, changes))
        start = first_id(certain)
        assert (start if found is None else found.to) == by_hand(certain, utility, changes)
        taken += found is not None
    assert taken > 4


def test_users_who_like_the_best_one_as_it_is_leave_it(certain):
    first = certain.catalog.row(first_id(certain))
    # A taste for just what sets it apart from the average of the others.
    others = certain.catalog.vectors([row for row in range(len(certain.catalog)) if row != first])
    longing = 100 * (certain.catalog.vectors(first) - others.mean(dim=0))
    assert (
        given_adjustment(rather.SimulatedUser(longing, certain.response, 0), certain, certain.prior, 1, Adjusting(1))
        is None
    )


def test_users_only_change_what_they_look_at(policy):
    catalog = policy.catalog
    for seed, utility in enumerate(draw_users(policy.prior, 10, seed=5)):
        user = rather.SimulatedUser(utility, policy.response, seed)
        found = given_adjustment(user, policy, policy.prior, 1, Adjusting(1, 3, looked_at=1))
        if found is not None:
            changes = single_changes(policy, policy.prior, found.item)
            assert found.to in {catalog.ids[row] for _, _, row in changes if row is not None}


def test_nobody_changes_what_there_is_no_taste_in(policy):
    colours = set()
    for seed, utility in enumerate(draw_users(policy.prior, 10, seed=6)):
        user = rather.SimulatedUser(utility, policy.response, seed)
        found = given_adjustment(user, policy, policy.prior, 1, Adjusting(1, 3))
        if found is not None:
            colours |= {found.item.rpartition("/")[2], found.to.rpartition("/")[2]}
    assert len(colours) == 1


def test_single_changes_are_the_alternatives_without_words(policy):
    item = first_id(policy)
    session = rather.Session(policy)
    for wanted in ({}, {"frame": "carbon"}):
        said = [
            (decision.column, each.value, each.item)
            for decision in session.alternatives(item, wanted)
            for each in decision.values
        ]
        ids = policy.catalog.ids
        found = [
            (decision.column, decision.values[position], None if row is None else ids[row])
            for decision, position, row in single_changes(policy, policy.prior, item, wanted)
        ]
        assert found == said


def test_regret_goes_on_falling_with_adjustments(policy):
    users = draw_users(policy.prior, 16, seed=1)
    asked = summarise(simulate({"auto": policy}, users, 4))[0]
    adjusted = summarise(simulate({"auto": policy}, users, 1, adjusting=Adjusting(3)))[0]
    assert adjusted.regret[:2] == pytest.approx(asked.regret[:2])
    assert len(adjusted.regret) == 5
    assert len(adjusted.evoi) == 1
    assert adjusted.regret[-1] < asked.regret[-1]


def test_adjustments_are_the_hints_of_a_session(policy):
    """A conversation step by step ends where the simulated one does."""
    utility = draw_users(policy.prior, 1, seed=9)
    (simulated,) = simulate({"auto": policy}, utility, 1, seed=4, adjusting=Adjusting(2))
    group = derive_seed(4, "session", 0)
    session = rather.Session(policy.with_seed(group))
    user = rather.SimulatedUser(utility[0], policy.response, derive_seed(4, "person", 0))
    session.tell(session.ask(), user.answer(session.ask()))
    for number in (1, 2):
        own = session.adjusted and session.adjusted.id
        statement = given_adjustment(user, session.policy, session.belief, number, Adjusting(2), own)
        if statement is not None:
            session.hint(statement)
    best = int((policy.catalog.vectors(range(len(policy.catalog))) @ session.belief.mean).argmax())
    assert user.regret(best, policy.catalog) == pytest.approx(simulated.regret[-1], abs=1e-6)


def test_rows_say_how_many_adjustments_were_made(policy):
    users = draw_users(policy.prior, 2, seed=1)
    conversations = simulate({"auto": policy}, users, 2, adjusting=Adjusting(2), lists=True)
    rows = [row for row in as_rows(conversations) if row["user"] == 0]
    assert [(row["questions"], row["adjustments"]) for row in rows] == [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2)]
    assert [row["evoi"] is None for row in rows] == [True, False, False, True, True]
    assert all(row["list_regret"] >= 0 for row in rows)
    assert "adjustments" not in as_rows(simulate({"auto": policy}, users, 2))[0]


def test_what_cannot_be_adjusted_is_rejected(policy):
    films = rather.Policy(*rather.open("films"))
    with pytest.raises(InvalidInputError, match="Only configurations can be adjusted"):
        simulate({"auto": films}, draw_users(films.prior, 1, seed=0), 1, adjusting=Adjusting(1))
    for wrong in ({"times": 0}, {"times": 1, "changes": 0}, {"times": 1, "looked_at": 0}, {"times": 1.5}):
        with pytest.raises(InvalidInputError, match="whole number from 1"):
            Adjusting(**wrong)
