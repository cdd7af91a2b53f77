"""Who may compute now: as many as there are cores, people who wait before work done ahead."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rather.server.problems import busy


class Gate:
    """Lets a few threads compute at the same time.

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
        self._waiting = 0
        self._closed = False
        self._changed = threading.Condition()

    @property
    def waiting(self) -> int:
        """People who wait."""
        return self._waiting

    @contextmanager
    def urgent(self) -> Iterator[None]:
        """Compute for somebody who waits; a `busy` problem when it takes too long to get in."""
        deadline = time.monotonic() + self._wait_seconds
        with self._changed:
            self._waiting += 1
            try:
                while self._inside >= self._places:
                    if not self._changed.wait(deadline - time.monotonic()) and time.monotonic() >= deadline:
                        raise busy("All cores are busy with other people's questions.")
                self._inside += 1
            finally:
                self._waiting -= 1
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def ahead(self) -> Iterator[bool]:
        """Compute what may be needed soon; yields False when the gate was closed meanwhile."""
        with self._changed:
            while not self._closed and (
                self._waiting or self._inside >= self._places or self._ahead >= self._for_ahead
            ):
                self._changed.wait()
            if self._closed:
                admitted = False
            else:
                admitted = True
                self._inside += 1
                self._ahead += 1
        try:
            yield admitted
        finally:
            if admitted:
                with self._changed:
                    self._ahead -= 1
                self._leave()

    def close(self) -> None:
        """Let in no more work done ahead."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _leave(self) -> None:
        with self._changed:
            self._inside -= 1
            self._changed.notify_all()
