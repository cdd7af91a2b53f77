"""Questions about attributes, catalogues made of tables, and why an item is recommended."""

import pytest
from serving import answer, open_session

from cars import CARS
from rather import Policy
from rather.conversation.session import Session
from rather.formats.opening import Source
from rather.formats.tables import encode_table
from rather.model.catalog import Catalog
from rather.model.responses import NONE, SAME, SKIP
from rather.server.http.display_text import DisplayText
from rather.server.http.reasons import reasons
from rather.server.settings import LARGE, Settings

DISPLAY = DisplayText(100)


@pytest.fixture(scope="module")
def cars(tmp_path_factory):
    path = tmp_path_factory.mktemp("cars") / "cars.csv"
    path.write_text(CARS, encoding="utf-8")
    table = encode_table(path)
    return Source("cars", table.catalog, table.belief())


@pytest.fixture
def car_client(make_client, cars):
    return make_client(sources=[cars], image_hosts=("https://cars.example",))


def test_questions_about_attributes_are_the_librarys(client, source):
    session = open_session(client, ask="attributes", p=2)
    ours = Session(Policy(source.catalog, source.belief, ask="attributes", p=2))
    for choice in (1, "none"):
        asked, question = session["question"], ours.ask()
        assert asked["kind"] == "attributes"
        assert asked["prompt"] == question.text
        assert [option["label"] for option in asked["options"]] == [option.label for option in question.options]
        assert [option["attributes"] for option in asked["options"]] == [
            list(option.attributes) for option in question.options
        ]
        assert {option["id"] for option in asked["options"]} == {None}
        ours.tell(question, choice)
        session = answer(client, session, choice).json()["session"]
    assert session["recommendations"][0]["id"] == ours.recommend(1)[0].id


def test_a_conversation_about_attributes_is_stored_undone_exported_and_listed(make_client, client):
    session = answer(client, open_session(client, ask="auto")).json()["session"]
    session = answer(client, session, 1).json()["session"]
    assert make_client().get(f"/v1/sessions/{session['id']}").json() == session
    log = client.get(f"/v1/sessions/{session['id']}/export").json()
    twin = client.post("/v1/sessions/import", json=log).json()
    assert (twin["ask"], twin["question"]["options"]) == ("auto", session["question"]["options"])
    history = client.get(f"/v1/sessions/{session['id']}/history").json()["turns"]
    undone = client.post(f"/v1/sessions/{session['id']}/undo").json()
    for name in ("number", "kind", "prompt", "options"):
        assert undone["question"][name] == history[-1][name]


def test_a_log_with_a_slow_strategy_for_attributes_is_rejected(client):
    session = open_session(client, ask="attributes")
    log = client.get(f"/v1/sessions/{session['id']}/export").json()
    assert client.post("/v1/sessions/import", json=log).status_code == 201
    assert client.post("/v1/sessions/import", json={**log, "partial_strategy": "greedy-partial"}).status_code == 201
    slow = client.post("/v1/sessions/import", json={**log, "partial_strategy": "exhaustive-partial"})
    assert (slow.status_code, slow.json()["code"]) == (422, "invalid-log")
    assert "Its strategy for attributes is none of auto, greedy." in slow.json()["detail"]


def test_a_catalogue_says_which_questions_it_takes(make_client, source):
    vectors = Source("vectors", Catalog(source.catalog.items), source.belief)
    client = make_client(sources=[source, vectors])
    kinds = {item["name"]: item["kinds"] for item in client.get("/v1/catalogs").json()["catalogs"]}
    assert kinds == {"things": ["items", "attributes"], "vectors": ["items"]}
    rejected = client.post("/v1/sessions", json={"catalog": "vectors", "ask": "attributes"})
    assert (rejected.status_code, rejected.json()["code"]) == (422, "invalid-request")
    assert open_session(client, catalog="vectors", ask="auto")["question"]["kind"] == "items"
    assert client.get("/v1/catalogs/vectors/attributes").json() == {"attributes": [], "filters": []}


def test_large_catalogues_offer_only_quick_strategies():
    settings = Settings()
    assert "cont-deep-retr" in settings.strategies_for(LARGE - 1)
    assert "cont-deep-retr" not in settings.strategies_for(LARGE)
    assert settings.strategies_for(LARGE)[0] == "auto"


def test_a_table_has_the_filters_of_its_columns(car_client):
    options = car_client.get("/v1/catalogs/cars/attributes").json()["filters"]
    found = {option["attribute"]: option for option in options}
    assert found["drive"]["kind"] == "category"
    assert {value["value"]: value["items"] for value in found["drive"]["values"]} == {"FWD": 4, "AWD": 4, "RWD": 2}
    assert found["extras"]["kind"] == "tags"
    assert found["extras"]["values"][0] == {"value": "radio", "items": 6}
    prices = next(option for name, option in found.items() if name.startswith("price"))
    assert (prices["kind"], prices["minimum"], prices["maximum"]) == ("number", 12_000, 55_000)
    assert [value["value"] for value in found["electric"]["values"]] == ["no", "yes"]


def test_must_haves_of_a_table_as_an_expression_or_as_filters(car_client):
    price = next(
        option["attribute"]
        for option in car_client.get("/v1/catalogs/cars/attributes").json()["filters"]
        if option["attribute"].startswith("price")
    )
    wanted = [{"attribute": "electric", "any_of": ["yes"]}, {"attribute": price, "maximum": 45_000}]
    by_filters = open_session(car_client, filters=wanted)
    by_text = open_session(car_client, where="electric and price_usd <= 45000")
    assert by_filters["recommendations"] == by_text["recommendations"]
    assert {item["id"] for item in by_text["recommendations"]} == {3, 4, 5, 9}
    page = car_client.get(f"/v1/sessions/{by_text['id']}/recommendations", params={"where": "drive == 'FWD'"}).json()
    assert {item["id"] for item in page["recommendations"]} == {4, 9}
    assert page["total"] == 2


def test_a_bad_expression_is_explained(car_client):
    rejected = car_client.post("/v1/sessions", json={"where": "prize < 5"})
    assert (rejected.status_code, rejected.json()["code"]) == (422, "invalid-filter")
    assert "prize" in rejected.json()["detail"]


def test_pictures_of_a_table_are_shown_as_pictures(car_client):
    for option in open_session(car_client)["question"]["options"]:
        assert option["image"] == f"https://cars.example/{option['id']}.jpg"
        assert all("cars.example" not in fact["value"] for fact in option["facts"])


def test_a_picture_is_never_a_script(make_client, source):
    items = len(source.catalog)
    catalog = Catalog(source.catalog.items, facts=[{"image": "javascript:alert(1)"}] * items)
    client = make_client(sources=[Source("things", catalog, source.belief)])
    assert {option["image"] for option in open_session(client)["question"]["options"]} == {None}


def test_the_reason_is_the_answer_that_raised_the_item_most(source):
    session = Session(Policy(source.catalog, source.belief))
    for choice in (0, 1, NONE, 1, SAME, 0):
        session.tell(session.ask(), choice)
    rows = list(range(len(source.catalog)))
    found = reasons(session, rows, [f"answer {place}" for place in range(6)], DISPLAY)
    before = [session.policy.prior, *(turn.belief for turn in session.turns[:-1])]
    centre = source.catalog.items.mean(dim=0)
    for row, why in zip(rows, found, strict=True):
        item = source.catalog.items[row] - centre
        rises = [float(item @ (turn.belief.mean - old.mean)) for turn, old in zip(session.turns, before, strict=True)]
        best = max(range(6), key=lambda place: rises[place])
        assert (why is not None) == (rises[best] > 0)
        if why is not None:
            assert why.answer == f"answer {best}"
            assert why.number == best + 1


def test_the_reason_names_what_the_chosen_one_has_more_of(source):
    session = Session(Policy(source.catalog, source.belief))
    question = session.policy.item_question(1, [0, 1], 0.1)
    session.reopen(question)
    session.tell(question, 0)
    difference = question.vectors[0] - question.vectors[1]
    found = [why for why in reasons(session, list(range(24)), ["1"], DISPLAY) if why is not None]
    assert any(why.feature is not None for why in found)
    for why in found:
        assert (why.chosen, why.over) == ("Thing 0", ["Thing 1"])
        if why.feature is not None:
            more = float(difference[source.catalog.features.index(why.feature)]) > 0
            assert why.direction == ("more" if more else "less")
            assert why.text == f"you chose Thing 0 over Thing 1: {why.direction} {why.feature}"


def test_reasons_in_words(source, cars):
    def told(session, choice):
        session.tell(session.ask(), choice)
        return next(filter(None, reasons(session, list(range(len(session.policy.catalog))), ["1"], DISPLAY)), None)

    assert told(Session(Policy(source.catalog, source.belief, 3)), NONE).text.startswith("you wanted none of Thing ")
    assert told(Session(Policy(source.catalog, source.belief)), SAME).text.endswith(" about the same")
    assert told(Session(Policy(source.catalog, source.belief)), SKIP) is None
    about = told(Session(Policy(source.catalog, source.belief, ask="attributes")), 0)
    assert about.text == f"you chose {about.chosen} over {about.over[0]}"
    of_table = told(Session(Policy(cars.catalog, cars.belief)), 0)
    assert ": more" not in of_table.text
    # "you chose A over B: fuel Diesel": the one colon is the sentence's own.
    assert of_table.text.count(": ") == (of_table.feature is not None)


def test_a_session_before_its_first_answer_has_no_reasons(source):
    assert reasons(Session(Policy(source.catalog, source.belief)), [0, 1], [], DISPLAY) == [None, None]
