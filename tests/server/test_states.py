"""States in memory: shared, computed once, ahead of time, and only a few at once."""

import threading
import time
from dataclasses import replace

import pytest
import torch
from serving import answer, open_session

from rather import Policy
from rather.conversation.session import Session
from rather.model.responses import NONE, SAME, SKIP
from rather.retrieval.shortlist import ShortlistRetriever
from rather.retrieval.shortlist_settings import ShortlistSettings
from rather.server.computing.gate import Gate
from rather.server.computing.prefetch import MOST_TASKS, Prefetch, likely_choices
from rather.server.computing.states import States, _size, answer_event, first_key, keys_along, look
from rather.server.http.problems import ProblemError


@pytest.fixture
def session(source):
    return Session(Policy(source.catalog, source.belief))


@pytest.fixture
def states():
    return States(Gate(2, 60.0), 64, 60.0)


def wait_for(condition, seconds=90.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_a_fork_leaves_the_session_as_it_was(session):
    question = session.ask()
    before = session.to_json()
    twin = session.fork()
    twin.tell(question, 0)
    twin.ask()
    assert session.to_json() == before
    session.tell(question, 0)
    assert session.ask() == twin.ask()


def test_a_restricted_session_recommends_only_what_is_allowed(session, source):
    mask = [row % 2 == 0 for row in range(len(source.catalog))]
    assert all(item.row % 2 == 0 for item in session.restricted(mask).recommend(5))
    assert session.policy.allowed is None


def test_replaying_answers_leads_to_the_state_they_led_to(states, session):
    state = states.replayed("start", (), None, session.fork)
    events = []
    for choice in (0, NONE, 1, SKIP, SAME):
        state, event = states.after(state, choice)
        events.append(event)
    fresh = States(Gate(2, 60.0), 64, 60.0).replayed("start", events, state.open, session.fork)
    assert fresh.key == state.key == keys_along("start", events)[-1]
    assert (fresh.question, fresh.regret, fresh.stop, fresh.top) == (
        state.question,
        state.regret,
        state.stop,
        state.top,
    )


def test_people_with_the_same_answers_share_a_state(states, session):
    first = states.replayed("start", (), None, session.fork)
    assert states.after(first, 0)[0] is states.after(first, 0)[0]
    assert states.after(first, 0)[0] is not states.after(first, 1)[0]


def test_the_stored_question_wins_over_our_own(states, session):
    state = states.replayed("start", (), None, session.fork)
    other = {"items": [3, 4], "evoi": 0.125}
    assert other["items"] != state.open["items"]
    asked = states.replayed("start", (), other, session.fork)
    assert asked.question.slate == (3, 4)
    assert asked.open == other
    assert states.replayed("start", (), other, session.fork) is asked
    assert states.replayed("start", (), state.open, session.fork) is state


def test_settings_and_budget_make_different_keys():
    keys = {first_key("a", None), first_key("b", None), first_key("a", 5.0), first_key("a", 6.0)}
    assert len(keys) == 4


def test_memory_is_bounded(session):
    states = States(Gate(1, 1.0), 1, 1.0)
    state = look("0", session)
    for number in range(5_000):
        states.keep(type(state)(**{**vars(state), "key": str(number)}))
    assert 1 < len(states) < 5_000
    assert states.find("4999") is not None
    assert states.find("0") is None


def test_a_state_is_computed_once_for_all_who_wait(states, session, monkeypatch):
    count, real = [], Session.tell

    def tell(self, question, choice):
        count.append(choice)
        time.sleep(0.1)
        real(self, question, choice)

    state = states.replayed("start", (), None, session.fork)
    monkeypatch.setattr(Session, "tell", tell)
    threads = [threading.Thread(target=states.after, args=(state, 0)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count == [0]


def test_a_state_that_was_finished_meanwhile_is_not_computed_again(states, session, monkeypatch):
    state = states.replayed("start", (), None, session.fork)
    ready = states.after(state, 0)[0]
    monkeypatch.setattr(states, "find", lambda key: None)  # as somebody who looked a moment too early
    assert states.after(state, 0)[0] is ready


def test_a_failure_reaches_all_who_wait_and_is_forgotten(states, session, monkeypatch):
    state = states.replayed("start", (), None, session.fork)
    with monkeypatch.context() as patched:
        patched.setattr(Session, "tell", lambda *arguments: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            states.after(state, 0)
    assert states.after(state, 0)[0].question is not None


def test_the_likeliest_answer_comes_first(session):
    state = look("start", session)
    choices = likely_choices(state)
    assert set(choices) == {0, 1, NONE, SAME, SKIP}
    assert choices[-1] is SKIP
    event = answer_event(state, choices[0])
    assert event["answer"] == choices[0]


def test_every_answer_is_computed_ahead(states, session):
    prefetch = Prefetch(states, 1)
    state = states.replayed("start", (), None, session.fork)
    prefetch.expect("somebody", state)
    wait_for(lambda: states.computed_ahead == 5)
    for choice in likely_choices(state):
        states.after(state, choice)
    assert (states.found, states.computed) == (5, 0)
    prefetch.close()


def test_nothing_is_computed_ahead_for_who_has_gone(states, session):
    state = states.replayed("start", (), None, session.fork)
    with states.gate.urgent(), states.gate.urgent():  # no place: tasks can only queue
        prefetch = Prefetch(states, 1)
        prefetch.expect("somebody", state)
        prefetch.forget("somebody")
    time.sleep(0.2)
    assert states.computed_ahead == 0
    prefetch.expect("somebody", state)
    wait_for(lambda: states.computed_ahead == 5)
    states.gate.close()
    prefetch.close()


def test_tasks_do_not_pile_up_while_people_keep_the_cores_busy(states, session):
    state = states.replayed("start", (), None, session.fork)
    with states.gate.urgent(), states.gate.urgent():
        prefetch = Prefetch(states, 1)
        for _ in range(3):
            for number in range(2 * MOST_TASKS):
                prefetch.expect(f"person {number}", state)
        assert len(prefetch._tasks) <= MOST_TASKS
        states.gate.close()
    prefetch.close()


def test_answers_find_what_was_computed_ahead(make_client):
    client = make_client(prefetch=True)
    states = client.app.state.conversations.states
    session = open_session(client)
    for number in range(1, 4):
        wait_for(lambda number=number: states.computed_ahead >= 5 * number)
        session = answer(client, session).json()["session"]
    assert (states.found, states.computed) == (3, 0)


def test_the_gate_lets_in_so_many_and_turns_away_who_waits_too_long():
    gate = Gate(2, 0.05)
    with gate.urgent(), gate.urgent():
        with pytest.raises(ProblemError) as refused, gate.urgent():
            pass
        assert refused.value.status == 503
        assert refused.value.code == "busy"
    with gate.urgent():
        pass


def test_people_who_wait_go_before_work_done_ahead():
    gate, order = Gate(1, 60.0), []

    def ahead():
        with gate.ahead() as admitted:
            assert admitted
            order.append("ahead")

    def urgent():
        with gate.urgent():
            order.append("urgent")

    with gate.urgent():
        threads = [threading.Thread(target=ahead)]
        threads[0].start()
        time.sleep(0.05)
        threads.append(threading.Thread(target=urgent))
        threads[1].start()
        wait_for(lambda: gate.waiting == 1)
    for thread in threads:
        thread.join()
    assert order == ["urgent", "ahead"]


def test_people_come_in_the_order_they_came():
    gate, order, threads = Gate(1, 60.0), [], []

    def urgent(number):
        with gate.urgent():
            order.append(number)

    with gate.urgent():
        for number in range(5):
            threads.append(threading.Thread(target=urgent, args=(number,)))
            threads[-1].start()
            wait_for(lambda number=number: gate.waiting == number + 1)
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3, 4]


def test_no_more_than_the_places_are_ever_inside():
    gate, inside, most = Gate(3, 60.0), [], []

    def work(ahead):
        for _ in range(20):
            with gate.ahead() if ahead else gate.urgent():
                inside.append(1)
                most.append(len(inside))
                time.sleep(0.0005)
                inside.pop()

    threads = [threading.Thread(target=work, args=(number % 3 == 0,)) for number in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 3
    assert len(most) == 180


def test_work_done_ahead_leaves_a_place_free():
    gate = Gate(2, 0.05)
    with gate.ahead(), gate.urgent():
        pass


def test_a_closed_gate_admits_no_work_done_ahead():
    gate = Gate(1, 1.0)
    gate.close()
    with gate.ahead() as admitted:
        assert not admitted
    with gate.urgent():
        pass


def test_a_shortlist_of_its_own_counts_to_the_size_of_a_state(source, monkeypatch):
    shortlist = ShortlistRetriever.build(
        source.catalog, source.belief, settings=ShortlistSettings(directions=4, depth=1, checks=4)
    )
    own = replace(shortlist, rows=torch.arange(24), items=source.catalog.items.clone())
    sizes = {}
    for name, fitted in (("shared", shortlist), ("own", own)):
        monkeypatch.setattr(ShortlistRetriever, "fitted", lambda self, belief, allowed, fitted=fitted: fitted)
        sizes[name] = _size(look(name, Session(Policy(source.catalog, source.belief, retriever=shortlist))))
    assert sizes["own"] - sizes["shared"] == 24 * 8 + source.catalog.items.numel() * 4
