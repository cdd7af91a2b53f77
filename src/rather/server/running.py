"""The server process: it listens, and on SIGTERM finishes the requests it has."""

import gc
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

import uvicorn

from rather.errors import RatherError
from rather.server.connections import ACCEPTED_AT_ONCE, ConnectionLimits, limited

if TYPE_CHECKING:
    from fastapi import FastAPI

logger = logging.getLogger("rather.server")

# A computing thread holds the interpreter for up to 5 ms by default whenever another thread needs it for a moment, and
# a request needs it some ten times.
SWITCH_SECONDS = 0.0005

# People read for longer than the default of 5 seconds; a new connection for each answer would cost a round trip.
KEEP_ALIVE_SECONDS = 75

# Connections that may wait to be accepted.
BACKLOG = 1024


class Server(uvicorn.Server):
    """Reports when it accepts requests, and tells the app as soon as it has to stop."""

    def __init__(self, config: uvicorn.Config, app: "FastAPI", on_start: Callable[[], None]) -> None:
        super().__init__(config)
        self._app = app
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See uvicorn."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(BACKLOG)
        if self.started:
            self._on_start()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Accept no more connections; requests in progress are finished first."""
        logger.info("draining", extra={"fields": {"signal": signal.Signals(sig).name}})
        self._app.state.draining.set()
        # Uvicorn's own handler raises the signal again at the end, as if it had killed the process.
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    if os.name != "nt":  # on Windows, two servers could then share a port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or error
        raise RatherError(f"Cannot listen on {host}:{port}: {reason}. Choose another --port or --host.") from None
    listener.listen(BACKLOG)
    return listener


def run(
    app: "FastAPI",
    listener: socket.socket,
    *,
    drain_seconds: int = 30,
    trusted_proxies: str | None = None,
    on_start: Callable[[], None] = lambda: None,
    limits: ConnectionLimits | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT, then finish the requests in progress.

    Args:
        app: What `create_app` returned.
        listener: Where to listen.
        drain_seconds: How long requests in progress may take after the signal.
        trusted_proxies: Addresses of proxies whose `X-Forwarded-For` header is trusted; by default none.
        on_start: Called once requests are accepted.
        limits: Of connections; by default what the process has file descriptors for.
    """
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=drain_seconds,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        http=limited(limits or ConnectionLimits.of_process()),
        # asyncio accepts as many before it lets any of them do something. It also makes this the backlog of the socket,
        # which `Server.startup` sets right.
        backlog=ACCEPTED_AT_ONCE,
        proxy_headers=trusted_proxies is not None,
        forwarded_allow_ips=trusted_proxies,
    )
    before = sys.getswitchinterval()
    if threading.current_thread() is threading.main_thread():
        sys.setswitchinterval(SWITCH_SECONDS)
    with _short_collections() as freeze:

        def started() -> None:
            freeze()
            on_start()

        try:
            Server(config, app, started).run(sockets=[listener])
        finally:
            sys.setswitchinterval(before)


@contextmanager
def _short_collections() -> Iterator[Callable[[], None]]:
    """Gives a function that takes all objects there are out of the garbage collection, until the context ends.

    A full collection stops every thread while it looks at all objects. The 270,000 of a server that is ready took it
    130 ms, every dozen seconds under load; those that requests add take it a small part of that.
    """
    frozen = False

    def freeze() -> None:
        nonlocal frozen
        if frozen := not gc.get_freeze_count():  # a host program may have frozen its own
            gc.collect()
            gc.freeze()

    try:
        yield freeze
    finally:
        if frozen:
            gc.unfreeze()
