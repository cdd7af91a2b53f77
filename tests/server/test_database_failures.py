"""What is wrong with a database is said in words: which of all the things that can be, and what to do."""

import os
import sqlite3
import threading
from contextlib import closing
from datetime import timedelta

import pytest
import sqlalchemy.event
from serving import open_session
from sqlalchemy import Engine
from test_store import create, event

from rather.errors import InvalidInputError, RatherError
from rather.server.sessions.database import without_password
from rather.server.sessions.records import StoredSession, now
from rather.server.sessions.sql_store import SqlStore
from rather.server.sessions.store import OverLimitError, SessionLimit, StoreUnavailableError

AS_ROOT = pytest.mark.skipif(os.name != "nt" and os.geteuid() == 0, reason="nothing is read-only to root")


@pytest.mark.parametrize(
    "url",
    [
        "nothing",
        "",
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite://host/file.db",
        "sqlite:///file.db?bad=1",
        "sqlite+nothing:///file.db?mode=ro",
        "postgresql://user:secret@host:port/name",
        "postgresql://user:sec@ret@host:99x/name",
        "postgresql://[::1/name",
        "mysql://user:secret@host/name",
        "://user:secret@host",
    ],
)
def test_a_url_that_cannot_be_used_is_rejected_without_its_password(url):
    with pytest.raises(InvalidInputError, match="`database` must") as rejected:
        SqlStore(url)
    assert "sec" not in str(rejected.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("sqlite:///sessions.db", "sqlite:///sessions.db"),
        ("postgresql://user:secret@host/name", "postgresql://user:***@host/name"),
        ("postgresql://user:se@cr:et@host:x/name", "postgresql://user:***@host:x/name"),
        ("postgresql://host/name?user=u&password=secret&x=1", "postgresql://host/name?user=u&password=***&x=1"),
    ],
)
def test_a_url_is_shown_without_its_password(url, shown):
    assert without_password(url) == shown


def other_programs(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE notes (text)")


def damaged(path):
    SqlStore(f"sqlite:///{path}").close()
    with path.open("r+b") as file:
        file.seek(100)
        file.write(os.urandom(4_000))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path.mkdir(), "is a folder. Name a file in it"),
        (lambda path: path.write_bytes(b"something else" * 1_000), "not a SQLite database. Name another file"),
        (other_programs, "belongs to another program: it has the tables notes"),
        (damaged, "damaged. Restore a backup"),
    ],
)
def test_a_file_that_cannot_be_used(tmp_path, make, said):
    path = tmp_path / "sessions.db"
    make(path)
    with pytest.raises(RatherError, match=said):
        SqlStore(f"sqlite:///{path}")


def test_a_folder_that_does_not_exist(tmp_path):
    with pytest.raises(RatherError, match="none of the database does not exist"):
        SqlStore(f"sqlite:///{tmp_path / 'none' / 'sessions.db'}")


@AS_ROOT
def test_a_file_that_is_read_only(tmp_path):
    path = tmp_path / "sessions.db"
    SqlStore(f"sqlite:///{path}").close()
    path.chmod(0o444)
    with pytest.raises(StoreUnavailableError, match="its file or folder is read-only"):
        create(SqlStore(f"sqlite:///{path}"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda url: url.replace("rather@", "nobody@"), "rejects the user or the password"),
        (lambda url: url.rsplit("/", 1)[0] + "/nothing", "no database of this name"),
        (lambda url: url.rsplit(":", 1)[0] + ":1/postgres", "no server answers at its address"),
    ],
)
def test_a_postgresql_that_does_not_let_us_in(postgres, change, said):
    with pytest.raises(StoreUnavailableError, match=said):
        SqlStore(change(postgres.url))


def test_serve_check_says_what_is_wrong_in_one_line(tmp_path, capsys, monkeypatch):
    from rather.__main__ import main

    for database in ("postgresql://user:secret@host:port/x", f"sqlite:///{tmp_path}", "sqlite:///"):
        monkeypatch.setattr("sys.argv", ["rather", "serve", "films", "--check", "--database", database])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        assert ended.value.code in (1, 2)
        assert printed.err.startswith("Error: ")
        assert "secret" not in printed.err + printed.out


def test_all_writers_share_one_bounded_wait(database):
    store, waits = SqlStore(database, lock_seconds=0.5), []

    def note(connection, cursor, statement, parameters, context, many):
        if statement.startswith("PRAGMA busy_timeout"):
            waits.append(int(statement.rpartition("=")[2]))

    def write():
        with pytest.raises(StoreUnavailableError, match="another program has locked it"):
            create(store)

    with closing(sqlite3.connect(database.removeprefix("sqlite:///"), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        sqlalchemy.event.listen(Engine, "before_cursor_execute", note)
        threads = [threading.Thread(target=write) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        sqlalchemy.event.remove(Engine, "before_cursor_execute", note)
        other.execute("ROLLBACK")
    assert sum(waits) < 2 * 500  # not 500 each: whoever had to wait for the first has waited long enough
    create(store)
    store.close()


def test_what_is_written_to_a_deleted_file_is_not_acknowledged(make_client, tmp_path, database):
    client = make_client()
    session = open_session(client)
    path = tmp_path / "sessions.db"
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).rename(tmp_path / f"moved{suffix}")
    for _ in range(2):
        body = {"question": session["question"]["id"], "choice": 0}
        response = client.post(f"/v1/sessions/{session['id']}/answers", json=body)
        assert (response.status_code, response.json()["code"]) == (503, "storage-unavailable")
        assert "deleted or replaced. Restart the server" in response.json()["detail"]
        path.write_bytes(b"")  # nor if another file has its name


def test_a_server_that_cannot_write_is_not_ready(make_client, monkeypatch):
    client = make_client()
    store = client.app.state.conversations.store
    assert client.get("/ready").status_code == 200

    def fail(connection, cursor, statement, parameters, context, many):
        if statement.startswith(("UPDATE", "INSERT")):
            raise sqlite3.OperationalError("database or disk is full")

    sqlalchemy.event.listen(Engine, "before_cursor_execute", fail)
    try:
        assert client.get("/ready").status_code == 200  # it has just written
        store._written_at -= 60
        response = client.get("/ready")
    finally:
        sqlalchemy.event.remove(Engine, "before_cursor_execute", fail)
    assert (response.status_code, response.json()["code"]) == (503, "storage-unavailable")
    assert "its disk is full" in response.json()["detail"]
    assert client.get("/ready").status_code == 200


def test_the_limit_of_an_address_holds_for_requests_at_the_same_time(any_database):
    stores, results, start = [SqlStore(any_database) for _ in range(2)], [], threading.Barrier(12)

    def open_one(store):
        start.wait()
        session = StoredSession.new("things", {}, "{}", None)
        try:
            store.create(session, "a", limit=SessionLimit(5, now() - timedelta(days=1)))
            results.append(session)
        except OverLimitError as error:
            results.append(error)

    threads = [threading.Thread(target=open_one, args=(stores[number % 2],)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(result, StoredSession) for result in results) == 5
    assert len(results) == 12
    assert stores[0].opened_by("a", now() - timedelta(days=1)) == 5
    stores[0].append(next(result for result in results if isinstance(result, StoredSession)), event(1), open=None)
    for store in stores:
        store.close()
