"""Plan the first questions of conversations ahead, and draw the plan."""

from rather.planning.planner import plan as plan

__all__ = ["plan"]
