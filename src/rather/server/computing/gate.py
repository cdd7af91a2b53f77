"""Which threads may compute now: as many as there are cores, and requests before work done in advance."""

import threading
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager

from rather.server.computing.callers import Caller, CallerGoneError, current_caller
from rather.server.problems import busy
from rather.strategies.clock import interruptible


class Turn:
    """A request that waits.

    Attributes:
        wake: Set when it is admitted or its caller has gone.
        admitted: Whether it has a slot.
    """

    def __init__(self) -> None:
        self.wake = threading.Event()
        self.admitted = False


class Queue:
    """Requests that wait: addresses take turns, and the requests of one address come in the order they came."""

    def __init__(self) -> None:
        self._of_address: OrderedDict[str, deque[Turn]] = OrderedDict()

    def __len__(self) -> int:
        return sum(len(turns) for turns in self._of_address.values())

    def add(self, address: str, turn: Turn) -> None:
        """Put a request at the end of those of its address."""
        self._of_address.setdefault(address, deque()).append(turn)

    def next(self) -> Turn:
        """Take out the first request of the address whose turn it is; that address is the last to come again."""
        address, turns = self._of_address.popitem(last=False)
        turn = turns.popleft()
        if turns:
            self._of_address[address] = turns
        return turn

    def remove(self, address: str, turn: Turn) -> None:
        """Take out a request that waits no longer."""
        turns = self._of_address[address]
        turns.remove(turn)
        if not turns:
            del self._of_address[address]


class Gate:
    """Lets a few threads compute at the same time; addresses that have requests waiting take turns.

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
        self._queue = Queue()
        self._closed = False
        self._lock = threading.Lock()
        self._slot_ahead = threading.Condition(self._lock)
        self._exempt = threading.local()

    @property
    def waiting(self) -> int:
        """Requests that wait."""
        with self._lock:
            return len(self._queue)

    @contextmanager
    def urgent(self) -> Iterator[None]:
        """Compute for a request; raises a problem when it has to wait too long, or when its caller goes meanwhile.

        What is being computed for a caller who goes ends at the next look at the clock.
        """
        if getattr(self._exempt, "now", False):
            yield
            return
        caller = current_caller.get() or Caller("")
        self._enter(caller)
        try:
            with interruptible(caller.check):
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

    def _enter(self, caller: Caller) -> None:
        turn = Turn()
        with self._lock:
            if self._inside < self._slots:
                self._inside += 1
                return
            self._queue.add(caller.address, turn)
        caller.when_gone(turn.wake.set)
        turn.wake.wait(self._wait_seconds)
        with self._lock:
            if not turn.admitted:
                self._queue.remove(caller.address, turn)
            elif not caller.gone:
                return
        if turn.admitted:
            self._leave()
        raise CallerGoneError() if caller.gone else busy("All cores are busy with other questions.")

    def _leave(self, ahead: bool = False) -> None:
        with self._lock:
            self._ahead -= ahead
            if len(self._queue):  # the slot goes straight to the one whose turn it is: nobody else can take it
                turn = self._queue.next()
                turn.admitted = True
                turn.wake.set()
                return
            self._inside -= 1
            if self._has_slot_ahead():
                self._slot_ahead.notify_all()

    def _has_slot_ahead(self) -> bool:
        return self._inside == self._ahead < self._slots_ahead
