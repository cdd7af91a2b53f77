"""Whatever step there is too little memory for, the request is turned away, and all goes on as if it had never come."""

import itertools

import pytest
from faults import TooLittleMemory
from serving import answer, open_session

RED = {"filters": [{"attribute": "colour", "any_of": ["red"]}]}
OF_TORCH = RuntimeError("[enforce fail at alloc_cpu.cpp:127] DefaultCPUAllocator: can't allocate memory: you tried ...")
FAULTS = 12  # of each step, spread over its calls

seeds = itertools.count(100)


def opening(client):
    seed = next(seeds)
    return lambda: client.post("/v1/sessions", json={"seed": seed})


def answering(client):
    session = open_session(client, seed=next(seeds))
    return lambda: answer(client, session, 1)


def undoing(client):
    session = answer(client, open_session(client, seed=next(seeds)), 1).json()["session"]
    open_session(client, seed=next(seeds))  # takes its place in memory
    return lambda: client.post(f"/v1/sessions/{session['id']}/undo", json={"answer": "1"})


def filtering(client):
    session = answer(client, open_session(client, seed=next(seeds)), 1).json()["session"]
    return lambda: client.put(f"/v1/sessions/{session['id']}/filters", json=RED)


def importing(client):
    session = answer(client, open_session(client, seed=next(seeds)), 1).json()["session"]
    log = client.get(f"/v1/sessions/{session['id']}/export").json()
    return lambda: client.post("/v1/sessions/import", json=log)


def reading(part):
    def prepare(client):
        session = answer(client, open_session(client, seed=next(seeds)), 1).json()["session"]
        open_session(client, seed=next(seeds))
        return lambda: client.get(f"/v1/sessions/{session['id']}{part}")

    return prepare


STEPS = {
    "opening": opening,
    "question": reading("/question"),
    "answer": answering,
    "undo": undoing,
    "filters": filtering,
    "import": importing,
    "session": reading(""),
    "history": reading("/history"),
    "profile": reading("/profile"),
    "export": reading("/export"),
    "ranking": reading('/recommendations?limit=20&filters=[{"attribute":"colour","any_of":["red"]}]'),
}


@pytest.mark.parametrize("error", [MemoryError(), OF_TORCH], ids=["python", "torch"])
@pytest.mark.parametrize("step", STEPS)
def test_a_step_without_memory_is_turned_away_and_can_be_done_again(make_client, step, error):
    client = make_client(raising=False, workers=1, cache_mb=0, limits={"wait_seconds": 0.2})
    faulty = client.app.state.conversations = TooLittleMemory(client.app.state.conversations, error)
    request = STEPS[step](client)
    with faulty.fail(None):
        assert request().status_code < 300
        calls = faulty.count
    assert calls > 0
    for number in sorted({1, calls, *range(1, calls, max(1, calls // FAULTS))}):
        request = STEPS[step](client)
        with faulty.fail(number):
            found = request()
        if faulty.failed is None:
            assert found.status_code < 300
            continue
        assert (found.status_code, found.json()["code"]) == (503, "out-of-memory"), (faulty.failed, found.text)
        again = request()
        assert again.status_code < 300, (faulty.failed, again.text)
        if step == "answer":
            assert (again.json()["repeated"], again.json()["session"]["answers"]) == (False, 1)


def test_a_prefetch_without_memory_ends_nothing(make_client, monkeypatch):
    client = make_client(raising=False, prefetch=True)
    states = client.app.state.conversations.states
    compute = states.compute_ahead
    left = [MemoryError(), OF_TORCH]

    def fail(*arguments):
        if left:
            raise left.pop()
        compute(*arguments)

    monkeypatch.setattr(states, "compute_ahead", fail)
    session = open_session(client, seed=1)
    for _ in range(4):
        session = answer(client, session).json()["session"]
    assert session["answers"] == 4
    assert left == []
