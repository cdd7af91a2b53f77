"""In which language the service speaks, and that its answers stay the same in each."""

import re

import pytest

import rather
from rather.formats.opening import Source

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.8"}


def opened(client, headers=None, **body):
    response = client.post("/v1/sessions", json=body, headers=headers)
    assert response.status_code == 201
    return response.json()


def test_the_browser_decides(client):
    session = opened(client, GERMAN)
    assert session["language"] == "de"
    assert session["question"]["prompt"] == "Was wäre dir lieber?"
    assert opened(client)["language"] == "en"


def test_a_language_that_we_do_not_speak_is_english(client):
    assert opened(client, {"Accept-Language": "pt-BR,it;q=0.8"})["language"] == "en"


def test_a_session_has_a_language_of_its_own_which_the_address_overrules(client):
    session = opened(client, GERMAN, language="fr")
    assert session["language"] == "fr"
    address = f"/v1/sessions/{session['id']}"
    assert client.get(address).json()["question"]["prompt"] == "Que préférez-vous\xa0?"
    assert client.get(address, params={"language": "es"}).json()["question"]["prompt"] == "¿Qué prefieres?"


def test_the_operator_may_fix_the_language(make_client):
    session = opened(make_client(language="es"), GERMAN, language="fr")
    assert session["language"] == "es"


def test_an_operator_cannot_fix_a_language_that_we_do_not_speak(make_client):
    with pytest.raises(rather.errors.InvalidInputError, match="must be one of en, de, fr, es, got 'it'"):
        make_client(language="it")


def test_the_language_changes_words_and_nothing_else(client):
    english, german = opened(client, seed=4), opened(client, GERMAN, seed=4)
    for session in (english, german):
        for _ in range(3):
            question = client.get(f"/v1/sessions/{session['id']}/question").json()
            answer = {"question": question["id"], "choice": 0}
            client.post(f"/v1/sessions/{session['id']}/answers", json=answer, headers=GERMAN)
    logs = [client.get(f"/v1/sessions/{session['id']}/export").json() for session in (english, german)]
    assert logs[0]["events"] == logs[1]["events"]


def test_a_history_is_read_in_the_language_of_the_reader(client):
    session = opened(client)
    answer = {"question": session["question"]["id"], "choice": 0}
    client.post(f"/v1/sessions/{session['id']}/answers", json=answer)
    history = client.get(f"/v1/sessions/{session['id']}/history", headers=GERMAN).json()
    assert history["turns"][0]["prompt"] == "Was wäre dir lieber?"


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("GET", "/v1/sessions/none", None, "Dieses Gespräch gibt es nicht; vielleicht ist es abgelaufen."),
        ("GET", "/v1/shared/none", None, "Unter diesem Link ist kein Gespräch geteilt."),
        (
            "POST",
            "/v1/sessions",
            {"catalog": "x"},
            "Einen Katalog mit diesem Namen gibt es hier nicht. Es gibt: things.",
        ),
    ],
)
def test_problems_that_people_see_are_translated(client, method, path, body, expected):
    problem = client.request(method, path, json=body, headers=GERMAN).json()
    assert problem["detail"] == expected
    assert " " in problem["action"]
    assert not re.search(r"(the|a|one|new)", problem["action"])


def test_must_haves_that_nothing_meets_are_explained(make_client):
    table = rather.open({"name": [f"n{row}" for row in range(30)], "size": [row % 10 for row in range(30)]})
    client = make_client(sources=[Source("things", *table)])
    body = {"filters": [{"attribute": "size", "minimum": 99}]}
    detail = client.post("/v1/sessions", json=body, headers=GERMAN).json()["detail"]
    assert detail == "Nichts passt zu diesen Kriterien. Lass eins davon weg."


def test_pages_have_the_language_of_whoever_opens_them(client):
    page = client.get("/", headers=GERMAN)
    assert '<html lang="de"' in page.text
    assert page.headers["content-language"] == "de"
    assert "accept-language" in page.headers["vary"].lower()
    assert '<html lang="fr"' in client.get("/embed?language=fr", headers=GERMAN).text
    missing = client.get("/nowhere", headers={**GERMAN, "Accept": "text/html"})
    assert "Seite nicht gefunden" in missing.text
    assert "{{" not in missing.text + page.text
