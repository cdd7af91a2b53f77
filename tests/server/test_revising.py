"""Answers that are revised over HTTP: stored, repeated, exported; and contradictions, shown with the ids to revise."""

import json

import pytest
from serving import answer, open_session

from rather import Policy, Session
from rather.server.exports.reading import read_folder
from rather.server.exports.writing import write_folder
from rather.server.sessions.sql_store import SqlStore

KEY = {"Idempotency-Key": "0123456789abcdef"}
CHOICES = (0, 1, "none", 1)


@pytest.fixture
def client(make_client, any_database):
    return make_client(database=any_database)


def conversation(client, choices=CHOICES, **settings):
    session = open_session(client, **settings)
    for choice in choices:
        session = answer(client, session, choice).json()["session"]
    return session


def revise(client, session, number, choice, **headers):
    return client.put(f"/v1/sessions/{session['id']}/answers/{number}", json={"choice": choice}, headers=headers)


def history(client, session):
    return client.get(f"/v1/sessions/{session['id']}/history").json()["turns"]


def held(client, session):
    return [turn["choice"] for turn in history(client, session) if not turn["undone"]]


def test_a_revision_does_what_it_does_in_the_library(client, source):
    session = conversation(client)
    local = Session(Policy(source.catalog, source.belief))
    for choice in CHOICES:
        local.tell(local.ask(), choice)
    revised = revise(client, session, 2, 0).json()
    local.revise(2, 0)
    assert revised["answers"] == 4
    assert revised["expected_regret"] == pytest.approx(local.expected_regret, rel=1e-5)
    assert [item["id"] for item in revised["recommendations"]] == [item.id for item in local.recommend(5)]
    assert {option["id"] for option in revised["question"]["options"]} == {option.id for option in local.ask().options}
    assert held(client, session) == [0, 0, "none", 1]
    assert client.get(f"/v1/sessions/{session['id']}").json() == revised


def test_the_regrets_of_the_history_are_those_of_the_revised_conversation(client, source):
    session = conversation(client)
    revise(client, session, 1, 1)
    local = Session(Policy(source.catalog, source.belief))
    for choice in CHOICES:
        local.tell(local.ask(), choice)
    local.revise(1, 1)
    wanted = [local.policy.expected_regret(turn.belief) for turn in local.turns]
    found = [turn["expected_regret"] for turn in history(client, session) if not turn["undone"]]
    assert found == pytest.approx(wanted, rel=1e-5)


def test_the_open_question_of_before_can_no_longer_be_answered(client):
    before = conversation(client)
    session = revise(client, before, 1, 1).json()
    assert answer(client, before, 0).json()["code"] == "stale-question"
    assert answer(client, session, 0).json()["session"]["answers"] == 5


def test_a_revision_that_is_sent_again_counts_once(client):
    session = conversation(client)
    first, second = (revise(client, session, 2, 0, **KEY).json() for _ in range(2))
    third = revise(client, session, 2, 0).json()  # without its key
    assert first == second == third
    assert held(client, session) == [0, 0, "none", 1]


def test_an_answer_that_arrives_late_is_known_to_have_been_revised(client):
    first = open_session(client)
    session = answer(client, first, 0).json()["session"]
    revise(client, session, 1, 1)
    assert answer(client, first, 1).json()["repeated"]
    assert answer(client, first, 0).json()["code"] == "answer-conflict"


def test_revising_to_the_same_answer_changes_nothing(client):
    session = conversation(client)
    assert revise(client, session, 3, "none").json()["version"] == session["version"]


def test_an_answer_can_be_revised_again_under_its_new_id(client):
    session = conversation(client)
    revise(client, session, 1, 1)
    assert revise(client, session, 1, "skip").json()["code"] == "answer-undone"
    now = next(turn["answer"] for turn in history(client, session) if not turn["undone"])
    assert revise(client, session, now, "skip").status_code == 200
    assert held(client, session) == ["skip", 1, "none", 1]


def test_undo_after_a_revision_takes_the_last_answer_back(client):
    session = conversation(client)
    revised = revise(client, session, 1, 1).json()
    undone = client.post(f"/v1/sessions/{session['id']}/undo", json={"answer": revised["last_answer"]}).json()
    assert undone["answers"] == 3
    assert held(client, session) == [1, 1, "none"]


def test_hints_that_came_later_stay(client):
    session = conversation(client, (0,))
    client.post(f"/v1/sessions/{session['id']}/hints", json={"says": "want", "attribute": "quiet"})
    revised = revise(client, session, 1, 1).json()
    assert (revised["answers"], revised["hints"]) == (1, 1)


@pytest.mark.parametrize("id", ["9", "0", "x", "-1", "1.0"])
def test_an_unknown_answer_is_a_problem(client, id):
    session = conversation(client, (0,))
    assert revise(client, session, id, 1).json()["code"] == "unknown-answer"


def test_a_hint_is_no_answer(client):
    session = open_session(client)
    client.post(f"/v1/sessions/{session['id']}/hints", json={"says": "want", "attribute": "quiet"})
    assert revise(client, session, 1, 0).json()["code"] == "unknown-answer"


def test_a_choice_that_was_not_offered_is_a_problem(client):
    session = conversation(client, (0,))
    assert revise(client, session, 1, 2).json()["code"] == "invalid-choice"
    assert revise(client, session, 1, "maybe").json()["code"] == "invalid-request"
    assert held(client, session) == [0]


def test_a_full_session_cannot_be_revised(make_client):
    client = make_client(limits={"answers": 5})
    session = conversation(client)
    assert revise(client, session, 4, 0).status_code == 200
    assert revise(client, session, 1, 1).json()["code"] == "session-full"


def test_an_export_holds_the_revised_conversation(client, source):
    session = conversation(client)
    revised = revise(client, session, 1, 1).json()
    log = client.get(f"/v1/sessions/{session['id']}/export").json()
    local = Session.from_json(json.dumps(log), source.catalog, source.belief)
    assert [turn.answer for turn in local.turns] == [1, 1, "none", 1]
    assert local.expected_regret == pytest.approx(revised["expected_regret"], rel=1e-5)
    again = client.post("/v1/sessions/import", json=log).json()
    assert again["recommendations"] == revised["recommendations"]


def test_exported_tables_give_the_revised_session_back(client, any_database, tmp_path):
    session = conversation(client)
    revise(client, session, 2, 0)
    store = SqlStore(any_database)
    kept = store.load(session["id"])
    write_folder(store.stream(), tmp_path, "csv")
    assert [each for each in read_folder(tmp_path) if each.id == session["id"]] == [kept]
    store.close()


def test_contradictions_name_the_answers_to_revise(client, source):
    """The same choices until the library finds one."""
    local, session = Session(Policy(source.catalog, source.belief)), open_session(client)
    shown = []
    for _ in range(12):
        worst = int((local.ask().vectors @ local.belief.mean).argmin())
        ids = [option["id"] for option in session["question"]["options"]]
        chosen = local.ask().options[worst].id
        local.tell(local.ask(), worst)
        session = answer(client, session, ids.index(chosen)).json()["session"]
        shown = client.get(f"/v1/sessions/{session['id']}/contradictions").json()["contradictions"]
        wanted = local.contradictions()
        assert [(each["number"], each["earlier_number"]) for each in shown] == [
            (each.number, each.earlier) for each in wanted
        ]
        assert [each["text"] for each in shown] == [each.text for each in wanted]
        if shown:
            break
    assert shown
    numbers = {turn["answer"]: turn["number"] for turn in history(client, session)}
    assert all(numbers[each["answer"]] == each["number"] for each in shown)
    assert all(numbers[each["earlier_answer"]] == each["earlier_number"] for each in shown)
    german = client.get(f"/v1/sessions/{session['id']}/contradictions?language=de").json()["contradictions"]
    assert german[0]["text"].startswith("Bei Frage")
