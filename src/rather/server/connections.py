"""Connections that do not hold up the server: slow ones end, and idle ones make room for those that ask.

Uvicorn waits for the rest of a request for as long as it takes. A few hundred requests left half sent would use up all
file descriptors, and then nobody else gets in.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from uvicorn.protocols.http.h11_impl import H11Protocol

Phase = Literal["idle", "head", "body", "answer", "write"]

# Descriptors for the database (20 connections with up to three files each) and for files that are read.
RESERVED_DESCRIPTORS = 96

# Connections that are accepted at a time, before any of them can be ended.
ACCEPTED_AT_ONCE = 16

TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


@dataclass(frozen=True)
class ConnectionLimits:
    """How long a connection may take for what, and how many there may be.

    Attributes:
        most: Connections at the same time. One more, and the one that has been idle or half sent for longest ends.
        head_seconds: From the first byte (or the connection) to the end of the headers.
        body_seconds: From there to the end of the body.
        write_seconds: For the reader of a long response to take it.
    """

    most: int = 1_000
    head_seconds: float = 10.0
    body_seconds: float = 30.0
    write_seconds: float = 30.0

    @classmethod
    def of_process(cls) -> "ConnectionLimits":
        """As many connections as this process has file descriptors for."""
        most = _free_descriptors() - RESERVED_DESCRIPTORS - ACCEPTED_AT_ONCE
        return cls(most=max(8, min(cls.most, most)))

    def seconds(self, phase: Phase) -> float | None:
        """How long a phase may take; None for one that has its own end."""
        return {"head": self.head_seconds, "body": self.body_seconds, "write": self.write_seconds}.get(phase)


class LimitedProtocol(H11Protocol):
    """HTTP/1.1 as Uvicorn speaks it, within limits (see `limited`)."""

    limits: ClassVar[ConnectionLimits] = ConnectionLimits()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.phase: Phase = "idle"
        self.since = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in Uvicorn
        """Begin to wait for a request, at the cost of whoever has waited for longest if there are too many."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > self.limits.most:
            waiting = [each for each in self.connections if isinstance(each, LimitedProtocol) and each.is_waiting]
            if waiting:
                min(waiting, key=lambda each: each.since).end()

    def connection_lost(self, exc: Exception | None) -> None:
        """See asyncio."""
        self._stop_timer()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """See Uvicorn."""
        super().handle_events()
        self._watch()

    def on_response_complete(self) -> None:
        """See Uvicorn."""
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """The reader is slow."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """The reader has taken most of it."""
        super().resume_writing()
        self._watch()

    @property
    def is_waiting(self) -> bool:
        """Whether nothing would be lost but the connection."""
        return self.phase in ("idle", "head", "body") and not self.transport.is_closing()

    def end(self) -> None:
        """End the connection now."""
        self._stop_timer()
        if self.phase == "head" and self.cycle is None:
            self.transport.write(TOO_SLOW)
        if self.phase == "write":
            self.transport.abort()  # closing would wait for the reader
        else:
            self.transport.close()

    def _watch(self) -> None:
        """Notice what the connection waits for now, and for how long it may."""
        phase = self._current_phase()
        if phase == self.phase:
            return  # a byte now and then does not buy more time
        self._stop_timer()
        self.phase, self.since = phase, self.loop.time()
        if (seconds := self.limits.seconds(phase)) is not None and not self.transport.is_closing():
            self._timer = self.loop.call_later(seconds, self.end)

    def _current_phase(self) -> Phase:
        if self.flow.write_paused:
            return "write"
        if self.cycle is None or self.cycle.response_complete:
            return "head" if self.timeout_keep_alive_task is None else "idle"
        return "body" if self.cycle.more_body else "answer"

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def limited(limits: ConnectionLimits) -> type[LimitedProtocol]:
    """The protocol within these limits."""
    return type("LimitedProtocol", (LimitedProtocol,), {"limits": limits})


def _free_descriptors() -> int:
    """How many more files and connections this process may open."""
    try:
        import resource
    except ImportError:  # Windows, where sockets do not count
        return 10_000
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    listed = Path("/dev/fd")
    used = len(list(listed.iterdir())) if listed.is_dir() else 32
    return 1_000_000 if soft == resource.RLIM_INFINITY else soft - used
