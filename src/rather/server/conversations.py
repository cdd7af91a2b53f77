"""The use cases of the service: open sessions, take answers, recommend. Every change is stored before it is shown."""

import json
import logging
import math
import re
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

from pydantic import BaseModel

from rather.conversation.allowed_items import dump_allowed
from rather.conversation.keys import history_key
from rather.conversation.records import question_record
from rather.conversation.session import Session
from rather.errors import RatherError
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.catalog_changes import CatalogChanges, catalog_changes
from rather.model.questions import Recommendation
from rather.model.responses import SKIP, Choice, as_choice
from rather.server.computing.catalogs import ServedCatalog, ServedCatalogs, settings_of
from rather.server.computing.prefetch import Prefetch
from rather.server.computing.states import State, States, first_key
from rather.server.computing.summaries import summary_of
from rather.server.problems import ProblemError, busy, invalid_log
from rather.server.requests import Filter, Log, NewAnswer, NewFilters, NewSession, Undo
from rather.server.sessions.records import RequestKey, SteadyClock, StoredEvent, StoredSession, now
from rather.server.sessions.store import Changes, LostRaceError, OverLimitError, Store
from rather.server.settings import Settings

logger = logging.getLogger("rather.server")

# Ids and share tokens are made of these. Anything else is not looked up: a database may reject the characters.
TOKEN_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,64}")

# How often a change is tried when other requests for the same session are faster; each time, another one succeeds.
ATTEMPTS = 5

OPEN_ANOTHER = "Open a new session. The answers of this one stay readable."

Result = TypeVar("Result")


@dataclass(frozen=True)
class Conversation:
    """A session as it is stored, and the state that its answers lead to.

    Attributes:
        stored: The session as it is stored.
        served: The version of its catalogue that this request is about; None when it is no longer served.
        found: The state; None when the session can only be read.
        problem: Why it can only be read.
    """

    stored: StoredSession
    served: ServedCatalog | None
    found: State | None
    problem: ProblemError | None = None

    @property
    def state(self) -> State:
        """The state, or the problem that leaves none."""
        if self.found is None:
            assert self.problem is not None
            raise self.problem
        return self.found

    @property
    def session(self) -> Session:
        """The library's session in this state; fork it before telling it anything."""
        return self.state.session

    @property
    def question_id(self) -> str | None:
        """The id of the open question. A new one with every change of the session, so that late answers are noticed.

        A change of the catalogue that leaves the question as it was leaves its id as well.
        """
        question = self.state.question
        if question is None:
            return None
        kept = None if self.stored.open is None else self.stored.open.get("id")
        return kept or f"{question.number}-{self.stored.version}"


class Conversations:
    """All conversations of a server.

    Args:
        settings: What the operator decided.
        catalogs: What conversations are about.
        store: Stores sessions.
        states: Computes their states.
        prefetch: Computes states in advance, if at all.
    """

    def __init__(
        self, settings: Settings, catalogs: ServedCatalogs, store: Store, states: States, prefetch: Prefetch | None
    ) -> None:
        self.settings = settings
        self.catalogs = catalogs
        self.store = store
        self.states = states
        self.prefetch = prefetch
        self._replacing = threading.Lock()
        self._clock = SteadyClock()

    def warm_up(self) -> None:
        """Prepare every catalogue, so that the first person does not wait for it."""
        for served in self.catalogs:
            self._prepare(served)
        self.upgrade()

    def upgrade(self) -> None:
        """Add what was shown to answers that an older version stored, so that they outlive their catalogue.

        Only a catalogue that has not changed since can tell.
        """
        upgraded = 0
        for served in self.catalogs:
            for id in self.store.of_first_log_version(served.catalog.content_hash):
                stored = self.store.load(id)
                if stored is None or stored.catalog != served.name or not served.is_about(stored.settings):
                    continue
                try:
                    self.store.upgrade(stored, served.upgraded(stored.log))
                    upgraded += 1
                except LostRaceError:
                    continue  # another process changed or upgraded it
                except RatherError as error:
                    logger.warning("a stored session cannot be upgraded", extra={"fields": {"reason": str(error)}})
        if upgraded:
            logger.info("upgraded stored sessions", extra={"fields": {"sessions": upgraded}})

    def replace(self, name: str, opened: tuple[Catalog, Belief]) -> CatalogChanges:
        """Serve another version of a catalogue: prepare it beside the one that is served, then switch.

        Requests in progress finish with the version that they began with. If the new one cannot be served, the old one
        stays, and the error says why.

        Args:
            name: The name that it is served under.
            opened: What `rather.open` returned.
        """
        with self._replacing:
            old = self.catalogs.find(name)
            new = old.next_version(*opened)
            try:
                with self.states.gate.exempt():
                    self._prepare(new)
                changes = catalog_changes(old.catalog, new.catalog)
                self.catalogs.switch(new)
            finally:
                self._retire((old, new))
        return changes

    def _prepare(self, served: ServedCatalog) -> None:
        """Make what a catalogue needs for searches, and choose its first question."""
        about = {"catalog": served.name, "items": len(served.catalog)}
        logger.info("preparing", extra={"fields": about})
        for note in served.catalog.notes:
            logger.warning("reading", extra={"fields": {"catalog": served.name, "note": note}})
        start = time.perf_counter()
        self._new(served, served.complete(NewSession()))
        took = {"seconds": round(time.perf_counter() - start, 2), "search": served.retriever_text}
        logger.info("prepared", extra={"fields": about | took})

    def _retire(self, versions: Iterable[ServedCatalog]) -> None:
        """Forget what was computed about those versions that are not served, so that their memory is free again."""
        for catalog in {version.catalog for version in versions} - {served.catalog for served in self.catalogs}:
            self.states.retire(catalog)
            if self.prefetch is not None:
                self.prefetch.retire(catalog)

    def close(self) -> None:
        """Stop computing in advance and close the store."""
        self.states.gate.close()
        if self.prefetch is not None:
            self.prefetch.close()
        self.store.close()

    def create(
        self, request: NewSession, address: str, idempotency_key: str | None = None
    ) -> tuple[Conversation, bool]:
        """Open a session; True beside it when the idempotency key had already opened it."""

        def new() -> Conversation:
            served = self.catalogs.find(request.catalog)
            return self._new(served, served.complete(request))

        return self._create_once(new, address, self._request_key(address, idempotency_key, "open", request))

    def load(self, id: str) -> Conversation:
        """The conversation of this id, in the catalogue as it is now; readable even where it cannot go on."""
        return self._retry(lambda: self._resume(self._load(id)))

    def load_shared(self, share: str) -> Conversation:
        """The conversation of this share token."""
        stored = self.store.load_shared(share) if TOKEN_PATTERN.fullmatch(share) else None
        if stored is None:
            raise ProblemError(404, "unknown-share", "No session is shared under this token.", "Ask for a new link.")
        return self._resume(stored, keep=False)

    def load_to_answer(self, id: str) -> Conversation:
        """The conversation of this id, for somebody who is about to read the open question."""
        return self._expect_answer(self.load(id))

    def answer(self, id: str, answer: NewAnswer) -> tuple[Conversation, str, bool]:
        """Store an answer; with its id, and whether it had already been given."""
        return self._retry(lambda: self._answer(id, answer))

    def undo(self, id: str, undo: Undo, idempotency_key: str | None = None) -> Conversation:
        """Take the last answer back."""
        key = self._request_key(id, idempotency_key, "undo", undo)
        return self._change_once(id, key, lambda: self._undo(id, undo.answer, key))

    def change_filters(self, id: str, filters: NewFilters, idempotency_key: str | None = None) -> Conversation:
        """Ask and recommend under other filters from now on; the answers stay."""
        key = self._request_key(id, idempotency_key, "filters", filters)
        return self._change_once(id, key, lambda: self._change_filters(id, filters, key))

    def rank(
        self, conversation: Conversation, offset: int, limit: int, filters: Sequence[Filter], where: str | None
    ) -> tuple[list[Recommendation], int]:
        """A page of the ranking of the items that match these filters too, and how many there are in all."""
        session = conversation.session
        assert conversation.served is not None
        mask = conversation.served.filters.mask(filters, where)
        if session.policy.allowed is not None:
            mask = session.policy.allowed if mask is None else session.policy.allowed & mask
        total = len(session.policy.catalog) if mask is None else int(mask.sum())
        if offset >= total:
            return [], total
        with self.states.gate.urgent():
            narrowed = session.restricted(mask) if filters or where else session
            return narrowed.recommend(min(offset + limit, total))[offset:], total

    def delete(self, id: str) -> None:
        """Delete a session and all its answers."""
        if not TOKEN_PATTERN.fullmatch(id) or not self.store.delete(id):
            raise _unknown_session()
        if self.prefetch is not None:
            self.prefetch.forget(id)

    def expire(self, days: float) -> int:
        """Delete the sessions that have not changed for this many days; returns how many."""
        return self.store.expire(self._clock.now() - timedelta(days=days))

    def export(self, id: str) -> dict[str, Any]:
        """The session as the library's log."""
        stored = self._load(id)
        served = self.catalogs.of_session(stored.catalog)
        if stored.log["allowed"] is not None and served is not None and not served.is_about(stored.settings):
            stored = self.load(id).stored  # its filters, in the catalogue as it is now
        log = {**stored.log, "served_as": stored.catalog}
        if log["allowed"] is not None and served is not None and served.is_about(stored.settings):
            policy = served.resume(stored.settings, None).policy
            log |= dump_allowed(policy.allowed, policy.catalog)
        return log

    def restore(
        self, log: Log, address: str, name: str | None = None, idempotency_key: str | None = None
    ) -> tuple[Conversation, bool]:
        """A new session from a log of the library, about the catalogue of this name if one is given.

        True beside it when the idempotency key had already made it.
        """
        key = self._request_key(address, idempotency_key, f"import {name}", log)
        return self._create_once(lambda: self._restored(log, name), address, key)

    def _restored(self, log: Log, name: str | None) -> Conversation:
        """The conversation of a log, not stored yet."""
        with self.states.gate.urgent():
            served = self.catalogs.of_log(log, name)
            request, session = served.read_log(log)
            stored = replace(_new_stored(request, session), changes=_sentences(session))
            state = State.of(history_key(_first_key(stored, served), _answers(stored)), session)
        if not math.isfinite(state.regret) or not all(math.isfinite(item.spread) for item in state.top):
            raise invalid_log("Its numbers overflow.")
        self.states.keep_loaded(state)
        stored = replace(stored, open=state.open, summary=summary_of(session, state.regret))
        return Conversation(stored, served, state)

    def _new(self, served: ServedCatalog, complete: NewSession) -> Conversation:
        """A conversation that a complete request asks for, not stored yet."""
        session = served.start(complete)
        stored = _new_stored(complete, session)
        state = self.states.resume(_first_key(stored, served), (), None, lambda: session)
        summary = summary_of(session, state.regret)
        return Conversation(replace(stored, open=state.open, summary=summary), served, state)

    def _load(self, id: str) -> StoredSession:
        stored = self.store.load(id) if TOKEN_PATTERN.fullmatch(id) else None
        if stored is None:
            raise _unknown_session()
        return stored

    def _resume(self, stored: StoredSession, *, keep: bool = True) -> Conversation:
        """The conversation of a stored session.

        Args:
            stored: The session.
            keep: Whether to store what becomes of it in a catalogue that has changed.
        """
        served = self.catalogs.of_session(stored.catalog)
        if served is None:
            return Conversation(stored, None, None, _no_longer_served(stored))
        if not served.is_about(stored.settings):
            request = NewSession.model_validate(stored.request)
            return self._carry_over(stored, served, request, bool(request.filters or request.where), keep=keep)

        def start() -> Session:
            return served.resume(stored.settings, stored.request.get("time_budget_ms"))

        state = self.states.resume(_first_key(stored, served), _answers(stored), stored.open, start)
        return Conversation(stored, served, state)

    def _carry_over(
        self,
        stored: StoredSession,
        served: ServedCatalog,
        request: NewSession,
        filtered: bool,
        *,
        keep: bool,
        key: RequestKey | None = None,
    ) -> Conversation:
        """A conversation that goes on in another version of its catalogue, if its answers mean the same there."""
        try:
            with self.states.gate.urgent():
                session = served.carry_over(stored.log, request, filtered=filtered)
                carried = replace(stored, request=_record(request), settings=settings_of(session, request))
                asked = session.open_question
                state = State.of(history_key(_first_key(carried, served), _answers(carried)), session)
        except (RatherError, ProblemError) as error:
            if isinstance(error, ProblemError) and error.status != 422:
                raise
            text = f"The catalogue {served.name} has changed since this session was opened. {error}"
            return Conversation(stored, served, None, ProblemError(409, "catalog-changed", text, OPEN_ANOTHER))
        self.states.keep_loaded(state)
        open = state.open
        if open is not None and asked is not None:
            # The question is still the one that was shown: its id stays, so that an answer on its way is taken.
            open["id"] = (stored.open or {}).get("id") or f"{asked.number}-{stored.version}"
        changes = list(dict.fromkeys([*(stored.changes or ()), *(_sentences(session) or ())]))
        fields: Changes = {"request": carried.request, "settings": carried.settings, "open": open, "changes": changes}
        stored = self.store.change(stored, key, **fields) if keep else replace(stored, **fields)
        return Conversation(stored, served, state)

    def _answer(self, id: str, answer: NewAnswer) -> tuple[Conversation, str, bool]:
        conversation = self._resume(self._load(id))
        stored, choice = conversation.stored, as_choice(answer.choice)
        if answer.question != conversation.question_id:
            return conversation, _repeated(conversation, answer.question, choice), True
        self._validate_choice(conversation, choice)
        state = self.states.after(conversation.state, choice)
        record, position = conversation.state.answer(choice), len(stored.events) + 1
        event = StoredEvent(position, record, answer.question, state.regret, stored.next_time())
        follows: Changes = {"open": state.open, "changes": None, "summary": summary_of(state.session, state.regret)}
        stored = self.store.append(stored, event, **follows)
        return self._expect_answer(replace(conversation, stored=stored, found=state)), str(position), False

    def _validate_choice(self, conversation: Conversation, choice: Choice) -> None:
        question, most = conversation.state.question, self.settings.limits.answers
        assert question is not None
        offered = [*range(len(question)), *conversation.session.policy.response.extras, SKIP]
        if choice not in offered:
            text = f"`choice` must be one of {', '.join(str(item) for item in offered)}."
            raise ProblemError(422, "invalid-choice", text, "Choose one of the answers.")
        if sum("undo" not in event.event for event in conversation.stored.events) >= most:
            text = f"A session holds at most {most} answers."
            raise ProblemError(409, "session-full", text, "Open a new session.")

    def _undo(self, id: str, answer: str | None, key: RequestKey | None) -> Conversation:
        conversation = self._resume(self._load(id))
        stored, positions = conversation.stored, [str(event.position) for event in conversation.stored.answers]
        if answer is not None and answer not in positions[-1:]:
            if answer not in positions and any(str(event.position) == answer for event in stored.events):
                return conversation  # a repeated request
            text = f"Answer {answer} is not the last one."
            raise ProblemError(409, "not-the-last-answer", text, "Take back the last answer first.")
        if not positions:
            raise ProblemError(409, "nothing-to-undo", "There is no answer to take back.", "Answer the open question.")
        twin = conversation.session.fork()
        twin.withdraw()
        event = StoredEvent(len(stored.events) + 1, twin.events[-1], None, None, stored.next_time())
        state = self._after_undo(conversation, twin)
        stored = self.store.append(
            stored, event, key, open=state.open, changes=None, summary=summary_of(state.session, state.regret)
        )
        return self._expect_answer(replace(conversation, stored=stored, found=state))

    def _after_undo(self, conversation: Conversation, twin: Session) -> State:
        """The state without the last answer; another question is chosen where its own cannot be asked again."""
        stored, served = conversation.stored, conversation.served
        assert served is not None
        question = twin.open_question
        open = None if question is None else question_record(question, twin.policy.catalog)
        return self.states.resume(
            _first_key(stored, served),
            _answers(stored)[:-1],
            open,
            lambda: served.resume(stored.settings, stored.request.get("time_budget_ms")),
        )

    def _change_filters(self, id: str, filters: NewFilters, key: RequestKey | None) -> Conversation:
        stored = self._load(id)
        served = self.catalogs.of_session(stored.catalog)
        if served is None:
            raise _no_longer_served(stored)
        request = NewSession.model_validate({**stored.request, **_record(filters)})
        log = json.loads(stored.settings)
        session = served.start(served.complete(request), log.get("spaces"))
        if not served.is_about(stored.settings):
            carried = self._carry_over(stored, served, request, filtered=True, keep=True, key=key)
            return self._expect_answer(replace(carried, found=carried.state))
        changed = replace(stored, request=_record(request), settings=settings_of(session, request))
        state = self.states.resume(_first_key(changed, served), _answers(changed), None, lambda: session)
        stored = self.store.change(stored, key, request=changed.request, settings=changed.settings, open=state.open)
        return self._expect_answer(Conversation(stored, served, state))

    def _expect_answer(self, conversation: Conversation) -> Conversation:
        if self.prefetch is not None and conversation.found is not None:
            self.prefetch.expect(conversation.stored.id, conversation.found)
        return conversation

    def _request_key(self, who: str, idempotency_key: str | None, what: str, request: BaseModel) -> RequestKey | None:
        """What tells a request that is sent again.

        Args:
            who: The address of whoever opens a session, or the id of the session that is changed: nobody reaches
                another's session by guessing a key.
            idempotency_key: As it was sent.
            what: The operation.
            request: What it is asked to do.
        """
        if idempotency_key is None:
            return None
        content = json.dumps(_record(request), sort_keys=True)
        return RequestKey(
            self.store.hash("idempotency", who, idempotency_key), self.store.hash("content", what, content)
        )

    def _changed_by(self, key: RequestKey | None) -> str | None:
        """The id of the session that this very request has opened or changed before."""
        found = None if key is None else self.store.find_request(key.key)
        if key is None or found is None:
            return None
        content, session = found
        if content is not None and content != key.content:
            text = "This idempotency key was sent with another request before."
            raise ProblemError(422, "idempotency-key-reused", text, "Use a new key for a new request.")
        return session

    def _create_once(
        self, new: Callable[[], Conversation], address: str, key: RequestKey | None
    ) -> tuple[Conversation, bool]:
        """Store a new session; if the same request has done so before, that one as it is now, and True."""
        if (id := self._changed_by(key)) is not None:
            return self.load_to_answer(id), True
        hashed_address = self._counted(address)
        conversation = new()
        try:
            self._store(conversation.stored, hashed_address, key)
        except LostRaceError:
            if (id := self._changed_by(key)) is None:
                raise
            return self.load_to_answer(id), True  # the same request came twice at once
        return self._expect_answer(conversation), False

    def _change_once(self, id: str, key: RequestKey | None, change: Callable[[], Conversation]) -> Conversation:
        """Change a session; if the same request has done so before, the session as it is now."""

        def change_or_load() -> Conversation:
            return change() if self._changed_by(key) is None else self._expect_answer(self._resume(self._load(id)))

        return self._retry(change_or_load)

    def _counted(self, address: str) -> str:
        """The hash of an address, unless it has opened too many sessions today: then nothing needs to be computed."""
        hashed, (most, since) = self.store.hash("address", address), self._limit
        if self.store.opened_by(hashed, since) >= most:
            raise _too_many_sessions(most)
        return hashed

    def _store(self, stored: StoredSession, hashed_address: str, key: RequestKey | None) -> None:
        """Store a new session, unless others of this address have been opened meanwhile."""
        limit = self._limit
        try:
            self.store.create(stored, hashed_address, key, limit)
        except OverLimitError:
            raise _too_many_sessions(limit[0]) from None

    @property
    def _limit(self) -> tuple[int, datetime]:
        """How many sessions one address may open, and since when."""
        return self.settings.limits.sessions_per_day, now() - timedelta(days=1)

    def _retry(self, change: Callable[[], Result]) -> Result:
        """Try a change again when another request for the same session was faster; it may then turn out to be done."""
        for _ in range(ATTEMPTS):
            try:
                return change()
            except LostRaceError:
                continue
        raise busy("Too many requests are changing this session at once.")


def _repeated(conversation: Conversation, question: str, choice: Choice) -> str:
    """The id of this answer if it was given to this question before; else a conflict that names the open question."""
    stored, open_question = conversation.stored, conversation.question_id
    given = next((event for event in stored.events if event.question == question), None)
    if given is not None and given in stored.answers and given.event["answer"] == choice:
        return str(given.position)
    if given is None:
        raise _conflict("stale-question", f"Question {question} is not open and was not answered.", open_question)
    if given not in stored.answers:
        raise _conflict("answer-undone", f"The answer to question {question} has been taken back.", open_question)
    raise _conflict("answer-conflict", f"Question {question} has been answered differently.", open_question)


def _conflict(code: str, text: str, open_question: str | None) -> ProblemError:
    now_open = f"The open question is {open_question}." if open_question else "Every question has been asked."
    action = "Show the open question and answer that one."
    return ProblemError(409, code, f"{text} {now_open}", action, open_question=open_question)


def _no_longer_served(stored: StoredSession) -> ProblemError:
    text = f"The catalogue {stored.catalog} of this session is no longer served."
    return ProblemError(409, "catalog-gone", text, OPEN_ANOTHER)


def _sentences(session: Session) -> list[str] | None:
    """What has changed in the catalogue of a session that was carried over, for people; None where nothing has."""
    carried = session.carried_over
    if carried is None or not carried.catalog_changed:
        return None
    return list(replace(carried, belief_changed=False).sentences)


def _new_stored(request: NewSession, session: Session) -> StoredSession:
    """A new session to store, with its open question still to be chosen."""
    settings = settings_of(session, request)
    return StoredSession.new(request.catalog or "", _record(request), settings, None, session.events)


def _first_key(stored: StoredSession, served: ServedCatalog) -> str:
    return first_key(served.name, served.version, stored.settings, stored.request.get("time_budget_ms"))


def _answers(stored: StoredSession) -> list[dict[str, Any]]:
    """The answers that hold, as the library logs them."""
    return [event.event for event in stored.answers]


def _record(request: BaseModel) -> dict[str, Any]:
    return request.model_dump(mode="json")


def _too_many_sessions(most: int) -> ProblemError:
    text, action = f"One address may open {most} sessions a day.", "Delete old sessions or try again tomorrow."
    return ProblemError(429, "too-many-sessions", text, action, {"Retry-After": "3600"})


def _unknown_session() -> ProblemError:
    text = "There is no session with this id; it may have expired."
    return ProblemError(404, "unknown-session", text, "Open a new one.")
