"""What assistants can do, and what they are told when they cannot."""

import json

import pytest
from calling import cheapest, with_assistant

import rather
from rather import Belief, Catalog, Policy, Session, Want
from worlds import normal

AWD = {"column": "drive", "any_of": ["AWD"]}


def test_every_tool_has_a_description_and_schemas(cars):
    async def test(assistant):
        tools = (await assistant.client.list_tools()).tools
        assert len(tools) == 11
        for tool in tools:
            assert tool.description
            assert "  " not in tool.description
            assert tool.output_schema["type"] == "object"
            assert all(
                "description" in each or "anyOf" in each or "enum" in each or "$ref" in each
                for each in tool.input_schema["properties"].values()
            ), tool.name

    with_assistant(test, cars)


def test_the_same_seed_and_answers_give_the_same_conversation(cars):
    async def test(assistant):
        first, second, other = [await assistant.converse(cheapest, seed=seed, k=3) for seed in (5, 5, 6)]
        assert first[0] == second[0]
        assert first[2]["recommendations"] == second[2]["recommendations"]
        assert first[1]["conversation"] != second[1]["conversation"]
        assert other[1]["conversation"] not in (first[1]["conversation"], second[1]["conversation"])

    with_assistant(test, cars)


def test_a_wrong_answer_says_which_ones_there_are_and_changes_nothing(cars):
    async def test(assistant):
        state = await assistant.call("open_conversation")
        id = state["conversation"]
        for choice in (2, -1, "perhaps"):
            text = await assistant.error("answer_question", conversation=id, question=1, choice=choice)
            assert "`choice` must be" in text
            assert "Call answer_question again with one of: 0, 1, none, same, skip." in text
        text = await assistant.error("answer_question", conversation=id, question=2, choice=0)
        assert "the open question is number 1. Call next_question" in text
        assert await assistant.call("next_question", conversation=id) == state

    with_assistant(test, cars)


def test_a_number_may_be_written_as_a_text(cars):
    catalog = Catalog(normal(3, 2), ids=[10, 11, 12])

    async def test(assistant):
        id = (await assistant.call("open_conversation"))["conversation"]
        answered = await assistant.call("answer_question", conversation=id, question=1, choice="1")
        assert answered["answers"] == 1
        item = answered["question"]["options"][0]["item"]
        wished = await assistant.call("state_wish", conversation=id, says="more-like", item=str(item))
        assert wished["wishes"] == 1
        left = await assistant.call("recommend", conversation=id, exclude=[str(item)])
        assert sorted([item, *(each["id"] for each in left["recommendations"])]) == [10, 11, 12]
        assert "No item has the id '13'" in await assistant.error(
            "state_wish", conversation=id, says="more-like", item="13"
        )

    with_assistant(test, (catalog, Belief.from_users(normal(50, 2))))


def test_an_unknown_conversation_is_told_to_open_another(cars):
    async def test(assistant):
        for tool in ("next_question", "recommend", "explain_what_is_known", "take_back", "close_conversation"):
            text = await assistant.error(tool, conversation="nobody-knows")
            assert "No open conversation has the id 'nobody-knows'" in text
            assert "Call open_conversation" in text

    with_assistant(test, cars)


def test_impossible_must_haves_say_what_each_of_them_leaves(cars):
    async def test(assistant):
        state = await assistant.call("open_conversation")
        cheap = {"column": "price", "maximum": 20_000}
        text = await assistant.error("set_must_haves", conversation=state["conversation"], must_haves=[AWD, cheap])
        assert "none has all must-haves, but a question needs 2" in text
        assert "'drive: AWD' 4 cars; 'price: at most 20000' 3 cars" in text
        assert "ask which must-have to loosen" in text
        assert await assistant.call("next_question", conversation=state["conversation"]) == state
        assert "none has all" in await assistant.error("open_conversation", must_haves=[AWD, cheap])

    with_assistant(test, cars)


@pytest.mark.parametrize(
    ("must_have", "said"),
    [
        ({"column": "colour", "any_of": ["red"]}, "There are: make, price, range, drive"),
        ({"column": "drive", "any_of": ["4WD"]}, "Values are: "),
        ({"column": "drive", "minimum": 3}, "takes `any_of`"),
        ({"column": "drive"}, "a must-have needs `any_of`, `minimum` or `maximum`"),
        ({"column": "price", "max": 3}, "a must-have takes `column`, `any_of`, `minimum`, `maximum`"),
    ],
)
def test_a_must_have_that_does_not_fit_says_what_would(cars, must_have, said):
    async def test(assistant):
        assert said in await assistant.error("open_conversation", must_haves=[must_have])

    with_assistant(test, cars)


def test_must_haves_replace_each_other_and_keep_what_was_said(cars):
    catalog, _ = rather.open(cars)

    async def test(assistant):
        id = (await assistant.call("open_conversation"))["conversation"]
        await assistant.call("answer_question", conversation=id, question=1, choice=0)
        before = await assistant.call("explain_what_is_known", conversation=id)
        state = await assistant.call("set_must_haves", conversation=id, must_haves=[AWD])
        assert (state["answers"], state["items"], state["must_haves"]) == (1, 4, ["drive: AWD"])
        recommended = await assistant.call("recommend", conversation=id, count=20)
        assert {item["facts"]["drive"] for item in recommended["recommendations"]} == {"AWD"}
        electric = await assistant.call("set_must_haves", conversation=id, where="electric == 'yes'")
        assert electric["items"] == int(catalog.where("electric == 'yes'").sum())
        dropped = await assistant.call("set_must_haves", conversation=id)
        assert dropped["items"] == len(catalog)
        assert await assistant.call("explain_what_is_known", conversation=id) == before

    with_assistant(test, cars)


def test_a_wish_teaches_what_the_library_learns_from_it():
    session = Session(Policy(*rather.open("films")))
    session.hint(Want("funny"))

    async def test(assistant):
        id = (await assistant.call("open_conversation"))["conversation"]
        state = await assistant.call("state_wish", conversation=id, says="want", attribute="funny")
        assert (state["wishes"], state["question"]["text"]) == (1, session.ask().text)
        recommended = await assistant.call("recommend", conversation=id)
        assert [item["id"] for item in recommended["recommendations"]] == [item.id for item in session.recommend(5)]
        known = await assistant.call("explain_what_is_known", conversation=id)
        assert known["told"] == [{"kind": "wish", "question": None, "said": "I want a film that is funny"}]
        assert next(each for each in known["tastes"] if each["attribute"] == "funny")["leaning"] == "likes"
        item = recommended["recommendations"][0]
        wish = item["wishes"][0]
        but = {"item": item["id"], "column": wish["column"], "toward": wish["toward"]}
        assert (await assistant.call("state_wish", conversation=id, says="like-but", **but))["wishes"] == 2
        assert (await assistant.call("take_back", conversation=id))["wishes"] == 1

    with_assistant(test, "films")


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"says": "want", "attribute": "fun"}, "Perhaps one of these was meant: 'funny'"),
        ({"says": "want", "item": "alien-1979"}, "needs exactly attribute"),
        ({"says": "more-like", "item": "alien"}, "No film has the id 'alien'. Nothing has changed. Ids are in"),
        ({"says": "like-but", "item": "alien-1979", "column": "wet", "toward": "less"}, "comparatives of 'Alien'"),
        ({"says": "dont-care", "column": "wet"}, "Pass the `column` of an attribute"),
        ({"says": "hate", "attribute": "funny"}, "`says`: Input should be 'more-like'"),
        ({"says": "want", "atribute": "funny"}, "state_wish takes no argument 'atribute'"),
    ],
)
def test_a_wish_that_is_not_understood_says_what_to_pass(wish, said):
    async def test(assistant):
        id = (await assistant.call("open_conversation"))["conversation"]
        assert said in await assistant.error("state_wish", conversation=id, **wish)

    with_assistant(test, "films")


def test_items_are_found_by_name_and_read_as_resources():
    async def test(assistant):
        found = await assistant.call("find_items", text="ALIEN")
        assert found["items"][0]["id"] == "alien-1979"
        assert (await assistant.call("find_items", text="no such film")) == {"items": [], "total": 0}
        read = assistant.client.read_resource
        described = json.loads((await read("rather://catalog")).contents[0].text)
        assert described == await assistant.call("describe_catalog")
        assert (described["name"], described["items"]) == ("film", 360)
        page = json.loads((await read("rather://items?offset=358&limit=5")).contents[0].text)
        assert (len(page["items"]), page["total"]) == (2, 360)
        alone = json.loads((await read("rather://items/alien-1979")).contents[0].text)
        assert alone == found["items"][0]
        for uri, said in ("rather://items/alien", "find_items"), ("rather://items?limit=x", "from 1 to 200"):
            with pytest.raises(Exception, match=said):
                await read(uri)

    with_assistant(test, "films")


def test_a_person_may_go_on_after_it_is_time_to_stop(cars):
    async def test(assistant):
        asked, state, _ = await assistant.converse(cheapest, questions=1)
        assert (len(asked), state["stop"]["code"], state["question"]) == (1, "questions", None)
        further = await assistant.call("next_question", conversation=state["conversation"])
        assert further["question"]["number"] == 2

    with_assistant(test, cars)


def test_the_person_is_spoken_to_in_their_language():
    async def test(assistant):
        state = await assistant.call("open_conversation", language="de")
        assert state["question"]["text"].startswith("Was würdest du lieber sehen")

    with_assistant(test, "films")


def test_two_conversations_do_not_see_each_other(cars):
    async def test(assistant):
        alone = await assistant.converse(cheapest)
        first = await assistant.call("open_conversation")
        second = await assistant.call("open_conversation", must_haves=[AWD])
        await assistant.call("state_wish", conversation=second["conversation"], says="want", attribute="AWD")
        assert await assistant.call("next_question", conversation=first["conversation"]) == first
        await assistant.call("close_conversation", conversation=second["conversation"])
        again = await assistant.converse(cheapest)
        assert again[0] == alone[0]

    with_assistant(test, cars)


def test_texts_of_a_catalogue_are_cut_and_links_shown_only_if_allowed():
    catalog = Catalog(
        normal(20, 3),
        labels=["long " * 500 + str(row) for row in range(20)],
        links=[f"https://shop.example/{row}" for row in range(20)],
    )
    opened = (catalog, Belief.from_users(normal(30, 3, seed=1)))

    async def hidden(assistant):
        options = (await assistant.call("open_conversation"))["question"]["options"]
        assert all(len(option["label"]) == 2_000 and option["label"].endswith("…") for option in options)
        assert all(option["link"] is None for option in options)

    async def shown(assistant):
        options = (await assistant.call("open_conversation"))["question"]["options"]
        assert all(option["link"].startswith("https://shop.example/") for option in options)

    with_assistant(hidden, opened)
    with_assistant(shown, opened, link_hosts=("https://shop.example",))
