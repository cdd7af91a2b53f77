"""A stopwatch, and what times add up to."""

import time
from collections.abc import Callable, Sequence

import torch


def timed(work: Callable[[], object]) -> float:
    """Seconds that it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def percentiles(times: Sequence[float]) -> dict[str, float]:
    """The `median`, `p90`, `p99` and `max` of times; NaN if there are none."""
    if not times:
        return {name: float("nan") for name in ("median", "p90", "p99", "max")}
    ordered = torch.tensor(times, dtype=torch.float64)
    shares = torch.tensor([0.5, 0.9, 0.99, 1.0], dtype=torch.float64)
    return dict(zip(("median", "p90", "p99", "max"), torch.quantile(ordered, shares).tolist(), strict=True))
