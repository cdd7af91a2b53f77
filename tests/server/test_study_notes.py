"""What a study notes of a session: respondent, campaign, arm and source, by the API."""

import pytest
from serving import answer, open_session

NOTES = {"respondent": "p-17 ä=1", "campaign": "spring", "arm": "b", "source": "newsletter"}


def stored(client, session):
    return client.app.state.conversations.store.load(session["id"])


def test_notes_are_stored_beside_the_session_and_not_in_its_settings(client):
    session = open_session(client, **NOTES)
    found = stored(client, session)
    assert found.study == NOTES
    assert "p-17" not in found.settings
    assert all(found.request[key] is None for key in NOTES)


def test_a_session_without_notes_has_none(client):
    assert stored(client, open_session(client)).study == {}


def test_notes_change_no_question(client):
    plain, noted = open_session(client), open_session(client, **NOTES)
    for _ in range(3):
        for key in ("question", "expected_regret", "recommendations"):
            assert plain[key] == noted[key]
        plain, noted = (answer(client, session).json()["session"] for session in (plain, noted))


def test_a_respondent_never_opens_the_session_of_another(client):
    first = answer(client, open_session(client, **NOTES)).json()["session"]
    second = open_session(client, **NOTES)
    assert second["id"] != first["id"]
    assert second["answers"] == 0
    for guess in (NOTES["respondent"], "p-17", "spring"):
        assert client.get(f"/v1/sessions/{guess}").status_code == 404
        assert client.get(f"/v1/shared/{guess}").status_code == 404


def test_notes_are_shown_to_nobody(client):
    session = open_session(client, **NOTES)
    for path in (f"sessions/{session['id']}", f"shared/{session['share']}", f"sessions/{session['id']}/export"):
        text = client.get(f"/v1/{path}").text
        assert "p-17" not in text
        assert "newsletter" not in text


@pytest.mark.parametrize("key", NOTES)
@pytest.mark.parametrize("note", ["", " ", "a\nb", "a\x00b", "\u202e", "x" * 201, 5, ["a"]])
def test_notes_are_visible_texts_of_bounded_length(client, key, note):
    rejected = client.post("/v1/sessions", json={key: note})
    assert rejected.status_code == 422
    assert rejected.json()["errors"][0]["field"] == f"body.{key}"


def test_one_idempotency_key_with_another_respondent_is_another_request(client):
    headers = {"Idempotency-Key": "0123456789abcdef"}
    assert client.post("/v1/sessions", json={"respondent": "a"}, headers=headers).status_code == 201
    assert client.post("/v1/sessions", json={"respondent": "a"}, headers=headers).status_code == 200
    assert client.post("/v1/sessions", json={"respondent": "b"}, headers=headers).status_code == 422
