"""A soak: people use a server in every way for a long time, while it is killed, reloaded and slowed down."""

from rather.research.bench.soak.report import Minute, SoakReport
from rather.research.bench.soak.run import soak

__all__ = ["Minute", "SoakReport", "soak"]
