"""Where stored sessions are: a database, or a folder that was exported from one."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from rather.errors import InvalidInputError
from rather.server.exports.reading import read_folder
from rather.server.sessions.database import without_password
from rather.server.sessions.records import StoredSession
from rather.server.sessions.sql_store import SqlStore


@contextmanager
def open_sessions(source: str, since: datetime | None = None) -> Iterator[Iterator[StoredSession]]:
    """All sessions of a source, oldest first, in bounded memory.

    Args:
        source: The URL of a database, a SQLite file, or a folder that `rather export` wrote.
        since: Leave out those that were opened before this time, in UTC without a zone.
    """
    if "://" not in source and Path(source).is_dir():
        sessions = read_folder(Path(source))
        yield (session for session in sessions if since is None or session.created_at >= since)
        return
    store = SqlStore(database_url(source))
    try:
        yield store.stream(since=since)
    finally:
        store.close()


def database_url(source: str) -> str:
    """The URL of a database that exists, from its URL or its SQLite file."""
    file = source if "://" not in source else source.removeprefix("sqlite:///")
    if "://" not in file and not Path(file).is_file():
        raise InvalidInputError(
            f"{without_password(source)!r} does not exist. Name a database (sqlite:///sessions.db, "
            "postgresql+psycopg://…), a SQLite file, or a folder that `rather export` wrote."
        )
    return source if "://" in source else f"sqlite:///{source}"
