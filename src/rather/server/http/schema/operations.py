"""Responses for operators."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel


class Health(BaseModel):
    """The process runs, or is ready for requests."""

    status: Literal["ok"] = "ok"
    version: str


class AdminSession(BaseModel):
    """A session as operators see it: without answers."""

    id: str
    catalog: str
    created_at: datetime
    touched_at: datetime
    events: int


class AdminSessions(BaseModel):
    """A page of all sessions, newest first."""

    sessions: list[AdminSession]
    total: int


class Expired(BaseModel):
    """How many old sessions were deleted."""

    deleted: int
