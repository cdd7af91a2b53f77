"""What a question costs on this machine: the paper's table of wall-clock times, and larger catalogues."""

from rather.research.bench.report import Report, Row
from rather.research.bench.run import Wanted, bench
from rather.research.bench.sizes import BEYOND, PAPER, QUICK, Size

__all__ = ["BEYOND", "PAPER", "QUICK", "Report", "Row", "Size", "Wanted", "bench"]
