"""What the service needs of a store of sessions."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol, TypedDict, Unpack

from rather.errors import RatherError
from rather.insights.progress import Course
from rather.server.sessions.quotas import StudyLimit
from rather.server.sessions.records import RequestKey, StoredEvent, StoredSession


class StoreUnavailableError(RatherError, OSError):
    """The database cannot be reached or written. What was acknowledged is safe; try again later."""


class LostRaceError(RatherError, RuntimeError):
    """Somebody else changed the session since it was read."""


class OverLimitError(RatherError, RuntimeError):
    """The address has opened as many sessions as it may."""


class SessionLimit(NamedTuple):
    """How many sessions one address may open, and since when."""

    most: int
    since: datetime


class Changes(TypedDict, total=False):
    """What may change in a session: fields of `StoredSession`."""

    request: dict[str, Any]
    settings: str
    open: dict[str, Any] | None
    changes: list[str] | None
    summary: dict[str, Any] | None


class Store(Protocol):
    """Stores sessions. Every method is one transaction; once it returns, its result is durable."""

    def create(
        self,
        session: StoredSession,
        address: str,
        key: RequestKey | None = None,
        limit: SessionLimit | None = None,
        study: StudyLimit | None = None,
    ) -> None:
        """Store a new session, with the hash of the address that opened it and the key of its request.

        Raises `LostRaceError` when the key has been used, and `OverLimitError` when the address has opened as many
        sessions as the limit allows, however many requests come at once. Likewise `StudyFullError` and
        `RespondentKnownError` when the study does not take this respondent.
        """
        ...

    def restore(self, restored: Sequence[StoredSession], address: str) -> int:
        """Store sessions as they are, all or none, but for those whose id is already there; returns how many.

        Raises `LostRaceError` when one of them has the share token of another session.
        """
        ...

    def load(self, id: str) -> StoredSession | None:
        """The session of this id."""
        ...

    def load_shared(self, share: str) -> StoredSession | None:
        """The session of this share token."""
        ...

    def find_request(self, key: str) -> tuple[str | None, str] | None:
        """What the request with this (hashed) key asked for, hashed, and the id of the session that it changed."""
        ...

    def append(
        self, session: StoredSession, *added: StoredEvent, key: RequestKey | None = None, **changes: Unpack[Changes]
    ) -> StoredSession:
        """Add events, all or none, and change what follows from them.

        Raises `LostRaceError` if the session is not as it was read, or if the key of the request has been used.
        """
        ...

    def change(
        self, session: StoredSession, key: RequestKey | None = None, **changes: Unpack[Changes]
    ) -> StoredSession:
        """Change these parts of a session. Raises `LostRaceError` like `append`."""
        ...

    def of_first_log_version(self, catalog: str) -> Sequence[str]:
        """The ids of sessions whose log has version 1, without what was shown, about the catalogue of this hash."""
        ...

    def upgrade(self, session: StoredSession, log: Mapping[str, Any]) -> None:
        """Store a log of a later version in place of that of a session, which says the same.

        Raises `LostRaceError` if the session is not as it was read.
        """
        ...

    def delete(self, id: str) -> bool:
        """Delete a session and its answers; False when there was none."""
        ...

    def expire(self, before: datetime) -> int:
        """Delete the sessions that were last changed before this time; returns how many."""
        ...

    def taken(self, campaign: str, active_since: datetime) -> dict[str, int]:
        """For each arm of a study how many have finished, or have answered since then and may still finish."""
        ...

    def has_taken_part(self, campaign: str, respondent: str) -> bool:
        """Whether there is a session of this respondent in a study."""
        ...

    def next_ticket(self, campaign: str) -> int:
        """The number of a new respondent of a study, from 0; every one is drawn once."""
        ...

    def opened_by(self, address: str, since: datetime) -> int:
        """How many sessions this (hashed) address has opened since then and not deleted."""
        ...

    def page(self, limit: int, offset: int) -> tuple[list[tuple[StoredSession, int]], int]:
        """Sessions without their events but with the number of these, newest first, and the number of all sessions."""
        ...

    def stream(
        self, *, catalog: str | None = None, since: datetime | None = None, batch: int = 500
    ) -> Iterator[StoredSession]:
        """All sessions with their events, oldest first, of which `batch` are in memory at a time.

        Every batch is read in a transaction of its own, so a slow reader blocks nobody. Each session comes once and as
        it was at one moment. Sessions that are opened meanwhile come too; those that are deleted meanwhile may not.

        Args:
            catalog: Only those about the catalogue of this name.
            since: Leave out those that were opened before this time, in UTC without a zone.
            batch: Sessions that are read at a time, at least 1.
        """
        ...

    def courses(self, catalog: str) -> Iterator[Course]:
        """How each session about the catalogue of this name went, in any order and in bounded memory."""
        ...

    def sample(self, catalog: str, count: int, seed: int) -> tuple[list[StoredSession], int]:
        """At most `count` sessions about a catalogue that have an event, chosen at random, and how many there are."""
        ...

    def catalog_names(self) -> dict[str, int]:
        """The names of the catalogues that sessions are about, with how many sessions."""
        ...

    def ping(self) -> None:
        """Raises `StoreUnavailableError` when the database does not answer or cannot be written."""
        ...

    def hash(self, *parts: str) -> str:
        """A hash under a key that only this database knows."""
        ...

    def close(self) -> None:
        """Close all connections."""
        ...
