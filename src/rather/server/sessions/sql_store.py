"""Sessions in SQLite or PostgreSQL."""

import hashlib
import hmac
import secrets
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from rather.server.sessions.database import open_engine, snapshots
from rather.server.sessions.records import StoredEvent, StoredSession, now
from rather.server.sessions.store import LostRaceError, StoreUnavailableError
from rather.server.sessions.tables import events, server, sessions


class SqlStore:
    """Sessions in SQLite or PostgreSQL. Safe to use from many threads and, on PostgreSQL, many processes.

    Args:
        url: A SQLAlchemy URL. The schema is brought up to date first.
    """

    def __init__(self, url: str) -> None:
        with _failures():
            self._engine = open_engine(url)
            self._reader = snapshots(self._engine)
            self._writer = self._engine.execution_options(writes=True)
            self._key = self._read_key().encode()
        # SQLite takes one writer at a time and lets the others retry after ever longer pauses, so an unlucky one could
        # wait for seconds. With a lock nobody does. PostgreSQL only locks the row that is written.
        self._one_writer: AbstractContextManager[object] = (
            threading.Lock() if self._engine.dialect.name == "sqlite" else nullcontext()
        )

    def create(self, session: StoredSession, address: str, idempotency: str | None = None) -> None:
        """See `Store.create`."""
        row = {**vars(session), "address": address, "idempotency": idempotency}
        del row["events"]
        with self._writing() as connection:
            connection.execute(insert(sessions).values(row))
            if session.events:
                connection.execute(insert(events), [_event_row(session.id, event) for event in session.events])

    def load(self, id: str) -> StoredSession | None:
        """See `Store.load`."""
        return self._load(sessions.c.id == id)

    def load_shared(self, share: str) -> StoredSession | None:
        """See `Store.load_shared`."""
        return self._load(sessions.c.share == share)

    def load_idempotent(self, idempotency: str) -> StoredSession | None:
        """See `Store.load_idempotent`."""
        return self._load(sessions.c.idempotency == idempotency)

    def append(self, session: StoredSession, event: StoredEvent, open: dict[str, Any] | None) -> StoredSession:
        """See `Store.append`."""
        with self._writing() as connection:
            at = self._advance(connection, session, open=open)
            connection.execute(insert(events).values(_event_row(session.id, event)))
        changes = {"open": open, "version": session.version + 1, "touched_at": at}
        return StoredSession(**{**vars(session), **changes, "events": (*session.events, event)})

    def change(
        self, session: StoredSession, request: dict[str, Any], settings: str, open: dict[str, Any] | None
    ) -> StoredSession:
        """See `Store.change`."""
        changes = {"request": request, "settings": settings, "open": open}
        with self._writing() as connection:
            at = self._advance(connection, session, **changes)
        return StoredSession(**{**vars(session), **changes, "version": session.version + 1, "touched_at": at})

    def delete(self, id: str) -> bool:
        """See `Store.delete`."""
        with self._writing() as connection:
            return connection.execute(delete(sessions).where(sessions.c.id == id)).rowcount > 0

    def expire(self, before: datetime) -> int:
        """See `Store.expire`."""
        with self._writing() as connection:
            return connection.execute(delete(sessions).where(sessions.c.touched_at < before)).rowcount

    def opened_by(self, address: str, since: datetime) -> int:
        """See `Store.opened_by`."""
        count = select(func.count()).where(sessions.c.address == address, sessions.c.created_at >= since)
        with self._reading() as connection:
            return connection.execute(count).scalar_one()

    def page(self, limit: int, offset: int) -> tuple[list[tuple[StoredSession, int]], int]:
        """See `Store.page`."""
        count = select(func.count()).where(events.c.session == sessions.c.id).scalar_subquery()
        query = select(sessions, count.label("answered")).order_by(sessions.c.created_at.desc(), sessions.c.id)
        with self._reading() as connection:
            rows = connection.execute(query.limit(limit).offset(offset)).all()
            total = connection.execute(select(func.count()).select_from(sessions)).scalar_one()
        return [(_session(row, ()), row.answered) for row in rows], total

    def ping(self) -> None:
        """See `Store.ping`."""
        with self._reading() as connection:
            connection.execute(select(server.c.name)).all()

    def hash(self, *parts: str) -> str:
        """See `Store.hash`."""
        return hmac.new(self._key, "\0".join(parts).encode(errors="surrogatepass"), hashlib.sha256).hexdigest()

    def close(self) -> None:
        """See `Store.close`."""
        self._engine.dispose()

    def _load(self, condition: Any) -> StoredSession | None:
        with self._reading() as connection:
            row = connection.execute(select(sessions).where(condition)).one_or_none()
            if row is None:
                return None
            found = connection.execute(select(events).where(events.c.session == row.id).order_by(events.c.position))
            return _session(row, found.all())

    def _advance(self, connection: Connection, session: StoredSession, **changes: Any) -> datetime:
        """Take the session to its next version, unless somebody else has changed it since it was read."""
        at = now()
        changed = connection.execute(
            update(sessions)
            .where(sessions.c.id == session.id, sessions.c.version == session.version)
            .values(version=session.version + 1, touched_at=at, **changes)
        )
        if changed.rowcount != 1:
            raise LostRaceError(f"Session {session.id} is no longer at version {session.version}.")
        return at

    def _read_key(self) -> str:
        """The secret key of this database, made by the first process that needs it."""
        query = select(server.c.value).where(server.c.name == "key")
        with self._engine.connect() as connection:
            if (key := connection.execute(query).scalar_one_or_none()) is not None:
                return str(key)
        try:
            with self._writer.begin() as connection:
                connection.execute(insert(server).values(name="key", value=secrets.token_hex(32)))
        except IntegrityError:
            pass  # another process was first
        with self._engine.connect() as connection:
            return str(connection.execute(query).scalar_one())

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """All that is read in here is as it was at one moment, whoever writes meanwhile."""
        with _failures(), self._reader.connect() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with _failures(), self._one_writer, self._writer.begin() as connection:
            yield connection


@contextmanager
def _failures() -> Iterator[None]:
    """Translate the errors of a database driver into those of a store."""
    try:
        yield
    except IntegrityError as error:
        raise LostRaceError("Another request was faster.") from error
    except (DBAPIError, PoolTimeoutError) as error:
        text = str(error.__cause__ or error)
        reason = "its disk is full" if "full" in text or "No space" in text else "it cannot be reached or written"
        raise StoreUnavailableError(f"The database does not answer: {reason}.") from error
    except SQLAlchemyError as error:
        raise StoreUnavailableError("The database does not answer.") from error


def _session(row: Row[Any], found: Sequence[Row[Any]]) -> StoredSession:
    return StoredSession(
        row.id,
        row.share,
        row.catalog,
        row.request,
        row.settings,
        row.open,
        row.version,
        row.created_at,
        row.touched_at,
        tuple(StoredEvent(item.position, item.event, item.question, item.regret, item.at) for item in found),
    )


def _event_row(session: str, event: StoredEvent) -> dict[str, Any]:
    return {"session": session, **vars(event)}
