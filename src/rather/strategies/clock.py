"""A time budget for choosing a question, and an end to what nobody waits for any more."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

_check: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


@contextmanager
def interruptible(check: Callable[[], None]) -> Iterator[None]:
    """Call this from time to time while the block computes: at every look at a clock, and before every answer of a log.

    What it raises ends the block.
    """
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


def check_interrupt() -> None:
    """End here if the result is no longer wanted."""
    if (check := _check.get()) is not None:
        check()


@dataclass(frozen=True)
class Clock:
    """How much of a budget of milliseconds has passed since this was made; without a budget, none ever has."""

    budget_ms: float | None
    start: float = field(default_factory=lambda: time.perf_counter())

    def spent(self, share: float) -> bool:
        """Whether at least this share of the budget has passed."""
        check_interrupt()
        return self.budget_ms is not None and 1000 * (time.perf_counter() - self.start) >= share * self.budget_ms
