"""The server knows who asks, and when they have gone."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from rather.server.computing.callers import current_caller
from rather.server.http.middleware import Attend


def in_a_loop(run):
    """Run a coroutine in a thread of its own: the tests of the page leave a loop running in the main one."""
    with ThreadPoolExecutor(1) as executor:
        executor.submit(lambda: asyncio.run(run())).result()


class Connection:
    """One request over ASGI, whose end the test decides."""

    def __init__(self, path="/v1/sessions", address="192.0.2.1", body=(b"{", b"}")):
        self.scope = {"type": "http", "path": path, "client": (address, 1), "headers": []}
        self.body, self.sent, self.ended = list(body), [], asyncio.Event()

    async def receive(self):
        if self.body:
            return {"type": "http.request", "body": self.body.pop(0), "more_body": bool(self.body)}
        await self.ended.wait()
        return {"type": "http.disconnect"}

    async def send(self, message):
        self.sent.append(message)


def test_the_application_sees_the_body_the_caller_and_the_end():
    async def run():
        seen = []

        async def app(scope, receive, send):
            seen.append([await receive(), await receive()])
            seen.append((current_caller.get().address, current_caller.get().gone))
            connection.ended.set()
            seen.append(await receive())
            seen.append(current_caller.get().gone)

        connection = Connection()
        await Attend(app, 5)(connection.scope, connection.receive, connection.send)
        assert [message["body"] for message in seen[0]] == [b"{", b"}"]
        assert seen[1:] == [("192.0.2.1", False), {"type": "http.disconnect"}, True]
        assert current_caller.get() is None

    in_a_loop(run)


def test_an_answer_counts_even_if_the_person_has_gone():
    async def run():
        async def app(scope, receive, send):
            connection.ended.set()
            for _ in range(3):
                await receive()
            assert not current_caller.get().gone

        connection = Connection("/v1/sessions/x/answers")
        await Attend(app, 5)(connection.scope, connection.receive, connection.send)

    in_a_loop(run)


def test_a_request_that_never_ends_is_turned_away():
    async def run():
        async def app(scope, receive, send):
            await asyncio.Event().wait()

        attend = Attend(app, 1, longest=0.01)
        for _ in range(2):  # the first makes room for the second
            connection = Connection()
            await attend(connection.scope, connection.receive, connection.send)
            assert connection.sent[0]["status"] == 503
            assert b'"busy"' in connection.sent[1]["body"]

    in_a_loop(run)


def test_an_error_of_the_application_is_not_taken_for_the_end_of_the_time():
    async def run():
        async def app(scope, receive, send):
            raise TimeoutError("of the application")

        connection = Connection()
        with pytest.raises(TimeoutError, match="of the application"):
            await Attend(app, 1)(connection.scope, connection.receive, connection.send)
        assert connection.sent == []

    in_a_loop(run)


def test_one_address_has_only_so_much_under_way():
    async def run():
        end, inside = asyncio.Event(), []

        async def app(scope, receive, send):
            inside.append(scope["client"][0])
            await end.wait()

        attend = Attend(app, 2)
        connections = [Connection(address=address) for address in ("a", "a", "a", "b")]
        tasks = [asyncio.create_task(attend(each.scope, each.receive, each.send)) for each in connections]
        for _ in range(20):
            await asyncio.sleep(0)
        assert inside == ["a", "a", "b"]
        assert connections[2].sent[0]["status"] == 503
        end.set()
        await asyncio.gather(*tasks)
        again = Connection(address="a")
        await attend(again.scope, again.receive, again.send)
        assert inside[-1] == "a"

    in_a_loop(run)
