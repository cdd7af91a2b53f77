"""Every strategy asks about a product space what it asks about the table of its valid configurations."""

import pytest
import torch
from hypothesis import given, settings

import rather
from product_spaces import bicycle, product_spaces
from rather import ATTRIBUTE_STRATEGIES, STRATEGIES, Extra, NumberRange, Option, Policy, ProductSpace, Session, Total
from rather.simulation import draw_users, simulate

SEARCHED_EXHAUSTIVELY = 60


def both(space, particles=150):
    """The space as a catalogue and belief, and its table."""
    listed = rather.open(space.table(), settings=space.table_settings, particles=particles)
    return rather.open(space, particles=particles), listed


def asked(opened, questions, **settings):
    """What is asked, what it is worth, and what is recommended in the end."""
    session = Session(Policy(*opened, seed=1, retriever="exact", **settings))
    found = []
    for number in range(questions):
        question = session.ask()
        # The options in any order are the same question, and worth the same but for the last bit.
        (options,) = question.about.values()
        ordered = sorted(options)
        found.append((ordered, question.evoi))
        session.tell(question, options.index(ordered[number % len(ordered)]))
    return found, [item.row for item in session.recommend(4)]


def assert_the_same(space, questions=2, **settings):
    own, listed = both(space)
    (found, best), (expected, expected_best) = (asked(each, questions, **settings) for each in (own, listed))
    assert [about for about, _ in found] == [about for about, _ in expected]
    assert [evoi for _, evoi in found] == pytest.approx([evoi for _, evoi in expected], abs=1e-5)
    assert best == expected_best


@pytest.mark.parametrize("name", STRATEGIES)
@settings(max_examples=4)
@given(space=product_spaces(most=300))
def test_questions_about_items_are_those_about_the_table(name, space):
    if name == "exhaustive-search" and space.combinations > SEARCHED_EXHAUSTIVELY:
        return
    assert_the_same(space, strategy=name)


@pytest.mark.parametrize("name", ATTRIBUTE_STRATEGIES)
@settings(max_examples=4)
@given(space=product_spaces(most=300).filter(lambda space: len(rather.open(space, particles=2)[0].attributes) > 2))
def test_questions_about_attributes_are_those_about_the_table(name, space):
    assert_the_same(space, ask="attributes", attribute_strategy=name)


@pytest.mark.parametrize("worth", ["line", "curve"])
@pytest.mark.parametrize("pairs", [[], [("frame", "size"), ("gears", "brakes")]])
@pytest.mark.parametrize("rules", [{"rules": []}, {}])
def test_three_questions_about_bicycles_are_those_about_their_table(worth, pairs, rules):
    assert_the_same(bicycle(worth=worth, interactions=pairs, **rules), 3, k=3)
    assert_the_same(bicycle(worth=worth, interactions=pairs, **rules), 2, ask="attributes", p=2)


@settings(max_examples=5)
@given(space=product_spaces(most=300))
def test_simulated_regret_is_that_on_the_table(space):
    curves = []
    for catalog, belief in both(space):
        policy = Policy(catalog, belief, retriever="exact")
        conversations = simulate({"auto": policy}, draw_users(belief, 5, seed=3), questions=4, seed=2)
        curves.append([regret for each in conversations for regret in each.regret])
    assert curves[0] == pytest.approx(curves[1], abs=1e-5)


def test_a_space_of_86_400_configurations_equals_its_table():
    space = ProductSpace(
        "tent",
        [
            Option("shape", {"dome": {"price": 0}, "tunnel": {"price": 60}, "geodesic": {"price": 240}}),
            Option("colour", ["red", "green", "grey", "orange", "blue", "sand"]),
            NumberRange("people", 1, 6, step=1, adds={"price": 55, "weight": 0.6}),
            NumberRange("height", 1, 2, step=0.1, unit="m"),
            Option("poles", {"steel": {"weight": 1.2}, "aluminium": {"price": 70, "weight": 0.6}}),
            *(Extra(name, adds={"price": 15 + 7 * number}) for number, name in enumerate(("porch", "mat", "lamp"))),
            Option("fabric", {"cotton": {"weight": 2.5}, "nylon": None, "polyester": {"price": -20, "weight": 0.3}}),
            Option("doors", [1, 2, 3]),
        ],
        totals=[Total("price", base=90, unit="EUR", direction="less"), Total("weight", base=0.7, worth="curve")],
        rules=["shape == 'geodesic' implies poles == 'aluminium'", "height >= 1.5 or people <= 3", "doors <= people"],
    )
    own, listed = both(space)
    assert len(own[0]) == 86_400
    rows = torch.arange(0, len(own[0]), 97)
    assert torch.equal(own[0].vectors(rows), listed[0].vectors(rows))
    for settings_ in ({"k": 2}, {"ask": "attributes", "k": 3}):
        found, expected = (asked(each, 2, **settings_) for each in (own, listed))
        assert [about for about, _ in found[0]] == [about for about, _ in expected[0]]
        assert [evoi for _, evoi in found[0]] == pytest.approx([evoi for _, evoi in expected[0]], abs=1e-5)
        assert found[1] == expected[1]
