"""The engine for a database URL: commits are durable, and the schema is up to date."""

import sqlite3
import threading
from importlib.resources import as_file, files
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from rather.errors import InvalidInputError, MissingExtraError, RatherError

# A writer normally locks a SQLite file for a few milliseconds, the time of one write to disk.
LOCK_SECONDS = 10

# Alembic passes its context to a migration through module globals.
_one_migration = threading.Lock()


def open_engine(url: str) -> Engine:
    """An engine whose commits survive a crash, for a database with the current schema."""
    engine = _make_engine(url)
    migrate(engine)
    return engine


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
        try:
            with _one_migration:
                command.upgrade(config, "head")
        except CommandError as error:
            text = (
                f"The database was written by a later version of this package ({error}). Upgrade: pip install -U rather"
            )
            raise RatherError(text) from None


def _make_engine(url: str) -> Engine:
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise InvalidInputError(
            "`database` must be a URL such as sqlite:///sessions.db or postgresql+psycopg://user@host/name, "
            f"got {url!r}."
        ) from None
    backend = parsed.get_backend_name()
    if backend == "sqlite":
        return _sqlite(url)
    if backend == "postgresql":
        try:
            return create_engine(parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True, pool_size=10)
        except ModuleNotFoundError:
            raise MissingExtraError("postgres", "PostgreSQL") from None
    raise InvalidInputError(f"`database` must be SQLite or PostgreSQL, got {backend!r}.")


def _sqlite(url: str) -> Engine:
    engine = create_engine(url, connect_args={"timeout": LOCK_SECONDS}, pool_size=10)
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)
    return engine


def _on_connect(connection: Any, record: object) -> None:
    assert isinstance(connection, sqlite3.Connection)
    connection.isolation_level = None  # transactions are begun below, not by the driver
    # WAL lets readers continue beside a writer; FULL waits for the disk, so that what was acknowledged survives a
    # crash of the machine, not only of the process.
    for setting in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {setting}")


def _on_begin(connection: Any) -> None:
    # SQLite rejects a transaction that reads first and writes later if another one has written in between.
    kind = "IMMEDIATE" if connection.get_execution_options().get("writes") else "DEFERRED"
    connection.exec_driver_sql(f"BEGIN {kind}")
