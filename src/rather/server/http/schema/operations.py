"""Responses for operators."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field


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


class ReloadedCatalog(BaseModel):
    """What came of opening the file of a catalogue again."""

    name: str
    outcome: Literal["unchanged", "switched", "kept"] = Field(
        description="`switched` to what the file holds now, or `kept` as it was because that cannot be served."
    )
    text: str = Field(description="The same in words, and why it was kept.")
    items: int = Field(description="How many items are served now.")
    added: int | None = Field(None, description="After a switch: items that are new.")
    gone: int | None = Field(None, description="After a switch: items that are no longer there.")
    changed: int | None = Field(
        None, description="After a switch: items that look different, or have other vectors; null if not counted."
    )


class ReloadedCatalogs(BaseModel):
    """What came of opening the files of all catalogues again."""

    catalogs: list[ReloadedCatalog]
