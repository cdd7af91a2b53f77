"""The clock of the machine may be set while the server runs: nothing is lost by that, and nobody is locked out."""

from datetime import datetime, timedelta

import pytest
from faults import Clock
from serving import answer, open_session

from rather.server.sessions import records
from rather.server.sessions.records import SteadyClock

FAR = [timedelta(days=-400), timedelta(days=-1), timedelta(hours=-1), timedelta(days=1), timedelta(days=400)]


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(records, "datetime", clock)
    return clock


def id_of(ahead):
    return f"{ahead.days}d"


@pytest.mark.parametrize("ahead", FAR, ids=id_of)
def test_a_jump_deletes_nothing(make_client, clock, ahead):
    client = make_client(keep_days=30)
    session = answer(client, open_session(client)).json()["session"]
    conversations = client.app.state.conversations
    clock.ahead = ahead
    assert conversations.expire(30) == 0
    session = answer(client, session).json()["session"]
    during = open_session(client)
    assert conversations.expire(30) == 0
    clock.ahead = timedelta()
    too_old = ahead < timedelta(days=-30)  # nobody can know that it was opened just now
    assert conversations.expire(30) == too_old
    for kept in (session,) if too_old else (session, during):
        assert answer(client, kept).status_code == 200


@pytest.mark.parametrize("ahead", FAR, ids=id_of)
def test_answers_are_in_the_order_of_their_times(make_client, clock, ahead):
    client = make_client(keep_days=30)
    session = open_session(client)
    for clock.ahead in (timedelta(), ahead, timedelta()):
        session = answer(client, session).json()["session"]
    times = [turn["answered_at"] for turn in client.get(f"/v1/sessions/{session['id']}/history").json()["turns"]]
    assert times == sorted(times)
    expires = [client.get(f"/v1/sessions/{session['id']}").json()["expires_at"], session["created_at"]]
    assert datetime.fromisoformat(expires[0]) - datetime.fromisoformat(expires[1]) >= timedelta(days=30)


@pytest.mark.parametrize("ahead", FAR, ids=id_of)
def test_nobody_is_locked_out_by_sessions_of_another_time(make_client, clock, ahead):
    client = make_client(limits={"sessions_per_day": 2})
    clock.ahead = ahead
    for _ in range(2):
        open_session(client)
    assert client.post("/v1/sessions", json={}).status_code == 429
    clock.ahead = timedelta()
    if abs(ahead) > timedelta(days=1):
        open_session(client)
    clock.ahead += timedelta(days=2)
    open_session(client)


@pytest.mark.parametrize("ahead", FAR, ids=id_of)
def test_the_rate_of_requests_is_limited_whatever_the_clock_says(make_client, clock, ahead):
    client = make_client(limits={"requests_per_minute": 3})
    assert client.get("/v1/catalogs").status_code == 200
    clock.ahead = ahead
    assert [client.get("/v1/catalogs").status_code for _ in range(3)] == [200, 200, 429]


def test_the_steady_clock_follows_the_time_that_passes(clock, monkeypatch):
    ticks = 0.0
    monkeypatch.setattr(records.time, "monotonic", lambda: ticks)
    clock.stopped = datetime(2026, 1, 1)
    steady = SteadyClock()
    clock.ahead, ticks = timedelta(days=3), 3600.0
    assert steady.now() == datetime(2026, 1, 1, 1)
    clock.ahead, ticks = timedelta(minutes=30), 7200.0
    assert steady.now() == datetime(2026, 1, 1, 0, 30)
