"""Conversations with simulated users, in parallel and on a cluster."""

from rather.simulation.conversations import Conversation, PolicySummary, as_rows, draw_users, simulate, summarise
from rather.simulation.hinting import Adjusting
from rather.simulation.users import SimulatedUser

__all__ = [
    "Adjusting",
    "Conversation",
    "PolicySummary",
    "SimulatedUser",
    "as_rows",
    "draw_users",
    "simulate",
    "summarise",
]
