"""For those who run the server."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel


class Health(BaseModel):
    """Whether the process runs, or is ready for requests."""

    status: Literal["ok"] = "ok"
    version: str


class AdminSession(BaseModel):
    """A session as an operator sees it: no answers."""

    id: str
    catalog: str
    created_at: datetime
    touched_at: datetime
    events: int


class AdminSessions(BaseModel):
    """A page of all sessions, the latest first."""

    sessions: list[AdminSession]
    total: int


class Expired(BaseModel):
    """How many sessions were deleted because nobody had touched them."""

    deleted: int
