"""Conversations over the API: what comes back is what the library says."""

import json
from urllib.parse import urlencode

import pytest
from serving import answer, open_session, small_source

from rather import Policy
from rather.conversation.session import Session


def local(source, **settings):
    """The same conversation with the library alone."""
    return Session(Policy(source.catalog, source.belief, budget_ms=2_000, **settings))


def labels(question):
    return [option["label"] for option in question["options"]]


def test_a_conversation_is_the_librarys(client, source):
    session, ours = open_session(client), local(source)
    for number, choice in enumerate((0, 1, "none", "same", "skip", 1), start=1):
        question = ours.ask()
        assert session["question"]["number"] == number
        assert labels(session["question"]) == [option.label for option in question.options]
        assert session["question"]["evoi"] == pytest.approx(question.evoi)
        response = answer(client, session, choice)
        assert response.status_code == 200
        session = response.json()["session"]
        ours.tell(question, choice)
        assert session["expected_regret"] == pytest.approx(ours.expected_regret)
        assert session["stop_reason"] == (ours.stop and ours.stop.text)
        assert [item["id"] for item in session["recommendations"]] == [item.id for item in ours.recommend(5)]


def test_asking_twice_gives_the_same_question(client):
    session = open_session(client)
    first = client.get(f"/v1/sessions/{session['id']}/question").json()
    assert client.get(f"/v1/sessions/{session['id']}/question").json() == first == session["question"]


def test_the_catalogue_may_be_left_out_when_there_is_only_one(client):
    assert open_session(client)["catalog"] == "things"


def test_of_several_catalogues_one_must_be_named(make_client):
    client = make_client(sources=[small_source("one"), small_source("two")])
    assert client.post("/v1/sessions", json={}).json()["code"] == "unknown-catalog"
    assert open_session(client, catalog="two")["catalog"] == "two"
    assert [item["name"] for item in client.get("/v1/catalogs").json()["catalogs"]] == ["one", "two"]


def test_settings_reach_the_library(client, source):
    session = open_session(client, k=3, seed=5, strategy="random", questions=2)
    ours = Session(Policy(source.catalog, source.belief, 3, 5, strategy="random"))
    assert labels(session["question"]) == [option.label for option in ours.ask().options]
    for _ in range(2):
        session = answer(client, session).json()["session"]
    assert session["stop"] == {"code": "questions", "text": "2 questions answered"}
    assert session["stop_reason"] == session["stop"]["text"]


def test_facts_say_whether_they_differ(client):
    options = open_session(client)["question"]["options"]
    by_name = [{fact["name"]: fact["value"] for fact in option["facts"]} for option in options]
    for option in options:
        for fact in option["facts"]:
            assert fact["differs"] == (len({facts.get(fact["name"]) for facts in by_name}) > 1)


def test_every_fact_is_shown(client, source):
    for option in open_session(client)["question"]["options"]:
        row = int(option["id"].removeprefix("thing-"))
        assert {fact["name"]: fact["value"] for fact in option["facts"]} == source.catalog.facts[row]


def test_undo_opens_the_question_again_under_a_new_id(client):
    before = open_session(client)
    after = answer(client, before).json()["session"]
    undone = client.post(f"/v1/sessions/{before['id']}/undo", json={"answer": after["last_answer"]}).json()
    assert undone["question"] == {**before["question"], "id": undone["question"]["id"]}
    assert undone["question"]["id"] != before["question"]["id"]
    assert undone["recommendations"] == before["recommendations"]
    assert undone["answers"] == 0


def test_undo_without_a_body_takes_the_last_answer(client):
    session = open_session(client)
    answer(client, session)
    assert client.post(f"/v1/sessions/{session['id']}/undo").json()["answers"] == 0
    rejected = client.post(f"/v1/sessions/{session['id']}/undo")
    assert (rejected.status_code, rejected.json()["code"]) == (409, "nothing-to-undo")


def test_undoing_the_same_answer_twice_takes_back_one(client):
    session = answer(client, answer(client, open_session(client)).json()["session"]).json()["session"]
    for _ in range(2):
        undone = client.post(f"/v1/sessions/{session['id']}/undo", json={"answer": session["last_answer"]}).json()
    assert undone["answers"] == 1
    other = client.post(f"/v1/sessions/{session['id']}/undo", json={"answer": "77"})
    assert (other.status_code, other.json()["code"]) == (409, "not-the-last-answer")


def test_history_lists_every_answer_with_the_regret_after_it(client):
    start = open_session(client)
    second = answer(client, start, 0).json()["session"]
    third = answer(client, second, "same").json()["session"]
    client.post(f"/v1/sessions/{start['id']}/undo")
    history = client.get(f"/v1/sessions/{start['id']}/history").json()
    assert history["start_regret"] == start["start_regret"]
    assert [turn["choice"] for turn in history["turns"]] == [0, "same"]
    assert [turn["undone"] for turn in history["turns"]] == [False, True]
    assert [turn["number"] for turn in history["turns"]] == [1, 2]
    assert [turn["expected_regret"] for turn in history["turns"]] == [
        second["expected_regret"],
        third["expected_regret"],
    ]
    assert labels(history["turns"][0]) == labels(start["question"])


def test_the_ranking_comes_in_pages(client, source):
    session = answer(client, open_session(client)).json()["session"]
    address = f"/v1/sessions/{session['id']}/recommendations"
    whole = client.get(address, params={"limit": 100}).json()
    assert whole["total"] == len(whole["recommendations"]) == len(source.catalog)
    pages, query = [], "?limit=10"
    while query is not None:
        page = client.get(address + query).json()
        pages += page["recommendations"]
        query = page["next"]
    assert [item["id"] for item in pages] == [item["id"] for item in whole["recommendations"]]
    assert [item["rank"] for item in pages] == list(range(1, len(source.catalog) + 1))
    assert client.get(address, params={"offset": 24}).json()["recommendations"] == []


def test_what_is_excluded_is_on_no_page_and_not_counted(client, source):
    session = answer(client, open_session(client)).json()["session"]
    address = f"/v1/sessions/{session['id']}/recommendations"
    first = client.get(address, params={"limit": 2}).json()["recommendations"]
    seen = [item["id"] for item in first]
    left = len(source.catalog) - len(seen)
    query = "?" + urlencode({"exclude": [*seen, "unheard-of"], "limit": left - 1}, doseq=True)
    shown = []
    while query is not None:
        page = client.get(address + query).json()
        assert page["total"] == left
        shown += [item["id"] for item in page["recommendations"]]
        query = page["next"]
    assert sorted(shown) == sorted(set(source.catalog.ids) - set(seen))


def test_filters_narrow_the_ranking(client, source):
    session = open_session(client)
    address = f"/v1/sessions/{session['id']}/recommendations"
    filters = json.dumps([{"attribute": "colour", "any_of": ["red"]}, {"attribute": "price", "maximum": 120}])
    page = client.get(address, params={"filters": filters, "limit": 2}).json()
    assert page["total"] == 5  # every third of the first 13
    rest = client.get(address + page["next"]).json()
    shown = [item["id"] for item in page["recommendations"] + rest["recommendations"]]
    assert len(shown) == 4
    assert all(int(id.split("-")[1]) in range(0, 13, 3) for id in shown)
    none = json.dumps([{"attribute": "colour", "any_of": ["violet"]}])
    assert client.get(address, params={"filters": none}).json()["total"] == 0


def test_must_haves_hold_for_questions_and_recommendations(client):
    wanted = [{"attribute": "colour", "any_of": ["green", "blue"]}]
    session = open_session(client, filters=wanted)
    for _ in range(4):
        shown = session["question"]["options"] + session["recommendations"]
        assert all({"name": "colour", "value": "red"} not in item["facts"] for item in shown)
        session = answer(client, session).json()["session"]
    assert session["filters"] == [
        {"attribute": "colour", "any_of": ["green", "blue"], "minimum": None, "maximum": None}
    ]


def test_must_haves_can_change_and_answers_stay(client):
    session = answer(client, open_session(client)).json()["session"]
    body = {"filters": [{"attribute": "colour", "any_of": ["red"]}]}
    changed = client.put(f"/v1/sessions/{session['id']}/filters", json=body).json()
    assert changed["answers"] == 1
    assert changed["question"]["number"] == 2
    assert changed["question"]["id"] != session["question"]["id"]
    assert all({"name": "colour", "value": "red"} in item["facts"] for item in changed["recommendations"])
    assert answer(client, changed).status_code == 200
    back = client.put(f"/v1/sessions/{session['id']}/filters", json={}).json()
    assert back["filters"] == []
    assert back["answers"] == 2


def test_too_narrow_must_haves_are_rejected(client):
    body = {"filters": [{"attribute": "price", "minimum": 225}]}
    rejected = client.post("/v1/sessions", json=body)
    assert (rejected.status_code, rejected.json()["code"]) == (422, "invalid-filter")
    assert rejected.json()["detail"] == "Only 1 of 24 things matches these filters; a question needs 2."


@pytest.mark.parametrize(
    ("filter", "detail"),
    [
        ({"attribute": "size", "minimum": 1}, "No filter is called 'size'. There are: colour, tags, price."),
        ({"attribute": "price", "any_of": ["1"]}, "The filter 'price' takes `minimum` and `maximum`."),
        ({"attribute": "colour", "minimum": 1}, "The filter 'colour' takes `any_of`."),
    ],
)
def test_a_filter_that_makes_no_sense_is_explained(client, filter, detail):
    assert client.post("/v1/sessions", json={"filters": [filter]}).json()["detail"] == detail


def test_attributes_say_what_can_be_asked_for(client):
    found = client.get("/v1/catalogs/things/attributes").json()
    assert [item["name"] for item in found["attributes"]] == ["warm", "quiet", "fast"]
    options = {item["attribute"]: item for item in found["filters"]}
    assert list(options) == ["colour", "tags", "price"]  # a note is text
    assert options["tags"]["values"][0] == {"value": "big", "items": 24}
    assert options["colour"]["kind"] == "category"
    assert (options["price"]["minimum"], options["price"]["maximum"], options["price"]["unit"]) == (0, 230, "€")


def test_the_profile_is_the_belief(client, source):
    session, ours = open_session(client), local(source)
    ours.tell(ours.ask(), 0)
    answer(client, session, 0)
    tastes = client.get(f"/v1/sessions/{session['id']}/profile").json()["tastes"]
    assert {taste["feature"] for taste in tastes} == {"warm", "quiet", "fast"}
    for taste in tastes:
        column = source.catalog.features.index(taste["feature"])
        assert taste["mean"] == pytest.approx(float(ours.belief.mean[column]), abs=1e-5)
    weights = [abs(taste["weight"]) for taste in tastes]
    assert weights == sorted(weights, reverse=True)


def test_an_export_is_the_librarys_log(client, source):
    session = answer(client, answer(client, open_session(client)).json()["session"], 1).json()["session"]
    client.post(f"/v1/sessions/{session['id']}/undo")
    log = client.get(f"/v1/sessions/{session['id']}/export").text
    ours = Session.from_json(log, source.catalog, source.belief)
    now = client.get(f"/v1/sessions/{session['id']}").json()
    assert [option.label for option in ours.ask().options] == labels(now["question"])
    assert [item.id for item in ours.recommend(5)] == [item["id"] for item in now["recommendations"]]
    assert len(ours.events) == 3


def test_an_import_goes_on_where_the_export_was(client):
    session = answer(client, open_session(client, k=3, seed=9)).json()["session"]
    log = client.get(f"/v1/sessions/{session['id']}/export").json()
    imported = client.post("/v1/sessions/import", json=log)
    assert imported.status_code == 201
    twin = imported.json()
    assert twin["id"] != session["id"]
    assert labels(twin["question"]) == labels(session["question"])
    assert twin["recommendations"] == session["recommendations"]
    history = client.get(f"/v1/sessions/{twin['id']}/history").json()
    assert history["turns"][0]["expected_regret"] == pytest.approx(session["expected_regret"])
    assert answer(client, twin).json()["session"]["answers"] == 2


def test_an_imported_question_is_not_asked_of_others(client, make_client, tmp_path):
    fresh = make_client(database=f"sqlite:///{tmp_path / 'other.db'}")
    session = open_session(client)
    log = client.get(f"/v1/sessions/{session['id']}/export").json()
    chosen = open_session(fresh)["question"]["options"]
    other = {"items": [20, 21], "evoi": 0.0}
    for server in (client, make_client()):
        imported = server.post("/v1/sessions/import", json={**log, "open": other}).json()
        assert [option["id"] for option in imported["question"]["options"]] == ["thing-20", "thing-21"]
        assert open_session(server)["question"]["options"] == chosen


def test_a_session_of_the_library_can_be_imported(client, source):
    ours = Session(Policy(source.catalog, source.belief, seed=3))
    ours.tell(ours.ask(), 1)
    imported = client.post("/v1/sessions/import", json=json.loads(ours.to_json())).json()
    assert labels(imported["question"]) == [option.label for option in ours.ask().options]


def without_reasons(item):
    """An item without what is said to the person who answered."""
    return {name: value for name, value in item.items() if name not in ("reasons", "stands_for")}


def test_a_shared_session_can_be_read_and_nothing_else(client):
    session = answer(client, open_session(client)).json()["session"]
    shared = client.get(f"/v1/shared/{session['share']}").json()
    assert [without_reasons(item) for item in shared.pop("recommendations")] == [
        without_reasons(item) for item in session["recommendations"]
    ]
    assert shared == {**{name: value for name, value in session.items() if name != "recommendations"}, "id": None}
    for part in ("history", "profile"):
        direct = client.get(f"/v1/sessions/{session['id']}/{part}").json()
        assert client.get(f"/v1/shared/{session['share']}/{part}").json() == direct
    assert client.get(f"/v1/sessions/{session['share']}").status_code == 404
    assert answer(client, {**session, "id": session["share"]}).status_code == 404
    assert session["id"] not in client.get(f"/v1/shared/{session['share']}/history").text


def test_a_deleted_session_is_gone(client):
    session = open_session(client)
    assert client.delete(f"/v1/sessions/{session['id']}").status_code == 204
    for path in ("", "/question", "/history", "/export", "/recommendations", "/profile"):
        assert client.get(f"/v1/sessions/{session['id']}{path}").json()["code"] == "unknown-session"
    assert client.delete(f"/v1/sessions/{session['id']}").status_code == 404


def test_when_every_question_was_asked_there_is_none(make_client):
    client = make_client(sources=[small_source(items=3)])
    session = open_session(client)
    for _ in range(3):
        session = answer(client, session, "skip").json()["session"]
    assert session["question"] is None
    assert session["stop_reason"]
    asked = client.get(f"/v1/sessions/{session['id']}/question")
    assert (asked.status_code, asked.json()["code"]) == (409, "no-question-left")
    late = client.post(f"/v1/sessions/{session['id']}/answers", json={"question": "4-3", "choice": 0})
    assert (late.status_code, late.json()["code"]) == (409, "stale-question")


def test_a_restart_goes_on_with_the_same_question(make_client):
    first = make_client()
    session = answer(first, answer(first, open_session(first), 1).json()["session"]).json()["session"]
    second = make_client()
    assert second.get(f"/v1/sessions/{session['id']}").json() == session
    assert answer(second, session).json()["session"]["answers"] == 3
    third = first.get(f"/v1/sessions/{session['id']}").json()  # catches up with what the other process stored
    assert third == second.get(f"/v1/sessions/{session['id']}").json()


def test_a_restart_goes_on_with_a_session_of_any_seed(make_client):
    before, after = make_client(), make_client()
    for seed in (3, 4):
        session = answer(before, open_session(before, seed=seed)).json()["session"]
        assert after.get(f"/v1/sessions/{session['id']}").json() == session
