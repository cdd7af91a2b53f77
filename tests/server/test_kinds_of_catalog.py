"""Questions about attributes, catalogues made of tables, and why an item is recommended."""

import pytest
from serving import answer, open_session

from cars import CARS
from rather import Policy
from rather.conversation.session import Session
from rather.conversation.tastes import tastes
from rather.formats.opening import Source
from rather.formats.tables import encode_table
from rather.model.catalog import Catalog
from rather.server.settings import LARGE, Settings


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
    assert client.get("/v1/catalogs/vectors/attributes").json() == {"attributes": [], "filters": [], "hints": []}


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


def test_reasons_are_the_librarys_and_name_their_answers(client, source):
    session = open_session(client)
    ours = Session(Policy(source.catalog, source.belief))
    for choice in (0, 1):
        ours.tell(ours.ask(), choice)
        session = answer(client, session, choice).json()["session"]
    top = ours.recommend(5)
    wanted = [[reason.text for reason in reasons] for reasons in ours.reasons(top)]
    assert any(wanted)
    assert [[reason["text"] for reason in item["reasons"]] for item in session["recommendations"]] == wanted
    history = client.get(f"/v1/sessions/{session['id']}/history").json()["turns"]
    given = {turn["answer"] for turn in history}
    assert {
        id for item in session["recommendations"] for reason in item["reasons"] for id in reason["answers"]
    } <= given
    page = client.get(f"/v1/sessions/{session['id']}/recommendations?limit=5").json()
    assert page["recommendations"] == session["recommendations"]


def test_who_reads_a_shared_session_is_not_addressed(client):
    session = answer(client, open_session(client)).json()["session"]
    shared = client.get(f"/v1/shared/{session['share']}").json()
    page = client.get(f"/v1/shared/{session['share']}/recommendations").json()
    for items in (shared["recommendations"], page["recommendations"]):
        said = " ".join(reason["text"] for item in items for reason in item["reasons"])
        assert "they" in said.split()
        assert "you" not in said.split()


def test_the_profile_of_a_table_names_attributes(car_client, cars):
    session = answer(car_client, open_session(car_client)).json()["session"]
    tastes = car_client.get(f"/v1/sessions/{session['id']}/profile").json()["tastes"]
    assert {taste["column"] for taste in tastes} == {attribute.column for attribute in cars.catalog.attributes}
    assert len(tastes) == len(cars.catalog.attributes)
    assert not any("near" in taste["feature"] or "unknown" in taste["feature"] for taste in tastes)


def test_a_taste_is_what_its_attribute_is_worth(cars):
    session = Session(Policy(cars.catalog, cars.belief))
    session.tell(session.ask(), 1)
    attribute = cars.catalog.attributes[3]
    worth = cars.catalog.attributes[3].vector @ session.belief.particles.T
    mean = float(worth @ session.belief.weights)
    (taste,) = [each for each in tastes(session) if each.feature.endswith(attribute.text)]
    assert taste.mean == pytest.approx(mean, abs=1e-5)
    assert taste.spread == pytest.approx(float((worth - mean).square() @ session.belief.weights) ** 0.5, rel=1e-3)
    assert taste.prior_mean == pytest.approx(float(attribute.vector @ cars.belief.mean), abs=1e-5)
