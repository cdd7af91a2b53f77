"""Studies: who takes part, in which arm, what they are asked, and where they go at the end."""

from rather.server.studies.study import Arm, End, Study

__all__ = ["Arm", "End", "Study"]
