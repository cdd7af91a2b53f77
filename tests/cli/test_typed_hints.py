"""What people type below the recommendations is understood, or they are told what is."""

import pytest
from rich.console import Console

import rather
from cars import CARS
from rather import DontCare, LikeBut, MoreLike, Policy, Session, Want
from rather.cli.terminal_adjusting import change_typed
from rather.cli.terminal_hints import examples, hear, statement_typed
from rather.errors import InvalidInputError
from rather.formats.tables import encode_table


@pytest.fixture(scope="module")
def catalog(tmp_path_factory):
    path = tmp_path_factory.mktemp("typed") / "cars.csv"
    path.write_text(CARS)
    return encode_table(path)


@pytest.fixture
def session(catalog):
    return Session(Policy(catalog.catalog, catalog.belief(particles=100)))


@pytest.fixture
def listed(session):
    return session.recommend(10)[:5]


def number_of(listed, catalog, text):
    """The number of a recommendation that may be wished like this."""
    for number, item in enumerate(listed, start=1):
        if text in [each.text for each in catalog.comparatives_of(item.row)]:
            return number
    raise AssertionError(text)


@pytest.mark.parametrize("typed", ["{} cheaper", "{}, but cheaper", "like {} but cheaper", "LIKE {}, but CHEAPER"])
def test_a_number_and_a_comparative_are_said_of_that_item(session, listed, typed):
    number = number_of(listed, session.policy.catalog, "cheaper")
    statement = statement_typed(typed.format(number), session, listed)
    assert statement == LikeBut(listed[number - 1].id, "price_usd", "less")


@pytest.mark.parametrize("typed", ["like 2", "more like 2", "Like 2"])
def test_like_and_a_number_asks_for_more_of_that(session, listed, typed):
    assert statement_typed(typed, session, listed) == MoreLike(listed[1].id)


def test_a_comparative_alone_is_said_of_the_first(session, listed):
    wish = session.policy.catalog.comparatives_of(listed[0].row)[0]
    assert statement_typed(wish.text, session, listed) == LikeBut(listed[0].id, wish.column, wish.toward)


@pytest.mark.parametrize("typed", ["want awd", "I want AWD"])
def test_wanting(session, listed, typed):
    statement = statement_typed(typed, session, listed)
    assert isinstance(statement, Want)
    assert statement.text == "AWD"


@pytest.mark.parametrize("typed", ["don't care about price", "dont care price_usd", "I do not care about Price"])
def test_not_caring(session, listed, typed):
    assert statement_typed(typed, session, listed) == DontCare("price_usd")


@pytest.mark.parametrize("typed", ["louder", "like", "9 cheaper", "like 0", "?"])
def test_what_is_not_understood_says_what_is(session, listed, typed):
    with pytest.raises(InvalidInputError, match=r"like 2|type 1 to 5"):
        statement_typed(typed, session, listed)


def test_every_example_is_understood(session, listed):
    for example in examples(session, listed).split(", "):
        session.hint(statement_typed(example, session, listed))
    assert len(session.hints) == 4


def test_the_person_is_heard_until_they_press_enter(session, monkeypatch):
    typed = iter(["want AWD", "want wings", "like 1", "u", ""])
    console, changes = Console(record=True, width=100), []
    monkeypatch.setattr(console, "input", lambda prompt: next(typed))
    hear(console, session, lambda: changes.append(len(session.hints)))
    assert changes == [1, 2, 1]
    assert [hint.text for hint in session.hints] == ["I want a car whose drive is AWD"]
    assert "wings" in console.export_text()


def test_vectors_without_names_can_be_steered_too():
    session = Session(Policy(rather.Catalog([[1.0, 0.0], [0.0, 1.0]]), rather.Belief.from_users([[1.0, 0.2]])))
    assert examples(session, session.recommend(2)) == "like 2"


@pytest.fixture(scope="module")
def bicycles():
    return rather.open("bicycle")


@pytest.fixture
def bicycle_session(bicycles):
    return Session(Policy(*bicycles))


def typed(monkeypatch, session, *lines):
    """What the terminal shows when these lines are typed below the recommendations."""
    console = Console(width=100, record=True, force_terminal=False)
    answers = iter([*lines, ""])
    monkeypatch.setattr(console, "input", lambda *_: next(answers))
    hear(console, session, lambda: None)
    return console.export_text()


@pytest.mark.parametrize(
    "said",
    ["1 frame titanium", "frame titanium", "change frame to titanium", "frame = Titanium", "adjust 1, frame: titanium"],
)
def test_a_choice_of_a_configuration_is_changed_and_taken(monkeypatch, bicycle_session, said):
    start = bicycle_session.recommend(1)[0]
    shown = typed(monkeypatch, bicycle_session, said, "y")
    expected = bicycle_session.policy.catalog.row(bicycle_session.hints[0].statement.to)
    assert bicycle_session.hints[0].statement.item == start.id
    assert bicycle_session.policy.catalog.ids[expected].split("/")[1] == "titanium"
    assert "frame  " in shown
    assert "As you adjusted it:" in shown


@pytest.mark.parametrize(
    "said", ["1 frame titanium, gears 14", "frame titanium and gears: 14", "change 1 frame to titanium; gears to 14"]
)
def test_several_choices_are_changed_at_once(monkeypatch, bicycle_session, said):
    typed(monkeypatch, bicycle_session, said, "y")
    (hint,) = bicycle_session.hints
    assert hint.text.endswith("frame: titanium and gears: 14")


def test_a_value_with_a_comma_or_an_and_is_one_value():
    colours = ["black, matt", "black and white", "red"]
    parts = [rather.Option("colour", colours), rather.Extra("bell"), rather.Option("size", [1, 2])]
    catalog, _ = rather.open(rather.ProductSpace("bike", parts))
    assert change_typed("2 colour black, matt", catalog) == (2, {"colour": "black, matt"})
    assert change_typed("colour black and white", catalog) == (None, {"colour": "black and white"})
    assert change_typed("colour red, bell yes and size 2", catalog) == (
        None,
        {"colour": "red", "bell": "yes", "size": "2"},
    )
    assert change_typed("like 2", catalog) is None
    with pytest.raises(InvalidInputError, match="two values for 'colour': 'red' and 'black'"):
        change_typed("colour red; colour: black", catalog)


def test_what_is_left_teaches_nothing(monkeypatch, bicycle_session):
    shown = typed(monkeypatch, bicycle_session, "frame titanium", "n")
    assert not bicycle_session.hints
    assert "→ titanium" in shown


def test_a_change_that_the_rules_forbid_is_explained(monkeypatch, bicycles):
    catalog, belief = bicycles
    session = Session(Policy(catalog, belief, allowed=catalog.where("price <= 1000")))
    shown = typed(monkeypatch, session, "frame titanium", "frame wood", "1 tyre width 28")
    assert "No configuration has frame: titanium, because" in shown
    assert "price: at most €1,000 (your must-have)" in shown
    assert "'frame' is never 'wood'" in shown
    assert not session.hints


def test_examples_say_that_choices_can_be_changed(bicycle_session):
    listed = bicycle_session.recommend(5)
    assert examples(bicycle_session, listed).startswith("1 type ")


def test_what_can_be_wanted_is_typed_as_it_is_read():
    trained = ["yes", "mostly", "no"] * 8
    table = encode_table({"house trained": trained, "kg": list(range(24))}, {"table": {"name": "dog"}})
    session = Session(Policy(table.catalog, table.belief(particles=50)))
    listed = session.recommend(3)
    phrases = {
        typed: statement_typed(f"want {typed}", session, listed).attribute.phrase
        for typed in ("house trained", "that is mostly house trained", "house trained mostly")
    }
    assert phrases == {
        "house trained": "that is **house trained**",
        "that is mostly house trained": "that is **mostly** house trained",
        "house trained mostly": "that is **mostly** house trained",
    }
    with pytest.raises(
        InvalidInputError, match=r"Nothing that a dog can have is called 'house-trainde'. Try: house trained"
    ):
        statement_typed("want house-trainde", session, listed)
