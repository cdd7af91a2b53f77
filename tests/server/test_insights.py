"""The report over HTTP: behind the admin token, computed once, without what identifies anybody."""

import time

import pytest
from fastapi.testclient import TestClient
from serving import by_name, small_source

from rather.server import Settings, create_app
from rather.server.sessions.courses import course_of
from rather.server.sessions.sql_store import SqlStore

TOKEN = "a-long-admin-token"


@pytest.fixture
def client(tmp_path):
    settings = Settings(database=f"sqlite:///{tmp_path / 'sessions.db'}", admin_token=TOKEN, prefetch=False)
    with TestClient(create_app(by_name(small_source()), settings)) as client:
        yield client


def converse(client, answers):
    session = client.post("/v1/sessions", json={}).json()
    for _ in range(answers):
        question = session["question"]
        answer = {"question": question["id"], "choice": 0}
        session = client.post(f"/v1/sessions/{session['id']}/answers", json=answer).json()
        session = session.get("session", session)
    return session


def complete(client):
    for _ in range(100):
        found = client.get("/v1/admin/insights", headers={"Authorization": f"Bearer {TOKEN}"})
        if found.status_code == 200 and found.json()["complete"]:
            return found.json()
        time.sleep(0.1)
    raise AssertionError("the report was not computed")


def test_the_report_counts_conversations_and_says_what_people_want(client):
    for answers in (0, 1, 2, 2):
        converse(client, answers)
    found = complete(client)
    assert (found["progress"]["total"]["began"], found["progress"]["total"]["answered"]) == (4, 3)
    assert found["wants"]["respondents"] == 3
    assert found["wants"]["people"] == []


def test_without_answers_there_is_only_progress(client):
    converse(client, 0)
    assert complete(client)["wants"] is None


def test_no_report_without_the_token(client):
    assert client.get("/v1/admin/insights").status_code == 401
    page = client.get("/admin/insights")
    assert page.status_code == 401
    assert "<form" in page.text
    assert client.post("/admin/login", data={"token": "wrong"}).status_code == 401


def test_an_unknown_catalogue_is_a_problem(client):
    found = client.get("/v1/admin/insights?catalog=none", headers={"Authorization": f"Bearer {TOKEN}"})
    assert found.status_code in (404, 422)


def test_logging_in_opens_the_page_by_a_strict_cookie(client):
    converse(client, 1)
    complete(client)
    response = client.post("/admin/login", data={"token": TOKEN}, follow_redirects=False)
    assert response.status_code == 303
    cookie = response.headers["set-cookie"].lower()
    assert "samesite=strict" in cookie
    assert "httponly" in cookie
    assert TOKEN not in cookie
    page = client.get("/admin/insights")
    assert page.status_code == 200
    assert "How conversations went" in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


def test_courses_by_query_are_those_of_the_whole_sessions(client, tmp_path):
    for answers in (0, 1, 3):
        converse(client, answers)
    last = converse(client, 2)
    client.post(f"/v1/sessions/{last['id']}/undo", json={})
    store = SqlStore(f"sqlite:///{tmp_path / 'sessions.db'}")
    name = next(iter(store.catalog_names()))
    by_query = sorted(store.courses(name), key=lambda each: each.began)
    whole = sorted(map(course_of, store.stream()), key=lambda each: each.began)
    sample, answering = store.sample(name, 2, seed=0)
    store.close()
    assert by_query == whole
    assert [each.answered for each in whole] == [0, 1, 3, 1]
    assert (len(sample), answering) == (2, 3)
