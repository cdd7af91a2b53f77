"""What people say unasked, over HTTP: stored, repeated, taken back, exported and shown."""

import json
import threading

import pytest
from serving import answer, open_session

from rather import LikeBut, MoreLike, Policy, Session, Want
from rather.formats.films import film_belief, film_catalog
from rather.formats.opening import Source
from rather.languages import message

HINTS = [
    {"says": "more-like", "item": "thing-3"},
    {"says": "like-but", "item": "thing-3", "column": "warm", "toward": "more"},
    {"says": "want", "attribute": "quiet"},
    {"says": "dont-care", "column": "fast"},
]
KEY = {"Idempotency-Key": "0123456789abcdef"}


def film_source():
    catalog = film_catalog()
    return Source("films", catalog, film_belief(catalog, particles=100))


@pytest.fixture
def client(make_client, any_database):
    return make_client(database=any_database)


def say(client, session, hint, **headers):
    return client.post(f"/v1/sessions/{session['id']}/hints", json=hint, headers=headers)


def said(client, session, *hints):
    for hint in hints:
        response = say(client, session, hint)
        assert response.status_code == 200, response.text
        session = response.json()
    return session


def load(client, session):
    return client.get(f"/v1/sessions/{session['id']}").json()


def test_a_hint_does_what_it_does_in_the_library(client, source):
    session = answer(client, open_session(client), 0).json()["session"]
    local = Session(Policy(source.catalog, source.belief))
    local.tell(local.ask(), 0)
    for hint, statement in zip(
        HINTS[:3], (MoreLike("thing-3"), LikeBut("thing-3", "warm", "more"), Want("quiet")), strict=True
    ):
        session = said(client, session, hint)
        local.hint(statement)
        assert session["expected_regret"] == pytest.approx(local.expected_regret, rel=1e-5)
        assert [item["id"] for item in session["recommendations"]] == [item.id for item in local.recommend(5)]
        assert [option["id"] for option in session["question"]["options"]] == [
            option.id for option in local.ask().options
        ]
    assert (session["answers"], session["hints"], session["question"]["number"]) == (1, 3, 2)
    assert load(client, session) == session


def test_a_question_that_a_hint_replaced_can_no_longer_be_answered(client):
    before = open_session(client)
    session = said(client, before, HINTS[2])
    assert answer(client, before, 0).json()["code"] == "stale-question"
    assert answer(client, session, 0).json()["session"]["answers"] == 1


@pytest.mark.parametrize("hint", HINTS)
def test_undo_takes_a_hint_back(client, hint):
    before = answer(client, open_session(client), 1).json()["session"]
    session = said(client, before, hint)
    undone = client.post(f"/v1/sessions/{session['id']}/undo", json={"answer": session["last_answer"]}).json()
    same = ("answers", "hints", "expected_regret", "recommendations", "last_answer")
    assert {name: undone[name] for name in same} == {name: before[name] for name in same}
    assert undone["question"]["options"] == before["question"]["options"]
    again = client.post(f"/v1/sessions/{session['id']}/undo", json={"answer": session["last_answer"]}).json()
    assert again == undone


def test_a_hint_that_is_sent_again_counts_once(client):
    session = open_session(client)
    first, second = (say(client, session, HINTS[0], **KEY).json() for _ in range(2))
    assert first == second
    assert first["hints"] == 1
    assert say(client, session, HINTS[1], **KEY).json()["code"] == "idempotency-key-reused"


def test_hints_at_the_same_time_all_count(client):
    session, start = open_session(client), threading.Barrier(4)

    def send(hint):
        start.wait()
        assert say(client, session, hint).status_code == 200

    threads = [threading.Thread(target=send, args=(hint,)) for hint in HINTS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert load(client, session)["hints"] == 4


def test_the_history_says_what_was_said_and_when(client):
    session = said(client, open_session(client), HINTS[2])
    session = answer(client, session, 0).json()["session"]
    session = said(client, session, HINTS[1], HINTS[3])
    client.post(f"/v1/sessions/{session['id']}/undo")
    history = client.get(f"/v1/sessions/{session['id']}/history").json()
    told = [(hint["text"], hint["answers"], hint["undone"]) for hint in history["hints"]]
    assert told == [
        ("I want a thing with quiet", 0, False),
        ("Like Thing 3, but more warm", 1, False),
        ("I don't care about fast", 1, True),
    ]
    assert [turn["number"] for turn in history["turns"]] == [1]
    assert all(hint["expected_regret"] is not None for hint in history["hints"])
    assert client.get(f"/v1/shared/{session['share']}/history").json() == history


def test_an_exported_conversation_takes_its_hints_along(client, source):
    session = said(client, open_session(client), *HINTS)
    session = answer(client, session, 1).json()["session"]
    log = client.get(f"/v1/sessions/{session['id']}/export").json()
    again = client.post("/v1/sessions/import", json=log).json()
    same = ("answers", "hints", "expected_regret", "recommendations", "last_answer")
    assert {name: again[name] for name in same} == {name: session[name] for name in same}
    local = Session.from_json(json.dumps(log), source.catalog, source.belief)
    assert len(local.hints) == 4
    assert [item.id for item in local.recommend(5)] == [item["id"] for item in session["recommendations"]]


def test_filters_leave_hints_as_they_are(client):
    session = said(client, open_session(client), HINTS[0], HINTS[2])
    cheap = {"filters": [{"attribute": "price", "maximum": 150}]}
    filtered = client.put(f"/v1/sessions/{session['id']}/filters", json=cheap).json()
    assert filtered["hints"] == 2
    assert client.get(f"/v1/sessions/{session['id']}/profile").status_code == 200


def test_another_server_on_the_database_knows_the_hints(make_client, any_database):
    first, second = make_client(database=any_database), make_client(database=any_database)
    session = said(first, open_session(first), *HINTS)
    assert load(second, session) == session


def test_recommendations_say_how_they_may_be_wished_otherwise(client):
    session = open_session(client)
    best = session["recommendations"][0]
    assert 1 <= len(best["wishes"]) <= 3
    for wish in best["wishes"]:
        hint = {"says": "like-but", "item": best["id"], "column": wish["column"], "toward": wish["toward"]}
        session = said(client, session, hint)
    history = client.get(f"/v1/sessions/{session['id']}/history").json()
    assert [hint["text"] for hint in history["hints"]] == [
        f"Like {best['label']}, but {wish['text']}" for wish in best["wishes"]
    ]


def test_a_catalogue_lists_what_can_be_said(client):
    listed = client.get("/v1/catalogs/things/attributes").json()["hints"]
    assert [each["attribute"] for each in listed] == ["warm", "quiet", "fast"]
    session = open_session(client)
    for each in listed:
        said(client, session, {"says": "want", "attribute": each["attribute"]})
        said(client, session, {"says": "dont-care", "column": each["column"]})


@pytest.mark.parametrize(
    "hint",
    [
        {},
        {"says": "louder"},
        {"says": "more-like"},
        {"says": "more-like", "item": True},
        {"says": "more-like", "item": "thing-3", "column": "warm"},
        {"says": "more-like", "item": "thing-99"},
        {"says": "like-but", "item": "thing-3"},
        {"says": "like-but", "item": "thing-3", "column": "price", "toward": "less"},
        {"says": "like-but", "item": "thing-3", "column": "warm", "toward": "cheaper"},
        {"says": "want", "attribute": "purple"},
        {"says": "want", "attribute": ""},
        {"says": "dont-care", "column": "x" * 2_000},
        {"says": "want", "attribute": "quiet", "loudly": True},
    ],
)
def test_what_cannot_be_said_is_a_problem_and_changes_nothing(client, hint):
    session = open_session(client)
    response = say(client, session, hint)
    assert response.status_code == 422
    assert response.json()["detail"]
    assert load(client, session) == session


def test_hints_and_answers_share_a_limit(make_client):
    client = make_client(limits={"answers": 2})
    session = said(client, open_session(client), HINTS[2])
    session = answer(client, session, 0).json()["session"]
    assert say(client, session, HINTS[2]).json()["code"] == "session-full"


def test_nobody_gives_hints_through_a_share_link_or_to_nobody(client):
    session = open_session(client)
    assert client.post(f"/v1/sessions/{session['share']}/hints", json=HINTS[2]).status_code == 404


def test_what_was_said_is_told_in_the_language_of_the_reader(make_client):
    client = make_client(sources=[film_source()])
    session = open_session(client)
    best = session["recommendations"][0]
    hints = [
        {"says": "more-like", "item": best["id"]},
        {"says": "want", "attribute": "funny"},
        {"says": "dont-care", "column": "romantic"},
    ]
    said(client, session, *hints)
    german = client.get(f"/v1/sessions/{session['id']}/history?language=de").json()["hints"]
    assert [hint["text"] for hint in german] == [
        f"Mehr wie {best['label']}",
        f"Ich möchte: {message('de', 'names.funny')}",
        f"Egal ist mir: {message('de', 'names.romantic')}",
    ]
    listed = client.get("/v1/catalogs/films/attributes?language=de").json()["hints"]
    assert [each["text"] for each in listed if each["attribute"] == "funny"] == [message("de", "names.funny")]
