"""Threads that take turns at the statements they send to a database, in an order that a test decides."""

import threading
from collections.abc import Callable
from contextlib import contextmanager

import sqlalchemy.event
from sqlalchemy import Engine


class Turns:
    """Runs functions in threads of their own, one at a time: each stops before every statement that is a turn.

    Args:
        works: What to run at the same time.
        is_turn: Whether to stop before a statement.
        locked_seconds: A thread that has not come to its next statement by then is taken to wait for a lock that a
            stopped one holds, and another continues.
    """

    def __init__(
        self, works: list[Callable[[], None]], is_turn: Callable[[str], bool], locked_seconds: float = 60.0
    ) -> None:
        self.is_turn, self.locked_seconds = is_turn, locked_seconds
        self.changed = threading.Condition()
        self.stopped, self.ended = set(), set()
        self.errors = []
        self.threads = [threading.Thread(target=self._work, args=(work,), daemon=True) for work in works]

    def run(self, choose: Callable[[list[int]], int]) -> None:
        """Run all to their ends; `choose` says which of the threads that have stopped continues."""
        with self._listening(), self.changed:
            for number, thread in enumerate(self.threads):
                thread.start()
                self._wait(number)
            while len(self.ended) < len(self.threads):
                if not self.stopped:  # all wait for each other's locks, or nearly so: time will tell
                    assert self.changed.wait(60), "the threads wait for each other"
                    continue
                number = choose(sorted(self.stopped))
                self.stopped.remove(number)
                self.changed.notify_all()
                self._wait(number)
        for thread in self.threads:
            thread.join()
        if self.errors:
            raise self.errors[0]

    def _wait(self, number):
        self.changed.wait_for(lambda: number in self.stopped or number in self.ended, self.locked_seconds)

    def _work(self, work):
        number = self.threads.index(threading.current_thread())
        try:
            work()
        except BaseException as error:
            self.errors.append(error)
        finally:
            with self.changed:
                self.ended.add(number)
                self.changed.notify_all()

    def _on_statement(self, connection, cursor, statement, parameters, context, many):
        if threading.current_thread() not in self.threads or not self.is_turn(statement):
            return
        number = self.threads.index(threading.current_thread())
        with self.changed:
            self.stopped.add(number)
            self.changed.notify_all()
            self.changed.wait_for(lambda: number not in self.stopped)

    @contextmanager
    def _listening(self):
        sqlalchemy.event.listen(Engine, "before_cursor_execute", self._on_statement)
        try:
            yield
        finally:
            sqlalchemy.event.remove(Engine, "before_cursor_execute", self._on_statement)


def every_order(run: Callable[[Callable[[list[int]], int]], None]) -> int:
    """Call `run` with one way to choose after the other, until all orders of turns have been taken; how many."""
    prefix, count = [], 0
    while True:
        taken = []

        def choose(ready, prefix=prefix, taken=taken):
            index = prefix[len(taken)] if len(taken) < len(prefix) else 0
            taken.append((min(index, len(ready) - 1), len(ready)))
            return ready[taken[-1][0]]

        run(choose)
        count += 1
        while taken and taken[-1][0] + 1 == taken[-1][1]:
            taken.pop()
        if not taken:
            return count
        prefix = [index for index, _ in taken[:-1]] + [taken[-1][0] + 1]
