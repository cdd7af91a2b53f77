"""A time budget for choosing a question."""

import time
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Clock:
    """How much of a budget of milliseconds has passed since this was made; without a budget, none ever has."""

    budget_ms: float | None
    start: float = field(default_factory=lambda: time.perf_counter())

    def spent(self, share: float) -> bool:
        """Whether at least this share of the budget has passed."""
        return self.budget_ms is not None and 1000 * (time.perf_counter() - self.start) >= share * self.budget_ms
