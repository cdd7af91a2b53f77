"""Slow and idle connections end, and never keep others from being answered."""

import logging
import socket
import threading
from contextlib import suppress

import pytest
import uvicorn
from waiting import wait_for

from rather.server.connections import ConnectionLimits, limited
from rather.server.logs import Repeats

HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
HALF_HEAD = b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Le"
HALF_BODY = b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"


async def answer(scope, receive, send):
    """An application that reads the body, then says how long it was; /long says much."""
    if scope["type"] != "http":
        return
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body, more = body + message["body"], message["more_body"]
    text = b"x" * 40_000_000 if scope["path"] == "/long" else b"%d" % len(body)
    headers = [(b"content-length", b"%d" % len(text))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": text})


@pytest.fixture
def serve():
    """Starts a server with limits; returns its port."""
    running = []

    def start(**limits):
        listener = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(answer, http=limited(ConnectionLimits(**limits)), lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        running.append((server, thread))
        wait_for(lambda: server.started)
        return listener.getsockname()[1]

    start.has_connections = lambda: any(server.server_state.connections for server, _ in running)
    yield start
    for server, thread in running:
        server.should_exit = server.force_exit = True
        thread.join(60)


@pytest.fixture
def connect():
    opened = []

    def open_one(port, *sent):
        opened.append(socket.create_connection(("127.0.0.1", port), 60))
        for data in sent:
            opened[-1].sendall(data)
        return opened[-1]

    yield open_one
    for connection in opened:
        connection.close()


def all_of(connection):
    """What comes until the server ends the connection."""
    received = []
    with suppress(ConnectionResetError):
        while data := connection.recv(1_000_000):
            received.append(data)
    return b"".join(received)


@pytest.mark.parametrize("sent", [b"", b"GET", HALF_HEAD])
def test_a_request_whose_head_does_not_come_ends(serve, connect, sent):
    assert b" 408 " in all_of(connect(serve(head_seconds=0.2), sent))


def test_a_byte_now_and_then_does_not_buy_more_time(serve, connect):
    connection, ended = connect(serve(head_seconds=0.5), HALF_HEAD), threading.Event()

    def trickle():
        while not ended.wait(0.05):
            try:
                connection.sendall(b"x")
            except OSError:
                return

    thread = threading.Thread(target=trickle)
    thread.start()
    assert b" 408 " in all_of(connection)
    ended.set()
    thread.join()


def test_a_request_whose_body_does_not_come_ends(serve, connect):
    assert b" 200 " not in all_of(connect(serve(body_seconds=0.2), HALF_BODY))


def test_a_reader_who_takes_nothing_ends(serve, connect):
    connection = connect(serve(write_seconds=0.2), HEALTH.replace(b"/health", b"/long"))
    assert len(connection.recv(1)) == 1  # the response has begun
    wait_for(lambda: not serve.has_connections())
    assert len(all_of(connection)) < 40_000_000


def test_a_reader_who_takes_all_gets_all(serve, connect):
    connection = connect(
        serve(write_seconds=5.0),
        HEALTH.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n").replace(b"/health", b"/long"),
    )
    assert len(all_of(connection)) > 40_000_000


def test_a_connection_is_kept_between_requests(serve, connect):
    connection = connect(serve(head_seconds=1.0), HEALTH)
    for _ in range(2):
        received = b""
        while not received.endswith(b"\r\n\r\n0"):
            data = connection.recv(1_000)
            assert data != b"", "the server has ended it"
            received += data
        threading.Event().wait(1.2)  # longer than the head of a request may take
        connection.sendall(HEALTH)


def test_idle_and_half_sent_requests_make_room(serve, connect):
    port = serve(most=8)
    held = [connect(port, HALF_HEAD if number % 2 else HALF_BODY) for number in range(30)]
    for _ in range(3):
        assert b" 200 " in connect(port, HEALTH).recv(1_000)
    assert b" 200 " not in all_of(held[0])


def test_the_limit_follows_the_file_descriptors():
    assert 8 <= ConnectionLimits.of_process().most <= 1_000


def record(message, at, level=logging.WARNING):
    made = logging.LogRecord("uvicorn", level, "", 0, message, (), None)
    made.created = at
    return made


def test_a_warning_that_repeats_is_logged_a_few_times_a_minute():
    repeats = Repeats(most=3, seconds=60.0)
    passed = [repeats.filter(record("again", at)) for at in range(10)]
    assert passed == [True] * 3 + [False] * 7
    assert repeats.filter(record("other", 10))
    assert all(repeats.filter(record("request", 10, logging.INFO)) for _ in range(100))
    after = record("again", 61)
    assert repeats.filter(after)
    assert after.fields == {"left_out_before": 7}
