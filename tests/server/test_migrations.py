"""A database of an earlier version is brought up to date, and its sessions continue."""

import json
import sqlite3

import pytest
from serving import answer
from sqlalchemy import create_engine, inspect, text

from rather import Policy
from rather.conversation.log import dump_settings
from rather.conversation.session import Session
from rather.errors import RatherError
from rather.server.sessions.database import open_engine
from rather.server.sessions.tables import metadata

# The schema of the first version, as its SQLite files have it.
FIRST = """
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, PRIMARY KEY (version_num));
INSERT INTO alembic_version VALUES ('0001');
CREATE TABLE sessions (id VARCHAR(64) NOT NULL, catalog VARCHAR(200) NOT NULL, request JSON NOT NULL,
  settings TEXT NOT NULL, open JSON, version INTEGER NOT NULL, address VARCHAR(64) NOT NULL, idempotency VARCHAR(64),
  created_at DATETIME NOT NULL, touched_at DATETIME NOT NULL, PRIMARY KEY (id), UNIQUE (idempotency));
CREATE TABLE events (session VARCHAR(64) NOT NULL, place INTEGER NOT NULL, event JSON NOT NULL, question VARCHAR(40),
  at DATETIME NOT NULL, PRIMARY KEY (session, place), FOREIGN KEY(session) REFERENCES sessions (id) ON DELETE CASCADE);
CREATE TABLE server (name VARCHAR(40) NOT NULL, value VARCHAR(200) NOT NULL, PRIMARY KEY (name));
INSERT INTO server VALUES ('key', '00112233445566778899aabbccddeeff');
CREATE INDEX ix_sessions_touched_at ON sessions (touched_at);
CREATE INDEX ix_sessions_address ON sessions (address, created_at);
"""
REQUEST = {"catalog": "things", "k": 2, "ask": "items", "seed": 0, "strategy": "auto", "time_budget_ms": 2000.0}
LONG_AGO = "2026-01-01 12:00:00.000000"


@pytest.fixture
def old_file(tmp_path, source):
    """A file that the first version wrote: one session with one answer."""
    session = Session(Policy(source.catalog, source.belief, budget_ms=2_000))
    session.tell(session.ask(), 1)
    open = {"items": list(session.ask().slate), "evoi": session.ask().evoi}
    path = tmp_path / "sessions.db"
    connection = sqlite3.connect(path)
    connection.executescript(FIRST)
    settings = json.dumps(dump_settings(session.policy, session.stopping))
    row = ("old", "things", json.dumps(REQUEST), settings, json.dumps(open), 1, "a", None, LONG_AGO, LONG_AGO)
    connection.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    event = ("old", 1, json.dumps(session.events[0]), "1-0", LONG_AGO)
    connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", event)
    connection.commit()
    connection.close()
    return path, session


def test_a_session_of_the_previous_version_goes_on(old_file, make_client):
    path, ours = old_file
    client = make_client(database=f"sqlite:///{path}", keep_days=None)
    session = client.get("/v1/sessions/old").json()
    assert [option["id"] for option in session["question"]["options"]] == [item.id for item in ours.ask().options]
    assert session["answers"] == 1
    assert client.get(f"/v1/shared/{session['share']}").status_code == 200
    history = client.get("/v1/sessions/old/history").json()
    assert history["turns"][0]["expected_regret"] == pytest.approx(ours.expected_regret)
    repeated = answer(client, session, 1, question="1-0").json()
    assert repeated["repeated"]
    assert answer(client, session).json()["session"]["answers"] == 2


def test_migrating_twice_changes_nothing(old_file):
    path, _ = old_file
    for _ in range(2):
        engine = open_engine(f"sqlite:///{path}")
        with engine.connect() as connection:
            share = connection.execute(text("SELECT share FROM sessions")).scalar_one()
        engine.dispose()
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT share FROM sessions").fetchone() == (share,)
    connection.close()


def test_migrations_lead_to_the_tables_we_use(any_database, tmp_path):
    migrated = open_engine(any_database)
    found = inspect(migrated)
    for table in metadata.tables.values():
        columns = {column["name"]: column for column in found.get_columns(table.name)}
        assert set(columns) == {column.name for column in table.columns}
        for column in table.columns:
            assert columns[column.name]["nullable"] == column.nullable, (table.name, column.name)
        indexes = {index["name"] for index in found.get_indexes(table.name)}
        assert {index.name for index in table.indexes} <= indexes
    migrated.dispose()


def test_a_database_of_a_later_version_is_rejected(tmp_path):
    engine = create_engine(f"sqlite:///{tmp_path / 'later.db'}")
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32))"))
        connection.execute(text("INSERT INTO alembic_version VALUES ('9999')"))
    engine.dispose()
    with pytest.raises(RatherError, match="later version"):
        open_engine(f"sqlite:///{tmp_path / 'later.db'}")
