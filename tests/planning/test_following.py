"""Conversations follow a plan while they are on it, and go on with the strategy below it and off it."""

import json

import pytest
import torch
from small_plans import small_policy

import rather
from rather import Plan, Session
from rather.caching.storage import Cache
from rather.conversation.keys import policy_key
from rather.errors import InvalidInputError, RatherError


@pytest.fixture(scope="module")
def both():
    """A policy, a plan for it, and the policy that follows the plan."""
    usual = small_policy(n=40, m=60, d=5, smooth=True, response=rather.Logistic(0.2, none_utility=0.0, tie=0.5))
    made = rather.plan(usual, questions=2, people=500)
    parts = {"response": usual.response, "seed": 0, "plan": made}
    return usual, made, rather.Policy(usual.catalog, usual.prior, **parts)


def test_the_questions_are_those_of_the_plan_and_then_the_strategys(both):
    usual, made, planned = both
    session = Session(planned)
    assert session.ask().slate == made.root.items
    session.tell(1, 0)
    assert session.ask().slate == made.root.children[0].items
    session.tell(2, 1)
    asked = [turn.question for turn in session.turns]
    assert session.ask().slate == usual.question(session.belief, asked).slate


def test_the_strategy_plan_follows_the_plan_that_it_needs(both):
    usual, made, _ = both
    policy = rather.Policy(usual.catalog, usual.prior, strategy="plan", response=usual.response, plan=made)
    session = Session(policy)
    assert session.ask().slate == made.root.items
    assert Session.from_json(session.to_json(), usual.catalog, usual.prior, plan=made).policy.plan is made
    assert policy.following(None).question(policy.prior, []).slate == usual.question(usual.prior, []).slate
    with pytest.raises(InvalidInputError, match="pass it as `plan`"):
        rather.Policy(usual.catalog, usual.prior, strategy="plan")


def test_extra_answers_stay_on_the_plan(both):
    _, made, planned = both
    session = Session(planned)
    session.tell(1, "none")
    if made.root.children[2].items:
        assert session.ask().slate == made.root.children[2].items


def test_the_evoi_of_a_planned_question_is_its_own(both):
    usual, made, planned = both
    question = planned.question(planned.prior, ())
    [evoi] = usual._problem("items", usual.prior, ()).evoi(torch.tensor([made.root.items]))
    assert question.evoi == pytest.approx(float(evoi), abs=1e-5)


@pytest.mark.parametrize("step_aside", ["skip", "hint"])
def test_off_the_plan_the_strategy_goes_on(both, step_aside):
    usual, _, planned = both
    session = Session(planned)
    if step_aside == "skip":
        session.tell(1, "skip")
    else:
        session.tell(1, 0)
        session.hint(rather.MoreLike(3))
    asked = [turn.question for turn in session.turns]
    assert session.ask().slate == usual.question(session.belief, asked).slate


def test_a_skip_and_a_hint_do_not_pass_for_an_answer(both):
    usual, _, planned = both
    session = Session(planned)
    session.tell(1, "skip")
    session.hint(rather.MoreLike(3))
    asked = [turn.question for turn in session.turns]
    assert session.ask().slate == usual.question(session.belief, asked).slate


def test_undo_returns_to_the_plan(both):
    _, made, planned = both
    session = Session(planned)
    session.tell(1, 0)
    session.tell(2, "skip")
    session.undo()
    assert session.ask().slate == made.root.children[0].items


def test_a_branch_ends_where_an_item_is_not_allowed(both):
    usual, made, planned = both
    allowed = torch.ones(40, dtype=torch.bool)
    allowed[made.root.items[0]] = False
    question = planned.restricted(allowed).question(planned.prior, ())
    assert question.slate == usual.restricted(allowed).question(usual.prior, ()).slate


@pytest.mark.parametrize("cached", [False, True])
def test_logs_and_snapshots_replay(both, cached):
    _, made, planned = both
    cache = Cache() if cached else None
    session = Session(planned, cache=cache)
    session.tell(1, 0)
    catalog, belief = planned.catalog, planned.prior
    for again in (
        Session.from_json(session.to_json(), catalog, belief, plan=made),
        Session.restore(session.snapshot(), catalog, belief, plan=made),
    ):
        assert again.ask().about == session.ask().about
        again.tell(2, 0)
        fork = session.fork()
        fork.tell(2, 0)
        assert again.ask().about == fork.ask().about


def test_a_log_says_that_a_plan_was_followed(both):
    usual, made, planned = both
    log = Session(planned).to_json()
    assert json.loads(log)["plan"] == made.key
    with pytest.raises(InvalidInputError, match="pass it as `plan`"):
        Session.from_json(log, planned.catalog, planned.prior)
    without = Session.from_json(log, planned.catalog, planned.prior, plan=None)
    assert without.ask().slate == usual.question(usual.prior, ()).slate
    assert "plan" not in json.loads(Session(usual).to_json())


def test_cached_questions_are_told_apart_by_their_plan(both):
    usual, _, planned = both
    assert policy_key(planned) != policy_key(usual)
    assert policy_key(planned.following(None)) == policy_key(usual)


def test_a_plan_for_something_else_is_rejected(both):
    usual, made, _ = both
    catalog, belief = usual.catalog, usual.prior
    other = rather.Catalog(catalog.items + 1.0)
    people = rather.Belief.from_users(belief.particles + 1.0)
    parts = {"response": usual.response, "plan": made}
    for given, word in (
        (lambda: rather.Policy(other, belief, **parts), "another catalogue"),
        (lambda: rather.Policy(catalog, people, **parts), "another belief"),
        (lambda: rather.Policy(catalog, belief, k=3, **parts), "questions of 2 options"),
        (lambda: rather.Policy(catalog, belief, response=rather.Logistic(), plan=made), "extra answers none and same"),
    ):
        with pytest.raises(InvalidInputError, match=word):
            given()


@pytest.fixture(scope="module")
def stated():
    """A plan about attributes and a policy that follows it."""
    usual = small_policy(n=40, m=60, d=6, ask="attributes")
    made = rather.plan(usual, questions=2, least_share=0)
    return made, usual.following(made)


def test_a_plan_about_attributes_is_followed_undone_and_replayed(stated):
    made, policy = stated
    session, usual = Session(policy), policy.following(None)

    def asked():
        return tuple(index for (index,) in session.ask().attributes)

    assert asked() == made.root.attributes
    [evoi] = usual._problem("attributes", usual.prior, ()).evoi(torch.tensor([[[index] for index in asked()]]))
    assert session.ask().evoi == pytest.approx(float(evoi), abs=1e-5)
    session.tell(1, 1)
    assert asked() == made.root.children[1].attributes
    session.undo()
    session.tell(1, 0)
    assert asked() == made.root.children[0].attributes
    again = Session.from_json(session.to_json(), policy.catalog, policy.prior, plan=made)
    assert again.ask() == session.ask()
    again.tell(2, "skip")
    asked_before = [turn.question for turn in again.turns]
    assert again.ask().attributes == usual.question(again.belief, asked_before).attributes


def test_a_plan_about_attributes_fits_only_its_kind_of_question_and_its_attributes(stated):
    made, policy = stated
    catalog, belief, parts = policy.catalog, policy.prior, {"response": policy.response, "plan": made}
    renamed = rather.Catalog(catalog.items, features=[f"g{index}" for index in range(6)])
    assert made.is_for(catalog, belief)
    assert not made.is_for(renamed, belief)
    for given, word in (
        (lambda: rather.Policy(catalog, belief, **parts), '`ask` "attributes", but it is "items"'),
        (lambda: rather.Policy(catalog, belief, ask="attributes", p=2, **parts), "single attributes, but `p` is 2"),
        (lambda: rather.Policy(renamed, belief, ask="attributes", **parts), "another list of attributes"),
    ):
        with pytest.raises(InvalidInputError, match=word):
            given()


def test_files_hold_a_plan_about_attributes(stated, tmp_path):
    made, _ = stated
    made.save(tmp_path / "plan.json")
    assert Plan.load(tmp_path / "plan.json") == made


def test_files_hold_all_of_a_plan(both, tmp_path):
    _, made, _ = both
    made.save(tmp_path / "plan.json")
    assert Plan.load(tmp_path / "plan.json") == made
    assert Plan.load(tmp_path / "plan.json").key == made.key


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record.pop("k"),
        lambda record: record.update(k="2"),
        lambda record: record.update(rather_plan=99),
        lambda record: record.update(extras=["perhaps"]),
        lambda record: record["root"].update(items=[1, 1]),
        lambda record: record["root"].update(items=[1]),
        lambda record: record["root"].update(attributes=[0, 1]),
        lambda record: record["root"].update(items=[], attributes=[-1, 1]),
        lambda record: record.update(ask="everything"),
        lambda record: record["root"]["children"].pop(),
        lambda record: record["root"].update(share="most"),
        lambda record: record["root"].update(recommended=None),
        lambda record: record.update(root=[]),
        lambda record: record.update(questions=1),
        lambda record: record["regret"].pop("gain"),
    ],
)
def test_a_damaged_file_is_rejected(both, change):
    record = json.loads(both[1].to_json())
    change(record)
    with pytest.raises(RatherError, match="plan"):
        Plan.from_json(json.dumps(record))


@pytest.mark.parametrize("text", ["", "[]", "{", "null", "[" * 100_000])
def test_what_is_no_plan_is_rejected(text):
    with pytest.raises(RatherError, match="plan"):
        Plan.from_json(text)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(RatherError, match=r"nothing\.json"):
        Plan.load(tmp_path / "nothing.json")
