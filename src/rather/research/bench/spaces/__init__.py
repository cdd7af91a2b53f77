"""What product spaces cost and reach: questions about 10^12 configurations beside those about a table."""

from rather.research.bench.spaces.measurements import SpacesReport
from rather.research.bench.spaces.run import SpacesSettings, bench_spaces

__all__ = ["SpacesReport", "SpacesSettings", "bench_spaces"]
