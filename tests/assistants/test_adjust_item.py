"""What assistants can do where the items are configurations of a product."""

import pytest
from calling import with_assistant

import rather
from product_spaces import bicycle
from rather import Policy, Session
from rather.assistants import Limits
from rather.conversation.recommendations import match_text


@pytest.fixture(scope="module")
def bikes():
    return rather.open(bicycle())


def test_configurations_which_have_no_names_are_not_found_by_name(bikes):
    async def test(assistant):
        assert "find_items" not in {tool.name for tool in (await assistant.client.list_tools()).tools}
        assert "There is no tool 'find_items'. Call one of: open_conversation, " in await assistant.error(
            "find_items", text="carbon"
        )
        id = (await assistant.call("open_conversation"))["conversation"]
        text = await assistant.error("state_wish", conversation=id, says="more-like", item="carbon")
        assert "Ids are in questions and in recommendations; how" in text

    with_assistant(test, bikes)


def test_recommended_configurations_are_told_apart_in_the_language_of_the_person(bikes):
    async def test(assistant):
        labels = {}
        for language in ("en", "de"):
            id = (await assistant.call("open_conversation", language=language))["conversation"]
            found = (await assistant.call("recommend", conversation=id, count=20))["recommendations"]
            labels[language] = [item["label"] for item in found]
            assert len(set(labels[language])) == 20
        told_apart = [number for number, label in enumerate(labels["en"]) if "whose size is" in label]
        assert told_apart
        assert all("Größe: " in labels["de"][number] for number in told_apart)
        assert not any("whose" in label for label in labels["de"])

    with_assistant(test, bikes)


STEEL = "steel/rim/48/1/no/no/red"
CARBON = [{"column": "frame", "value": "carbon"}]


async def opened(assistant, **opening):
    return (await assistant.call("open_conversation", **opening))["conversation"]


def test_looking_shows_what_the_library_finds_and_teaches_nothing(bikes):
    expected = Session(Policy(*bikes)).adjust(STEEL, {"frame": "carbon"})

    async def test(assistant):
        state = await assistant.call("open_conversation")
        id = state["conversation"]
        found = await assistant.call("adjust_item", conversation=id, item=STEEL, changes=CARBON)
        assert found["item"]["id"] == expected.item.id == "carbon/disc/48/1/no/no/red"
        assert found["item"]["label"] == expected.item.label
        assert found["item"]["facts"]["price"] == "1,380 EUR"
        assert found["item"]["match_text"] == match_text(expected.item)
        assert found["changes"] == [{"column": "frame", "name": "frame", "before": "steel", "after": "carbon"}]
        assert found["changes_with_it"] == [{"column": "brakes", "name": "brakes", "before": "rim", "after": "disc"}]
        rule = "frame: carbon only goes with brakes: disc and size: at most 58 cm"
        assert found["because"] == [{"text": rule, "must_have": False}]
        assert found["totals"] == [
            {"name": "price", "before": "400 EUR", "after": "1,380 EUR", "difference": "+980 EUR"},
            {"name": "weight", "before": "8.4 kg", "after": "7.4 kg", "difference": "−1 kg"},
        ]
        assert not found["taken"]
        assert "call adjust_item again with the same arguments and `take` true" in found["next_step"]
        assert await assistant.call("next_question", conversation=id) == state
        assert (await assistant.call("recommend", conversation=id))["adjusted"] is None

    with_assistant(test, bikes)


def test_what_is_taken_is_a_wish_that_teaches_what_the_library_learns_from_it(bikes):
    session = Session(Policy(*bikes))
    adjusted = session.adjust(STEEL, {"frame": "carbon"})
    hint = session.hint(adjusted.statement)

    async def test(assistant):
        state = await assistant.call("open_conversation")
        id = state["conversation"]
        before = await assistant.call("recommend", conversation=id)
        taken = await assistant.call("adjust_item", conversation=id, item=STEEL, changes=CARBON, take=True)
        assert taken["taken"]
        assert "take_back undoes it" in taken["next_step"]
        after = await assistant.call("next_question", conversation=id)
        assert (after["wishes"], after["question"]["text"]) == (1, session.ask().text)
        recommended = await assistant.call("recommend", conversation=id)
        assert [item["id"] for item in recommended["recommendations"]] == [item.id for item in session.recommend(5)]
        assert recommended["adjusted"]["id"] == adjusted.item.id
        assert recommended["adjusted"]["match"] == pytest.approx(taken["item"]["match"])
        assert taken["item"]["match"] == pytest.approx(session.adjusted.match)
        assert taken["item"]["match"] > adjusted.item.match
        known = await assistant.call("explain_what_is_known", conversation=id)
        assert known["told"] == [{"kind": "wish", "question": None, "said": hint.text}]
        assert "frame: carbon and brakes: disc" in hint.text
        assert await assistant.call("take_back", conversation=id) == state
        assert await assistant.call("recommend", conversation=id) == before

    with_assistant(test, bikes)


def test_what_was_adjusted_can_be_adjusted_further(bikes):
    async def test(assistant):
        id = await opened(assistant)
        first = await assistant.call("adjust_item", conversation=id, item=STEEL, changes=CARBON, take=True)
        lights = [{"column": "lights", "value": True}, {"column": "gears", "value": 3}]
        found = await assistant.call(
            "adjust_item", conversation=id, item=first["item"]["id"], changes=lights, take=True
        )
        assert [each["after"] for each in found["changes"]] == ["3", "yes"]
        recommended = await assistant.call("recommend", conversation=id)
        assert recommended["adjusted"]["id"] == found["item"]["id"]
        assert "adjust_item" in recommended["next_step"]
        await assistant.call("take_back", conversation=id)
        recommended = await assistant.call("recommend", conversation=id)
        assert recommended["adjusted"]["id"] == first["item"]["id"]

    with_assistant(test, bikes)


def test_what_was_adjusted_is_told_apart_from_what_is_recommended_and_left_out_if_unwanted(bikes):
    async def test(assistant):
        id = await opened(assistant)
        found = (await assistant.call("recommend", conversation=id, count=20))["recommendations"]
        start = next(item["id"] for item in found if item["label"].endswith(" whose size is 62 cm"))
        size = [{"column": "size", "value": 56}]
        made = await assistant.call("adjust_item", conversation=id, item=start, changes=size, take=True)
        recommended = await assistant.call("recommend", conversation=id, count=20)
        shown = [recommended["adjusted"], *recommended["recommendations"]]
        assert len({each["label"] for each in shown}) == len({each["id"] for each in shown}) >= 20
        assert recommended["adjusted"]["label"].endswith(" whose size is 56 cm")
        unwanted = await assistant.call("recommend", conversation=id, exclude=[made["item"]["id"]])
        assert unwanted["adjusted"] is None
        assert (await assistant.call("recommend", conversation=id, offset=5))["adjusted"] is None

    with_assistant(test, bikes)


@pytest.mark.parametrize("take", [False, True])
def test_what_nothing_can_have_names_the_rules_that_clash_and_is_not_taken(bikes, take):
    async def test(assistant):
        cheap = {"column": "price", "maximum": 1000}
        id = await opened(assistant, must_haves=[cheap])
        found = await assistant.call("adjust_item", conversation=id, item=STEEL, changes=CARBON, take=take)
        assert (found["item"], found["taken"], found["totals"], found["changes_with_it"]) == (None, False, [], [])
        assert [each["after"] for each in found["changes"]] == ["carbon"]
        assert {"text": "price: at most 1,000 EUR", "must_have": True} in found["because"]
        assert "Nothing is recorded. They may loosen their own must-haves (`must_have`)" in found["next_step"]
        assert (await assistant.call("next_question", conversation=id))["wishes"] == 0
        changes = [*CARBON, {"column": "size", "value": 62}]
        alone = await assistant.call("adjust_item", conversation=id, item=STEEL, changes=changes, take=take)
        assert [each["must_have"] for each in alone["because"]] == [False]
        assert "set_must_haves" not in alone["next_step"]

    with_assistant(test, bikes)


@pytest.mark.parametrize("take", [False, True])
def test_what_is_as_wanted_already_is_not_taken(bikes, take):
    async def test(assistant):
        id = await opened(assistant)
        steel = [{"column": "frame", "value": "steel"}]
        found = await assistant.call("adjust_item", conversation=id, item=STEEL, changes=steel, take=take)
        assert (found["item"]["id"], found["changes"], found["taken"]) == (STEEL, [], False)
        assert found["next_step"].startswith("It already has these values, so there is nothing to take.")
        assert (await assistant.call("next_question", conversation=id))["wishes"] == 0

    with_assistant(test, bikes)


def test_an_adjustment_keeps_the_must_haves_and_says_where_they_require_more(bikes):
    async def test(assistant):
        id = await opened(assistant, must_haves=[{"column": "gears", "maximum": 1}], where="not lights or rack")
        lights = [{"column": "lights", "value": "yes"}]
        found = await assistant.call("adjust_item", conversation=id, item=STEEL, changes=lights, take=True)
        assert [(each["name"], each["after"]) for each in found["changes_with_it"]] == [("rack", "yes")]
        assert [each["must_have"] for each in found["because"]] == [True]
        await assistant.call("set_must_haves", conversation=id, where="rack")
        assert (await assistant.call("recommend", conversation=id))["adjusted"]["id"] == found["item"]["id"]
        await assistant.call("set_must_haves", conversation=id, where="not rack")
        assert (await assistant.call("recommend", conversation=id))["adjusted"] is None

    with_assistant(test, bikes)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            [{"column": "wheels", "value": 2}],
            "Nothing called 'wheels' is chosen about a bicycle. There are: frame, brakes, size, gears, ",
        ),
        (
            [{"column": "frames", "value": "carbon"}],
            "Nothing called 'frames' is chosen about a bicycle. Perhaps one of these was meant: frame, ",
        ),
        ([{"column": "price", "value": 900}], "'price' of a bicycle cannot be chosen: it follows from the choices."),
        ([{"column": "frame", "value": "carbn"}], "'frame' is never 'carbn'; did you mean 'carbon'?"),
        ([{"column": "frame", "value": "wood"}], "'frame' is never 'wood'; it is one of steel, aluminium, carbon."),
        ([{"column": "gears", "value": True}], "'gears' is never True; it is one of 1, 3, 8, 11."),
        ([*CARBON, {"column": "Frame", "value": "steel"}], "`changes` has two values for 'frame'."),
    ],
)
def test_a_change_that_is_not_understood_says_what_there_is(bikes, changes, said):
    async def test(assistant):
        id = await opened(assistant)
        text = await assistant.error("adjust_item", conversation=id, item=STEEL, changes=changes, take=True)
        assert said in text
        advice = ("all the tool again", "describe_catalog lists the decisions with their values", "call set_must_haves")
        assert any(each in text for each in advice)
        assert (await assistant.call("next_question", conversation=id))["wishes"] == 0

    with_assistant(test, bikes)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"item": STEEL, "changes": []}, "`changes`: List should have at least 1 item"),
        ({"item": STEEL, "changes": CARBON * 21}, "`changes`: List should have at most 20 items"),
        ({"item": STEEL, "changes": [{"column": "frame", "to": "carbon"}]}, "a change takes `column`, `value`"),
        ({"item": STEEL, "changes": [{"column": "frame", "value": "x" * 1_001}]}, "a text of at most 1000 characters"),
        (
            {"item": STEEL, "changes": [{"column": "frame", "value": None}]},
            "`changes.0.value`: a value is a text of at",
        ),
        ({"item": STEEL, "changes": [{"column": "gears", "value": 10**30}]}, "`changes.0.value`: a value is a text of"),
        ({"item": "x" * 5_001, "changes": CARBON}, "at most 5000 characters"),
        (
            {"item": "steel/rim", "changes": CARBON},
            "No bicycle has the id 'steel/rim'. Nothing has changed. Ids are in",
        ),
        ({"item": 7, "changes": CARBON}, "No bicycle has the id 7. Nothing has changed. Ids are in"),
    ],
)
def test_arguments_that_cannot_be_meant_are_errors(bikes, arguments, said):
    async def test(assistant):
        assert said in await assistant.error("adjust_item", conversation=await opened(assistant), **arguments)

    with_assistant(test, bikes)


def test_decisions_and_values_may_be_named_as_they_are_shown(bikes):
    async def test(assistant):
        id = await opened(assistant, language="de")
        for column, value in ("size", 52), ("size", "52"), ("SIZE", "52 cm"), ("Größe", 52.0):
            changes = [{"column": column, "value": value}, {"column": "rack", "value": "ja"}]
            found = await assistant.call("adjust_item", conversation=id, item=STEEL, changes=changes)
            assert found["item"]["id"] == "steel/rim/52/1/no/yes/red"
            assert found["changes"][0] == {"column": "size", "name": "Größe", "before": "48 cm", "after": "52 cm"}
            assert found["changes"][1]["after"] == "ja"
            assert found["totals"][0]["difference"] == "+40 EUR"

    with_assistant(test, bikes)


def test_the_description_lists_what_can_be_chosen_and_long_lists_are_spread():
    space = rather.ProductSpace(
        "shelf",
        [
            rather.Option("wood", ["oak", "ash"]),
            rather.NumberRange("width", 1, 500, step=1, unit="cm"),
            rather.Extra("back", name="back panel"),
        ],
    )

    async def test(assistant):
        wood, width, back = (await assistant.call("describe_catalog"))["decisions"]
        assert wood == {"column": "wood", "name": "wood", "values": ["oak", "ash"], "count": 2}
        assert back == {"column": "back", "name": "back panel", "values": ["no", "yes"], "count": 2}
        assert (len(width["values"]), width["count"]) == (60, 500)
        assert (width["values"][0], width["values"][-1]) == ("1 cm", "500 cm")
        id = await opened(assistant)
        unlisted = next(f"{each} cm" for each in range(1, 501) if f"{each} cm" not in width["values"])
        changes = [{"column": "width", "value": unlisted}, {"column": "back panel", "value": True}]
        found = await assistant.call("adjust_item", conversation=id, item="oak/500/no", changes=changes)
        assert found["item"]["id"] == f"oak/{unlisted.removesuffix(' cm')}/yes"

    with_assistant(test, rather.open(space))


def test_items_of_a_list_are_not_adjusted(cars):
    async def test(assistant):
        assert (await assistant.call("describe_catalog"))["decisions"] == []
        assert "There is no tool 'adjust_item'. Call one of: " in await assistant.error("adjust_item")
        assert (await assistant.call("recommend", conversation=await opened(assistant)))["adjusted"] is None

    with_assistant(test, cars)


def test_what_is_taken_counts_among_the_answers_and_wishes_of_a_conversation(bikes):
    async def test(assistant):
        id = await opened(assistant)
        await assistant.call("adjust_item", conversation=id, item=STEEL, changes=CARBON, take=True)
        text = await assistant.error("adjust_item", conversation=id, item=STEEL, changes=CARBON, take=True)
        assert "at most 1 answers and wishes" in text
        assert not (await assistant.call("adjust_item", conversation=id, item=STEEL, changes=CARBON))["taken"]

    with_assistant(test, bikes, limits=Limits(answers=1))
