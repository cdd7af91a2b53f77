"""How conversations about the catalogues of a server start."""

import json

import pytest
from serving import by_name

from rather.errors import InvalidInputError
from rather.server import Limits, Settings
from rather.server.computing.catalogs import ServedCatalogs, settings_of
from rather.server.computing.gate import Gate
from rather.server.problems import ProblemError
from rather.server.requests import Filter, NewSession

RED = [Filter(attribute="colour", any_of=["red"])]


@pytest.fixture
def gate():
    return Gate(1, 0.05)


@pytest.fixture
def served(source, gate):
    return ServedCatalogs(by_name(source), Settings(limits=Limits(budget_ms=500)), gate).find("things")


def start(served, **request):
    return served.start(served.complete(NewSession(**request)))


def test_a_session_has_what_was_asked_for(served):
    session = start(served, k=3, seed=5, ask="auto", p=2, strategy="random", questions=7, filters=RED)
    policy = session.policy
    assert (policy.k, policy.seed, policy.ask, policy.p, policy.strategy) == (3, 5, "auto", 2, "random")
    assert policy.allowed.nonzero().flatten().tolist() == list(range(0, 24, 3))
    assert session.stopping.questions == 7


def test_what_was_left_out_is_the_servers_choice(served):
    complete = served.complete(NewSession())
    assert (complete.catalog, complete.p, complete.time_budget_ms) == ("things", 1, 500)
    assert start(served).stopping.questions == 25


def test_a_time_budget_is_at_most_the_servers(served):
    assert start(served, time_budget_ms=30).policy.budget_ms == 30
    assert start(served, time_budget_ms=50_000).policy.budget_ms == 500
    assert start(served, strategy="random").policy.budget_ms is None


@pytest.mark.parametrize("ask", ["attributes", "auto"])
def test_questions_about_attributes_keep_the_budget_whatever_chooses_items(served, ask):
    policy = start(served, ask=ask, strategy="random", time_budget_ms=30).policy
    assert policy.strategies[1].budget_ms == (30 if ask == "attributes" else 15)
    assert start(served, ask=ask, strategy="random").policy.budget_ms == 500


def test_a_question_states_no_more_attributes_than_the_limit(served):
    assert start(served, ask="attributes", k=2, p=2).policy.p == 2
    with pytest.raises(ProblemError, match=r"`k` times `p` must be at most 24 here .*, got 10 x 3\."):
        served.complete(NewSession(ask="attributes", k=10, p=3))
    with pytest.raises(ProblemError, match="at most 24"):
        served.complete(NewSession(ask="auto", k=5, p=5))
    assert served.complete(NewSession(k=10, p=10)).k == 10  # of no consequence for items


def test_sessions_that_differ_in_seed_and_length_share_what_was_computed(served):
    first, second = start(served, filters=RED), start(served, filters=RED, seed=9, questions=3)
    assert first.policy.allowed is second.policy.allowed
    assert (first.policy.seed, second.policy.seed) == (0, 9)
    assert start(served, filters=RED, k=3).policy.allowed is not first.policy.allowed


def test_a_session_resumes_as_it_started(served):
    started = start(served, k=3, seed=5, ask="auto", p=2, questions=7, filters=RED, time_budget_ms=30)
    resumed = served.resume(settings_of(started), 30)
    assert resumed.to_json() == started.to_json()
    assert resumed.policy.budget_ms == 30
    assert resumed.ask() == started.ask()


def test_stored_settings_win_over_what_the_server_would_choose_now(served):
    settings = json.loads(settings_of(start(served)))
    settings["response"]["temperature"] = 0.125
    settings["stopping"]["questions"] = 3
    resumed = served.resume(json.dumps(settings), None)
    assert resumed.policy.response.temperature == 0.125
    assert resumed.stopping.questions == 3


def test_only_what_has_to_be_computed_waits_at_the_gate(served, gate):
    start(served)
    with gate.urgent():
        start(served, seed=3)
        with pytest.raises(ProblemError) as rejected:
            start(served, k=3)
    assert rejected.value.code == "busy"
    start(served, k=3)


def test_catalogues_come_by_name(source, gate):
    for catalogs in ({}, [source], source):
        with pytest.raises(InvalidInputError, match="`catalogs` must map at least one name"):
            ServedCatalogs(catalogs, Settings(), gate)
