"""What is stored of a conversation."""

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from rather.server.requests import STUDY_KEYS as STUDY_KEYS

# 24 random bytes, written in 32 characters: nobody guesses one.
TOKEN_BYTES = 24


@dataclass(frozen=True)
class StoredEvent:
    """An answer or a hint, or the withdrawal of one.

    Attributes:
        position: In the session, from 1 and without gaps.
        event: As the library logs it.
        question: The id of the question that was answered; None for a hint and for a withdrawal.
        regret: The expected regret right after it; None when an older version stored the answer.
        at: When it was stored.
    """

    position: int
    event: dict[str, Any]
    question: str | None
    regret: float | None
    at: datetime


@dataclass(frozen=True)
class RequestKey:
    """Tells a request that is sent again from another one, by hashes under the key of the database.

    Attributes:
        key: Of its idempotency key, and of who may use that.
        content: Of what it asks for.
    """

    key: str
    content: str


@dataclass(frozen=True)
class StoredSession:
    """A session as it is in the database.

    Attributes:
        id: Unguessable; whoever has it may answer.
        share: Unguessable; whoever has it may read.
        catalog: The name of its catalogue.
        request: What the caller asked for.
        settings: The settings of the library's log, as JSON text.
        open: The open question as the library logs it; None when every question has been asked.
        version: Grows with every change.
        created_at: When it was opened.
        touched_at: When it was last changed.
        events: All of them, oldest first.
        changes: What had changed in the catalogue when the session was last opened, as sentences.
        summary: Numbers to show should the catalogue be gone: see `rather.server.computing.summaries`.
        study: What a study noted of it, by `STUDY_KEYS`; without the keys that it did not note.
    """

    id: str
    share: str
    catalog: str
    request: dict[str, Any]
    settings: str
    open: dict[str, Any] | None
    version: int
    created_at: datetime
    touched_at: datetime
    events: tuple[StoredEvent, ...] = ()
    changes: list[str] | None = None
    summary: dict[str, Any] | None = None
    study: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def new(
        cls,
        catalog: str,
        request: dict[str, Any],
        settings: str,
        open: dict[str, Any] | None,
        events: Sequence[Mapping[str, Any]] = (),
        study: Mapping[str, str] | None = None,
    ) -> "StoredSession":
        """A session that starts now, under new tokens, with the events of an imported log if there are any."""
        at = now()
        stored = [StoredEvent(position, dict(event), None, None, at) for position, event in enumerate(events, 1)]
        id, share = secrets.token_urlsafe(TOKEN_BYTES), secrets.token_urlsafe(TOKEN_BYTES)
        return cls(
            id, share, catalog, request, settings, open, len(stored), at, at, tuple(stored), study=dict(study or {})
        )

    @property
    def answers(self) -> tuple[StoredEvent, ...]:
        """The answers that have not been taken back, oldest first."""
        return tuple(event for event in self.steps if "hint" not in event.event)

    @property
    def steps(self) -> tuple[StoredEvent, ...]:
        """The answers and hints that have not been taken back, oldest first."""
        left: list[StoredEvent] = []
        for event in self.events:
            if "undo" in event.event:
                left.pop()
            else:
                left.append(event)
        return tuple(left)

    def next_time(self) -> datetime:
        """When a change of it happens: now, but never before the last one, even if the clock was set back."""
        return max(now(), self.touched_at)

    @property
    def log(self) -> dict[str, Any]:
        """The session as the library's log, as plain data."""
        return {**json.loads(self.settings), "events": [item.event for item in self.events], "open": self.open}


class SteadyClock:
    """The time, for deleting what is old: it does not jump forward when the clock of the machine is set.

    A clock that is a month ahead for a moment would otherwise delete every session.
    """

    def __init__(self) -> None:
        self._start, self._ticks = now(), time.monotonic()

    def now(self) -> datetime:
        """The time in UTC without a zone: not later than the time that has passed allows."""
        return min(now(), self._start + timedelta(seconds=time.monotonic() - self._ticks))


def now() -> datetime:
    """The time in UTC without a zone, as it is stored."""
    return datetime.now(UTC).replace(tzinfo=None)
