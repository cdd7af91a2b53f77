"""The engine for a database URL: commits are durable, and the schema is up to date."""

import re
import sqlite3
import threading
import time
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url
from sqlalchemy.exc import ArgumentError

from rather.errors import InvalidInputError, MissingExtraError, RatherError

# A writer normally locks a SQLite file for a few milliseconds, the time of one write to disk.
LOCK_SECONDS = 10

# Alembic passes its context to a migration through module globals.
_one_migration = threading.Lock()


def open_engine(url: str) -> Engine:
    """An engine whose commits survive a crash, for a database with the current schema."""
    engine = _make_engine(url)
    try:
        migrate(engine)
    except BaseException:
        engine.dispose()
        raise
    return engine


def without_password(url: str) -> str:
    """A database URL to show, even if it is malformed."""
    hidden = re.sub(
        r"(?<=://).*(?=@)", lambda found: re.sub(r":.*", ":***", found[0], flags=re.DOTALL), url, flags=re.DOTALL
    )
    return re.sub(r"(?i)(?<=password=)[^&]*", "***", hidden)


def sqlite_file(engine: Engine) -> Path | None:
    """The file of a SQLite database; None for PostgreSQL."""
    return Path(str(engine.url.database)) if engine.dialect.name == "sqlite" else None


def snapshots(engine: Engine) -> Engine:
    """The engine for transactions that read: each sees the database as it was at its first statement.

    On PostgreSQL, every statement of an ordinary transaction sees what was committed before that statement. On SQLite,
    a transaction on a file with a write-ahead log always sees one moment.
    """
    return engine if engine.dialect.name == "sqlite" else engine.execution_options(isolation_level="REPEATABLE READ")


def migrate(engine: Engine) -> None:
    """Bring the schema up to date, whichever version wrote the database. Several processes may do this at once."""
    with as_file(files("rather.server.sessions").joinpath("migrations")) as folder, engine.connect() as connection:
        config = Config()
        config.set_main_option("script_location", str(folder))
        config.attributes["connection"] = connection
        _reject_foreign(connection)
        try:
            with _one_migration:
                command.upgrade(config, "head")
        except CommandError as error:
            raise RatherError(
                "The database was written by a later version of this package, or by another program "
                f"({error}). Upgrade (pip install -U rather), or name another database."
            ) from None


def _reject_foreign(connection: Connection) -> None:
    """Raise if a SQLite file belongs to another program. In PostgreSQL, several may share a database."""
    if connection.dialect.name == "sqlite":
        tables = inspect(connection).get_table_names()
        connection.rollback()
        if tables and "alembic_version" not in tables:
            raise RatherError(
                f"The database {connection.engine.url.database} belongs to another program: it has the tables "
                f"{', '.join(tables[:3])}{', …' * (len(tables) > 3)}. Name another file."
            )


def _make_engine(url: str) -> Engine:
    parsed = _parse(url)
    backend = parsed.get_backend_name()
    if backend == "sqlite":
        return _sqlite(parsed)
    if backend == "postgresql":
        try:
            return create_engine(parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True, pool_size=10)
        except ModuleNotFoundError:
            raise MissingExtraError("postgres", "PostgreSQL") from None
    raise InvalidInputError(f"`database` must be SQLite or PostgreSQL, got {backend!r}.")


def _parse(url: str) -> URL:
    try:
        parsed = make_url(url)
        parsed.get_backend_name()
    except (ArgumentError, ValueError):
        raise InvalidInputError(
            "`database` must be a URL such as sqlite:///sessions.db or postgresql+psycopg://user@host/name, "
            f"got {without_password(url)!r}."
        ) from None
    return parsed


def _sqlite(url: URL) -> Engine:
    if url.host or not url.database or url.database == ":memory:" or url.database.startswith("file:") or url.query:
        raise InvalidInputError(
            "`database` must name a file, as in sqlite:///sessions.db (relative) or sqlite:////var/lib/sessions.db "
            f"(absolute), got {without_password(url.render_as_string(hide_password=True))!r}."
        )
    file = Path(url.database)
    if file.is_dir():
        raise RatherError(f"The database {file} is a folder. Name a file in it.")
    if not file.parent.is_dir():
        raise RatherError(f"The folder {file.parent} of the database does not exist. Create it, or name another file.")
    engine = create_engine(url.set(drivername="sqlite"), connect_args={"timeout": LOCK_SECONDS}, pool_size=10)
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)
    return engine


def _on_connect(connection: Any, record: object) -> None:
    assert isinstance(connection, sqlite3.Connection)
    connection.isolation_level = None  # transactions are begun below, not by the driver
    # WAL lets readers continue beside a writer; FULL waits for the disk, so that what was acknowledged survives a
    # crash of the machine, not only of the process.
    _switch_to_wal(connection, time.monotonic() + LOCK_SECONDS)
    for setting in ("synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {setting}")


def _switch_to_wal(connection: sqlite3.Connection, deadline: float) -> None:
    """SQLite does not wait when two connections switch a new file at once: one of them is told that it is locked."""
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _on_begin(connection: Any) -> None:
    options = connection.get_execution_options()
    seconds = LOCK_SECONDS if (deadline := options.get("deadline")) is None else deadline - time.monotonic()
    connection.exec_driver_sql(f"PRAGMA busy_timeout = {max(0, int(1000 * seconds))}").close()
    # SQLite rejects a transaction that reads first and writes later if another one has written in between.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("writes") else "BEGIN DEFERRED")
