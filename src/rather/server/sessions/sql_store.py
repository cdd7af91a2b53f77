"""Sessions in SQLite or PostgreSQL."""

import hashlib
import hmac
import json
import math
import random
import secrets
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Unpack

from sqlalchemy import Connection, Row, Select, delete, func, insert, select, tuple_, update
from sqlalchemy.exc import IntegrityError

from rather.insights.progress import Course
from rather.server.sessions import quotas
from rather.server.sessions.courses import answering_ids, course_of, course_of_row, course_rows
from rather.server.sessions.database import LOCK_SECONDS, open_engine, snapshots, sqlite_file
from rather.server.sessions.failures import failures, unavailable
from rather.server.sessions.records import STUDY_KEYS, RequestKey, StoredEvent, StoredSession, now
from rather.server.sessions.store import Changes, LostRaceError, OverLimitError, SessionLimit
from rather.server.sessions.tables import events, requests, server, sessions

# Keys of requests that are kept of one session: more than a client has under way.
MOST_KEYS = 100

# Sessions that are loaded at a time.
BATCH = 500

# A ping writes if nothing has been written for this long.
WRITE_SECONDS = 5.0


class SqlStore:
    """Sessions in SQLite or PostgreSQL. Safe to use from many threads and processes.

    Args:
        url: A SQLAlchemy URL. The schema is brought up to date first.
        lock_seconds: Longest wait for other writers of a SQLite file, in this process and in others together.
    """

    def __init__(self, url: str, lock_seconds: float = LOCK_SECONDS) -> None:
        with failures():
            self._engine = open_engine(url)
            self._reader = snapshots(self._engine)
            self._writer = self._engine.execution_options(writes=True)
            self._key = self._read_key().encode()
        # SQLite takes one writer at a time and lets the others retry after ever longer pauses, so an unlucky one could
        # wait for seconds. With a lock nobody does. PostgreSQL only locks the row that is written.
        self._file = sqlite_file(self._engine)
        self._identity = _identity(self._file)
        self._one_writer, self._lock_seconds = threading.Lock(), lock_seconds
        self._written_at = -math.inf

    def create(
        self,
        session: StoredSession,
        address: str,
        key: RequestKey | None = None,
        limit: SessionLimit | None = None,
        study: quotas.StudyLimit | None = None,
    ) -> None:
        """See `Store.create`."""
        with self._writing() as connection:
            if limit is not None:
                self._reserve(connection, address, limit)
            if study is not None:
                quotas.admit(connection, study)
            connection.execute(insert(sessions).values(_session_row(session, address)))
            if session.events:
                connection.execute(insert(events), [_event_row(session.id, event) for event in session.events])
            _keep(connection, key, session.id, session.version)

    def restore(self, restored: Sequence[StoredSession], address: str) -> int:
        """See `Store.restore`."""
        with self._writing() as connection:
            ids = select(sessions.c.id).where(sessions.c.id.in_([session.id for session in restored]))
            present = set(connection.execute(ids).scalars())
            new = [session for session in restored if session.id not in present]
            if new:
                connection.execute(insert(sessions), [_session_row(session, address) for session in new])
            if rows := [_event_row(session.id, event) for session in new for event in session.events]:
                connection.execute(insert(events), rows)
        return len(new)

    def load(self, id: str) -> StoredSession | None:
        """See `Store.load`."""
        return self._load(sessions.c.id == id)

    def load_shared(self, share: str) -> StoredSession | None:
        """See `Store.load_shared`."""
        return self._load(sessions.c.share == share)

    def find_request(self, key: str) -> tuple[str | None, str] | None:
        """See `Store.find_request`."""
        with self._reading() as connection:
            query = select(requests.c.content, requests.c.session).where(requests.c.key == key)
            row = connection.execute(query).one_or_none()
        return None if row is None else (row.content, row.session)

    def append(
        self, session: StoredSession, *added: StoredEvent, key: RequestKey | None = None, **changes: Unpack[Changes]
    ) -> StoredSession:
        """See `Store.append`."""
        with self._writing() as connection:
            at = self._advance(connection, session, **changes)
            connection.execute(insert(events), [_event_row(session.id, event) for event in added])
            _keep(connection, key, session.id, session.version + 1)
        return replace(session, **changes, version=session.version + 1, touched_at=at, events=(*session.events, *added))

    def change(
        self, session: StoredSession, key: RequestKey | None = None, **changes: Unpack[Changes]
    ) -> StoredSession:
        """See `Store.change`."""
        with self._writing() as connection:
            at = self._advance(connection, session, **changes)
            _keep(connection, key, session.id, session.version + 1)
        return replace(session, **changes, version=session.version + 1, touched_at=at)

    def of_first_log_version(self, catalog: str) -> Sequence[str]:
        """See `Store.of_first_log_version`. Settings are stored as the library writes them, in this order."""
        with self._reading() as connection:
            start = json.dumps({"rather": 1, "catalog": catalog}).removesuffix("}")
            first = select(sessions.c.id).where(sessions.c.settings.startswith(start, autoescape=True))
            return list(connection.execute(first).scalars())

    def upgrade(self, session: StoredSession, log: Mapping[str, Any]) -> None:
        """See `Store.upgrade`. Neither the version nor the time of the last change moves: nothing has happened."""
        settings = json.dumps({name: part for name, part in log.items() if name not in ("events", "open")})
        same = (sessions.c.id == session.id) & (sessions.c.version == session.version)
        with self._writing() as connection:
            changed = connection.execute(update(sessions).where(same).values(settings=settings, open=log["open"]))
            if changed.rowcount != 1:
                raise LostRaceError(f"Session {session.id} is no longer at version {session.version}.")
            for stored, event in zip(session.events, log["events"], strict=True):
                own = (events.c.session == session.id) & (events.c.position == stored.position)
                connection.execute(update(events).where(own).values(event=event))

    def delete(self, id: str) -> bool:
        """See `Store.delete`."""
        with self._writing() as connection:
            return connection.execute(delete(sessions).where(sessions.c.id == id)).rowcount > 0

    def expire(self, before: datetime) -> int:
        """See `Store.expire`."""
        with self._writing() as connection:
            return connection.execute(delete(sessions).where(sessions.c.touched_at < before)).rowcount

    def taken(self, campaign: str, active_since: datetime) -> dict[str, int]:
        """See `Store.taken`."""
        with self._reading() as connection:
            return quotas.taken(connection, campaign, active_since)

    def has_taken_part(self, campaign: str, respondent: str) -> bool:
        """See `Store.has_taken_part`."""
        with self._reading() as connection:
            return quotas.has_taken_part(connection, campaign, respondent)

    def next_ticket(self, campaign: str) -> int:
        """See `Store.next_ticket`."""
        with self._writing() as connection:
            return quotas.next_ticket(connection, f"tickets {self.hash('study', campaign)[:30]}", campaign)

    def opened_by(self, address: str, since: datetime) -> int:
        """See `Store.opened_by`."""
        with self._reading() as connection:
            return _count(connection, address, since)

    def page(self, limit: int, offset: int) -> tuple[list[tuple[StoredSession, int]], int]:
        """See `Store.page`."""
        count = select(func.count()).where(events.c.session == sessions.c.id).scalar_subquery()
        query = select(sessions, count.label("answered")).order_by(sessions.c.created_at.desc(), sessions.c.id)
        with self._reading() as connection:
            rows = connection.execute(query.limit(limit).offset(offset)).all()
            total = connection.execute(select(func.count()).select_from(sessions)).scalar_one()
        return [(_session(row, ()), row.answered) for row in rows], total

    def stream(
        self, *, catalog: str | None = None, since: datetime | None = None, batch: int = 500
    ) -> Iterator[StoredSession]:
        """See `Store.stream`."""
        order = tuple_(sessions.c.created_at, sessions.c.id)
        query = select(sessions).order_by(sessions.c.created_at, sessions.c.id).limit(batch)
        query = query if catalog is None else query.where(sessions.c.catalog == catalog)
        following = query if since is None else query.where(sessions.c.created_at >= since)
        while found := self._load_batch(following):
            yield from found
            following = query.where(order > tuple_(found[-1].created_at, found[-1].id))

    def courses(self, catalog: str) -> Iterator[Course]:
        """See `Store.courses`."""
        older: list[str] = []
        with self._reading() as connection:
            for row in course_rows(connection, catalog):
                if row.answers is None:
                    older.append(row.id)
                else:
                    yield course_of_row(row)
        yield from map(course_of, self._load_all(older))

    def sample(self, catalog: str, count: int, seed: int) -> tuple[list[StoredSession], int]:
        """See `Store.sample`."""
        with self._reading() as connection:
            ids = answering_ids(connection, catalog)
        chosen = ids if len(ids) <= count else sorted(random.Random(seed).sample(ids, count))
        return list(self._load_all(chosen)), len(ids)

    def catalog_names(self) -> dict[str, int]:
        """See `Store.catalog_names`."""
        count = func.count().label("sessions")
        query = select(sessions.c.catalog, count).group_by(sessions.c.catalog).order_by(sessions.c.catalog)
        with self._reading() as connection:
            return {row.catalog: row.sessions for row in connection.execute(query)}

    def _load_all(self, ids: Sequence[str]) -> Iterator[StoredSession]:
        """The sessions of these ids that are still there, in batches."""
        for start in range(0, len(ids), BATCH):
            yield from self._load_batch(select(sessions).where(sessions.c.id.in_(ids[start : start + BATCH])))

    def ping(self) -> None:
        """See `Store.ping`."""
        with self._reading() as connection:
            connection.execute(select(server.c.name)).all()
        if time.monotonic() - self._written_at > WRITE_SECONDS:
            self._validate_writable()

    def hash(self, *parts: str) -> str:
        """See `Store.hash`."""
        return hmac.new(self._key, "\0".join(parts).encode(errors="surrogatepass"), hashlib.sha256).hexdigest()

    def close(self) -> None:
        """See `Store.close`."""
        self._engine.dispose()

    def _validate_writable(self) -> None:
        """Write something, for a full disk can still be read."""
        with self._writing() as connection:
            if not connection.execute(update(server).where(server.c.name == "ready").values(value=str(now()))).rowcount:
                connection.execute(insert(server).values(name="ready", value=str(now())))

    def _reserve(self, connection: Connection, address: str, limit: SessionLimit) -> None:
        """Raise if an address has opened as many sessions as it may; until the commit nobody else counts its."""
        if self._engine.dialect.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(address, 0))))
        if _count(connection, address, limit.since) >= limit.most:
            raise OverLimitError(f"This address has opened {limit.most} sessions.")

    def _load(self, condition: Any) -> StoredSession | None:
        with self._reading() as connection:
            row = connection.execute(select(sessions).where(condition)).one_or_none()
            if row is None:
                return None
            found = connection.execute(select(events).where(events.c.session == row.id).order_by(events.c.position))
            return _session(row, found.all())

    def _load_batch(self, query: Select[Any]) -> list[StoredSession]:
        """The sessions of a query with their events, all as they were at one moment."""
        with self._reading() as connection:
            rows = connection.execute(query).all()
            own = events.c.session.in_([row.id for row in rows])
            by_session: dict[str, list[Row[Any]]] = {row.id: [] for row in rows}
            for event in connection.execute(select(events).where(own).order_by(events.c.session, events.c.position)):
                by_session[event.session].append(event)
        return [_session(row, by_session[row.id]) for row in rows]

    def _advance(self, connection: Connection, session: StoredSession, **changes: Any) -> datetime:
        """Take the session to its next version, unless somebody else has changed it since it was read."""
        at = session.next_time()
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
        self._validate_file()
        with failures(), self._reader.connect() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        if self._file is None:
            with failures(), self._writer.begin() as connection:
                yield connection
        else:
            with failures(), self._writing_file() as connection:
                yield connection
        self._written_at = time.monotonic()

    @contextmanager
    def _writing_file(self) -> Iterator[Connection]:
        """A transaction that writes to a SQLite file, after one bounded wait for all others."""
        deadline = time.monotonic() + self._lock_seconds
        if not self._one_writer.acquire(timeout=self._lock_seconds):
            raise unavailable("another program has locked it. Try again, or end that program")
        try:
            with self._writer.connect().execution_options(deadline=deadline) as connection, connection.begin():
                yield connection
            self._validate_file()
        finally:
            self._one_writer.release()

    def _validate_file(self) -> None:
        """Raise if the file has been deleted: what is written to it is gone with the process."""
        if _identity(self._file) != self._identity:
            raise unavailable("its file was deleted or replaced. Restart the server")


def _identity(file: Path | None) -> tuple[int, int] | None:
    """Tells a file from another of the same name; None when it is gone."""
    try:
        found = None if file is None else file.stat()
    except OSError:
        return None
    return None if found is None else (found.st_dev, found.st_ino)


def _keep(connection: Connection, key: RequestKey | None, session: str, version: int) -> None:
    """Note which request led to this version of a session, and forget the oldest ones."""
    if key is not None:
        connection.execute(insert(requests).values(**vars(key), session=session, version=version))
        old = (requests.c.session == session) & (requests.c.version <= version - MOST_KEYS)
        connection.execute(delete(requests).where(old))


def _count(connection: Connection, address: str, since: datetime) -> int:
    # Those from far in the future were opened before the clock was set back: they count no more.
    recent = sessions.c.created_at.between(since, since + timedelta(days=2))
    count = select(func.count()).where(sessions.c.address == address, recent)
    return connection.execute(count).scalar_one()


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
        row.changes,
        row.summary,
        {key: value for key in STUDY_KEYS if (value := getattr(row, key)) is not None},
    )


def _session_row(session: StoredSession, address: str) -> dict[str, Any]:
    noted = {key: session.study.get(key) for key in STUDY_KEYS}
    row = {**vars(session), **noted, "address": address}
    del row["events"], row["study"]
    return row


def _event_row(session: str, event: StoredEvent) -> dict[str, Any]:
    return {"session": session, **vars(event)}
