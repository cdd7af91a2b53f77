"""Which threads may compute now: as many as there are cores, and requests before work done in advance."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from rather.server.problems import busy


class Gate:
    """Lets a few threads compute at the same time, requests in the order they came.

    More threads would not be faster, and each would be slower. Two that choose questions at a million items do 1.05
    times the work of one, since they take turns in the interpreter. So work done in advance starts only when no request
    is being computed, and (where there is more than one slot) always leaves a slot free for the next request.

    Args:
        slots: Threads that compute at the same time.
        wait_seconds: Longest wait of a request before it is turned away.
    """

    def __init__(self, slots: int, wait_seconds: float) -> None:
        self._slots = slots
        self._slots_ahead = max(1, slots - 1)
        self._wait_seconds = wait_seconds
        self._inside = 0
        self._ahead = 0
        self._queue: deque[threading.Event] = deque()
        self._closed = False
        self._lock = threading.Lock()
        self._slot_ahead = threading.Condition(self._lock)
        self._exempt = threading.local()

    @property
    def waiting(self) -> int:
        """Requests that wait."""
        return len(self._queue)

    @contextmanager
    def urgent(self) -> Iterator[None]:
        """Compute for a request; raises a `busy` problem when it has to wait too long."""
        if getattr(self._exempt, "now", False):
            yield
            return
        self._enter()
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def ahead(self) -> Iterator[bool]:
        """Compute what may be needed soon; yields False when the gate has been closed."""
        with self._lock:
            self._slot_ahead.wait_for(lambda: self._closed or self._has_slot_ahead())
            admitted = not self._closed
            self._inside += admitted
            self._ahead += admitted
        try:
            yield admitted
        finally:
            if admitted:
                self._leave(ahead=True)

    @contextmanager
    def exempt(self) -> Iterator[None]:
        """Let this thread compute without a slot: what takes minutes must neither hold one nor wait for one."""
        self._exempt.now = True
        try:
            yield
        finally:
            self._exempt.now = False

    def close(self) -> None:
        """Admit no more work done in advance."""
        with self._lock:
            self._closed = True
            self._slot_ahead.notify_all()

    def _enter(self) -> None:
        with self._lock:
            if self._inside < self._slots:
                self._inside += 1
                return
            mine = threading.Event()
            self._queue.append(mine)
        if mine.wait(self._wait_seconds):
            return
        with self._lock:
            if mine.is_set():  # at the last moment
                return
            self._queue.remove(mine)
        raise busy("All cores are busy with other questions.")

    def _leave(self, ahead: bool = False) -> None:
        with self._lock:
            self._ahead -= ahead
            if self._queue:  # the slot goes straight to the one that has waited longest: nobody else can take it
                self._queue.popleft().set()
                return
            self._inside -= 1
            if self._has_slot_ahead():
                self._slot_ahead.notify_all()

    def _has_slot_ahead(self) -> bool:
        return self._inside == self._ahead < self._slots_ahead
