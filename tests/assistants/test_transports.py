"""The command over both transports, with the SDK's own client."""

import subprocess
import sys

import anyio
import httpx2
import pytest
from calling import Assistant, cheapest, over_http, over_stdio
from mcp import Client

import rather
from rather import Policy, Session


def expected(cars, seed):
    """What the library asks and recommends to the same person."""
    session = Session(Policy(*rather.open(cars), seed=seed))
    texts = []
    while session.stop is None:
        question = session.ask()
        texts.append(question.text)
        shown = {"options": [{"facts": dict(option.facts)} for option in question.options]}
        session.tell(question, cheapest(shown))
    return texts, [item.id for item in session.recommend(5)]


async def check_whole_conversation(client, cars):
    asked, state, recommended = await Assistant(client).converse(cheapest, seed=3)
    texts, ids = expected(cars, seed=3)
    assert [question["text"] for question in asked] == texts
    assert state["stop"] is not None
    assert "recommend" in state["next_step"]
    assert [item["id"] for item in recommended["recommendations"]] == ids
    assert any(item["reasons"] for item in recommended["recommendations"])


def test_a_whole_conversation_over_standard_input_and_output(cars):
    async def test():
        async with Client(over_stdio(cars)) as client:
            await check_whole_conversation(client, cars)

    anyio.run(test)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_whole_conversation_over_http(cars, mode):
    async def test():
        async with over_http(cars) as address, Client(address, mode=mode) as client:
            await check_whole_conversation(client, cars)

    anyio.run(test)


def test_over_http_conversations_outlive_a_connection_and_do_not_see_each_other(cars):
    async def test():
        async with over_http(cars) as address:
            async with Client(address) as client:
                first = await Assistant(client).call("open_conversation")
            async with Client(address) as client:
                other = Assistant(client)
                second = await other.call("open_conversation", where="electric == 'yes'")
                told = await other.call("answer_question", conversation=second["conversation"], question=1, choice=0)
                again = await other.call("next_question", conversation=first["conversation"])
            assert first["conversation"] != second["conversation"]
            assert (told["answers"], told["items"]) == (1, 5)
            assert again == first

    anyio.run(test)


def test_http_requests_for_other_hosts_and_of_other_sites_are_rejected(cars):
    async def test():
        async with over_http(cars) as address, httpx2.AsyncClient() as client:
            accept = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
            for header, status in ({"Host": "evil.example"}, 421), ({"Origin": "https://evil.example"}, 403):
                answer = await client.post(address, content="{}", headers={**accept, **header})
                assert answer.status_code == status
            answer = await client.post(address, content=b"x" * 1_000_001, headers=accept)
            assert answer.status_code == 413

    anyio.run(test)


def test_standard_output_carries_the_protocol_alone(cars):
    command = [sys.executable, "-m", "rather", "mcp", str(cars)]
    done = subprocess.run(command, input="", capture_output=True, text=True, check=True)
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("no-such-file.csv",), "There is no file or folder 'no-such-file.csv'"),
        (("films", "--http", "--host", "0.0.0.0"), "`--host 0.0.0.0` needs `--allowed-host`"),
    ],
)
def test_a_mistake_on_the_command_line_is_one_line(arguments, said):
    command = [sys.executable, "-m", "rather", "mcp", *arguments]
    done = subprocess.run(command, input="", capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
