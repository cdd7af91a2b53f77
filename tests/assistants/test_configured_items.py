"""What assistants can do where the items are configurations of a product."""

import pytest
from calling import with_assistant

import rather
from product_spaces import bicycle


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

    with_assistant(test, rather.open(space))


def test_nothing_can_be_chosen_about_the_items_of_a_list(cars):
    async def test(assistant):
        assert (await assistant.call("describe_catalog"))["decisions"] == []

    with_assistant(test, cars)
