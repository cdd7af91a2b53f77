"""How busy the machine is with other things: times measured beside other work mean little."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

BUSY = 0.1
"""Share of all cores that other programs may use before a benchmark warns."""

_STAT = Path("/proc/stat")


@dataclass(frozen=True)
class Load:
    """What the processors have done since the machine started.

    Attributes:
        busy: Processor seconds spent by anybody; None if the system does not say.
        ours: Processor seconds spent by this process and its children.
        at: When, in seconds.
        cores: Of the machine.
    """

    busy: float | None
    ours: float
    at: float
    cores: int

    @classmethod
    def now(cls) -> Load:
        """As of this moment."""
        return cls(_busy_seconds(), sum(os.times()[:4]), time.perf_counter(), os.cpu_count() or 1)

    def others(self, since: Load) -> float | None:
        """The share of all cores that other programs used since then; None if that cannot be seen."""
        elapsed = (self.at - since.at) * self.cores
        if self.busy is None or since.busy is None or elapsed <= 0:
            return None
        return max(0.0, (self.busy - since.busy - (self.ours - since.ours)) / elapsed)


def others_now(seconds: float = 0.5) -> float:
    """The share of all cores in use while we wait; if that cannot be seen, by the load of the last minute."""
    before = Load.now()
    time.sleep(seconds)
    share = Load.now().others(before)
    if share is not None:
        return share
    return os.getloadavg()[0] / (os.cpu_count() or 1) if hasattr(os, "getloadavg") else 0.0


def available_bytes() -> int | None:
    """Memory that can be had without swapping; None if that is not known."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
        return None
    except OSError:
        return None


def _busy_seconds() -> float | None:
    """Processor time spent by anybody, stolen time included; None outside Linux."""
    if not _STAT.exists():
        return None
    user, nice, system, _idle, _wait, *rest = (int(word) for word in _STAT.read_text().split("\n")[0].split()[1:9])
    ticks: int = os.sysconf("SC_CLK_TCK")
    return (user + nice + system + sum(rest)) / ticks
