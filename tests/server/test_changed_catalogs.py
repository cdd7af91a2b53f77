"""Sessions outlive their catalogue: they go on where the answers mean the same, and are readable in any case."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from serving import answer, open_session, small_source

import rather
from rather import Belief, Catalog, Policy, Session
from rather.formats.opening import Source

LAPTOPS = Path(__file__).parent / "written" / "laptops.csv"
READABLE = ("", "/history", "/profile", "/export")


TRAINED_AGAIN = {"features": None, "vectors": torch.randn(24, 3, generator=torch.Generator().manual_seed(5))}
OTHER_FEATURES = {"features": ["warm", "quiet", "slow"], "vectors": torch.ones(24, 3)}


def without(source, *ids):
    """The same catalogue with some items less."""
    catalog = source.catalog
    rows = [row for row in range(len(catalog)) if catalog.ids[row] not in ids]
    return replace(source, catalog=_catalog(source, rows))


def _catalog(source, rows, vectors=None, **parts):
    catalog = source.catalog
    given = {"features": catalog.features or None, "name": catalog.name, **parts}
    return Catalog(
        (catalog.items if vectors is None else vectors)[rows],
        ids=[catalog.ids[row] for row in rows],
        facts=[catalog.facts[row] for row in rows],
        **{"labels": [catalog.labels[row] for row in rows], **given},
    )


def unused(source, session, history):
    """An item that this conversation has not shown."""
    options = [option for turn in history["turns"] for option in turn["options"]] + session["question"]["options"]
    shown = {option["id"] for option in options}
    return next(id for id in source.catalog.ids if id not in shown)


def answered(client, *choices, **request):
    session = open_session(client, **request)
    for choice in choices:
        session = answer(client, session, choice).json()["session"]
    return session, client.get(f"/v1/sessions/{session['id']}/history").json()


def get(client, session, path=""):
    response = client.get(f"/v1/sessions/{session['id']}{path}")
    assert response.status_code == 200, response.text
    return response.json()


@pytest.mark.parametrize("unnamed", [False, True])
def test_a_conversation_goes_on_when_another_item_is_gone(make_client, source, unnamed):
    if unnamed:
        source = replace(source, catalog=_catalog(source, range(24), features=None))
    before = make_client(sources=[source])
    session, history = answered(before, 0, 1)
    after = make_client(sources=[without(source, unused(source, session, history))])
    found = get(after, session)
    assert found["catalog_changes"] == [
        "The catalogue has changed since this conversation began; all answers still count."
    ]
    assert found["question"] == session["question"]  # the id as well: an answer on its way counts
    assert found["answers"] == 2
    assert get(after, session) == found
    taken = answer(after, session, 0)
    assert taken.status_code == 200
    assert taken.json()["session"]["catalog_changes"] == []
    assert taken.json()["session"]["answers"] == 3
    assert answer(after, session, 0).json()["repeated"]
    assert len(get(after, session, "/history")["turns"]) == 3


def test_what_is_gone_is_not_recommended_and_its_question_is_replaced(make_client, source):
    before = make_client()
    session, history = answered(before, 0, 1)
    open, shown = session["question"]["options"][0]["id"], history["turns"][0]["options"][0]["id"]
    after = make_client(sources=[without(source, open, shown)])
    late = answer(after, session, 0)
    assert (late.status_code, late.json()["code"]) == (409, "stale-question")
    found = get(after, session)
    assert found["question"]["id"] == late.json()["open_question"] != session["question"]["id"]
    assert found["question"]["number"] == 3
    assert len(found["catalog_changes"]) == 3
    assert "another one is asked" in found["catalog_changes"][-1]
    whole = after.get(f"/v1/sessions/{session['id']}/recommendations", params={"limit": 100}).json()
    assert {open, shown}.isdisjoint(item["id"] for item in whole["recommendations"])
    assert whole["total"] == 24 - len({open, shown})
    assert get(after, session, "/history")["turns"] == history["turns"]
    assert answer(after, found, 0).json()["session"]["answers"] == 3


def test_no_earlier_change_is_shown_where_a_conversation_has_ended(make_client, source):
    """It says that all answers still count."""
    session, history = answered(make_client(), 0, 1)
    fewer = make_client(sources=[without(source, unused(source, session, history))])
    assert "all answers still count" in get(fewer, session)["catalog_changes"][0]
    after = make_client(sources=[replace(source, catalog=_catalog(source, range(24), **OTHER_FEATURES))])
    assert get(after, session)["stop"]["code"] == "catalog-changed"
    assert get(after, session)["catalog_changes"] == []
    assert get(fewer, session)["catalog_changes"]


def test_an_answer_that_meets_the_change_is_told_of_it(make_client, source):
    """The person sees the change although the page asked for nothing between the change and the answer."""
    session, history = answered(make_client(), 0, 1)
    open = {option["id"] for option in session["question"]["options"]}
    gone = next(option for turn in history["turns"] for option in turn["options"] if option["id"] not in open)
    after = make_client(sources=[without(source, gone["id"])])
    told = answer(after, session).json()["session"]
    assert told["answers"] == 3
    assert f"No longer there: {gone['label']}." in told["catalog_changes"]
    assert get(after, session)["catalog_changes"] == told["catalog_changes"]
    assert answer(after, told).json()["session"]["catalog_changes"] == []


def test_an_open_question_shows_what_its_items_are_called_now(make_client, source):
    """Only the label has changed: the catalogue has the hash that it had."""
    session, history = answered(make_client(), 0, 1)
    id = session["question"]["options"][0]["id"]
    row = source.catalog.ids.index(id)
    labels = [*source.catalog.labels]
    labels[row] = "as it is called now"
    after = make_client(sources=[replace(source, catalog=_catalog(source, range(24), labels=labels))])
    late = answer(after, session, 0)
    assert (late.status_code, late.json()["code"]) == (409, "stale-question")
    found = get(after, session)
    assert found["question"]["id"] == late.json()["open_question"]
    assert "Changed since they were shown" in found["catalog_changes"][1]
    for option in found["question"]["options"]:
        assert option["label"] == labels[source.catalog.ids.index(option["id"])]
    assert get(after, session, "/history") == history
    assert get(after, session) == found


def test_a_conversation_goes_on_when_a_feature_is_only_called_otherwise(make_client, source):
    session, history = answered(make_client(), 0, 1)
    names = [f"{name} (new name)" for name in source.catalog.features]
    after = make_client(sources=[replace(source, catalog=_catalog(source, range(24), features=names))])
    found = get(after, session)
    assert (found["question"], found["expected_regret"]) == (session["question"], session["expected_regret"])
    assert get(after, session, "/history") == history
    assert {taste["feature"] for taste in get(after, session, "/profile")["tastes"]} <= set(names)
    told = answer(after, found).json()["session"]
    rows = [row for row in range(24) if source.catalog.ids[row] != unused(source, told, history)]
    later = make_client(sources=[replace(source, catalog=_catalog(source, rows, features=names))])
    assert get(later, session)["answers"] == 3
    assert answer(later, get(later, session)).status_code == 200


def test_a_shared_session_shows_the_change_but_does_not_store_it(make_client, source):
    session, history = answered(make_client(), 0, 1)
    after = make_client(sources=[without(source, session["question"]["options"][0]["id"])])
    shared = after.get(f"/v1/shared/{session['share']}").json()
    assert shared["catalog_changes"]
    assert shared["version"] == session["version"]
    assert after.get(f"/v1/shared/{session['share']}/history").json()["turns"] == history["turns"]


def test_going_back_to_the_old_catalogue_is_another_change(make_client, source):
    session, history = answered(make_client(), 0, 1)
    fewer = [without(source, history["turns"][0]["options"][0]["id"])]
    for sources in (fewer, [source], fewer, [source]):
        client = make_client(sources=sources)
        now = get(client, session)
        assert now["catalog_changes"]
        session = answer(client, now, 0).json()["session"]
    assert session["answers"] == 6
    assert [turn["undone"] for turn in get(client, session, "/history")["turns"]] == [False] * 6


def test_undo_asks_something_else_where_an_item_is_gone(make_client, source):
    session, history = answered(make_client(), 0, 1)
    gone = history["turns"][1]["options"][0]["id"]
    after = make_client(sources=[without(source, gone)])
    undone = after.post(f"/v1/sessions/{session['id']}/undo").json()
    assert undone["answers"] == 1
    assert gone not in {option["id"] for option in undone["question"]["options"]}
    assert get(after, session) == undone


def test_filters_hold_in_the_new_catalogue(make_client, source):
    red = [{"attribute": "colour", "any_of": ["red"]}]
    session, _ = answered(make_client(), 0, filters=red)
    after = make_client(sources=[without(source, "thing-0", "thing-5")])
    shown = get(after, session)["recommendations"]
    assert shown
    assert all({"name": "colour", "value": "red"} in item["facts"] for item in shown)
    body = {"filters": [{"attribute": "colour", "any_of": ["blue"]}]}
    changed = after.put(f"/v1/sessions/{session['id']}/filters", json=body).json()
    assert all({"name": "colour", "value": "blue"} in item["facts"] for item in changed["recommendations"])
    assert changed["answers"] == 1


def test_filters_that_leave_too_little_can_be_changed(make_client, source):
    red = [{"attribute": "colour", "any_of": ["red"]}]
    session, _ = answered(make_client(), 0, filters=red)
    after = make_client(sources=[without(source, *(f"thing-{row}" for row in range(0, 24, 3)))])
    found = get(after, session)
    assert (found["stop"]["code"], found["question"]) == ("catalog-changed", None)
    assert found["stop"]["text"].endswith("No things match: loosen a filter.")
    assert after.put(f"/v1/sessions/{session['id']}/filters", json={}).json()["question"] is not None
    assert answer(after, get(after, session)).status_code == 200


@pytest.mark.parametrize(
    ("changed", "said"),
    [(TRAINED_AGAIN, "vectors have another meaning"), (OTHER_FEATURES, "described otherwise now")],
    ids=["trained again", "other features"],
)
def test_another_meaning_ends_a_conversation_and_leaves_it_readable(make_client, source, changed, said):
    if changed["features"] is None:
        source = replace(source, catalog=_catalog(source, range(24), features=None))
    before = make_client(sources=[source])
    session, history = answered(before, 0, 1)
    profile, export = (get(before, session, path) for path in ("/profile", "/export"))
    after = make_client(sources=[replace(source, catalog=_catalog(source, range(24), **changed))])
    found = get(after, session)
    assert found["stop"]["code"] == "catalog-changed"
    assert said in found["stop"]["text"]
    assert (found["question"], found["recommendations"], found["answers"]) == (None, [], 2)
    assert found["expected_regret"] == session["expected_regret"]
    assert found["start_regret"] == session["start_regret"]
    assert get(after, session, "/history") == history
    assert get(after, session, "/export") == export
    for now, then in zip(get(after, session, "/profile")["tastes"], profile["tastes"], strict=True):
        assert now["feature"] == then["feature"]
        assert now["mean"] == pytest.approx(then["mean"], rel=1e-4)
    for path in ("", "/history", "/profile"):
        assert after.get(f"/v1/shared/{session['share']}{path}").status_code == 200
    for response in (
        answer(after, session),
        after.post(f"/v1/sessions/{session['id']}/undo"),
        after.put(f"/v1/sessions/{session['id']}/filters", json={}),
        after.get(f"/v1/sessions/{session['id']}/recommendations"),
    ):
        assert (response.status_code, response.json()["code"]) == (409, "catalog-changed")
    assert answer(make_client(sources=[source]), session).json()["session"]["answers"] == 3


def test_a_session_is_readable_when_its_catalogue_is_no_longer_served(make_client):
    before = make_client()
    session, history = answered(before, 0, 1)
    after = make_client(sources=[small_source("other")])
    for path in READABLE:
        get(after, session, path)
        if path != "/export":
            assert after.get(f"/v1/shared/{session['share']}{path}").status_code == 200
    assert get(after, session)["stop"]["code"] == "catalog-gone"
    assert get(after, session, "/history") == history
    assert answer(after, session).json()["code"] == "catalog-gone"
    question = after.get(f"/v1/sessions/{session['id']}/question")
    assert (question.status_code, question.json()["code"]) == (409, "catalog-gone")


def test_a_log_about_another_version_is_imported(make_client, source):
    before = make_client()
    session, history = answered(before, 0, 1)
    log = get(before, session, "/export")
    gone = history["turns"][0]["options"][0]["id"]
    after = make_client(sources=[small_source("first", items=30), without(source, gone)])
    imported = after.post("/v1/sessions/import", json=log)
    assert imported.status_code == 201, imported.text
    assert imported.json()["catalog"] == "things"
    assert any("No longer there" in sentence for sentence in imported.json()["catalog_changes"])
    log.pop("served_as")
    named = after.post("/v1/sessions/import", params={"catalog": "things"}, json=log).json()
    assert named["catalog"] == "things"
    elsewhere = after.post("/v1/sessions/import", params={"catalog": "nothing"}, json=log)
    assert (elsewhere.status_code, elsewhere.json()["code"]) == (404, "unknown-catalog")
    ours = Session(Policy(source.catalog, source.belief))
    ours.tell(ours.ask(), 0)
    assert after.post("/v1/sessions/import", json=json.loads(ours.to_json())).status_code == 201


def test_a_log_of_another_meaning_is_not_imported(make_client):
    session, _ = answered(make_client(), 0)
    log = get(make_client(), session, "/export")
    other = Source("things", Catalog(torch.ones(5, 4)), Belief.gaussian([0.0] * 4, torch.eye(4).tolist()))
    rejected = make_client(sources=[other]).post("/v1/sessions/import", json=log)
    assert (rejected.status_code, rejected.json()["code"]) == (422, "invalid-log")
    assert "another meaning" in rejected.json()["detail"]


def test_an_export_with_filters_can_be_imported_after_a_change(make_client, source):
    red = [{"attribute": "colour", "any_of": ["red"]}]
    session, history = answered(make_client(), 0, filters=red)
    after = make_client(sources=[without(source, unused(source, session, history))])
    log = get(after, session, "/export")  # the first request since
    imported = after.post("/v1/sessions/import", json=log)
    assert imported.status_code == 201, imported.text
    assert imported.json()["question"]["options"] == get(after, session)["question"]["options"]


def test_an_export_with_filters_lists_what_is_allowed(make_client, source):
    red = [{"attribute": "colour", "any_of": ["red"]}]
    client = make_client()
    session, history = answered(client, 0, filters=red)
    log = client.get(f"/v1/sessions/{session['id']}/export").text
    fewer = without(source, unused(source, session, history)).catalog
    again = Session.from_json(log, fewer, source.belief)
    assert {item.facts["colour"] for item in again.recommend(20)} == {"red"}


def test_a_shop_may_change_its_prices(make_client, tmp_path):
    def served(*changes):
        text = LAPTOPS.read_text(encoding="utf-8")
        for old, new in changes:
            text = text.replace(old, new)
        (tmp_path / "laptops.csv").write_text(text, encoding="utf-8")
        return make_client(sources=[Source("laptops", *rather.open(tmp_path / "laptops.csv"))])

    before = served()
    session, history = answered(before, 0, 1, ask="auto", where="price_eur < 1400")
    after = served(
        ("Ada One,499", "Ada One,449"), ("Bel Basic,399", "Bel Basic,849"), ("c4,Cor,Cor Lite", "c5,Cor,Cor XL")
    )
    found = get(after, session)
    assert found["catalog_changes"]
    assert get(after, session, "/history")["turns"] == history["turns"]
    assert answer(after, found, 0).json()["session"]["answers"] == 3
    assert get(after, session, "/profile")["tastes"]
    assert get(served(), session)["answers"] == 3
