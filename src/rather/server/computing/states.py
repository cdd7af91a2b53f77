"""States of conversations, in memory: what is believed and asked after given answers.

A state follows from the settings, the answers and the hints alone. So everybody who gave the same ones shares it, and a
state that was computed in advance is found by the answer that leads to it. A state whose open question was loaded
rather than chosen is shared only by those who have the same one open.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

from rather.caching.keys import digest
from rather.conversation.hint_records import hint_record
from rather.conversation.hints import hint_of
from rather.conversation.keys import history_key
from rather.conversation.log import load_open, replay
from rather.conversation.records import answer_record, question_record
from rather.conversation.session import Session
from rather.conversation.stopping import Stop
from rather.errors import NoQuestionLeftError
from rather.model.catalog import Catalog
from rather.model.hints import Hint
from rather.model.questions import Question, Recommendation
from rather.model.responses import Choice
from rather.model.statements import Statement
from rather.retrieval import ShortlistRetriever
from rather.server.computing.callers import CallerGoneError
from rather.server.computing.gate import Gate
from rather.server.problems import busy

# Recommendations that every state has; more of them are computed when they are asked for.
TOP = 5

# About what a question, its options and the recommendations take.
BYTES_OF_TEXTS = 4_096

Record = Mapping[str, Any]
"""An answer, a hint or a question as the library logs it."""


@dataclass(frozen=True)
class State:
    """A conversation after some answers. Its session must not be told anything: fork it first.

    Attributes:
        key: Identifies the settings and the answers.
        session: The conversation in this state.
        question: The open question; None when every question has been asked.
        regret: The expected regret now.
        stop: Why to stop asking, if there is a reason.
        top: The best few items now.
        size: Bytes that it shares with no other state, about.
    """

    key: str
    session: Session
    question: Question | None
    regret: float
    stop: Stop | None
    top: tuple[Recommendation, ...]
    size: int

    @classmethod
    def of(cls, key: str, session: Session) -> "State":
        """The state of a session that will be told nothing more; chooses its question."""
        try:
            question: Question | None = session.ask()
        except NoQuestionLeftError:
            question = None
        top = tuple(session.recommend(TOP))
        return cls(key, session, question, session.expected_regret, session.stop, top, _own_bytes(session))

    @property
    def open(self) -> dict[str, Any] | None:
        """The open question as the library logs it."""
        return None if self.question is None else question_record(self.question, self.session.policy.catalog)

    def answer(self, choice: Choice) -> dict[str, Any]:
        """An answer to the open question as the library logs it."""
        assert self.question is not None
        return answer_record(self.question, choice, self.session.policy.catalog)


def first_key(catalog: str, version: int, settings: str, budget_ms: float | None) -> str:
    """The key of a conversation before its first answer.

    Within one process, settings identify a policy, because a version of a catalogue always means the same items and
    retriever. So a state is found without making a policy, and even a policy that the library cannot identify has a key
    here.
    """
    return digest("state", catalog, version, settings, budget_ms)


class States:
    """States that were needed recently, and those that are being computed.

    Args:
        gate: Admits computations.
        cache_mb: Memory for states.
        wait_seconds: Longest wait for a state that another thread computes.
    """

    def __init__(self, gate: Gate, cache_mb: int, wait_seconds: float) -> None:
        self.gate = gate
        self._most_bytes = cache_mb * 2**20
        self._bytes = 0
        self._wait_seconds = wait_seconds
        self._cached: OrderedDict[str, State] = OrderedDict()
        self._computing: dict[str, Future[State]] = {}
        self._retired: WeakSet[Catalog] = WeakSet()
        self._lock = threading.Lock()
        self.found = self.computed = self.computed_ahead = 0

    def __len__(self) -> int:
        return len(self._cached)

    def find(self, key: str) -> State | None:
        """The state of this key, if it is cached."""
        with self._lock:
            state = self._cached.get(key)
            if state is not None:
                self._cached.move_to_end(key)
            return state

    def resume(self, first: str, answers: Sequence[Record], open: Record | None, start: Callable[[], Session]) -> State:
        """The state after these answers, with this open question.

        Args:
            first: The key before the first answer.
            answers: All that were not taken back, oldest first.
            open: The open question that was stored; None to choose one (or to find that none is left).
            start: Makes the session before the first answer.
        """
        keys = list(_keys_along(first, answers))
        state = self.find(keys[-1])
        if state is not None and (open is None or _same_question(state.open, open)):
            return state
        key = keys[-1] if open is None else _key_with_open(keys[-1], open)
        return self.find(key) or self._get(key, lambda: self._replay(keys, answers, open, start), self.gate.urgent())

    def after(self, state: State, choice: Choice) -> State:
        """The state after an answer to the open question."""
        key = _key_after(state, choice)
        found = self.find(key)
        if found is not None:
            self.found += 1
            return found
        computed = self._get(key, lambda: _told(key, state, choice), self.gate.urgent())
        self.computed += 1
        return computed

    def after_hint(self, state: State, statement: Statement) -> tuple[State, dict[str, Any]]:
        """The state after a hint, and the hint as the library logs it."""
        session = state.session
        with self.gate.urgent():
            hint = hint_of(statement, len(session.hints) + 1, session.policy, session.belief)
        record = hint_record(hint, session.policy.catalog)
        key = history_key(state.key, [record])
        found = self.find(key) or self._get(key, lambda: _hinted(key, state, hint), self.gate.urgent())
        return found, record

    def compute_ahead(self, state: State, choice: Choice, wanted: Callable[[], bool]) -> None:
        """Compute the state after an answer that may be given, once nobody waits and if it is still wanted then."""
        key = _key_after(state, choice)
        with self.gate.ahead() as admitted:
            # Admission comes first: whoever waits for a state that is being computed must wait for nothing else.
            if admitted and wanted() and self.find(key) is None:
                self._get(key, lambda: _told(key, state, choice), nullcontext())
                self.computed_ahead += 1

    def keep_loaded(self, state: State) -> None:
        """Cache a state whose open question came with it: found only by who has the same one open."""
        self.keep(state, _key_with_open(state.key, state.open))

    def keep(self, state: State, key: str | None = None) -> None:
        """Cache a state, under another key than its own if one is given."""
        key = state.key if key is None else key
        with self._lock:
            if state.session.policy.catalog in self._retired:
                return
            if key in self._cached:
                self._bytes -= self._cached.pop(key).size
            self._cached[key] = state
            self._bytes += state.size
            while self._bytes > self._most_bytes and len(self._cached) > 1:
                self._bytes -= self._cached.popitem(last=False)[1].size

    def retire(self, catalog: Catalog) -> None:
        """Drop the states of conversations about a catalogue that is no longer served, and cache no more of them."""
        with self._lock:
            self._retired.add(catalog)
            for key, state in list(self._cached.items()):
                if state.session.policy.catalog is catalog:
                    self._bytes -= self._cached.pop(key).size

    def _get(self, key: str, compute: Callable[[], State], admission: AbstractContextManager[None]) -> State:
        """Compute a state, or wait for the thread that is computing it already."""
        with self._lock:
            if (cached := self._cached.get(key)) is not None:  # finished since the caller looked
                return cached
            theirs = self._computing.get(key)
            ours: Future[State] = Future()
            if theirs is None:
                self._computing[key] = ours
        if theirs is not None:
            try:
                return theirs.result(self._wait_seconds)
            except CallerGoneError:  # theirs, not ours
                return self._get(key, compute, admission)
            except FutureTimeoutError:
                raise busy("This question takes longer to choose than usual.") from None
        try:
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
                del self._computing[key]

    def _replay(
        self, keys: Sequence[str], answers: Sequence[Record], open: Record | None, start: Callable[[], Session]
    ) -> State:
        """Tell the answers again, from the last state on the way that is cached."""
        done, known = self._last_cached(keys, answers)
        session = start() if known is None else known.session.fork()
        for answer in answers[done:]:
            replay(dict(answer), session)
        if open is not None:
            load_open(dict(open), session)
        return State.of(keys[-1], session)

    def _last_cached(self, keys: Sequence[str], answers: Sequence[Record]) -> tuple[int, State | None]:
        """After how many of these answers a state is cached, whatever its open question; and that state."""
        for done in range(len(answers), -1, -1):
            state = self.find(keys[done])
            if state is None and done < len(answers):
                state = self.find(_key_with_open(keys[done], _question_of(answers[done])))
            if state is not None:
                return done, state
        return 0, None


def _keys_along(key: str, answers: Sequence[Record]) -> Iterator[str]:
    """The keys before the first of these answers and after each."""
    yield key
    for answer in answers:
        key = history_key(key, [answer])
        yield key


def _same_question(mine: Record | None, stored: Record) -> bool:
    """Whether they compare the same and are worth the same; older versions did not store what was shown."""
    compared = ("items", "attributes", "evoi")
    return mine is not None and all(mine.get(name) == stored.get(name) for name in compared)


def _key_after(state: State, choice: Choice) -> str:
    return history_key(state.key, [state.answer(choice)])


def _key_with_open(key: str, open: Record | None) -> str:
    """The key of a state with an open question that was not chosen here.

    Others with the same answers do not share it: where it came from, somebody had more or less time to choose, or wrote
    what they liked into a log.
    """
    return digest(key, "open", None if open is None else {name: open[name] for name in open if name != "id"})


def _question_of(answer: Record) -> Record:
    """The record of the question that was answered."""
    return {name: value for name, value in answer.items() if name not in ("tell", "answer")}


def _told(key: str, state: State, choice: Choice) -> State:
    assert state.question is not None
    session = state.session.fork()
    session.tell(state.question, choice)
    return State.of(key, session)


def _hinted(key: str, state: State, hint: Hint) -> State:
    session = state.session.fork()
    session.record_hint(hint)
    return State.of(key, session)


def _own_bytes(session: Session) -> int:
    """Bytes of the particles, of the best item of each, and of a shortlist for this belief alone."""
    policy, belief = session.policy, session.belief
    size = 2 * belief.particles.numel() * belief.particles.element_size() + BYTES_OF_TEXTS
    fitted = policy.retriever_for(belief)
    if isinstance(fitted, ShortlistRetriever) and fitted is not policy.retriever:
        size += fitted.bytes_not_shared_with(policy.retriever)
    return size
