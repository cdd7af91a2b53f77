"""States in memory: shared, computed once, and replayed from what is stored."""

import threading
import time
from dataclasses import replace

import pytest
import torch
from serving import answer, open_session, small_source
from waiting import wait_for

from rather import Belief, Policy
from rather.conversation.session import Session
from rather.formats.opening import Source
from rather.model.catalog import Catalog
from rather.model.responses import NONE, SAME, SKIP
from rather.retrieval.shortlist import ShortlistRetriever
from rather.retrieval.shortlist_settings import ShortlistSettings
from rather.server.computing.callers import Caller, current_caller
from rather.server.computing.gate import Gate
from rather.server.computing.states import State, States, first_key
from rather.server.problems import ProblemError
from rather.strategies.clock import Clock


class CountingStrategy:
    """Proposes one slate, and counts how often it is asked to; takes its time, or fails, if told so."""

    def __init__(self):
        self.calls, self.seconds, self.error = 0, 0.0, None

    def __call__(self, problem):
        self.calls += 1
        clock = Clock(1000 * self.seconds)
        while not clock.spent(1):
            time.sleep(0.005)
        if self.error is not None:
            raise self.error
        return torch.tensor([[0, 1]])


@pytest.fixture
def strategy():
    return CountingStrategy()


@pytest.fixture
def session(source):
    return Session(Policy(source.catalog, source.belief))


@pytest.fixture
def counted(source, strategy):
    return Session(Policy(source.catalog, source.belief, strategy=strategy))


def new_states(cache_mb=64, wait_seconds=60.0):
    return States(Gate(2, 60.0), cache_mb, wait_seconds)


@pytest.fixture
def states():
    return new_states()


def test_replaying_answers_leads_to_the_state_they_led_to(states, session):
    state = states.resume("start", (), None, session.fork)
    records = []
    for choice in (0, NONE, 1, SKIP, SAME):
        records.append(state.answer(choice))
        state = states.after(state, choice)
    fresh = new_states().resume("start", records, state.open, session.fork)
    assert replace(fresh, session=state.session) == state
    assert fresh.session.to_json() == state.session.to_json()


def test_a_replay_starts_from_the_last_state_that_is_cached(states, counted, strategy):
    state = states.resume("start", (), None, counted.fork)
    records = []
    for choice in (0, 1):
        records.append(state.answer(choice))
        state = states.after(state, choice)
    records.append(state.answer(NONE))

    def start():
        raise AssertionError("the session is replayed from its start")

    resumed = states.resume("start", records, None, start)
    assert [turn.answer for turn in resumed.session.turns] == [0, 1, NONE]
    assert strategy.calls == 4  # a question after 0, 1, 2 and 3 answers


def test_people_with_the_same_answers_share_a_state(states, session):
    first = states.resume("start", (), None, session.fork)
    assert states.after(first, 0) is states.after(first, 0)
    assert states.after(first, 0) is not states.after(first, 1)


def test_the_stored_question_wins_over_our_own(states, session):
    state = states.resume("start", (), None, session.fork)
    other = {"items": [3, 4], "evoi": 0.125}
    assert other["items"] != state.open["items"]
    asked = states.resume("start", (), other, session.fork)
    assert asked.question.slate == (3, 4)
    assert {**asked.open, **other} == asked.open
    assert states.resume("start", (), other, session.fork) is asked
    assert states.resume("start", (), state.open, session.fork) is state
    assert states.after(asked, 0).session.turns[0].question.slate == (3, 4)
    assert states.after(state, 0).session.turns[0].question.slate == state.question.slate


def test_a_loaded_question_is_not_asked_of_others(states, session):
    chosen = session.fork().ask().slate
    other = {"items": [3, 4], "evoi": 0.125}
    assert chosen != (3, 4)
    assert states.resume("start", (), other, session.fork).question.slate == (3, 4)
    assert states.resume("start", (), None, session.fork).question.slate == chosen


def test_a_replay_starts_from_a_state_with_a_loaded_question(states, session):
    other = new_states().resume("start", (), {"items": [3, 4], "evoi": 0.125}, session.fork).open
    loaded = states.resume("start", (), other, session.fork)

    def start():
        raise AssertionError("the session is replayed from its start")

    resumed = states.resume("start", [loaded.answer(1)], None, start)
    assert [(turn.question.slate, turn.answer) for turn in resumed.session.turns] == [((3, 4), 1)]


def test_catalogue_version_settings_and_budget_make_different_keys():
    others = [
        ("b", 1, "{}", None),
        ("a", 2, "{}", None),
        ("a", 1, "{1}", None),
        ("a", 1, "{}", 5.0),
        ("a", 1, "{}", 6.0),
    ]
    assert len({first_key(*each) for each in [("a", 1, "{}", None), *others]}) == 6


def test_catalogues_of_equal_vectors_keep_their_own_texts(make_client):
    named = small_source()
    other = Catalog(named.catalog.items, ids=named.catalog.ids, labels=[f"Other {row}" for row in range(24)])
    client = make_client(sources=[named, Source("others", other, named.belief)])
    for name, label in (("things", "Thing"), ("others", "Other")):
        session = answer(client, open_session(client, catalog=name)).json()["session"]
        shown = session["question"]["options"] + session["recommendations"]
        assert all(item["label"].startswith(label) for item in shown)


def test_memory_is_bounded(session):
    states = new_states(cache_mb=1)
    state = replace(State.of("", session), size=2**16)
    for number in range(40):
        states.keep(replace(state, key=str(number)))
    assert len(states) == 16
    assert [number for number in range(40) if states.find(str(number)) is not None] == list(range(24, 40))


def test_the_state_that_was_not_needed_for_longest_is_dropped_first(session):
    states = new_states(cache_mb=1)
    state = replace(State.of("", session), size=2**19)
    for key in "ab":
        states.keep(replace(state, key=key))
    assert states.find("a") is not None
    states.keep(replace(state, key="c"))
    assert states.find("b") is None
    assert states.find("a") is not None


def test_a_state_is_computed_once_for_all_who_wait(states, counted, strategy):
    state = states.resume("start", (), None, counted.fork)
    strategy.calls, strategy.seconds, results = 0, 0.2, []
    threads = [threading.Thread(target=lambda: results.append(states.after(state, 0))) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert strategy.calls == 1
    assert len(results) == 5
    assert all(result is results[0] for result in results)


def test_a_state_that_was_finished_meanwhile_is_not_computed_again(states, session, monkeypatch):
    state = states.resume("start", (), None, session.fork)
    ready = states.after(state, 0)
    monkeypatch.setattr(states, "find", lambda key: None)  # as somebody who looked a moment too early
    assert states.after(state, 0) is ready


def test_a_failure_reaches_all_who_wait_and_is_forgotten(states, counted, strategy):
    state = states.resume("start", (), None, counted.fork)
    strategy.calls, strategy.seconds, strategy.error, errors = 0, 0.2, ZeroDivisionError(), []

    def ask():
        try:
            states.after(state, 0)
        except ZeroDivisionError as error:
            errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (strategy.calls, len(errors)) == (1, 3)
    strategy.error = None
    assert states.after(state, 0).question is not None


@pytest.mark.parametrize(("check_one_in", "enlarged"), [(1, True), (2**30, False)])
def test_a_shortlist_of_its_own_counts_towards_the_size_of_a_state(source, check_one_in, enlarged):
    settings = ShortlistSettings(directions=1, depth=1, bound=0.0, enlargements=0, checks=4, scan_one_in=check_one_in)
    other_people = Belief.from_users(torch.ones(8, 3), smooth=False)
    shortlist = ShortlistRetriever.build(source.catalog, other_people, settings=settings)
    session = Session(Policy(source.catalog, source.belief, retriever=shortlist))
    found = len(session.policy.retriever_for(source.belief).rows)
    assert (found > len(shortlist.rows)) == enlarged
    exact = State.of("exact", Session(Policy(source.catalog, source.belief, retriever="exact")))
    own = found * 8 + (found * 3 * 4 if enlarged else 0)  # rows of 8 bytes, vectors of three numbers of 4 bytes
    assert State.of("own", session).size - exact.size == own


def asking(states, state, results):
    """What a caller's thread does: answer, and note the number of the next question or why there is none."""

    def ask(caller):
        current_caller.set(caller)
        try:
            results.append(states.after(state, 0).question.number)
        except ProblemError as problem:
            results.append(problem.code)

    return ask


def test_a_state_is_computed_for_those_who_stay_when_the_first_goes(counted, strategy):
    gate = Gate(1, 60.0)
    states, results, first = States(gate, 64, 60.0), [], Caller("a")
    state = states.resume("start", (), None, counted.fork)

    with gate.urgent():
        threads = [
            threading.Thread(target=asking(states, state, results), args=(caller,))
            for caller in (first, Caller("b"), Caller("c"))
        ]
        threads[0].start()
        wait_for(lambda: gate.waiting == 1)
        for thread in threads[1:]:
            thread.start()
        time.sleep(0.05)  # they wait for the first
        first.leave()
        threads[0].join()
    for thread in threads:
        thread.join()
    assert sorted(results, key=str) == [2, 2, "caller-gone"]


def test_a_question_that_is_being_chosen_for_somebody_who_goes_is_left_to_those_who_stay(counted, strategy):
    states, results, first = States(Gate(1, 60.0), 64, 60.0), [], Caller("a")
    state = states.resume("start", (), None, counted.fork)
    strategy.calls, strategy.seconds = 0, 3600.0

    threads = [
        threading.Thread(target=asking(states, state, results), args=(caller,)) for caller in (first, Caller("b"))
    ]
    threads[0].start()
    wait_for(lambda: strategy.calls == 1)
    threads[1].start()
    time.sleep(0.05)  # waits for the first
    strategy.seconds = 0.0
    first.leave()
    for thread in threads:
        thread.join()
    assert sorted(results, key=str) == [2, "caller-gone"]
    assert strategy.calls == 2
