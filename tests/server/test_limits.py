"""What the server refuses, and how it says so: one error body everywhere."""

import base64
import json
import logging
import time
import tracemalloc
import zlib
from datetime import timedelta

import pytest
from serving import answer, open_session, small_source
from sqlalchemy import event

from rather.errors import InvalidInputError
from rather.server import Limits, Settings
from rather.server.sessions.records import now

TOKEN = "a token that nobody guesses"
HOSTILE = '<script>alert("1")</script><img src=x onerror=alert(1)>\u202e\x00'


def is_problem(response, status, code):
    body = response.json()
    assert response.headers["content-type"] == "application/problem+json"
    assert (response.status_code, body["status"], body["code"]) == (status, status, code)
    assert body["type"] == f"/v1/problems/{code}"
    assert all(body[name] for name in ("title", "detail", "action"))
    return True


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing", 404, "not-found"),
        ("GET", "/v1/nothing", 404, "not-found"),
        ("GET", "/v1/catalogs/nothing", 404, "unknown-catalog"),
        ("GET", "/v1/sessions/nothing", 404, "unknown-session"),
        ("GET", "/v1/sessions/no%00thing", 404, "unknown-session"),
        ("GET", "/v1/shared/nothing", 404, "unknown-share"),
        ("PATCH", "/v1/catalogs", 405, "method-not-allowed"),
        ("POST", "/health", 405, "method-not-allowed"),
        ("GET", "/v1/admin/sessions", 403, "no-admin"),
        ("GET", "/assets/nothing.js", 404, "not-found"),
    ],
)
def test_errors_of_the_framework_are_problems(client, method, path, status, code):
    assert is_problem(client.request(method, path), status, code)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "malformed-json"),
        (b"", 422, "invalid-request"),
        (b"[]", 422, "invalid-request"),
        (b'{"k": 1}', 422, "invalid-request"),
        (b'{"k": 11}', 422, "invalid-request"),
        (b'{"kk": 2}', 422, "invalid-request"),
        (b'{"seed": -1}', 422, "invalid-request"),
        (b'{"seed": 1e300}', 422, "invalid-request"),
        (b'{"strategy": "exhaustive-search"}', 422, "invalid-request"),
        (b'{"strategy": "random", "time_budget_ms": 5}', 422, "invalid-request"),
        (b'{"catalog": "\\ud800"}', 422, "invalid-request"),
        (b'{"catalog": "no\\u0000"}', 404, "unknown-catalog"),
        (b'{"where": "price < 5"}', 422, "invalid-filter"),
        (b'{"filters": [{"attribute": "price"}]}', 422, "invalid-request"),
        (b'{"filters": [{"attribute": "price", "minimum": NaN}]}', 422, "invalid-request"),
    ],
)
def test_bad_requests_are_problems_that_say_what_is_wrong(client, body, status, code):
    response = client.post("/v1/sessions", content=body, headers={"Content-Type": "application/json"})
    assert is_problem(response, status, code)


def test_each_field_at_fault_is_named(client):
    errors = client.post("/v1/sessions", json={"k": 1, "seed": "x"}).json()["errors"]
    assert [error["field"] for error in errors] == ["body.k", "body.seed"]


@pytest.mark.parametrize("chunked", [False, True])
def test_a_large_body_is_refused(make_client, chunked):
    client = make_client(limits={"body_bytes": 1_000})
    body = b'{"catalog": "' + b"x" * 2_000 + b'"}'
    content = iter([body[:500], body[500:]]) if chunked else body
    assert is_problem(client.post("/v1/sessions", content=content), 413, "body-too-large")
    assert client.post("/v1/sessions", json={}).status_code == 201


def test_one_address_may_not_open_sessions_without_end(make_client):
    client = make_client(limits={"sessions_per_day": 2})
    first = open_session(client)
    open_session(client)
    refused = client.post("/v1/sessions", json={})
    assert is_problem(refused, 429, "too-many-sessions")
    assert "retry-after" in refused.headers
    client.delete(f"/v1/sessions/{first['id']}")
    open_session(client)


def test_one_address_may_not_ask_without_end(make_client):
    client = make_client(limits={"requests_per_minute": 3})
    for _ in range(3):
        assert client.get("/v1/catalogs").status_code == 200
    refused = client.get("/v1/catalogs")
    assert is_problem(refused, 429, "too-many-requests")
    assert 1 <= int(refused.headers["retry-after"]) <= 20
    assert client.get("/health").status_code == 200


def test_a_session_does_not_grow_without_end(make_client):
    client = make_client(limits={"answers": 2})
    session = open_session(client)
    for _ in range(2):
        session = answer(client, session).json()["session"]
    assert is_problem(answer(client, session), 409, "session-full")


def test_texts_of_a_catalogue_pass_as_text_and_are_cut(make_client):
    client = make_client(sources=[small_source(hostile=HOSTILE + "x" * 3_000)], limits={"text_length": 100})
    session = answer(client, open_session(client)).json()["session"]
    for item in session["question"]["options"] + session["recommendations"]:
        assert item["label"].startswith(HOSTILE)
        assert all(len(fact["value"]) <= 100 for fact in item["facts"])
        assert len(item["label"]) == 100
        assert item["label"].endswith("…")
    assert len(session["recommendations"][0]["why"]["text"]) <= 3 * 100
    response = client.get(f"/v1/sessions/{session['id']}")
    assert response.headers["content-type"] == "application/json"
    assert response.headers["x-content-type-options"] == "nosniff"


def test_a_damaged_or_foreign_log_is_refused(client, source):
    session = answer(client, open_session(client)).json()["session"]
    log = client.get(f"/v1/sessions/{session['id']}/export").json()
    for damage in (
        {"catalog": "0" * 32},
        {"belief": "0" * 32},
        {"k": "two"},
        {"k": None},
        {"k": 10**9},
        {"seed": "x"},
        {"strategy": "nothing"},
        {"strategy": 5},
        {"events": [{"undo": 1}]},
        {"events": [{"tell": 1}]},
        {"events": [{"tell": 1, "items": [0, 10**12], "answer": 0, "evoi": 0}]},
        {"events": [{"tell": 1, "items": [0, 1], "answer": 5, "evoi": 0}]},
        {"events": [{"tell": 1, "items": [0, 1], "answer": 0, "evoi": "x"}]},
        {"events": [{"tell": "x", "items": [0, 1], "answer": 0, "evoi": 0.1}]},
        {"events": log["events"] * 501},
        {"open": {"items": "ab"}},
        {"open": {"items": [0, 1], "evoi": None}},
        {"response": {"model": "nothing"}},
        {"response": {"model": "logistic", "temperature": 0}},
        {"response": 3},
        {"stopping": {"cost": "x"}},
        {"stopping": {}, "rejuvenation": {"threshold": 1.0, "moves": 10**9}},
        {"allowed": "AAAA"},
        {"allowed": 5},
        {"allowed": "not base64"},
    ):
        refused = client.post("/v1/sessions/import", json={**log, **damage})
        assert refused.status_code == 422, damage
        assert is_problem(refused, 422, refused.json()["code"]), damage
        assert refused.json()["code"] in ("invalid-log", "invalid-request"), damage


def test_a_mask_that_would_unpack_to_gigabytes_is_refused(client):
    log = client.get(f"/v1/sessions/{open_session(client)['id']}/export").json()
    bomb = base64.b64encode(zlib.compress(b"\xff" * 50_000_000, 9)).decode()
    tracemalloc.start()
    try:
        assert is_problem(client.post("/v1/sessions/import", json={**log, "allowed": bomb}), 422, "invalid-log")
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_admin_routes_need_the_token(make_client):
    client = make_client(admin_token=TOKEN)
    session = open_session(client)
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic eDp5"}):
        refused = client.get("/v1/admin/sessions", headers=headers)
        assert is_problem(refused, 401, "unauthorized")
        assert session["id"] not in refused.text
    listed = client.get("/v1/admin/sessions", headers={"Authorization": f"Bearer {TOKEN}"}).json()
    assert [item["id"] for item in listed["sessions"]] == [session["id"]]
    assert listed["total"] == 1


def test_old_sessions_expire(make_client):
    client = make_client(admin_token=TOKEN)
    session = open_session(client)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert client.post("/v1/admin/expire", headers=headers).json() == {"deleted": 0}
    assert client.post("/v1/admin/expire", params={"days": 1e-9}, headers=headers).json() == {"deleted": 1}
    assert client.get(f"/v1/sessions/{session['id']}").status_code == 404


def test_expiry_runs_by_itself(make_client):
    first = make_client()
    session = open_session(first)
    store = first.app.state.conversations.store
    with store._writing() as connection:
        connection.exec_driver_sql("UPDATE sessions SET touched_at = ?", (str(now() - timedelta(days=31)),))
    second = make_client(keep_days=30)
    end = time.monotonic() + 60
    while second.get(f"/v1/sessions/{session['id']}").status_code != 404:
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_full_disk_is_said_and_nothing_is_lost(client):
    session = answer(client, open_session(client)).json()["session"]
    engine = client.app.state.conversations.store._engine

    def fill(connection, record, proxy):
        connection.execute("PRAGMA max_page_count = 1")  # as small as it is already

    event.listen(engine, "checkout", fill)
    refused = None
    for _ in range(50):  # free pages within the file are still used
        refused = client.post("/v1/sessions", json={"k": 3})
        if refused.status_code != 201:
            break
    assert is_problem(refused, 503, "storage-unavailable")
    assert "its disk is full" in refused.json()["detail"]
    assert "retry-after" in refused.headers
    event.remove(engine, "checkout", fill)
    engine.dispose()
    assert client.get(f"/v1/sessions/{session['id']}").json() == session
    assert answer(client, session).status_code == 200


def test_a_lost_database_is_said_and_found_again(make_client, postgres, postgres_url):
    client = make_client(database=postgres_url)
    session = answer(client, open_session(client)).json()["session"]
    postgres.stop()
    try:
        for response in (answer(client, session), client.get("/ready"), client.post("/v1/sessions", json={})):
            assert is_problem(response, 503, "storage-unavailable")
        assert client.get("/health").status_code == 200
        assert client.get("/v1/catalogs").status_code == 200
    finally:
        postgres.start()
    assert client.get("/ready").status_code == 200
    assert answer(client, session).json()["session"]["answers"] == 2


def test_an_unexpected_failure_tells_nothing_of_the_inside(make_client, monkeypatch):
    client = make_client(raising=False)
    store = client.app.state.conversations.store
    monkeypatch.setattr(store, "load", lambda id: 1 / 0)
    refused = client.get("/v1/sessions/x")
    assert is_problem(refused, 500, "internal-error")
    assert "ZeroDivision" not in refused.text


def test_logs_hold_no_answers_and_no_session_ids(client, caplog):
    with caplog.at_level(logging.DEBUG):
        session = answer(client, open_session(client), "none").json()["session"]
        answer(client, session, 5)
    ours = [record for record in caplog.records if not record.name.startswith("httpx")]  # the test's own client
    fields = [record.fields for record in ours if hasattr(record, "fields")]
    assert {item["route"] for item in fields} == {"/v1/sessions", "/v1/sessions/{id}/answers"}
    text = "\n".join(record.getMessage() + json.dumps(getattr(record, "fields", {})) for record in ours)
    for secret in (session["id"], session["share"], "none", session["question"]["id"]):
        assert secret not in text


def test_metrics_count_by_route_not_by_session(client):
    session = open_session(client)
    client.get(f"/v1/sessions/{session['id']}")
    text = client.get("/metrics").text
    assert 'rather_requests_total{method="GET",route="/v1/sessions/{id}",status="200"} 1.0' in text
    assert session["id"] not in text


@pytest.mark.parametrize(
    "settings",
    [
        {"keep_days": 0},
        {"admin_token": "short"},
        {"origins": ("example.org",)},
        {"origins": ("https://a.org; script-src *",)},
        {"image_hosts": ("https://*",)},
        {"database": "mysql://x"},
        {"database": "nothing"},
    ],
)
def test_settings_that_make_no_sense_are_refused(source, settings):
    from rather.server import create_app

    with pytest.raises(InvalidInputError):
        create_app([source], Settings(**settings, prefetch=False))


def test_limits_are_positive():
    with pytest.raises(InvalidInputError, match="`slate` must be above 0, got 0"):
        Limits(slate=0)
