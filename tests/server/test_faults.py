"""Faults on purpose, at every operation of the store: nothing half-written, nothing lost, nothing twice."""

import itertools
import sys

import pytest
from faults import FaultyDriver, largest_file
from serving import answer, open_session

from rather.server.sessions.sql_store import SqlStore


class Visitor:
    """Goes through everything a person can change, and sends a request again when the server could not serve it.

    Attributes:
        seen: What the responses said, without what differs each time: ids and times.
        unserved: Responses that said to try again.
    """

    def __init__(self, client, store, number):
        self.client, self.store, self.number = client, store, number
        self.seen, self.unserved, self.ids = [], [], []

    def visit(self):
        session = self.send("POST", "/v1/sessions", {"strategy": "random"}, key="open")
        for choice in (0, "none", 1):
            session = self.answer(session, choice)
        undone = {"answer": session["last_answer"]}
        session = self.send("POST", self.path("undo"), undone)
        cheap = {"filters": [{"attribute": "price", "maximum": 150}]}
        session = self.send("PUT", self.path("filters"), cheap, key="filters")
        session = self.answer(session, 0)
        wanted = {"says": "want", "attribute": "warm"}
        session = self.send("POST", self.path("hints"), wanted, key="hint")
        for part in ("history", "recommendations", "profile"):
            self.send("GET", self.path(part))
        log = self.send("GET", self.path("export"))
        self.send("POST", "/v1/sessions/import", log, key="import")
        self.answer(session, 1)
        self.send("DELETE", f"/v1/sessions/{self.ids[0]}")
        return self

    def answer(self, session, choice):
        body = {"question": session["question"]["id"], "choice": choice}
        return self.send("POST", self.path("answers"), body)["session"]

    def path(self, part):
        return f"/v1/sessions/{self.ids[0]}/{part}"

    def send(self, method, path, body=None, key=None):
        headers = {"Idempotency-Key": f"visitor {self.number} {key} -----"} if key else {}
        before = self.state()
        response = self.request(method, path, body, headers)
        if response.status_code == 503:
            self.unserved.append(response)
            after = self.state()
            response = self.client.request(method, path, json=body, headers=headers)
            assert after in (before, self.state()), "half of a change is visible"
        repeated = bool(self.unserved) and method == "DELETE" and response.status_code == 404
        assert response.status_code < 300 or repeated, response.text
        content = None if method == "DELETE" else response.json()
        if path in ("/v1/sessions", "/v1/sessions/import"):
            self.ids.append(content["id"])
        self.seen.append(without(content, *self.ids))
        return content

    def request(self, method, path, body, headers):
        return self.client.request(method, path, json=body, headers=headers)

    def state(self):
        """What is stored of the session now."""
        return self.store.load(self.ids[0]) if self.ids else None


CHANGING = ("share", "created_at", "expires_at", "answered_at", "given_at", "repeated")


def without(content, *ids):
    """A response without what differs from visitor to visitor."""
    if isinstance(content, list):
        return [without(part, *ids) for part in content]
    if not isinstance(content, dict):
        return content
    kept = {name: part for name, part in content.items() if name not in CHANGING and (name, part) not in own(ids)}
    return {name: without(part, *ids) for name, part in kept.items()}


def own(ids):
    return [("id", id) for id in ids]


def size(store):
    """How many sessions and events are stored."""
    rows, total = store.page(1_000, 0)
    return total, sum(count for _, count in rows)


@pytest.fixture
def store(any_database):
    """Another view of the database, without faults."""
    store = SqlStore(any_database)
    yield store
    store.close()


def is_unavailable(response):
    body = response.json()
    assert response.headers["content-type"] == "application/problem+json"
    assert (response.status_code, body["code"]) == (503, "storage-unavailable")
    assert "retry-after" in response.headers
    assert "Traceback" not in response.text
    return True


@pytest.mark.parametrize("afterwards", [False, True], ids=["before", "after"])
def test_a_failure_at_any_operation_of_the_database_is_harmless(make_client, any_database, store, afterwards):
    client = make_client(
        database=any_database, limits={"requests_per_minute": 10**6, "session_requests_per_minute": 10**6}
    )
    untroubled, one_visit = Visitor(client, store, 0).visit(), size(store)
    driver, failed = FaultyDriver(client.app.state.conversations.store._engine), 0
    for number in itertools.count(1):
        visitor = UnderFaults(client, store, number, driver, afterwards)
        visitor.visit()
        assert visitor.seen == untroubled.seen
        assert size(store) == tuple((number + 1) * count for count in one_visit)
        if not visitor.unserved:
            break
        failed += len(visitor.unserved)
        assert all(is_unavailable(rejected) for rejected in visitor.unserved)
        assert all("its disk fails" in rejected.json()["detail"] for rejected in visitor.unserved)
    driver.close()
    assert failed > 60  # operations in one visit


class UnderFaults(Visitor):
    """A visitor whose every request first meets a failure at its operation of this number."""

    def __init__(self, client, store, number, driver, afterwards):
        super().__init__(client, store, number)
        self.driver, self.afterwards = driver, afterwards

    def request(self, *arguments):
        with self.driver.fail(self.number, self.afterwards):
            response = super().request(*arguments)
        assert (response.status_code == 503) == self.driver.failed
        return response


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot limit what it writes")
def test_a_disk_that_is_full_at_any_byte_is_harmless(make_client, any_database, store, tmp_path):
    if not any_database.startswith("sqlite"):
        pytest.skip("the disk of another process")
    client = make_client(limits={"requests_per_minute": 10**6, "session_requests_per_minute": 10**6})
    untroubled, one_visit = Visitor(client, store, 0).visit(), size(store)
    log = tmp_path / "sessions.db-wal"
    while (
        log.stat().st_size < 100_000
    ):  # beyond the file of shared memory, which cannot be written to a full disk either
        answer(client, open_session(client))
    before = size(store)
    for number, room in enumerate([0, 1, 24, 600, 4_119, 4_120, 6_000], start=1):
        visitor = FullDisk(client, store, number, log, room)
        visitor.visit()
        assert len(visitor.unserved) >= 8  # at least one for every change
        assert all(is_unavailable(rejected) for rejected in visitor.unserved)
        assert visitor.seen == untroubled.seen
        assert size(store) == tuple(start + number * count for start, count in zip(before, one_visit, strict=True))


class FullDisk(Visitor):
    """A visitor whose every request first finds a disk with room for a few bytes only."""

    def __init__(self, client, store, number, log, room):
        super().__init__(client, store, number)
        self.log, self.room = log, room

    def request(self, *arguments):
        with largest_file(self.log.stat().st_size + self.room):
            return super().request(*arguments)


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("[enforce fail at alloc] can't allocate memory")])
def test_a_request_that_needs_too_much_memory_is_turned_away(make_client, monkeypatch, error):
    client = make_client()
    session = open_session(client)

    def fail(*arguments):
        raise error

    monkeypatch.setattr(client.app.state.conversations.states, "after", fail)
    rejected = answer(client, session)
    assert (rejected.status_code, rejected.json()["code"]) == (503, "out-of-memory")
    monkeypatch.undo()
    assert answer(client, session).json()["repeated"] is False
