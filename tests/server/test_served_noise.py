"""A server that learns each person's own noise."""

import pytest
from serving import answer, by_name, open_session, small_source
from starlette.testclient import TestClient

from rather import Policy, Session
from rather.conversation.policy_settings import personal_response
from rather.errors import InvalidInputError
from rather.server import Settings, create_app


def noise_of(client, session):
    return client.get(f"/v1/sessions/{session['id']}/export").json()["response"]["model"]


def test_it_asks_as_the_library_does(make_client, source):
    client = make_client(noise="personal")
    response = personal_response(source.catalog, source.belief)
    local, session = Session(Policy(source.catalog, source.belief, response=response)), open_session(client)
    for choice in (0, "none", 1):
        assert {option["id"] for option in session["question"]["options"]} == {
            option.id for option in local.ask().options
        }
        local.tell(local.ask(), choice)
        session = answer(client, session, choice).json()["session"]
        assert session["expected_regret"] == pytest.approx(local.expected_regret, rel=1e-5)
    assert noise_of(client, session) == "personal"


@pytest.mark.parametrize(("before", "after"), [("fixed", "personal"), ("personal", "fixed")])
def test_a_session_keeps_what_it_was_opened_with(database, before, after):
    kept = {"database": database, "prefetch": False, "watch": False}
    with TestClient(create_app(by_name(small_source()), Settings(noise=before, **kept))) as client:
        session = answer(client, open_session(client), 0).json()["session"]
        model = noise_of(client, session)
    with TestClient(create_app(by_name(small_source()), Settings(noise=after, **kept))) as client:
        again = client.get(f"/v1/sessions/{session['id']}").json()
        assert again["question"] == session["question"]
        assert noise_of(client, session) == model
        filters = {"filters": [{"attribute": "price", "minimum": 50}]}
        client.put(f"/v1/sessions/{session['id']}/filters", json=filters)
        assert noise_of(client, session) == model
        assert noise_of(client, open_session(client)) != model


def test_an_unknown_kind_is_rejected():
    with pytest.raises(InvalidInputError, match="`noise` must be one of fixed, personal"):
        Settings(noise="loud")
