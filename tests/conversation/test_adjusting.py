"""Adjusting configurations: against brute force, by its rules in words, and as evidence."""

import itertools

import numpy as np
import pytest
import torch

import rather
from product_spaces import random_things
from rather.conversation.adjusting import nearest
from rather.conversation.telling_apart import positions_of
from rather.errors import InvalidInputError, UnknownNameError
from rather.model.allowed import are_allowed

RULES = (
    "frame == 'carbon' implies brakes != 'rim'",
    "brakes == 'disc' implies size >= 52",
    "lights implies price >= 1000",
    "colour == 'red' or size != 56",
    "price <= 2200",
)


def bikes(*rules):
    return rather.ProductSpace(
        "bike",
        [
            rather.Option("frame", {"steel": {}, "carbon": {"price": 900}, "titanium": {"price": 1400}}),
            rather.Option("brakes", {"rim": {}, "disc": {"price": 100}, "drum": {"price": 40}}),
            rather.NumberRange("size", 48, 56, step=4, unit="cm"),
            rather.Option("colour", ["red", "blue"]),
            rather.Extra("lights", adds={"price": 60}),
        ],
        totals=[rather.Total("price", base=800, unit="€", direction="less")],
        rules=rules,
        verb="ride",
        label="{frame} bike",
    )


@pytest.fixture(scope="module")
def opened():
    return rather.open(bikes(*RULES))


def session_of(opened, where=None, seed=0):
    catalog, belief = opened
    allowed = None if where is None else catalog.where(where)
    return rather.Session(rather.Policy(catalog, belief, seed=seed, allowed=allowed))


def by_brute_force(catalog, utility, start, wanted, allowed):
    """The fewest other changes and the highest utility of all allowed rows that have what is wanted."""
    found = []
    for row in range(len(catalog)):
        values = catalog.storage.choices(row)
        if allowed is not None and not bool(are_allowed(allowed, torch.tensor([row]))):
            continue
        if all(values[layer] == value for layer, value in wanted.items()):
            changes = sum(values[layer] != start[layer] for layer in range(len(values)) if layer not in wanted)
            found.append((changes, -float(catalog.vectors(row).double() @ utility.double()), row))
    return min(found, default=None)


@pytest.mark.parametrize("where", [None, "price <= 1700", "not lights and brakes in ('rim', 'disc')"])
def test_the_result_changes_least_and_is_the_best_of_those(opened, where):
    catalog, belief = opened
    allowed = None if where is None else catalog.where(where)
    configurations = catalog.storage.configurations if allowed is None else allowed.configurations
    generator = torch.Generator().manual_seed(1)
    impossible = 0
    for start_row in torch.randint(len(catalog), (6,), generator=generator).tolist():
        start = catalog.storage.choices(start_row)
        utility = belief.particles[start_row % len(belief)]
        sizes = [layer.values for layer in catalog.storage.diagram.layers]
        wishes = [{layer: value} for layer, size in enumerate(sizes) for value in range(size)]
        wishes += [{a: 0, b: 1} for a, b in itertools.combinations(range(len(sizes)), 2)]
        found = nearest(configurations, utility, dict(enumerate(start)), wishes)
        for wish, choices in zip(wishes, found, strict=True):
            best = by_brute_force(catalog, utility, start, wish, allowed)
            impossible += best is None
            assert (choices is None) == (best is None)
            if choices is None:
                continue
            assert all(int(choices[layer]) == value for layer, value in wish.items())
            row = int(catalog.storage.diagram.numbers(choices[None]))
            assert allowed is None or bool(are_allowed(allowed, torch.tensor([row])))
            changes = sum(int(choices[layer]) != start[layer] for layer in range(len(start)) if layer not in wish)
            assert changes == best[0]
            assert float(catalog.vectors(row).double() @ utility.double()) == pytest.approx(-best[1], abs=1e-5)
    assert impossible or where is None


def test_on_random_spaces_too():
    rng = np.random.default_rng(0)
    for trial in range(8):
        catalog, belief = rather.open(random_things(rng, decisions=4, rules=4))
        start = catalog.storage.choices(trial)
        wishes = [{layer: value} for layer in range(4) for value in range(catalog.storage.diagram.layers[layer].values)]
        found = nearest(catalog.storage.configurations, belief.mean, dict(enumerate(start)), wishes)
        for wish, choices in zip(wishes, found, strict=True):
            best = by_brute_force(catalog, belief.mean, start, wish, None)
            changes = sum(int(choices[layer]) != start[layer] for layer in range(4) if layer not in wish)
            row = int(catalog.storage.diagram.numbers(choices[None]))
            assert changes == best[0]
            assert float(catalog.vectors(row).double() @ belief.mean.double()) == pytest.approx(-best[1], abs=1e-5)


def test_two_wishes_are_impossible_together_just_where_no_configuration_has_both():
    rng = np.random.default_rng(1)
    impossible = 0
    for _ in range(8):
        catalog, belief = rather.open(random_things(rng, decisions=5, rules=9))
        every = [catalog.storage.choices(row) for row in range(len(catalog))]
        values = [range(layer.values) for layer in catalog.storage.diagram.layers]
        wishes = [{a: i, b: j} for a, b in itertools.combinations(range(5), 2) for i in values[a] for j in values[b]]
        found = nearest(catalog.storage.configurations, belief.mean, dict(enumerate(every[0])), wishes)
        for wish, choices in zip(wishes, found, strict=True):
            possible = any(all(chosen[layer] == value for layer, value in wish.items()) for chosen in every)
            assert (choices is not None) == possible
            assert choices is None or tuple(choices.tolist()) in every
            impossible += not possible
    assert impossible > 50


def test_what_else_changes_is_told_with_the_rules_that_require_it(opened):
    session = session_of(opened)
    adjusted = session.adjust("steel/rim/48/blue/no", {"frame": "carbon"})
    assert adjusted.item.id.startswith("carbon/d")
    assert [(each.name, each.before, each.after) for each in adjusted.wanted] == [("frame", "steel", "carbon")]
    assert [each.column for each in adjusted.forced] == ["brakes"]
    assert [each.text for each in adjusted.because] == ["frame: carbon only goes with brakes: disc or drum"]
    assert adjusted.because[0].rule == RULES[0]
    assert not adjusted.because[0].is_must_have
    (price,) = adjusted.totals
    added = 940 if adjusted.item.id.startswith("carbon/drum") else 1000
    assert (price.before, price.difference, price.amount) == ("€800", f"+€{added:,}", added)


def test_a_rule_behind_a_forced_change_is_told_too():
    space = rather.ProductSpace(
        "case",
        [rather.Extra("pen"), rather.Extra("touch"), rather.Option("panel", ["matt", "glossy"])],
        rules=["pen implies touch", "touch implies panel != 'matt'"],
    )
    adjusted = session_of(rather.open(space)).adjust("no/no/matt", {"pen": True})
    assert adjusted.item.id == "yes/yes/glossy"
    assert [each.text for each in adjusted.because] == [
        "pen: yes only goes with touch: yes",
        "touch: yes only goes with panel: glossy",
    ]


def test_what_nothing_forbids_changes_nothing_else(opened):
    adjusted = session_of(opened).adjust("steel/rim/48/blue/no", {"colour": "red"})
    assert (adjusted.item.id, adjusted.forced, adjusted.because) == ("steel/rim/48/red/no", (), ())


def test_must_haves_are_rules_that_are_told_as_such(opened):
    session = session_of(opened, "price <= 1800")
    adjusted = session.adjust("carbon/disc/52/blue/no", {"lights": True})
    assert adjusted.item.id == "carbon/drum/52/blue/yes"
    assert [(each.text, each.is_must_have) for each in adjusted.because] == [("price: at most €1,800", True)]


def test_what_no_configuration_has_is_told_with_the_rules_that_clash(opened):
    adjusted = session_of(opened, "price <= 1700").adjust("steel/rim/48/blue/no", {"frame": "titanium"})
    assert adjusted.item is None
    assert [(each.text, each.is_must_have) for each in adjusted.because] == [("price: at most €1,700", True)]
    with pytest.raises(InvalidInputError, match="nothing to take"):
        _ = adjusted.statement
    both = session_of(opened).adjust("steel/rim/48/blue/no", {"frame": "carbon", "brakes": "rim"})
    assert (both.item, [each.rule for each in both.because]) == (None, [RULES[0]])


def test_clashing_rules_are_all_needed():
    rules = ["a implies b", "b implies c", "c implies not d", "e implies a"]
    space = rather.ProductSpace("thing", [rather.Extra(name) for name in "abcde"], rules=rules)
    adjusted = session_of(rather.open(space)).adjust("no/no/no/no/no", {"a": True, "d": True})
    assert adjusted.item is None
    assert [each.rule for each in adjusted.because] == rules[:3]


def test_alternatives_are_the_adjustments_one_by_one(opened):
    session = session_of(opened, "price <= 1800")
    start = session.recommend(1)[0].id
    for decision in session.alternatives(start):
        assert sum(value.is_chosen for value in decision.values) == 1
        for value in decision.values:
            adjusted = session.adjust(start, {decision.column: value.value})
            assert value.item == (None if adjusted.item is None else adjusted.item.id)
            assert (value.forced, value.totals) == (adjusted.forced, adjusted.totals)


def test_values_are_found_however_they_are_given(opened):
    session = session_of(opened)
    for column, value in (("size", 52), ("size", "52"), ("lights", True), ("lights", "yes"), ("colour", "Red ")):
        assert session.adjust("steel/rim/48/blue/no", {column: value}).item is not None
    with pytest.raises(UnknownNameError, match=r"Nothing called 'wheels'.*frame, brakes"):
        session.adjust("steel/rim/48/blue/no", {"wheels": "big"})
    with pytest.raises(InvalidInputError, match="'colour' is never 'rde'; did you mean 'red'"):
        session.adjust("steel/rim/48/blue/no", {"colour": "rde"})
    with pytest.raises(InvalidInputError, match="'lights' is never 1; it is one of no, yes"):
        session.adjust("steel/rim/48/blue/no", {"lights": 1})
    with pytest.raises(UnknownNameError):
        session.adjust("steel/rim/48/blue/maybe", {"colour": "red"})


def test_only_configurations_are_adjusted():
    session = rather.Session(rather.Policy(*rather.open("films")))
    best, other = session.recommend(2)
    with pytest.raises(InvalidInputError, match="Only configurations can be adjusted"):
        session.adjust(best.id, {"funny": True})
    with pytest.raises(InvalidInputError, match="Only configurations can be adjusted"):
        session.hint(rather.Adjust(best.id, other.id))


def test_taking_it_is_the_evidence_of_a_choice_between_the_two(opened):
    catalog, belief = opened
    policy = rather.Policy(catalog, belief, seed=0, rejuvenation=None)
    session = rather.Session(policy)
    adjusted = session.adjust(session.recommend(1)[0].id, {"frame": "titanium"})
    hint = session.hint(adjusted.statement)
    first, second = catalog.vectors([adjusted.start.row, adjusted.item.row]).double()
    odds = torch.sigmoid(belief.particles.double() @ (second - first) / hint.response.temperature)
    expected = belief.weights.double() * odds
    assert torch.allclose(session.belief.weights.double(), expected / expected.sum(), atol=1e-6)
    assert [option.id for option in hint.options] == [adjusted.start.id, adjusted.item.id]
    assert session.adjusted.id == adjusted.item.id


def test_it_is_undone_logged_and_restored_like_other_hints(opened):
    catalog, belief = opened
    session = session_of(opened)
    session.tell(session.ask(), 0)
    before = session.belief
    adjusted = session.adjust("steel/rim/48/blue/no", {"frame": "carbon"})
    session.hint(adjusted.statement)
    brakes = adjusted.forced[0].after
    assert session.hints[0].text == f"Like Steel bike, but frame: carbon and brakes: {brakes}"
    again = rather.Session.from_json(session.to_json(), catalog, belief)
    assert torch.equal(again.belief.weights, session.belief.weights)
    assert again.ask().about == session.ask().about
    assert again.ask().text == session.ask().text
    assert (again.adjusted.id, again.hints[0].text) == (adjusted.item.id, session.hints[0].text)
    assert rather.Session.restore(session.snapshot(), catalog, belief).adjusted.id == adjusted.item.id
    session.undo()
    assert session.belief is before
    assert session.adjusted is None


def test_it_is_carried_over_when_rules_and_prices_change(opened):
    session = session_of(opened)
    adjusted = session.adjust("steel/rim/48/blue/no", {"frame": "titanium"})
    session.hint(adjusted.statement)
    catalog, belief = rather.open(bikes(*RULES[:-1], "price <= 1900"))
    carried = rather.Session.from_json(session.to_json(), catalog, belief)
    assert [hint.statement for hint in carried.hints] == [adjusted.statement]
    assert carried.adjusted is None  # it can no longer be had
    assert len(carried.belief.evidence) == 1


def test_an_adjustment_to_itself_says_nothing(opened):
    session = session_of(opened)
    with pytest.raises(InvalidInputError, match="nothing to take"):
        _ = session.adjust("steel/rim/48/blue/no", {"frame": "steel"}).statement
    with pytest.raises(InvalidInputError, match="must be another bike"):
        session.hint(rather.Adjust("steel/rim/48/blue/no", "steel/rim/48/blue/no"))


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_it_is_told_in_every_language(opened, language):
    adjusted = session_of(opened, "price <= 1800").adjust("steel/rim/48/blue/no", {"frame": "carbon"}, language)
    (because,) = adjusted.because
    assert because.text != "frame: carbon only goes with brakes: disc or drum"
    assert "carbon" in because.text
    assert "disc" in because.text
    assert adjusted.totals[0].difference.startswith("+9") or adjusted.totals[0].difference.startswith("+1")
    assert adjusted.totals[0].difference.endswith("€")


def test_configurations_that_have_the_same_label_are_told_apart(opened):
    catalog, belief = opened
    rows = [catalog.row(id) for id in ("steel/rim/48/blue/no", "steel/disc/52/blue/no", "carbon/disc/52/blue/no")]
    question = rather.Policy(catalog, belief, k=3).item_question(1, rows)
    assert [option.label for option in question.options] == [
        "Steel bike whose brakes are rim",
        "Steel bike whose brakes are disc",
        "Carbon bike",
    ]
    assert question.text == (
        "Which bike would you rather ride: the steel bike whose brakes are rim, the steel bike whose brakes are disc "
        "or the carbon bike?"
    )


def test_no_two_recommendations_are_called_the_same():
    catalog, belief = rather.open("bicycle")
    for seed in range(3):
        top = rather.Session(rather.Policy(catalog, belief, seed=seed)).recommend(12)
        assert len({item.label for item in top}) == 12


def test_positions_are_those_of_the_id(opened):
    catalog, _ = opened
    for row in range(0, len(catalog), 7):
        chosen = positions_of(catalog, row)
        texts = [each.values[chosen[each.column]] for each in catalog.configurator.decisions]
        assert "/".join(texts) == catalog.ids[row]
