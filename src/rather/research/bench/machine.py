"""How busy the machine is with other things: times measured beside other work mean little."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

# Share of all cores that other programs may use before we warn.
MUCH = 0.1

_STAT = Path("/proc/stat")


@dataclass(frozen=True)
class Load:
    """What the processors have done since the machine started, and we of it, in seconds."""

    busy: float
    ours: float
    at: float

    @classmethod
    def now(cls) -> Load:
        """As of this moment."""
        times = os.times()
        return cls(_busy_seconds(), sum(times[:4]), time.perf_counter())

    def others(self, since: Load) -> float | None:
        """The share of all cores that other programs used since then; None where that cannot be seen."""
        elapsed = (self.at - since.at) * (os.cpu_count() or 1)
        if not _STAT.exists() or elapsed <= 0:
            return None
        return max(0.0, (self.busy - since.busy - (self.ours - since.ours)) / elapsed)


def others_now(seconds: float = 0.5) -> float:
    """The share of all cores in use while we wait; where that cannot be seen, by the load of the last minute."""
    before = Load.now()
    time.sleep(seconds)
    share = Load.now().others(before)
    if share is not None:
        return share
    return os.getloadavg()[0] / (os.cpu_count() or 1) if hasattr(os, "getloadavg") else 0.0


def available_bytes() -> int | None:
    """Memory that can be had without swapping; None where that is not known."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
        return None
    except OSError:
        return None


def _busy_seconds() -> float:
    """Processor time spent by anybody, stolen time included."""
    if not _STAT.exists():
        return 0.0
    user, nice, system, _idle, _wait, *rest = (int(word) for word in _STAT.read_text().split("\n")[0].split()[1:9])
    ticks: int = os.sysconf("SC_CLK_TCK")
    return (user + nice + system + sum(rest)) / ticks
