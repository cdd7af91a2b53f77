"""What the server rejects, and how it says so: one error body everywhere."""

import base64
import json
import logging
import sqlite3
import time
import tracemalloc
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta

import pytest
from serving import answer, by_name, open_session, small_source
from sqlalchemy import Pool, event
from starlette.testclient import TestClient

from rather import Policy
from rather.conversation.session import Session
from rather.errors import InvalidInputError
from rather.server import Limits, Settings, create_app
from rather.server.sessions.records import now

TOKEN = "a token that nobody guesses"
HOSTILE = '<script>alert("1")</script><img src=x onerror=alert(1)>\u202e\x00'


@pytest.fixture(scope="module")
def shared_client(source, tmp_path_factory):
    database = f"sqlite:///{tmp_path_factory.mktemp('limits') / 'sessions.db'}"
    with TestClient(create_app(by_name(source), Settings(database=database, prefetch=False))) as client:
        yield client


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
        (b'{"ask": "attributes", "k": 10, "p": 10}', 422, "invalid-request"),
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
def test_a_large_body_is_rejected(make_client, chunked):
    client = make_client(limits={"body_bytes": 1_000})
    body = b'{"catalog": "' + b"x" * 2_000 + b'"}'
    content = iter([body[:500], body[500:]]) if chunked else body
    assert is_problem(client.post("/v1/sessions", content=content), 413, "body-too-large")
    assert client.post("/v1/sessions", json={}).status_code == 201


def test_the_sessions_of_one_address_are_limited(make_client):
    client = make_client(limits={"sessions_per_day": 2})
    first = open_session(client)
    open_session(client)
    rejected = client.post("/v1/sessions", json={})
    assert is_problem(rejected, 429, "too-many-sessions")
    assert "retry-after" in rejected.headers
    client.delete(f"/v1/sessions/{first['id']}")
    open_session(client)


@pytest.mark.parametrize(("path", "status"), [("/v1/catalogs", 200), ("/admin/insights", 401)])
def test_the_requests_of_one_address_are_limited(make_client, path, status):
    client = make_client(limits={"requests_per_minute": 3}, admin_token=TOKEN)
    for _ in range(3):
        assert client.get(path).status_code == status
    rejected = client.get(path)
    assert is_problem(rejected, 429, "too-many-requests")
    assert 1 <= int(rejected.headers["retry-after"]) <= 20
    assert client.get("/health").status_code == 200


def test_the_requests_about_one_session_are_limited_and_leave_others_alone(make_client):
    client = make_client(limits={"session_requests_per_minute": 3})
    first, second = open_session(client), open_session(client)
    paths = [
        f"/v1/sessions/{first['id']}",
        f"/v1/sessions/{first['id']}/history",
        f"/v1/sessions/{first['id']}/profile",
    ]
    assert [client.get(path).status_code for path in paths] == [200] * 3
    for path in paths:
        rejected = client.get(path)
        assert is_problem(rejected, 429, "too-many-requests")
        assert "One session" in rejected.json()["detail"]
        assert 1 <= int(rejected.headers["retry-after"]) <= 20
    assert [client.get(f"/v1/shared/{second['share']}").status_code for _ in range(4)] == [200] * 3 + [429]
    assert client.get(f"/v1/sessions/{second['id']}").status_code == 200
    for _ in range(5):
        assert client.post("/v1/sessions/import", json={}).status_code == 422


def test_a_classroom_behind_one_address_is_not_refused(make_client):
    """60 people open the page at once and answer eight questions each."""
    client = make_client(limits={"wait_seconds": 120.0})

    def take_part(person):
        statuses = [client.get("/v1/catalogs").status_code]
        opened = client.post("/v1/sessions", json={"respondent": f"pupil-{person}", "campaign": "class"})
        statuses.append(opened.status_code)
        session = opened.json()
        for path in ("/v1/catalogs/things/attributes", f"/v1/sessions/{session['id']}/history"):
            statuses.append(client.get(path).status_code)
        for number in range(8):
            answered = answer(client, session, (person + number) % 2)
            statuses.append(answered.status_code)
            session = answered.json()["session"]
        for path in ("recommendations", "profile", "history"):
            statuses.append(client.get(f"/v1/sessions/{session['id']}/{path}").status_code)
        return statuses, session["id"]

    with ThreadPoolExecutor(60) as people:
        found = list(people.map(take_part, range(60)))
    assert {status for statuses, _ in found for status in statuses} == {200, 201}
    assert len({id for _, id in found}) == 60


def test_the_answers_of_a_session_are_limited(make_client):
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
    assert all(len(reason["text"]) <= 100 for item in session["recommendations"] for reason in item["reasons"])
    response = client.get(f"/v1/sessions/{session['id']}")
    assert response.headers["content-type"] == "application/json"
    assert response.headers["x-content-type-options"] == "nosniff"


@pytest.fixture(scope="module")
def log(source, tmp_path_factory):
    """A session with one answer, as the library writes it."""
    session = Session(Policy(source.catalog, source.belief))
    session.tell(session.ask(), 0)
    session.ask()
    return json.loads(session.to_json())


TOLD = {"tell": 1, "items": [0, 1], "answer": 0, "evoi": 0.1}


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ({"catalog": "0" * 32, "rather": 1}, "belongs to another catalogue"),
        ({"k": "two"}, "Its `k`"),
        ({"k": None}, "Its `k`"),
        ({"k": 10**9}, "Its `k`"),
        ({"seed": "x"}, "Its `seed`"),
        ({"strategy": "nothing"}, "`strategy` must be one of"),
        ({"strategy": 5}, "Its `strategy`"),
        ({"events": [{"undo": 1}]}, "no answer to undo"),
        ({"events": [{"tell": 1}]}, '{"tell": 1}'),
        ({"events": [{**TOLD, "items": [0, 10**12]}]}, "1000000000000"),
        ({"events": [{**TOLD, "answer": 5}]}, "`choice` must be 0..1"),
        ({"events": [{**TOLD, "evoi": "x"}]}, '"evoi": "x"'),
        ({"events": [{**TOLD, "tell": "x"}]}, '"tell": "x"'),
        ({"events": [TOLD] * 201}, "more than 200 answers"),
        ({"open": {"items": "ab"}}, '"ab"'),
        ({"open": {"items": [0, 1], "evoi": None}}, '"evoi": null'),
        ({"response": {"model": "nothing"}}, '"nothing"'),
        ({"response": {"model": "logistic", "temperature": 0}}, "`temperature` must be above 0"),
        ({"response": 3}, "3 is not allowed"),
        ({"stopping": {"cost": "x"}}, '{"cost": "x"}'),
        ({"rejuvenation": {"threshold": 1.0, "moves": 10**9}}, "Its `rejuvenation` is not the usual one"),
        ({"allowed": "AAAA"}, '"AAAA"'),
        ({"allowed": 5}, "5 is not allowed"),
        ({"allowed": "not base64"}, '"not base64"'),
    ],
)
def test_a_damaged_or_foreign_log_is_rejected(shared_client, log, damage, said):
    assert shared_client.post("/v1/sessions/import", json=log).status_code == 201
    rejected = shared_client.post("/v1/sessions/import", json={**log, **damage})
    assert is_problem(rejected, 422, "invalid-request" if damage == {"strategy": "nothing"} else "invalid-log")
    assert said in rejected.json()["detail"]


@pytest.mark.parametrize("levels", [30, 300, 600, 900, 5_000])
@pytest.mark.parametrize("field", ["events", "open", "anything"])
def test_a_deeply_nested_log_is_rejected(make_client, log, levels, field):
    client = make_client(raising=False)
    deep = "[" * levels + "]" * levels
    body = json.dumps({**log, field: "DEEP"}).replace('"DEEP"', f'[{{"a": {deep}}}]' if field == "events" else deep)
    rejected = client.post("/v1/sessions/import", content=body, headers={"Content-Type": "application/json"})
    assert rejected.status_code in (400, 422)
    assert is_problem(
        rejected, rejected.status_code, {400: "malformed-json", 422: "invalid-request"}[rejected.status_code]
    )


@pytest.mark.parametrize("damage", [{"k": 2.0}, {"seed": 0.0}, {"k": "2"}, {"k": True}, {"strategy": 5}])
def test_numbers_of_a_log_have_the_type_that_the_library_writes(shared_client, log, damage):
    rejected = shared_client.post("/v1/sessions/import", json={**log, **damage})
    assert is_problem(rejected, 422, "invalid-log")


def test_every_export_can_be_imported(make_client):
    client = make_client(limits={"answers": 3})
    session = open_session(client)
    for _ in range(3):
        session = answer(client, session).json()["session"]
    for _ in range(2):
        session = client.post(f"/v1/sessions/{session['id']}/undo").json()
    log = client.get(f"/v1/sessions/{session['id']}/export").json()
    assert len(log["events"]) == 5
    imported = client.post("/v1/sessions/import", json=log)
    assert imported.status_code == 201
    assert imported.json()["answers"] == 1
    assert is_problem(answer(client, imported.json()), 409, "session-full")


def test_a_mask_that_would_unpack_to_gigabytes_is_rejected(client, log):
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
        rejected = client.get("/v1/admin/sessions", headers=headers)
        assert is_problem(rejected, 401, "unauthorized")
        assert session["id"] not in rejected.text
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


def test_expiry_runs_by_itself(make_client, database):
    first = make_client()
    session = open_session(first)
    with closing(sqlite3.connect(database.removeprefix("sqlite:///"))) as connection, connection:
        connection.execute("UPDATE sessions SET touched_at = ?", (str(now() - timedelta(days=31)),))
    second = make_client(keep_days=30)
    end = time.monotonic() + 60
    while second.get(f"/v1/sessions/{session['id']}").status_code != 404:
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_full_disk_is_reported_and_nothing_is_lost(client):
    session = answer(client, open_session(client)).json()["session"]
    most_pages = 1  # less than the file has already: it cannot grow

    def limit(connection, record, proxy):
        connection.execute(f"PRAGMA max_page_count = {most_pages}")

    event.listen(Pool, "checkout", limit)
    try:
        rejected = None
        for _ in range(50):  # free pages within the file are still used
            rejected = client.post("/v1/sessions", json={"k": 3})
            if rejected.status_code != 201:
                break
        assert is_problem(rejected, 503, "storage-unavailable")
        assert "its disk is full" in rejected.json()["detail"]
        assert "retry-after" in rejected.headers
        most_pages = 2**30
        assert client.get(f"/v1/sessions/{session['id']}").json() == session
        assert answer(client, session).status_code == 200
    finally:
        event.remove(Pool, "checkout", limit)


def test_a_lost_database_is_reported_and_found_again(make_client, postgres, postgres_url):
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


def test_an_unexpected_failure_tells_nothing_of_the_inside(make_client, monkeypatch, caplog):
    client = make_client(raising=False)
    store = client.app.state.conversations.store
    monkeypatch.setattr(store, "load", lambda id: 1 / 0)
    rejected = client.get("/v1/sessions/x")
    assert is_problem(rejected, 500, "internal-error")
    assert "ZeroDivision" not in rejected.text
    assert rejected.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in rejected.headers["content-security-policy"]
    (failed,) = [record for record in caplog.records if record.getMessage() == "failed"]
    assert failed.fields["request"] == rejected.headers["x-request-id"]
    assert failed.exc_info[0] is ZeroDivisionError


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
    ("name", "value"),
    [
        ("keep_days", 0),
        ("admin_token", "short"),
        ("origins", ("example.org",)),
        ("origins", ("https://a.org; script-src *",)),
        ("image_hosts", ("https://*",)),
        ("retriever", "nothing"),
        ("database", "mysql://x"),
        ("database", "nothing"),
    ],
)
def test_settings_that_make_no_sense_are_rejected(source, name, value):
    with pytest.raises(InvalidInputError, match=f"`{name}` must"):
        create_app(by_name(source), Settings(**{name: value}, prefetch=False))


def test_limits_are_positive():
    with pytest.raises(InvalidInputError, match="`slate` must be above 0, got 0"):
        Limits(slate=0)
