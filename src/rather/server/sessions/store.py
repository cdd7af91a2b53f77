"""What is stored of a session, and what the service needs of a store."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from rather.errors import RatherError


class StoreUnavailableError(RatherError, OSError):
    """The database cannot be reached or written. What was acknowledged is safe; try again later."""


class LostRaceError(RatherError, RuntimeError):
    """Somebody else changed the session since it was read."""


@dataclass(frozen=True)
class StoredEvent:
    """An answer, or one taken back.

    Attributes:
        place: From 1, without gaps.
        event: As the library logs it.
        question: The id of the question that was answered; None for an answer taken back.
        regret: Expected regret right after it; None when an older version stored the answer.
        at: When.
    """

    place: int
    event: dict[str, Any]
    question: str | None
    regret: float | None
    at: datetime


@dataclass(frozen=True)
class StoredSession:
    """A session as it lies in the database.

    Attributes:
        id: Unguessable; whoever has it may answer.
        share: Unguessable; whoever has it may read.
        catalog: The name of its catalogue.
        request: What the caller asked for.
        settings: Settings of the library's log, as JSON text.
        open: The open question as the library logs it.
        version: Grows with every change.
        created_at: When it was opened.
        touched_at: When it was last changed.
        events: All of them, oldest first.
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


@dataclass(frozen=True)
class Opening:
    """All that is needed to store a new session."""

    catalog: str
    request: dict[str, Any]
    settings: str
    open: dict[str, Any] | None
    address: str
    idempotency: str | None = None
    events: tuple[StoredEvent, ...] = ()


class Store(Protocol):
    """What the service needs of a store. Every method is one transaction; what returned is durable."""

    def create(self, opening: Opening) -> StoredSession:
        """Store a new session. Raises `LostRaceError` when its idempotency key has been used."""
        ...

    def load(self, id: str) -> StoredSession | None:
        """The session of this id."""
        ...

    def load_shared(self, share: str) -> StoredSession | None:
        """The session of this share token."""
        ...

    def load_idempotent(self, idempotency: str) -> StoredSession | None:
        """The session that was created with this (hashed) idempotency key."""
        ...

    def append(self, session: StoredSession, event: StoredEvent, open: dict[str, Any] | None) -> StoredSession:
        """Add an event and set the open question. Raises `LostRaceError` unless the session is as it was read."""
        ...

    def change(
        self, session: StoredSession, request: dict[str, Any], settings: str, open: dict[str, Any] | None
    ) -> StoredSession:
        """Change the settings and the open question. Raises `LostRaceError` like `append`."""
        ...

    def delete(self, id: str) -> bool:
        """Delete a session and its answers; False when there was none."""
        ...

    def expire(self, before: datetime) -> int:
        """Delete the sessions that nobody has touched since; how many there were."""
        ...

    def opened_by(self, address: str, since: datetime) -> int:
        """How many sessions this (hashed) address opened since then and has not deleted."""
        ...

    def page(self, limit: int, offset: int) -> tuple[list[tuple[StoredSession, int]], int]:
        """Sessions without their events but with how many there are, the latest first, and how many in all."""
        ...

    def ping(self) -> None:
        """Raises `StoreUnavailableError` when the database does not answer."""
        ...

    def hash(self, *parts: str) -> str:
        """A hash under a key that only this database knows."""
        ...

    def close(self) -> None:
        """Let go of all connections."""
        ...


def now() -> datetime:
    """The time in UTC without a zone, as it is stored."""
    return datetime.now(UTC).replace(tzinfo=None)
