"""An answer counts once, whatever the network does to it."""

import threading
from collections import Counter

import pytest
from serving import answer, open_session

from rather.server.sessions.sql_store import SqlStore


@pytest.fixture
def client(make_client, any_database):
    return make_client(database=any_database)


def test_the_same_answer_twice_is_one(client):
    session = open_session(client)
    first, second = answer(client, session, 1).json(), answer(client, session, 1).json()
    assert (first["repeated"], second["repeated"]) == (False, True)
    assert second == {**first, "repeated": True}


def test_a_repeated_answer_is_known_later_too(client):
    start = open_session(client)
    session = start
    for choice in (1, "none", 0):
        session = answer(client, session, choice).json()["session"]
    late = answer(client, start, 1).json()
    assert late["repeated"]
    assert late["answer"] == "1"
    assert late["session"] == session


def test_another_answer_to_an_answered_question_names_the_open_one(client):
    start = open_session(client)
    session = answer(client, start, 1).json()["session"]
    rejected = answer(client, start, 0)
    assert rejected.status_code == 409
    problem = rejected.json()
    assert problem["code"] == "answer-conflict"
    assert problem["open_question"] == session["question"]["id"]
    assert session["question"]["id"] in problem["detail"]
    assert client.get(f"/v1/sessions/{start['id']}").json() == session


def test_a_question_of_nowhere_names_the_open_one(client):
    session = open_session(client)
    problem = answer(client, session, 0, question="9-9").json()
    assert (problem["status"], problem["code"]) == (409, "stale-question")
    assert problem["open_question"] == session["question"]["id"]


def test_a_late_copy_of_an_answer_does_not_undo_an_undo(client):
    start = open_session(client)
    answer(client, start, 0)
    undone = client.post(f"/v1/sessions/{start['id']}/undo").json()
    problem = answer(client, start, 0).json()
    assert (problem["status"], problem["code"]) == (409, "answer-undone")
    assert client.get(f"/v1/sessions/{start['id']}").json() == undone
    assert answer(client, undone, 1).json()["session"]["answers"] == 1


@pytest.mark.parametrize("choice", [2, 7, "both", None, 1.5, True, -1, [0]])
def test_an_answer_that_was_not_offered_is_rejected(client, choice):
    session = open_session(client)
    assert answer(client, session, choice).status_code == 422
    assert client.get(f"/v1/sessions/{session['id']}").json()["answers"] == 0


def test_concurrent_answers_to_one_session_are_serialised(client, any_database):
    session, results = open_session(client, k=4), []
    start = threading.Barrier(12)

    def send(choice):
        start.wait()
        results.append((choice, answer(client, session, choice)))

    threads = [threading.Thread(target=send, args=(number % 4,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    codes = Counter(response.status_code for _, response in results)
    assert codes == {200: 3, 409: 9}
    (kept,) = {choice for choice, response in results if response.status_code == 200}
    assert sum(not response.json()["repeated"] for _, response in results if response.status_code == 200) == 1
    store = SqlStore(any_database)
    assert [item.event["answer"] for item in store.load(session["id"]).events] == [kept]
    store.close()


def test_two_processes_do_not_store_two_answers(make_client, any_database):
    first, second = make_client(database=any_database), make_client(database=any_database)
    session = open_session(first)
    responses = [answer(client, session, choice) for choice, client in enumerate((first, second))]
    assert [response.status_code for response in responses] == [200, 409]
    again = answer(second, session, 0).json()
    assert again["repeated"]


def test_an_idempotency_key_opens_one_session(client):
    key = {"Idempotency-Key": "3f1c8b1e-7d0a-4c7e-9a55-0e6b5a2f8f11"}
    first = client.post("/v1/sessions", json={"k": 3}, headers=key)
    answer(client, first.json())
    second = client.post("/v1/sessions", json={"k": 3}, headers=key)
    assert (first.status_code, second.status_code) == (201, 200)
    assert second.json()["id"] == first.json()["id"]
    assert second.json()["answers"] == 1
    other = client.post("/v1/sessions", json={"k": 2}, headers=key)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency-key-reused")
    assert first.json()["id"] not in other.text


def test_concurrent_requests_with_one_key_open_one_session(client):
    key, results = {"Idempotency-Key": "the same key for all"}, []
    start = threading.Barrier(6)

    def send():
        start.wait()
        results.append(client.post("/v1/sessions", json={}, headers=key))

    threads = [threading.Thread(target=send) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    opened = {response.json()["id"] for response in results if response.status_code in (200, 201)}
    assert len(opened) == 1
    assert {response.status_code for response in results} <= {200, 201}


def test_a_key_still_opens_nothing_after_the_session_has_changed(client):
    key = {"Idempotency-Key": "3f1c8b1e-7d0a-4c7e-9a55-0e6b5a2f8f11"}
    first = client.post("/v1/sessions", json={}, headers=key).json()
    changed = client.put(f"/v1/sessions/{first['id']}/filters", json=CHEAP).json()
    second = client.post("/v1/sessions", json={}, headers=key)
    assert (second.status_code, second.json()) == (200, changed)


CHEAP = {"filters": [{"attribute": "price", "maximum": 150}]}
KEY = {"Idempotency-Key": "a key that is sent again"}


def test_filters_with_a_key_are_set_once(make_client, any_database):
    client = make_client(database=any_database)
    session = answer(client, open_session(client)).json()["session"]
    path = f"/v1/sessions/{session['id']}/filters"
    first = client.put(path, json=CHEAP, headers=KEY)
    assert first.json()["filters"] == [{"attribute": "price", "any_of": None, "minimum": None, "maximum": 150.0}]
    second = client.put(path, json=CHEAP, headers=KEY)
    assert (second.status_code, second.json()) == (200, first.json())
    without = client.put(path, json={}, headers={"Idempotency-Key": "another key, another change"}).json()
    assert without["filters"] == []
    assert client.put(path, json=CHEAP, headers=KEY).json() == without  # it came late, and sets nothing again


def test_a_log_with_a_key_is_imported_once(make_client, any_database):
    client = make_client(database=any_database, limits={"sessions_per_day": 2})
    session = answer(client, open_session(client)).json()["session"]
    log = client.get(f"/v1/sessions/{session['id']}/export").json()
    first, second = (client.post("/v1/sessions/import", json=log, headers=KEY) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()
    assert first.headers["location"] == second.headers["location"]
    assert client.app.state.conversations.store.page(1, 0)[1] == 2


def test_an_answer_with_a_key_is_taken_back_once(make_client, any_database):
    client = make_client(database=any_database)
    session = open_session(client)
    for _ in range(3):
        session = answer(client, session).json()["session"]
    path = f"/v1/sessions/{session['id']}/undo"
    first, second = (client.post(path, headers=KEY) for _ in range(2))
    assert first.json() == second.json()
    assert first.json()["answers"] == 2
    assert client.post(path, headers={"Idempotency-Key": "and now another one"}).json()["answers"] == 1


def test_a_key_belongs_to_one_request(client):
    session = open_session(client)
    log = client.get(f"/v1/sessions/{session['id']}/export").json()
    here = f"/v1/sessions/{session['id']}"
    assert client.put(f"{here}/filters", json=CHEAP, headers=KEY).status_code == 200
    assert client.post("/v1/sessions", json={"k": 3}, headers=KEY).status_code == 201
    for method, path, body in (
        ("PUT", f"{here}/filters", {}),
        ("POST", f"{here}/undo", {}),
        ("POST", "/v1/sessions", {"k": 2}),
        ("POST", "/v1/sessions/import", log),
    ):
        reused = client.request(method, path, json=body, headers=KEY)
        assert (reused.status_code, reused.json()["code"]) == (422, "idempotency-key-reused")
    other = open_session(client)
    assert client.put(f"/v1/sessions/{other['id']}/filters", json={}, headers=KEY).status_code == 200


def test_concurrent_changes_with_one_key_are_one(make_client, any_database):
    first, second = make_client(database=any_database), make_client(database=any_database)
    session, results, start = open_session(first), [], threading.Barrier(6)

    def send(client):
        start.wait()
        results.append(client.put(f"/v1/sessions/{session['id']}/filters", json=CHEAP, headers=KEY))

    threads = [threading.Thread(target=send, args=(client,)) for client in (first, second) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {response.status_code for response in results} == {200}
    assert {response.json()["version"] for response in results} == {1}


def test_a_key_that_could_be_guessed_is_rejected(client):
    assert client.post("/v1/sessions", json={}, headers={"Idempotency-Key": "1"}).status_code == 422
