"""What a question costs on this machine: the paper's wall-clock times, larger catalogues, other vectors."""

from rather.research.bench.measurements import BenchReport, SizeMeasurement
from rather.research.bench.run import BenchSettings, bench
from rather.research.bench.sizes import BEYOND, ELSEWHERE, PAPER, QUICK, QUICK_ELSEWHERE, Size

__all__ = [
    "BEYOND",
    "ELSEWHERE",
    "PAPER",
    "QUICK",
    "QUICK_ELSEWHERE",
    "BenchReport",
    "BenchSettings",
    "Size",
    "SizeMeasurement",
    "bench",
]
