"""The report over HTTP: behind the admin token, computed once, without what identifies anybody."""

import time
from html import escape

import pytest
from fastapi.testclient import TestClient
from serving import by_name, small_source

from rather.server import Settings, create_app
from rather.server.conversations.insights import InsightReports
from rather.server.sessions.courses import course_of
from rather.server.sessions.sql_store import SqlStore

TOKEN = "a-long-admin-token"


@pytest.fixture
def client(tmp_path):
    settings = Settings(database=f"sqlite:///{tmp_path / 'sessions.db'}", admin_token=TOKEN, prefetch=False)
    with TestClient(create_app(by_name(small_source()), settings)) as client:
        yield client


BEARER = {"Authorization": f"Bearer {TOKEN}"}


def log_in(client):
    assert client.post("/admin/login", data={"token": TOKEN}).status_code == 200


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
        found = client.get("/v1/admin/insights", headers=BEARER)
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
    for wrong in ({"token": "wrong"}, {}, {"token": ["wrong"] * 20}):
        form = client.post("/admin/login", data=wrong)
        assert form.status_code == 401
        assert "This is not the admin token." in form.text


def test_an_unknown_catalogue_is_a_problem(client):
    found = client.get("/v1/admin/insights?catalog=none", headers=BEARER)
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


def test_shares_of_any_items_and_changes_are_computed_on_demand(client):
    for _ in range(3):
        converse(client, 2)
    complete(client)
    params = [("items", "thing-0"), ("items", "thing-1\nThing 2")]
    found = client.get("/v1/admin/insights", params=params, headers=BEARER).json()
    assert [each["item"]["id"] for each in found["wants"]["shares"]] == ["thing-0", "thing-1", "thing-2"]
    assert sum(each["first_choice"]["value"] for each in found["wants"]["shares"]) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    ("params", "status", "said"),
    [
        ({"items": "nothing"}, 404, "has the id 'nothing'"),
        ({"items": "--5"}, 404, "has the id '--5'"),
        ({"items": "thing-0"}, 422, "at least two items"),
        ({"what_if": "thing-0 is cheaper"}, 422, "must read"),
        ({"price": "weight"}, 404, "No column of numbers is called 'weight'"),
        ({"items": "\n".join(map(str, range(51)))}, 422, "At most 50 items"),
    ],
)
def test_a_wish_that_cannot_be_met_is_a_problem(client, params, status, said):
    converse(client, 1)
    complete(client)
    found = client.get("/v1/admin/insights", params=params, headers=BEARER)
    assert found.status_code == status
    assert said in found.json()["detail"]
    log_in(client)
    page = client.get("/admin/insights", params=params)
    assert page.status_code == 200
    assert escape(said) in page.text  # in the form; the report is there all the same
    assert "Which questions decided" in page.text


def test_tables_come_as_csv_that_no_spreadsheet_computes(make_client):
    client = make_client(sources=[small_source(hostile="=")], admin_token=TOKEN)
    converse(client, 2)
    complete(client)
    log_in(client)
    for path, headers in (("/v1/admin/insights", BEARER), ("/admin/insights", {})):
        winners = client.get(f"{path}/winners.csv", headers=headers)
        assert winners.headers["content-type"] == "text/csv; charset=utf-8"
        assert winners.text.startswith("\ufeffid,item,")
        assert ",'=Thing " in winners.text
        assert ",=Thing " not in winners.text
        assert "conversation 1," in client.get(f"{path}/respondents.csv", headers=headers).text
        assert client.get(f"{path}/nothing.csv", headers=headers).status_code == 404
    client.post("/admin/logout")
    assert client.get("/admin/insights/respondents.csv").status_code == 401
    assert client.get("/v1/admin/insights/respondents.csv").status_code == 401


def test_logging_out_ends_it(client):
    log_in(client)
    assert client.get("/admin/insights").status_code == 200
    assert client.post("/admin/logout").status_code == 401  # it leads back to the form
    assert client.get("/admin/insights").status_code == 401


def test_an_old_report_is_shown_until_the_next_one_is_complete(client):
    converse(client, 1)
    app, seconds = client.app, [0.0]
    reports = InsightReports(
        app.state.conversations.catalogs, app.state.conversations.store, kept_seconds=60, clock=lambda: seconds[0]
    )

    def began():
        found, waiting = reports.report("things")
        return None if waiting else found.progress.total.began

    def poll(wanted):
        deadline = time.monotonic() + 120  # a second's work, on a machine that others may keep busy
        while (seen := began()) != wanted:
            assert seen in (None, 1)
            assert time.monotonic() < deadline, "the report was not computed"
            time.sleep(0.05)

    poll(1)
    converse(client, 1)
    assert began() == 1  # kept for a minute
    seconds[0] = 61.0
    assert began() == 1  # the next one is begun
    poll(2)
    reports.close()


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
