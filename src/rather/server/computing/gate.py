"""Who may compute now: as many as there are cores, people who wait before work done ahead."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from rather.server.http.problems import busy


class Gate:
    """Lets a few threads compute at the same time, people in the order they came.

    More would not be faster, and each would be slower. Work done ahead enters only when nobody waits, and always
    leaves one place free for somebody who comes (where there is more than one place).

    Args:
        places: Threads at the same time.
        wait_seconds: Longest wait of `urgent` before the request is turned away.
    """

    def __init__(self, places: int, wait_seconds: float) -> None:
        self._places = places
        self._for_ahead = max(1, places - 1)
        self._wait_seconds = wait_seconds
        self._inside = 0
        self._ahead = 0
        self._queue: deque[threading.Event] = deque()
        self._closed = False
        self._lock = threading.Lock()
        self._room_ahead = threading.Condition(self._lock)

    @property
    def waiting(self) -> int:
        """People who wait."""
        return len(self._queue)

    @contextmanager
    def urgent(self) -> Iterator[None]:
        """Compute for somebody who waits; a `busy` problem when it takes too long to get in."""
        self._enter()
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def ahead(self) -> Iterator[bool]:
        """Compute what may be needed soon; yields False when the gate was closed meanwhile."""
        with self._lock:
            self._room_ahead.wait_for(lambda: self._closed or self._has_room_ahead())
            admitted = not self._closed
            self._inside += admitted
            self._ahead += admitted
        try:
            yield admitted
        finally:
            if admitted:
                self._leave(ahead=True)

    def close(self) -> None:
        """Let in no more work done ahead."""
        with self._lock:
            self._closed = True
            self._room_ahead.notify_all()

    def _enter(self) -> None:
        with self._lock:
            if self._inside < self._places:
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
        raise busy("All cores are busy with other people's questions.")

    def _leave(self, ahead: bool = False) -> None:
        with self._lock:
            self._ahead -= ahead
            if self._queue:  # the place goes straight to who has waited longest: nobody else can take it
                self._queue.popleft().set()
                return
            self._inside -= 1
            if self._has_room_ahead():
                self._room_ahead.notify()

    def _has_room_ahead(self) -> bool:
        return not self._queue and self._inside < self._places and self._ahead < self._for_ahead
