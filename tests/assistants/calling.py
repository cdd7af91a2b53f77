"""Assistants for the tests: the SDK's own client, and a person whose taste is known."""

import os
import sys
from contextlib import asynccontextmanager

import anyio
from mcp import Client, StdioServerParameters

import rather
from rather.assistants import create_server


class Assistant:
    """Calls tools."""

    def __init__(self, client):
        self.client = client

    async def call(self, tool, **arguments):
        """The structured result of a call that must succeed."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content[0].text
        return result.structured_content

    async def error(self, tool, **arguments):
        """The text of a call that must fail."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.structured_content
        return result.content[0].text

    async def converse(self, choose, **opening):
        """A conversation until it stops; returns the questions, the last state and what is recommended."""
        state = await self.call("open_conversation", **opening)
        asked = []
        while state["question"] is not None:
            question = state["question"]
            asked.append(question)
            choice = choose(question)
            state = await self.call(
                "answer_question", conversation=state["conversation"], question=question["number"], choice=choice
            )
        recommended = await self.call("recommend", conversation=state["conversation"])
        return asked, state, recommended


def cheapest(question):
    """The choice of a person who wants the cheapest car."""
    prices = [int(option["facts"]["price"].removesuffix(" USD").replace(",", "")) for option in question["options"]]
    return prices.index(min(prices))


def with_assistant(test, source, **parts):
    """Run a test with an assistant that is connected to a server about a file, or about a catalogue and a belief."""

    async def run():
        catalog, belief = source if isinstance(source, tuple) else rather.open(source)
        async with Client(create_server(catalog, belief, **parts)) as client:
            await test(Assistant(client))

    anyio.run(run)


def over_stdio(*arguments):
    """The command, as an assistant starts it."""
    return StdioServerParameters(
        command=sys.executable, args=["-m", "rather", "mcp", *map(str, arguments)], env=dict(os.environ)
    )


@asynccontextmanager
async def over_http(*arguments):
    """The address of the command, which is listening."""
    command = [sys.executable, "-m", "rather", "mcp", *map(str, arguments), "--http", "--port", "0"]
    async with await anyio.open_process(command, stdin=None) as process:
        try:
            said = b""
            while b"/mcp" not in said:
                said += await process.stderr.receive()
            yield said.decode().split(" at ")[1].split()[0]
        finally:
            process.terminate()
