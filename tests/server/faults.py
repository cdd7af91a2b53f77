"""Faults on purpose: a driver that fails, a disk that takes no more bytes, a clock that jumps, too little memory."""

import inspect
import sys
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import rather

OPERATIONS = ("do_execute", "do_executemany", "do_commit")


class FaultyDriver:
    """Counts what an engine asks of its driver, and lets one of these operations fail.

    Args:
        engine: Of the store.
        said: What the driver says then.
    """

    def __init__(self, engine, said="disk I/O error"):
        self.dialect, self.said = engine.dialect, said
        self.count, self.failing, self.afterwards, self.failed = 0, None, False, False
        for name in OPERATIONS:
            setattr(self.dialect, name, self._faulty(getattr(self.dialect, name)))

    def close(self):
        for name in OPERATIONS:
            delattr(self.dialect, name)

    @contextmanager
    def fail(self, number, afterwards):
        """Let the operation of this number, from 1, fail: before it is done, or after, as if its reply was lost."""
        self.count, self.failing, self.afterwards, self.failed = 0, number, afterwards, False
        try:
            yield
        finally:
            self.failing = None

    def _faulty(self, operation):
        def call(*arguments, **options):
            self.count += 1
            now = self.count == self.failing
            if now and not self.afterwards:
                self._fail()
            result = operation(*arguments, **options)
            if now:
                self._fail()
            return result

        return call

    def _fail(self):
        self.failed = True
        raise self.dialect.loaded_dbapi.OperationalError(self.said)


@contextmanager
def largest_file(size):
    """Let this process write no byte of any file beyond this size, as if its disk was full."""
    import resource  # not on Windows

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


class Clock:
    """The wall clock of the server, to be set: stands in for `datetime` where the time is read.

    Attributes:
        ahead: How far it is ahead of the time.
        stopped: The time, unless it goes on.
    """

    def __init__(self):
        self.ahead, self.stopped = timedelta(), None

    def now(self, zone=UTC):
        return (self.stopped or datetime.now(zone)) + self.ahead


# What computes; a call into one of these may fail for want of memory.
COMPUTING = ("caching", "conversation", "model", "numerics", "retrieval", "server/computing", "strategies", "value")
NOT_FAILING = ("gate.py", "callers.py")  # they make room again, for which they need none
# What leaves a block may not fail, and what the garbage collector calls fails unseen.
NEVER_SEEN = ("__exit__", "forget")


class TooLittleMemory:
    """Stands in front of an app's conversations, and lets one of the calls that compute fail.

    Args:
        conversations: Of the app.
        error: What is raised, as Python or PyTorch would.
    """

    def __init__(self, conversations, error):
        self.conversations, self.error = conversations, error
        self.count, self.failing, self.failed = 0, None, None
        self.folders = tuple(str(Path(rather.__file__).parent / name) for name in COMPUTING)

    def __getattr__(self, name):
        found = getattr(self.conversations, name)
        return self._watched(found) if inspect.ismethod(found) else found

    @contextmanager
    def fail(self, number):
        """Let the call of this number, from 1, fail."""
        self.count, self.failing, self.failed = 0, number, None
        try:
            yield
        finally:
            self.failing = None

    def _watched(self, method):
        def call(*arguments, **options):
            sys.setprofile(self._notice)
            try:
                return method(*arguments, **options)
            finally:
                sys.setprofile(None)

        return call

    def _notice(self, frame, event, argument):
        code = frame.f_code
        resumed = code.co_flags & (inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR)
        if event != "call" or resumed or not code.co_filename.startswith(self.folders):
            return
        if code.co_name in NEVER_SEEN or code.co_filename.endswith(NOT_FAILING):
            return
        self.count += 1
        if self.count == self.failing:
            self.failed = code.co_qualname
            raise self.error
