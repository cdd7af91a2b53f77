"""Who waits for what is computed: for fair turns, and to compute nothing that nobody waits for."""

import threading
from collections.abc import Callable
from contextvars import ContextVar

from rather.server.problems import ProblemError


class CallerGoneError(ProblemError):
    """Nobody waits for the response any more."""

    def __init__(self) -> None:
        super().__init__(499, "caller-gone", "The caller ended the connection.", "Send the request again.")


class Caller:
    """Who has sent a request.

    Args:
        address: As limits count it.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.gone = False
        self._callbacks: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    def leave(self) -> None:
        """Note that the connection has ended."""
        with self._lock:
            self.gone, callbacks = True, self._callbacks
        for callback in callbacks:
            callback()

    def check(self) -> None:
        """Raise if the connection has ended."""
        if self.gone:
            raise CallerGoneError()

    def when_gone(self, callback: Callable[[], None]) -> None:
        """Call this when the connection ends, or now if it has."""
        with self._lock:
            self._callbacks.append(callback)
            if not self.gone:
                return
        callback()


# Follows a request into the thread that serves it. Without a request there is nobody in particular.
current_caller: ContextVar[Caller | None] = ContextVar("current_caller", default=None)
