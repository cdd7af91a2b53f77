"""States of conversations in memory: what is believed and asked after given answers.

A state follows from the settings and the answers alone, so people who gave the same answers share it, and one that
was computed ahead is found by the answer that leads to it.
"""

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from rather.conversation.log import dump_open, load_open, replay
from rather.conversation.records import answer_record
from rather.conversation.session import Session
from rather.conversation.stopping import Stop
from rather.errors import NoQuestionLeftError
from rather.model.questions import Question, Recommendation
from rather.model.responses import Choice
from rather.retrieval import ShortlistRetriever
from rather.server.computing.gate import Gate
from rather.server.http.problems import busy

TOP = 5


@dataclass(frozen=True)
class State:
    """A conversation after some answers. Its session is never told anything: fork it first.

    Attributes:
        key: Names the settings and the answers.
        session: In this state.
        question: The open question; None when every question has been asked.
        open: The same as the library logs it.
        regret: Expected regret now.
        stop: Why to stop asking, if there is a reason.
        top: The best few items now.
    """

    key: str
    session: Session
    question: Question | None
    open: dict[str, Any] | None
    regret: float
    stop: Stop | None
    top: tuple[Recommendation, ...]


def first_key(settings: str, budget_ms: float | None) -> str:
    """The key of a conversation before the first answer."""
    return _hash(settings, repr(budget_ms))


def next_key(key: str, event: dict[str, Any]) -> str:
    """The key after one more answer."""
    return _hash(key, json.dumps(event, sort_keys=True))


def keys_along(first: str, events: Sequence[dict[str, Any]]) -> list[str]:
    """The keys before the first of these answers and after each."""
    keys = [first]
    for event in events:
        keys.append(next_key(keys[-1], event))
    return keys


def _hash(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


def look(key: str, session: Session) -> State:
    """The state of a session that nobody will tell anything any more; chooses its question."""
    try:
        question: Question | None = session.ask()
    except NoQuestionLeftError:
        question = None
    return State(
        key,
        session,
        question,
        dump_open(session),
        session.expected_regret,
        session.stop,
        tuple(session.recommend(TOP)),
    )


class States:
    """States that were lately needed, and those being computed.

    Args:
        gate: Admits computations.
        cache_mb: Cache to keep states in.
        wait_seconds: Longest wait for a state that another thread computes.
    """

    def __init__(self, gate: Gate, cache_mb: int, wait_seconds: float) -> None:
        self.gate = gate
        self._bytes = cache_mb * 2**20
        self._used = 0
        self._wait_seconds = wait_seconds
        self._kept: OrderedDict[str, State] = OrderedDict()
        self._coming: dict[str, Future[State]] = {}
        self._lock = threading.Lock()
        self.found = self.computed = self.computed_ahead = 0

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, key: str) -> State | None:
        """The state of this key if it is at hand."""
        with self._lock:
            state = self._kept.get(key)
            if state is not None:
                self._kept.move_to_end(key)
            return state

    def replayed(
        self, first: str, events: Sequence[dict[str, Any]], open: dict[str, Any] | None, start: Callable[[], Session]
    ) -> State:
        """The state after these answers with this open question.

        Args:
            first: The key before the first answer.
            events: Answers as the library logs them, none of them taken back.
            open: The open question that was stored; None to choose it (or find that none is left).
            start: Makes the session before the first answer.
        """
        keys = keys_along(first, events)
        state = self.find(keys[-1])
        if state is None:
            state = self._get(keys[-1], lambda: self._replay(keys, events, open, start), self.gate.urgent())
        if open is None or state.open == open:
            return state
        # Another process had more or less time to choose: what was asked is what is stored.
        key = next_key(state.key, open)
        return self.find(key) or self._get(key, lambda: _asking(state, open), self.gate.urgent())

    def after(self, state: State, choice: Choice) -> tuple[State, dict[str, Any]]:
        """The state after an answer to the open question, and the answer as the library logs it."""
        event = answer_event(state, choice)
        key = next_key(state.key, event)
        found = self.find(key)
        if found is None:
            found = self._get(key, lambda: _tell(key, state, choice), self.gate.urgent())
            self.computed += 1
        else:
            self.found += 1
        return found, event

    def ahead(self, state: State, choice: Choice, wanted: Callable[[], bool]) -> None:
        """Compute the state after an answer before it is given, when nobody waits; unless it is no longer wanted."""
        key = next_key(state.key, answer_event(state, choice))
        with self.gate.ahead() as admitted:
            # The place is taken first: whoever waits for a state that is being computed must wait for nothing else.
            if admitted and wanted() and self.find(key) is None:
                self._get(key, lambda: _tell(key, state, choice))
                self.computed_ahead += 1

    def keep(self, state: State, key: str | None = None) -> None:
        """Have this state at hand, under another key than its own if need be."""
        key = state.key if key is None else key
        with self._lock:
            if key in self._kept:
                self._used -= _size(self._kept.pop(key))
            self._kept[key] = state
            self._used += _size(state)
            while self._used > self._bytes and len(self._kept) > 1:
                self._used -= _size(self._kept.popitem(last=False)[1])

    def _get(
        self, key: str, compute: Callable[[], State], admission: AbstractContextManager[None] | None = None
    ) -> State:
        """Compute a state, or wait for whoever computes it already."""
        with self._lock:
            if (kept := self._kept.get(key)) is not None:  # finished since the caller looked
                return kept
            coming = self._coming.get(key)
            ours: Future[State] = Future()
            if coming is None:
                self._coming[key] = ours
        if coming is not None:
            try:
                return coming.result(self._wait_seconds)
            except FutureTimeoutError:
                raise busy("This question takes longer to choose than usual.") from None
        try:
            if admission is None:
                state = compute()
            else:
                with admission:
                    state = compute()
            self.keep(state, key)
        except BaseException as error:
            ours.set_exception(error)
            raise
        else:
            ours.set_result(state)
            return state
        finally:
            with self._lock:
                del self._coming[key]

    def _replay(
        self,
        keys: Sequence[str],
        events: Sequence[dict[str, Any]],
        open: dict[str, Any] | None,
        start: Callable[[], Session],
    ) -> State:
        for place in range(len(events) - 1, -1, -1):
            if (known := self.find(keys[place])) is not None:
                session = known.session.fork()
                break
        else:
            place, session = 0, start()
        for event in events[place:]:
            replay(event, session)
        if open is not None:
            load_open(open, session)
        return look(keys[-1], session)


def answer_event(state: State, choice: Choice) -> dict[str, Any]:
    """An answer to the open question as the library logs it."""
    assert state.question is not None
    return answer_record(state.question, choice)


def _tell(key: str, state: State, choice: Choice) -> State:
    assert state.question is not None
    session = state.session.fork()
    session.tell(state.question, choice)
    return look(key, session)


def _asking(state: State, open: dict[str, Any]) -> State:
    """The same state with another open question."""
    session = state.session.fork()
    load_open(open, session)
    return look(state.key, session)


def _size(state: State) -> int:
    """Bytes that a state holds on its own, about: its particles, the best item of each, and its own shortlist."""
    session = state.session
    particles, fitted = session.belief.particles, session.policy.retriever_for(session.belief)
    size = 2 * particles.numel() * particles.element_size() + 4_096
    if isinstance(fitted, ShortlistRetriever) and fitted is not session.policy.retriever:
        size += fitted.bytes_not_shared_with(session.policy.retriever)
    return size
