"""How much assistants may use."""

import threading

import anyio
import pytest
from calling import with_assistant

from rather.assistants import Limits
from rather.assistants.limits import Limits as SameLimits
from rather.assistants.open_conversations import OpenConversations
from rather.assistants.problems import ProblemError
from rather.assistants.tools import Cores, Tools
from rather.errors import InvalidInputError


class Kept:
    def __init__(self, id):
        self.id = id


def test_the_package_offers_its_limits():
    assert Limits is SameLimits


@pytest.mark.parametrize("name", vars(Limits()))
def test_a_limit_is_above_zero(name):
    with pytest.raises(InvalidInputError, match=f"`{name}` must be above 0"):
        Limits(**{name: 0})


def test_only_so_many_conversations_are_open_and_one_that_ends_makes_room(cars):
    async def test(assistant):
        first = await assistant.call("open_conversation")
        await assistant.call("open_conversation")
        text = await assistant.error("open_conversation")
        assert "no more than 2 open conversations. Close one that you have finished with close_conversation" in text
        await assistant.call("close_conversation", conversation=first["conversation"])
        await assistant.call("open_conversation")

    with_assistant(test, cars, limits=Limits(conversations=2))


def test_conversations_that_open_at_the_same_time_count_as_well(cars):
    async def test(assistant):
        results = []

        async def open_one():
            results.append(await assistant.client.call_tool("open_conversation", {}))

        async with anyio.create_task_group() as group:
            for _ in range(6):
                group.start_soon(open_one)
        assert sorted(result.is_error for result in results) == [False, False, True, True, True, True]

    with_assistant(test, cars, limits=Limits(conversations=2))


def test_an_opening_that_fails_takes_no_room(cars):
    async def test(assistant):
        for _ in range(3):
            await assistant.error("open_conversation", where="price < 0")
        await assistant.call("open_conversation")

    with_assistant(test, cars, limits=Limits(conversations=1))


def test_a_conversation_ends_when_it_is_not_used():
    now = [0.0]
    conversations = OpenConversations(Limits(idle_minutes=2), clock=lambda: now[0])
    for id in ("used", "unused"):
        conversations.add(Kept(id))
    now[0] = 100
    conversations.find("used")
    now[0] = 130
    assert conversations.find("used").conversation.id == "used"
    with pytest.raises(ProblemError, match="was not used for 2 minutes"):
        conversations.find("unused")
    assert len(conversations) == 1


def test_ids_are_long_and_random():
    conversations = OpenConversations(Limits())
    ids = set()
    for _ in range(100):
        with conversations.opening() as id:
            ids.add(id)
    assert len(ids) == 100
    assert {len(id) for id in ids} == {32}  # 192 bits


def test_a_conversation_holds_only_so_many_answers_also_if_they_are_taken_back(cars):
    async def test(assistant):
        id = (await assistant.call("open_conversation"))["conversation"]
        await assistant.call("answer_question", conversation=id, question=1, choice="skip")
        await assistant.call("take_back", conversation=id)
        await assistant.call("state_wish", conversation=id, says="want", attribute="AWD")
        for text in (
            await assistant.error("answer_question", conversation=id, question=1, choice=0),
            await assistant.error("state_wish", conversation=id, says="want", attribute="AWD"),
        ):
            assert "at most 2 answers and wishes. Call recommend" in text
        await assistant.call("recommend", conversation=id)

    with_assistant(test, cars, limits=Limits(answers=2))


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("open_conversation", {"k": 11}, "`k`: Input should be less than or equal to 10"),
        ("open_conversation", {"ask": "attributes", "k": 5, "p": 5}, "`k` times `p` must be at most 24"),
        ("open_conversation", {"where": "x" * 1_001}, "`where`: String should have at most 1000 characters"),
        ("find_items", {"text": "x" * 201}, "`text`: String should have at most 200 characters"),
        ("recommend", {"conversation": "x", "count": 21}, "`count`: Input should be less than or equal to 20"),
        ("recommend", {"conversation": "x" * 65}, "`conversation`: String should have at most 64 characters"),
    ],
)
def test_arguments_have_bounds_which_errors_state(cars, tool, arguments, said):
    async def test(assistant):
        text = await assistant.error(tool, **arguments)
        assert said in text
        assert f"call {tool} again" in text.lower() or "Call open_conversation again" in text

    with_assistant(test, cars)


def test_a_call_that_waits_for_its_turn_finds_a_closed_conversation_closed():
    async def test():
        conversations, rejected = OpenConversations(Limits()), []
        tools = Tools(None, Limits(), conversations)
        conversations.add(Kept("a"))

        async def take_back():
            with pytest.raises(ProblemError, match="No open conversation has the id 'a'"):
                await tools.take_back("a")
            rejected.append("a")

        async with anyio.create_task_group() as group, conversations.find("a").turn:
            group.start_soon(take_back)
            await anyio.wait_all_tasks_blocked()
            conversations.close("a")
        assert rejected == ["a"]

    anyio.run(test)


def test_other_work_waits_for_a_core_and_gives_up_after_a_while():
    async def test():
        cores, entered, release = Cores(1, wait_seconds=0.05), threading.Event(), threading.Event()

        def work():
            entered.set()
            release.wait(60)
            return "done"

        results = []

        async def compute():
            results.append(await cores.compute(work))

        async with anyio.create_task_group() as group:
            group.start_soon(compute)
            while not entered.is_set():  # the event loop is not held up by the work
                await anyio.sleep(0.001)
            with pytest.raises(ProblemError, match="Make the same call again in a few seconds"):
                await cores.compute(work)
            release.set()
        assert results == ["done"]
        assert await cores.compute(lambda: 3) == 3

    anyio.run(test)
