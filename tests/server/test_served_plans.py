"""Conversations of a server follow the operator's plans, and go on without where none fits."""

import json
import logging
from dataclasses import replace

import pytest
from serving import answer, open_session
from typer.testing import CliRunner

import rather
from rather import Catalog
from rather.cli import app


@pytest.fixture(scope="module")
def plan(source):
    return rather.plan(rather.Policy(source.catalog, source.belief), questions=2, people=300, least_share=0)


def shown(session):
    return tuple(option["id"] for option in session["question"]["options"])


def test_conversations_follow_the_plan_and_then_the_strategy(make_client, plan):
    client = make_client(plans=(plan,))
    session = open_session(client)
    assert shown(session) == plan.root.items
    session = answer(client, session, 1).json()["session"]
    assert shown(session) == plan.root.children[1].items
    session = answer(client, session, 0).json()["session"]
    assert len(shown(session)) == 2


def test_conversations_about_attributes_follow_a_plan_about_attributes(make_client, source, plan):
    usual = rather.Policy(source.catalog, source.belief, ask="attributes")
    stated = rather.plan(usual, questions=2, people=300, least_share=0)
    # In another order than the strategy asks about them.
    stated = replace(stated, root=replace(stated.root, attributes=stated.root.attributes[::-1]))
    client = make_client(plans=(plan, stated))
    session, node = open_session(client, ask="attributes"), stated.root
    for choice in (1, 0):
        expected = usual.attribute_question(1, [[index] for index in node.attributes])
        labels = [option["label"] for option in session["question"]["options"]]
        assert labels == [option.label for option in expected.options]
        session, node = answer(client, session, choice).json()["session"], node.children[choice]


def test_after_a_skip_questions_are_chosen_by_the_strategy(make_client, source, plan):
    client = make_client(plans=(plan,))
    session = answer(client, open_session(client), "skip").json()["session"]
    usual = rather.Policy(source.catalog, source.belief)
    skipped = usual.following(plan).question(usual.prior, [])
    expected = usual.question(usual.prior, [skipped])
    assert shown(session) == tuple(source.catalog.ids[row] for row in expected.slate)


def test_the_plan_is_followed_after_a_restart_and_left_without_it(make_client, plan):
    client = make_client(plans=(plan,))
    session = answer(client, open_session(client), 0).json()["session"]
    again = make_client(plans=(plan,)).get(f"/v1/sessions/{session['id']}").json()
    assert shown(again) == plan.root.children[0].items
    without = make_client()
    resumed = without.get(f"/v1/sessions/{session['id']}").json()
    assert resumed["question"]["id"] == session["question"]["id"]
    assert answer(without, resumed, 1).status_code == 200


@pytest.mark.parametrize(
    "request_",
    [
        {"k": 3},
        {"strategy": "random"},
        {"filters": [{"attribute": "colour", "any_of": ["red", "green", "blue"]}]},
        {"ask": "attributes"},
    ],
)
def test_a_conversation_that_the_plan_does_not_fit_is_as_without(make_client, plan, request_):
    planned, without = make_client(plans=(plan,)), make_client()
    first, second = (open_session(client, **request_)["question"]["options"] for client in (planned, without))
    assert first == second


def test_the_strategy_plan_is_offered_where_there_is_one(make_client, plan):
    client, without = make_client(plans=(plan,)), make_client()
    assert "plan" in client.get("/v1/catalogs").json()["catalogs"][0]["strategies"]
    assert shown(open_session(client, strategy="plan")) == plan.root.items
    assert "plan" not in without.get("/v1/catalogs").json()["catalogs"][0]["strategies"]
    refused = without.post("/v1/sessions", json={"strategy": "plan"})
    assert refused.status_code == 422
    assert "`strategy` must be one of" in refused.json()["detail"]


def test_a_changed_catalogue_leaves_the_plan_and_says_so(make_client, source, plan, caplog):
    client = make_client(plans=(plan,))
    session = open_session(client)
    other = Catalog(source.catalog.items * 1.5, source.catalog.ids, features=source.catalog.features, name="thing")
    with caplog.at_level(logging.WARNING, logger="rather.server"):
        client.app.state.conversations.replace("things", (other, source.belief))
    assert any(record.getMessage() == "no plan" for record in caplog.records)
    assert client.get(f"/v1/sessions/{session['id']}").status_code == 200
    assert len(shown(open_session(client))) == 2
    assert client.post("/v1/sessions", json={"strategy": "plan"}).status_code == 422


def run(*arguments):
    return CliRunner().invoke(app, ["serve", "films", "--check", *arguments])


def test_serve_loads_a_plan_or_says_why_not(tmp_path, database, plan):
    path = tmp_path / "plan.json"
    plan.save(path)
    done = run("--database", database, "--plan", str(path))
    assert done.exit_code == 0
    assert "was not made for what films holds now" in done.output.replace("\n", " ")
    path.write_text(json.dumps({"no": "plan"}), encoding="utf-8")
    assert "not a plan" in str(run("--database", database, "--plan", str(path)).exception)
    assert "Cannot read" in str(run("--database", database, "--plan", str(tmp_path / "none.json")).exception)
    assert "1 to 12 questions" in str(run("--database", database, "--plan", "99").exception)


def test_serve_plans_at_start(database, monkeypatch):
    asked = {}

    def made(policy, questions, **settings):
        asked.update(questions=questions, catalog=policy.catalog.name)
        return rather.plan(policy, questions=1, people=20, sweeps=1, pool=4)

    monkeypatch.setattr("rather.planning.plan", made)
    assert run("--database", database, "--plan", "3").exit_code == 0
    assert asked == {"questions": 3, "catalog": "film"}
