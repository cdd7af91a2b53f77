"""What a log of the library decided holds for the session that was made from it, whatever is done with it later."""

import json

import pytest
from serving import answer, open_session, small_source

from rather import Logistic, Policy, Rejuvenation, Session, Stopping

RED = {"filters": [{"attribute": "colour", "any_of": ["red"]}]}
KEPT = ("response", "stopping", "rejuvenation", "k", "seed", "ask", "strategy")


def settings(client, session):
    log = client.get(f"/v1/sessions/{session['id']}/export").json()
    return {name: log[name] for name in KEPT}


def imported(client, ours):
    response = client.post("/v1/sessions/import", json=json.loads(ours.to_json()))
    assert response.status_code == 201, response.text
    return response.json()


def filtered(client, session, body=RED):
    response = client.put(f"/v1/sessions/{session['id']}/filters", json=body)
    assert response.status_code == 200, response.text
    return response.json()


@pytest.fixture
def parts():
    return {"k": 3, "seed": 4, "response": Logistic(0.7, none_utility=0.5), "rejuvenation": None, "strategy": "greedy"}


@pytest.fixture
def stopping():
    return Stopping(regret=0.001, questions=4)


def test_changed_filters_leave_the_response_model_and_the_stopping_rule(client, source, parts, stopping):
    ours = Session(Policy(source.catalog, source.belief, **parts), stopping)
    ours.tell(ours.ask(), 1)
    session = imported(client, ours)
    before = settings(client, session)
    red = filtered(client, session)
    assert settings(client, red) == before
    assert "none" in red["question"]["answers"]
    assert settings(client, filtered(client, red, {})) == before


def test_what_is_asked_under_other_filters_follows_from_the_settings_of_the_log(client, source, parts, stopping):
    whole = Session(Policy(source.catalog, source.belief, **parts), stopping)
    whole.tell(whole.ask(), 1)
    only_red = [fact["colour"] == "red" for fact in source.catalog.facts]
    ours = Session.from_json(whole.to_json(), source.catalog, source.belief, allowed=only_red)
    red = filtered(client, imported(client, whole))
    assert [option["id"] for option in red["question"]["options"]] == [option.id for option in ours.ask().options]
    assert red["expected_regret"] == pytest.approx(ours.expected_regret)
    after = answer(client, red, "none").json()["session"]
    ours.tell(ours.ask(), "none")
    assert after["expected_regret"] == pytest.approx(ours.expected_regret)


def test_they_hold_in_a_catalogue_that_has_changed_too(make_client, source, parts, stopping):
    ours = Session(Policy(source.catalog, source.belief, **parts), stopping)
    client = make_client()
    session = imported(client, ours)
    before = settings(client, session)
    later = make_client(sources=[small_source(items=25)])
    assert settings(later, filtered(later, session)) == before


def test_a_session_that_was_opened_here_still_stops_by_its_own_filters(client):
    session = filtered(client, open_session(client, questions=7))
    as_opened = open_session(client, questions=7, **RED)
    assert settings(client, session) == settings(client, as_opened)


def test_the_usual_rejuvenation_is_no_setting_of_its_own(client, source):
    ours = Session(Policy(source.catalog, source.belief, rejuvenation=Rejuvenation(), response=Logistic(2.0)))
    session = imported(client, ours)
    before = settings(client, session)
    assert settings(client, filtered(client, session)) == before
