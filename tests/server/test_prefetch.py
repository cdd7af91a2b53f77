"""The next questions are computed while people read."""

import pytest
import torch
from serving import answer, open_session
from test_states import CountingStrategy
from waiting import wait_for

from rather import Belief, Catalog, Logistic, Policy
from rather.conversation.session import Session
from rather.model.responses import NONE, SAME
from rather.server.computing.gate import Gate
from rather.server.computing.prefetch import Prefetch, likely_choices
from rather.server.computing.states import State, States


@pytest.fixture
def strategy():
    return CountingStrategy()


@pytest.fixture
def state(source, strategy):
    return State.of("start", Session(Policy(source.catalog, source.belief, strategy=strategy)))


@pytest.fixture
def other_state(source):
    return State.of("other", Session(Policy(source.catalog, source.belief, strategy="random")))


@pytest.fixture
def states():
    return States(Gate(2, 60.0), 64, 60.0)


def state_of_belief(utilities, response):
    """A state whose question is about two items that everybody gives these utilities."""
    catalog = Catalog(torch.tensor(utilities).T)
    belief = Belief.from_users(torch.eye(len(utilities)), smooth=False)
    session = Session(Policy(catalog, belief, response=response))
    question = session.policy.item_question(1, [0, 1])
    session.reopen(question)
    return State("start", session, question, 0.0, None, (), 0)


@pytest.mark.parametrize(
    ("utilities", "expected"),
    [
        ([[5.0, 0.0]], [0, 1]),
        ([[0.0, 5.0]], [1, 0]),
        ([[5.0, 0.0], [0.0, 9.0], [0.0, 9.0]], [1, 0]),  # one in three prefers the first
    ],
)
def test_the_likeliest_answer_comes_first_and_nobody_is_expected_to_skip(utilities, expected):
    assert likely_choices(state_of_belief(utilities, Logistic(0.1)), 0.0) == expected


def test_unlikely_answers_are_not_computed_in_advance():
    three = state_of_belief([[5.0, 0.0], [0.0, 9.0], [0.0, 9.0]], Logistic(0.1))
    assert likely_choices(three, 0.3) == [1, 0]
    assert likely_choices(three, 0.4) == [1]


def test_none_comes_first_where_everybody_dislikes_both():
    bad = state_of_belief([[-9.0, -9.5]], Logistic(0.1, none_utility=0.0, tie=0.5))
    assert likely_choices(bad)[0] == NONE
    assert set(likely_choices(bad, 0.0)) == {0, 1, NONE, SAME}


def test_every_answer_is_computed_in_advance(states, state, strategy):
    prefetch = Prefetch(states, 1, least_chance=0.0)
    prefetch.expect("session", state)
    wait_for(lambda: states.computed_ahead == 4)
    prefetch.close()
    asked = strategy.calls
    for choice in (0, 1, NONE, SAME):
        states.after(state, choice)
    assert (states.found, states.computed) == (4, 0)
    assert strategy.calls == asked


def test_nothing_is_computed_for_a_session_that_has_ended(states, state, other_state):
    prefetch = Prefetch(states, 1, least_chance=0.0)
    with states.gate.urgent(), states.gate.urgent():  # no slot: tasks can only wait
        prefetch.expect("ended", other_state)
        prefetch.forget("ended")
        prefetch.expect("open", state)
    wait_for(lambda: len(prefetch) == 0 and states.computed_ahead >= 4)
    prefetch.close()
    assert states.computed_ahead == 4


def test_the_tasks_of_an_earlier_question_are_dropped(states, state, other_state):
    prefetch = Prefetch(states, 1, least_chance=0.0)
    with states.gate.urgent(), states.gate.urgent():
        prefetch.expect("session", state)
        prefetch.expect("session", other_state)
    wait_for(lambda: len(prefetch) == 0 and states.computed_ahead >= 4)
    prefetch.close()
    for choice in (0, 1, NONE, SAME):
        states.after(other_state, choice)
    assert (states.found, states.computed, states.computed_ahead) == (4, 0, 4)


def test_tasks_do_not_pile_up_while_requests_keep_the_cores_busy(states, state):
    prefetch = Prefetch(states, 1, most_tasks=20, least_chance=0.0)
    with states.gate.urgent(), states.gate.urgent():
        for number in range(40):
            prefetch.expect(f"session {number}", state)
            assert len(prefetch) <= 20
        assert len(prefetch) >= 10
        states.gate.close()
    prefetch.close()


def test_answers_find_what_was_computed_in_advance(make_client):
    client = make_client(prefetch=True)
    conversations = client.app.state.conversations
    states, session, expected = conversations.states, open_session(client), 0
    for _ in range(3):
        choices = likely_choices(conversations.load(session["id"]).state)
        expected += len(choices)
        wait_for(lambda expected=expected: states.computed_ahead >= expected)
        session = answer(client, session, choices[-1]).json()["session"]
    assert (states.found, states.computed) == (3, 0)
