"""What a question costs on this machine: the paper's table of wall-clock times, and larger catalogues."""

from rather.research.bench.measurements import BenchReport, SizeMeasurement
from rather.research.bench.run import BenchSettings, bench
from rather.research.bench.sizes import BEYOND, PAPER, QUICK, Size

__all__ = ["BEYOND", "PAPER", "QUICK", "BenchReport", "BenchSettings", "Size", "SizeMeasurement", "bench"]
