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


def test_a_key_that_could_be_guessed_is_rejected(client):
    assert client.post("/v1/sessions", json={}, headers={"Idempotency-Key": "1"}).status_code == 422
