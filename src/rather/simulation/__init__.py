"""Conversations with simulated users, in parallel and on a cluster."""

from rather.simulation.conversations import Conversation, SimulationPlan, Summary, draw_people, simulate, summarise
from rather.simulation.users import SimulatedUser

__all__ = ["Conversation", "SimulatedUser", "SimulationPlan", "Summary", "draw_people", "simulate", "summarise"]
