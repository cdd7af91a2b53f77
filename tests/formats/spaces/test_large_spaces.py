"""Spaces that nobody could list: the bundled laptop of 10^12 configurations."""

import itertools
from dataclasses import replace

import pytest
import torch

import rather
from rather import ATTRIBUTE_STRATEGIES, STRATEGIES, Extra, Option, Policy, ProductSpace, Session, Task
from rather.errors import CatalogChangedError, NeedsListError, TooManySlatesError, UnknownNameError
from rather.formats.spaces.encoding import encode_space
from rather.formats.spaces.space_files import bundled_space
from rather.simulation import draw_users, simulate

LAPTOPS, BELIEF = rather.open("laptop", particles=100)
NEEDS_A_LIST = {"greedy": NeedsListError, "exhaustive-search": TooManySlatesError}


def told(opened=(LAPTOPS, BELIEF), **settings):
    session = Session(Policy(*opened, seed=1, **settings))
    for number in range(2):
        session.tell(session.ask(), number)
    return session


@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_asks_about_items_or_says_that_it_needs_a_list(name, k):
    policy = Policy(LAPTOPS, BELIEF, k=k, strategy=name)
    if name in NEEDS_A_LIST:
        with pytest.raises(NEEDS_A_LIST[name]):
            policy.question(BELIEF, ())
        return
    question = policy.question(BELIEF, ())
    assert len(set(question.slate)) == k
    assert all(LAPTOPS.find(LAPTOPS.ids[row]) == row for row in question.slate)
    assert question.evoi >= 0


@pytest.mark.parametrize(("k", "p"), [(2, 1), (2, 2), (5, 1)])
@pytest.mark.parametrize("name", ATTRIBUTE_STRATEGIES)
def test_every_strategy_asks_about_attributes_or_says_that_there_are_too_many(name, k, p):
    policy = Policy(LAPTOPS, BELIEF, ask="attributes", k=k, p=p, attribute_strategy=name)
    if name == "exhaustive-search" and (k, p) != (2, 1):
        with pytest.raises(TooManySlatesError):
            policy.question(BELIEF, ())
        return
    question = policy.question(BELIEF, ())
    together = LAPTOPS.together
    for option in question.about["attributes"]:
        assert all(together[first, second] for first, second in itertools.combinations(option, 2))


def test_greedy_search_works_where_a_filter_leaves_few():
    question = Policy(LAPTOPS, BELIEF, strategy="greedy", allowed=LAPTOPS.where("price <= 450")).question(BELIEF, ())
    assert LAPTOPS.where("price <= 450").holds(torch.tensor(question.slate)).all()


def test_a_log_and_a_snapshot_hold_the_rules_and_not_the_rows():
    session = told(allowed=LAPTOPS.where("price <= 1500 and not numpad"))
    expected = [item.id for item in session.recommend(3)]
    for again in (
        Session.from_json(session.to_json(), LAPTOPS, BELIEF),
        Session.restore(session.snapshot(), LAPTOPS, BELIEF),
    ):
        assert [item.id for item in again.recommend(3)] == expected
        assert again.policy.allowed.expressions == ("price <= 1500 and not numpad",)
        assert again.ask().slate == session.ask().slate
    assert len(session.to_json()) < 100_000


def changed(space: ProductSpace, **parts) -> tuple:
    opened = rather.open(replace(space, lines={}, **parts), particles=100)
    return opened.catalog, opened.belief


@pytest.mark.parametrize("change", ["a price", "a new value", "a removed value", "a new rule"])
def test_a_conversation_goes_on_in_a_changed_space_by_ids_and_columns(change):
    session = told()
    space = bundled_space("laptop")
    panel = next(each for each in space.decisions if each.name == "panel")
    values = {value: dict(adds) for value, adds in zip(panel.values, panel.adds, strict=True)}
    if change == "a price":
        values["OLED"] = {"price": 999}
    elif change == "a new value":
        values["e-ink"] = {"price": 300}
    elif change == "a removed value":
        del values["glossy IPS"]
    decisions = [Option("panel", values, **panel.settings) if each is panel else each for each in space.decisions]
    parts = {"decisions": decisions}
    if change == "a new rule":
        parts = {"rules": (*space.rules, "panel == 'OLED' implies touch")}
    catalog, belief = changed(space, **parts)
    again = Session.from_json(session.to_json(), catalog, belief)
    assert [turn.answer for turn in again.turns] == [turn.answer for turn in session.turns]
    assert len(again.belief.evidence) == 2
    assert again.carried_over is not None
    for item in again.recommend(3):
        assert catalog.find(item.id) == item.row


def test_a_conversation_does_not_go_on_where_there_is_a_new_column():
    space = bundled_space("laptop")
    catalog, belief = changed(space, decisions=[*space.decisions, Extra("dock", adds={"price": 80})])
    with pytest.raises(CatalogChangedError, match="the column 'dock' is new"):
        Session.from_json(told().to_json(), catalog, belief)


def test_wrong_ids_are_none():
    first = LAPTOPS.ids[0]
    for wrong in ("a", 5, None, first + "/x", first.replace("13", "12", 1), "/".join(["x"] * 25), ""):
        assert LAPTOPS.find(wrong) is None
    with pytest.raises(UnknownNameError, match="No laptop has the id 'a/b'"):
        LAPTOPS.row("a/b")


def test_pages_of_a_ranking_hold_every_item_once_and_none_that_is_excluded():
    session = told()
    rows = [item.row for offset in (0, 4, 8) for item in session.recommend(4, offset=offset, ranking="mean")]
    assert len(set(rows)) == 12
    best = session.recommend(1, ranking="mean")[0].id
    assert best not in [item.id for item in session.recommend(4, exclude=[best, "no id"], ranking="mean")]


def test_tasks_and_plans_are_asked():
    rows = (5, 10**11)
    task = Task(1, tuple(LAPTOPS.ids[row] for row in rows))
    assert set(Policy(LAPTOPS, BELIEF, tasks=[task]).question(BELIEF, ()).slate) == set(rows)
    plan = rather.plan(Policy(LAPTOPS, BELIEF), questions=1, people=50)
    question = Policy(LAPTOPS, BELIEF, strategy="plan", plan=plan).question(BELIEF, ())
    assert {LAPTOPS.ids[row] for row in question.slate} == set(plan.root.items)


def test_simulations_in_other_processes_are_those_in_this_one():
    policies = {"auto": Policy(LAPTOPS, BELIEF)}
    users = draw_users(BELIEF, 2, seed=1)
    alone, parallel = (simulate(policies, users, questions=1, workers=workers) for workers in (1, 2))
    assert [each.regret for each in alone] == [each.regret for each in parallel]


def test_a_value_that_random_configurations_miss_has_a_parameter_of_its_own():
    # A racing saddle needs ten extras at once: one configuration in 10^4 or fewer has it.
    extras = [Extra(f"e{number}") for number in range(20)]
    rules = [f"saddle == 'racing' implies e{number}" for number in range(14)]
    space = ProductSpace("bike", [Option("saddle", ["soft", "firm", "racing"]), *extras], rules=rules)
    catalog = encode_space(space).catalog
    assert len(catalog) == 2 * 2**20 + 2**6
    assert "saddle: racing" in catalog.features
    row = catalog.find("/".join(["racing", *["yes"] * 20]))
    other = catalog.find("/".join(["firm", *["yes"] * 20]))
    column = list(catalog.features).index("saddle: racing")
    assert catalog.vectors(row)[column] > catalog.vectors(other)[column]
