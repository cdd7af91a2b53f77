"""What every store must do, run on each database."""

import json
import threading
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy.event
from sqlalchemy import Engine, create_engine, text

from rather.server.sessions.courses import course_of
from rather.server.sessions.database import open_engine
from rather.server.sessions.records import RequestKey, StoredEvent, StoredSession, now
from rather.server.sessions.sql_store import MOST_KEYS, SqlStore
from rather.server.sessions.store import LostRaceError

OPEN = {"items": [1, 2], "evoi": 0.25}


@pytest.fixture
def store(any_database):
    store = SqlStore(any_database)
    yield store
    store.close()


def create(store, address="a", key=None, events=(), catalog="things"):
    session = StoredSession.new(catalog, {"k": 2}, "{}", OPEN, events)
    store.create(session, address, key)
    return session


def count(database, table):
    engine = create_engine(database)
    with engine.connect() as connection:
        number = connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one()
    engine.dispose()
    return number


def event(position, question="1-0", **content):
    return StoredEvent(position, {"tell": 1, "items": [1, 2], "answer": 0, **content}, question, 0.5, now())


def test_a_session_comes_back_as_it_was_stored(store):
    created = create(store)
    assert store.load(created.id) == created
    assert store.load_shared(created.share) == created


def test_an_unknown_session_is_none(store):
    assert store.load("nothing") is None
    assert store.load_shared("nothing") is None
    assert store.find_request("nothing") is None


def test_ids_differ_and_cannot_be_guessed():
    sessions = [StoredSession.new("things", {}, "{}", OPEN) for _ in range(20)]
    tokens = {token for session in sessions for token in (session.id, session.share)}
    assert len(tokens) == 40
    assert {len(token) for token in tokens} == {32}  # of 64 characters: 192 bits


def test_an_imported_session_comes_with_its_events(store):
    told, undone = {"tell": 1, "items": [1, 2], "answer": 0}, {"undo": 1}
    created = create(store, events=[told, undone, told])
    assert store.load(created.id) == created
    assert created.version == 3
    assert [item.position for item in created.events] == [1, 2, 3]
    assert [item.position for item in created.answers] == [3]


def test_answers_are_kept_in_order(store):
    session = create(store)
    session = store.append(session, event(1), open=OPEN)
    session = store.append(session, event(2, "2-1", answer="none"), open=None)
    loaded = store.load(session.id)
    assert loaded == session
    assert [item.event["answer"] for item in loaded.events] == [0, "none"]
    assert loaded.open is None
    assert loaded.version == 2


def test_who_read_an_older_version_loses(store):
    session = create(store)
    store.append(session, event(1), open=OPEN)
    with pytest.raises(LostRaceError):
        store.append(session, event(1, answer=1), open=OPEN)
    with pytest.raises(LostRaceError):
        store.change(session, request={"k": 3}, settings="{}", open=OPEN)
    assert len(store.load(session.id).events) == 1


@contextmanager
def between_session_and_events(change):
    """Make a change at the moment when a load has read a session but not yet its events."""
    waiting = [change]

    def on_statement(connection, cursor, statement, parameters, context, many):
        if waiting and statement.startswith("SELECT events"):
            waiting.pop()()

    sqlalchemy.event.listen(Engine, "before_cursor_execute", on_statement)
    try:
        yield
    finally:
        sqlalchemy.event.remove(Engine, "before_cursor_execute", on_statement)
    assert not waiting


def test_a_session_is_read_with_the_events_of_the_same_moment(store, any_database):
    other, before = SqlStore(any_database), create(store)
    with between_session_and_events(lambda: other.append(before, event(1), open=None)):
        assert store.load(before.id) == before
    answered = store.load(before.id)
    assert (answered.version, len(answered.events), answered.open) == (1, 1, None)
    with between_session_and_events(lambda: other.delete(before.id)):
        assert store.load(before.id) == answered
    assert store.load(before.id) is None
    other.close()


def test_of_many_writers_at_once_one_wins(store):
    session, results = create(store), []
    start = threading.Barrier(8)

    def write(choice):
        start.wait()
        try:
            results.append(store.append(session, event(1, answer=choice), open=OPEN))
        except LostRaceError as error:
            results.append(error)

    threads = [threading.Thread(target=write, args=(choice,)) for choice in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = [result for result in results if not isinstance(result, LostRaceError)]
    assert store.load(session.id).events == winner.events


def test_a_change_of_settings_is_a_new_version(store):
    session = create(store)
    changed = store.change(session, request={"k": 3}, settings='{"k": 3}', open=None)
    assert store.load(session.id) == changed
    assert (changed.version, changed.request, changed.open) == (1, {"k": 3}, None)


def test_a_key_opens_one_session(store):
    created = create(store, key=RequestKey("key", "content"))
    with pytest.raises(LostRaceError):
        create(store, key=RequestKey("key", "content"))
    assert store.find_request("key") == ("content", created.id)
    assert store.page(10, 0)[1] == 1


def test_a_key_changes_a_session_once(store):
    session = create(store)
    session = store.append(session, event(1), key=RequestKey("first", "a"), open=OPEN)
    session = store.change(session, RequestKey("second", "b"), open=None)
    for key in ("first", "second"):
        with pytest.raises(LostRaceError):
            store.append(session, event(2), key=RequestKey(key, "c"), open=OPEN)
        with pytest.raises(LostRaceError):
            store.change(session, RequestKey(key, "c"), open=OPEN)
    assert store.load(session.id) == session
    assert [store.find_request(key) for key in ("first", "second")] == [("a", session.id), ("b", session.id)]


def test_only_the_latest_keys_of_a_session_are_kept(store, any_database):
    session, other = create(store), create(store, key=RequestKey("other", "content"))
    for number in range(MOST_KEYS + 5):
        session = store.change(session, RequestKey(f"key {number}", "content"), open=None)
    assert [store.find_request(f"key {number}") is None for number in (0, 4, 5, 104)] == [True, True, False, False]
    assert count(any_database, "requests") == MOST_KEYS + 1
    store.delete(session.id)
    assert count(any_database, "requests") == 1
    assert store.find_request("other") == ("content", other.id)


def test_a_deleted_session_takes_its_answers_along(store, any_database):
    session = store.append(create(store), event(1), open=OPEN)
    assert count(any_database, "events") == 1
    assert store.delete(session.id)
    assert not store.delete(session.id)
    assert store.load(session.id) is None
    assert count(any_database, "events") == 0


def test_only_untouched_sessions_expire(store):
    old = create(store)
    between = now()
    young = create(store)
    assert store.expire(between) == 1
    assert store.load(old.id) is None
    assert store.load(young.id) == young


def test_sessions_are_counted_by_address_and_age(store):
    create(store)
    create(store, address="b")
    assert store.opened_by("a", now() - timedelta(days=1)) == 1
    assert store.opened_by("a", now() + timedelta(days=1)) == 0


def test_pages_show_the_latest_first(store):
    sessions = [create(store) for _ in range(3)]
    store.append(sessions[0], event(1), open=OPEN)
    rows, total = store.page(2, 0)
    assert total == 3
    assert [stored.id for stored, _ in rows] == [sessions[2].id, sessions[1].id]
    assert [count for _, count in store.page(1, 2)[0]] == [1]


def test_hashes_depend_on_the_database_alone(store, any_database, tmp_path):
    twin = SqlStore(any_database)
    other = SqlStore(f"sqlite:///{tmp_path / 'other.db'}")
    assert twin.hash("a") == store.hash("a") != store.hash("b")
    assert other.hash("a") != store.hash("a")
    twin.close()
    other.close()


def test_two_stores_may_open_a_new_database_at_once(any_database):
    stores, threads = [], []
    for _ in range(4):
        threads.append(threading.Thread(target=lambda: stores.append(SqlStore(any_database))))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({store.hash("a") for store in stores}) == 1
    assert len(stores) == 4
    for store in stores:
        store.close()


def test_sqlite_waits_for_the_disk(database):
    engine = open_engine(database)
    with engine.connect() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar_one() == "wal"
        assert connection.execute(text("PRAGMA synchronous")).scalar_one() == 2  # FULL
    engine.dispose()


def test_an_upgraded_log_replaces_the_old_one_and_nothing_has_happened(store):
    first = StoredSession.new(
        "things", {"k": 2}, json.dumps({"rather": 1, "catalog": "ab", "k": 2}), OPEN, [event(1).event, {"undo": 1}]
    )
    store.create(first, "a")
    later = StoredSession.new("things", {"k": 2}, json.dumps({"rather": 2}), OPEN)
    store.create(later, "a")
    assert store.of_first_log_version("ab") == [first.id]
    assert store.of_first_log_version("a") == []
    log = {"rather": 2, "catalog": "ab", "k": 2, "events": [{"tell": 1, "shown": {}}, {"undo": 1}], "open": None}
    store.upgrade(first, log)
    found = store.load(first.id)
    assert found.log == log
    assert (found.version, found.touched_at) == (first.version, first.touched_at)
    assert store.of_first_log_version("ab") == []
    changed = store.append(found, event(3), open=OPEN)
    with pytest.raises(LostRaceError):
        store.upgrade(first, log)
    assert store.load(first.id) == changed


def test_changes_and_summary_are_stored(store):
    session = store.change(create(store), changes=["a price"], summary={"regret": 0.5})
    assert store.load(session.id) == session
    assert store.append(session, event(1), changes=None).changes is None
    assert store.load(session.id).summary == {"regret": 0.5}


def test_a_session_comes_back_with_what_a_study_noted(store):
    study = {"respondent": "r 1", "campaign": "spring", "arm": "two", "source": "mail"}
    noted = StoredSession.new("things", {"k": 2}, "{}", OPEN, study=study)
    partly = StoredSession.new("things", {"k": 2}, "{}", OPEN, study={"campaign": "spring"})
    for session in (noted, partly):
        store.create(session, "a")
    assert store.load(noted.id) == noted
    assert store.load(noted.id).study == study
    assert store.load(partly.id).study == {"campaign": "spring"}
    assert store.change(noted, open=None).study == store.load(noted.id).study == study


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
def test_a_stream_has_every_session_once_with_its_events_oldest_first(store, batch):
    created = [create(store) for _ in range(5)]
    created[1] = store.append(created[1], event(1), open=OPEN)
    created[1] = store.append(created[1], event(2, "2-1", answer=1), open=None)
    created[4] = store.append(created[4], event(1), open=None)
    assert list(store.stream(batch=batch)) == created


def test_a_stream_has_sessions_of_one_moment_once(store):
    at = now()
    created = [replace(StoredSession.new("things", {}, "{}", OPEN), created_at=at, touched_at=at) for _ in range(7)]
    for session in created:
        store.create(session, "a")
    assert [session.id for session in store.stream(batch=2)] == sorted(session.id for session in created)


def test_a_stream_may_start_at_a_time(store):
    create(store)
    later = [create(store) for _ in range(3)]
    assert list(store.stream(since=later[0].created_at, batch=2)) == later
    assert list(store.stream(since=now() + timedelta(days=1))) == []


def test_a_stream_may_be_about_one_catalogue(store):
    of_things, _, more_things = (create(store, catalog=name) for name in ("things", "cars", "things"))
    assert list(store.stream(catalog="things", batch=1)) == [of_things, more_things]
    assert list(store.stream(catalog="things", since=more_things.created_at)) == [more_things]
    assert list(store.stream(catalog="bikes")) == []


def test_a_stream_reads_in_batches_and_sees_what_comes_meanwhile(store, any_database):
    created, read = [create(store) for _ in range(4)], []

    def on_statement(connection, cursor, statement, parameters, context, many):
        read.extend([statement] if statement.startswith("SELECT events") else [])

    sqlalchemy.event.listen(Engine, "before_cursor_execute", on_statement)
    try:
        stream = store.stream(batch=2)
        assert [next(stream), next(stream)] == created[:2]
        assert len(read) == 1  # two sessions are in memory, and no transaction is open
        store.delete(created[2].id)
        added = create(store)
        assert list(stream) == [created[3], added]
    finally:
        sqlalchemy.event.remove(Engine, "before_cursor_execute", on_statement)


def test_courses_and_quotas_follow_the_summary(store):
    long_ago = timedelta(days=1)
    for number in range(4):
        session = StoredSession.new("things", {}, "{}", OPEN, study={"campaign": "c", "arm": "ab"[number % 2]})
        store.create(session, "a")
        for position in range(1, number + 1):
            summary = {"answers": position, "stop": "questions" if position == 3 else None, "tastes": []}
            session = store.append(session, event(position), open=OPEN, summary=summary)
    create(store, events=[event(1).event])  # as from a version that noted nothing
    by_query = sorted(store.courses("things"), key=lambda each: each.began)
    assert by_query == [course_of(each) for each in store.stream()]
    assert [(each.answered, each.finished) for each in by_query] == [
        (0, False),
        (1, False),
        (2, False),
        (3, True),
        (1, False),
    ]
    assert store.taken("c", now() + long_ago) == {"a": 0, "b": 1}
    assert store.taken("c", now() - long_ago) == {"a": 2, "b": 2}
