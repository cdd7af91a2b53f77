"""Configurations over HTTP: asked about, filtered by rules, adjusted; what was taken counts like an answer."""

import json
from urllib.parse import urlencode

import pytest
from serving import answer, bike_source, open_session

import rather

KEY = {"Idempotency-Key": "0123456789abcdef"}
START = "steel/rim/48/blue/no"


@pytest.fixture(scope="module")
def bikes():
    return bike_source()


@pytest.fixture
def client(make_client, bikes):
    return make_client(sources=[bikes])


def look(client, session, item=START, wanted=()):
    """The response to a look at what becomes of a configuration; `wanted` may be the text that is sent."""
    text = wanted if isinstance(wanted, str) else json.dumps([{"column": c, "value": wanted[c]} for c in wanted])
    return client.get(f"/v1/sessions/{session['id']}/adjustment?{urlencode({'item': item, 'wanted': text})}")


def take(client, session, to, item=START, **headers):
    body = {"says": "adjust", "item": item, "to": to}
    return client.post(f"/v1/sessions/{session['id']}/hints", json=body, headers=headers)


def load(client, session):
    return client.get(f"/v1/sessions/{session['id']}").json()


def problem(response, status, code):
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["code"] == code
    assert response.json()["action"]
    return response.json()["detail"]


def test_the_catalogue_says_that_its_items_can_be_adjusted(make_client, bikes, source):
    views = make_client(sources=[bikes, source]).get("/v1/catalogs").json()["catalogs"]
    assert {view["name"]: view["adjustable"] for view in views} == {"bikes": True, "things": False}


def test_configurations_are_asked_about_by_what_they_are_called(client):
    question = open_session(client)["question"]
    assert question["prompt"] == "Which bike would you rather ride?"
    first, second = question["options"]
    assert first["label"] != second["label"]
    assert first["phrase"].startswith("the ")
    assert len(first["id"].split("/")) == 5
    german = client.post("/v1/sessions", json={"language": "de"}).json()["question"]
    assert german["prompt"] == "Was würdest du lieber fahren?"


def test_a_look_says_what_it_says_in_the_library_and_teaches_nothing(client, bikes):
    session = open_session(client)
    local = rather.Session(rather.Policy(bikes.catalog, bikes.belief))
    found = look(client, session, wanted={"frame": "carbon"}).json()
    expected = local.adjust(START, {"frame": "carbon"})
    assert found["item"]["id"] == expected.item.id
    assert found["item"]["match"] == pytest.approx(expected.item.match, abs=1e-5)
    assert found["start"]["id"] == START
    assert [each["text"] for each in found["because"]] == ["frame: carbon only goes with brakes: disc or drum"]
    assert [each["column"] for each in found["forced"]] == ["brakes"]
    assert [each["difference"] for each in found["totals"]] == [expected.totals[0].difference]
    after = load(client, session)
    assert (after["version"], after["hints"], after["adjusted"]) == (session["version"], 0, None)


def test_what_each_value_would_take_is_compared_with_what_is_wanted_already(client):
    session = open_session(client)
    found = look(client, session, wanted={"frame": "carbon"}).json()
    decisions = {each["column"]: each for each in found["decisions"]}
    chosen = {name: [value["value"] for value in each["values"] if value["chosen"]] for name, each in decisions.items()}
    assert ["/".join(values[0] for values in chosen.values())] == [found["item"]["id"]]
    rim = next(each for each in decisions["brakes"]["values"] if each["value"] == "rim")
    assert not rim["possible"]  # with the carbon frame that is wanted
    steel = next(each for each in decisions["frame"]["values"] if each["value"] == "steel")
    assert steel["totals"][0]["amount"] <= -900


def test_what_nothing_has_is_explained_by_the_must_have(client):
    session = open_session(client, filters=[{"attribute": "price", "maximum": 1600}])
    found = look(client, session, wanted={"frame": "titanium"}).json()
    assert found["item"] is None
    assert found["because"] == [{"text": "price: at most €1,600", "must_have": True}]
    frames = next(each for each in found["decisions"] if each["column"] == "frame")
    assert {value["value"]: value["possible"] for value in frames["values"]}["titanium"] is False


def test_what_is_taken_counts_and_is_shown_until_it_is_taken_back(client):
    session = answer(client, open_session(client), 0).json()["session"]
    to = look(client, session, wanted={"frame": "carbon"}).json()["item"]["id"]
    taken = take(client, session, to).json()
    assert (taken["hints"], taken["adjusted"]["id"], taken["answers"]) == (1, to, 1)
    assert taken["question"]["id"] != session["question"]["id"]
    (said,) = client.get(f"/v1/sessions/{session['id']}/history").json()["hints"]
    assert said["text"].startswith("Like Steel bike, but frame: carbon")
    german = client.get(f"/v1/sessions/{session['id']}/history?language=de").json()["hints"][0]["text"]
    assert german.startswith("Wie Steel bike, aber Rahmen: carbon")
    shared = client.get(f"/v1/shared/{taken['share']}").json()
    assert shared["adjusted"]["id"] == to
    undone = client.post(f"/v1/sessions/{session['id']}/undo").json()
    assert (undone["hints"], undone["adjusted"]) == (0, None)


def test_it_is_taken_once_however_often_it_is_sent(client):
    session = open_session(client)
    first, second = (take(client, session, "carbon/drum/48/blue/no", **KEY).json() for _ in range(2))
    assert (first["hints"], second["hints"], first["version"]) == (1, 1, second["version"])


def test_it_is_exported_and_imported(client):
    session = take(client, open_session(client), "carbon/drum/48/blue/no").json()
    log = client.get(f"/v1/sessions/{session['id']}/export").json()
    again = client.post("/v1/sessions/import", json=log).json()
    assert again["adjusted"]["id"] == "carbon/drum/48/blue/no"
    assert again["expected_regret"] == pytest.approx(session["expected_regret"], rel=1e-5)


def test_rules_are_must_haves_that_filters_and_expressions_add_to(client):
    session = open_session(client, filters=[{"attribute": "brakes", "any_of": ["drum"]}], where="not lights")
    for item in client.get(f"/v1/sessions/{session['id']}/recommendations?limit=30").json()["recommendations"]:
        assert item["id"].split("/")[1] == "drum"
        assert item["id"].endswith("/no")
    none = {"filters": [{"attribute": "frame", "any_of": ["titanium"]}, {"attribute": "price", "maximum": 1000}]}
    response = client.put(f"/v1/sessions/{session['id']}/filters", json=none)
    assert problem(response, 422, "invalid-filter") == "No bikes match: loosen a filter."


def test_what_makes_no_sense_is_a_problem(client):
    session = open_session(client)
    detail = problem(look(client, session, wanted={"wheels": "big"}), 422, "invalid-adjustment")
    assert "Nothing called 'wheels'" in detail
    problem(look(client, session, wanted={"frame": "wood"}), 422, "invalid-adjustment")
    problem(look(client, session, item="steel/rim"), 422, "invalid-adjustment")
    detail = problem(look(client, session, wanted="frame=carbon"), 422, "invalid-request")
    assert 'such as [{"column": "frame", "value": "carbon"}]' in detail
    problem(look(client, session, wanted='[{"column": "frame"}]'), 422, "invalid-request")
    problem(take(client, session, START), 422, "invalid-hint")
    problem(take(client, session, "carbon/rim/48/blue/no"), 422, "invalid-hint")
    problem(client.get("/v1/sessions/nobody/adjustment?item=x"), 404, "unknown-session")
    assert look(client, session, item="x" * 6_000).status_code == 422


def test_items_of_a_list_are_not_adjusted(make_client):
    client = make_client()
    session = open_session(client)
    problem(look(client, session, item="thing-1"), 422, "invalid-adjustment")
    problem(take(client, session, "thing-2", item="thing-1"), 422, "invalid-hint")
