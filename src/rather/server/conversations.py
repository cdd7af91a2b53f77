"""What the routes do: open sessions, take answers, and say how things stand. Every change is stored first."""

import json
import logging
import math
import re
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, TypeVar

from pydantic import BaseModel

from rather.conversation.log import dump_open, dump_settings
from rather.model.questions import Recommendation
from rather.model.responses import SKIP, Answer, Choice
from rather.server.computing.catalogs import Draft, Openings, bad_log
from rather.server.computing.prefetch import Prefetch
from rather.server.computing.standing import Standing, holding
from rather.server.computing.states import State, States, first_key, keys_along, look
from rather.server.http import schema
from rather.server.http.problems import ProblemError, busy
from rather.server.sessions.store import LostRaceError, Opening, Store, StoredEvent, StoredSession, now
from rather.server.settings import Settings

logger = logging.getLogger("rather.server")

# An id is 32 of these; anything else is not worth a look into the database (which may refuse the characters).
TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")

# Lost races against other requests for the same session before we give up; each is somebody else's success.
ATTEMPTS = 5

T = TypeVar("T")


class Conversations:
    """All sessions of a server.

    Args:
        settings: What the operator decided.
        openings: Make sessions from requests.
        store: Keeps them.
        states: Computes them.
        prefetch: Computes ahead, if at all.
    """

    def __init__(
        self, settings: Settings, openings: Openings, store: Store, states: States, prefetch: Prefetch | None
    ) -> None:
        self.settings = settings
        self.openings = openings
        self.store = store
        self.states = states
        self.prefetch = prefetch

    def create(self, request: schema.NewSession, address: str, idempotency: str | None) -> tuple[Standing, bool]:
        """Open a session; True beside it when the idempotency key had already opened it."""
        wanted = self.openings.complete(request)
        key = None
        if idempotency is not None:
            # Under the caller's address, so that nobody reaches another's session by guessing a key.
            key = self.store.hash("idempotency", address, idempotency)
            if (stored := self.store.load_idempotent(key)) is not None:
                return self._same_request(stored, wanted), True
        counted = self._counted(address)
        draft, state = self._first(wanted)
        opening = Opening(wanted.catalog or "", _plain(wanted), draft.settings, state.open, counted, key)
        try:
            stored = self.store.create(opening)
        except LostRaceError:
            if key is None or (stored := self.store.load_idempotent(key)) is None:
                raise
            return self._same_request(stored, wanted), True  # the same request came twice at once
        return self._expecting(Standing(stored, state)), False

    def warm_up(self) -> None:
        """Prepare every catalogue and choose its first question, so that the first person does not wait for it."""
        for name, served in self.openings.served.items():
            about = {"catalog": name, "items": len(served.catalog)}
            logger.info("preparing", extra={"fields": about})
            start = time.perf_counter()
            self._first(self.openings.complete(schema.NewSession(catalog=name)))
            took = {"seconds": round(time.perf_counter() - start, 2), "search": served.search}
            logger.info("prepared", extra={"fields": about | took})

    def close(self) -> None:
        """Finish what is being computed ahead and let go of the database."""
        self.states.gate.close()
        if self.prefetch is not None:
            self.prefetch.close()
        self.store.close()

    def open(self, id: str) -> Standing:
        """The session of this id, as it stands."""
        return self._standing(self._load(id))

    def open_shared(self, share: str) -> Standing:
        """The session of this share token, as it stands."""
        stored = self.store.load_shared(share) if TOKEN.fullmatch(share) else None
        if stored is None:
            raise ProblemError(404, "unknown-share", "No session is shared under this token.", "Ask for a new link.")
        return self._standing(stored)

    def current(self, id: str) -> Standing:
        """The session of somebody who is about to read the open question."""
        return self._expecting(self.open(id))

    def answer(self, id: str, answer: schema.NewAnswer) -> tuple[Standing, str, bool]:
        """Store an answer; its id, and whether it had been given before."""
        return self._retrying(lambda: self._answer(id, answer))

    def undo(self, id: str, answer: str | None) -> Standing:
        """Take the last answer back."""
        return self._retrying(lambda: self._undo(id, answer))

    def change_filters(self, id: str, wanted: schema.NewFilters) -> Standing:
        """Ask and recommend under other must-haves from now on; the answers stay."""
        return self._retrying(lambda: self._change_filters(id, wanted))

    def rank(
        self, standing: Standing, offset: int, limit: int, filters: Sequence[schema.Filter], where: str | None
    ) -> tuple[list[Recommendation], int]:
        """Some of the ranking from `offset`, among the items that have all this, and how many there are in all."""
        session = standing.state.session
        mask = self.openings.served[standing.stored.catalog].filters.mask(filters, where)
        if session.policy.allowed is not None:
            mask = session.policy.allowed if mask is None else session.policy.allowed & mask
        total = len(session.policy.catalog) if mask is None else int(mask.sum())
        if offset >= total:
            return [], total
        if filters or where:
            session = session.restricted(mask)
        with self.states.gate.urgent():
            return session.recommend(min(offset + limit, total))[offset:], total

    def delete(self, id: str) -> None:
        """Delete a session and all answers."""
        if not TOKEN.fullmatch(id) or not self.store.delete(id):
            raise _unknown_session()
        if self.prefetch is not None:
            self.prefetch.forget(id)

    def export(self, id: str) -> dict[str, Any]:
        """The session as the library's log."""
        stored = self._load(id)
        self.openings.check(stored)
        return {**json.loads(stored.settings), "events": [item.event for item in stored.events], "open": stored.open}

    def restore(self, log: schema.Log, address: str) -> Standing:
        """A new session from a log of the library."""
        counted = self._counted(address)
        with self.states.gate.urgent():
            request, session = self.openings.brought(log)
            settings = json.dumps(dump_settings(session.policy, session.stopping))
            at = now()
            events = tuple(StoredEvent(place, event, None, None, at) for place, event in enumerate(session.events, 1))
            held = [item.event for item in holding(events)]
            state = look(keys_along(first_key(settings, request.time_budget_ms), held)[-1], session)
        if not math.isfinite(state.regret) or not all(math.isfinite(item.spread) for item in state.top):
            raise bad_log("Its numbers overflow.")
        self.states.keep(state)
        opening = Opening(request.catalog or "", _plain(request), settings, state.open, counted, None, events)
        return self._expecting(Standing(self.store.create(opening), state))

    def _answer(self, id: str, answer: schema.NewAnswer) -> tuple[Standing, str, bool]:
        standing = self.open(id)
        choice = as_choice(answer.choice)
        if answer.question != standing.question_id:
            return standing, self._repeated(standing, answer.question, choice), True
        self._check_choice(standing, choice)
        state, event = self.states.after(standing.state, choice)
        place = len(standing.stored.events) + 1
        stored_event = StoredEvent(place, event, answer.question, state.regret, now())
        stored = self.store.append(standing.stored, stored_event, state.open)
        return self._expecting(Standing(stored, state)), str(place), False

    def _repeated(self, standing: Standing, question: str, choice: Choice) -> str:
        """The id of the same answer if it was given to this question, else a conflict that names the open one."""
        given = next((event for event in standing.stored.events if event.question == question), None)
        named = f"The open question is {standing.question_id}."
        if standing.question_id is None:
            named = "Every question has been asked."
        action = "Show the open question and answer that."
        if given is None:
            text = f"Question {question} is not open and was not answered. {named}"
            raise ProblemError(409, "stale-question", text, action, open_question=standing.question_id)
        if given not in standing.answers:
            text = f"The answer to question {question} has been taken back. {named}"
            raise ProblemError(409, "answer-undone", text, action, open_question=standing.question_id)
        if given.event["answer"] != choice:
            text = f"Question {question} has been answered otherwise. {named}"
            raise ProblemError(409, "answer-conflict", text, action, open_question=standing.question_id)
        return str(given.place)

    def _check_choice(self, standing: Standing, choice: Choice) -> None:
        question, session = standing.state.question, standing.state.session
        assert question is not None
        offered = [*range(len(question)), *session.policy.response.extras, SKIP]
        if choice not in offered:
            named = ", ".join(str(item) for item in offered)
            raise ProblemError(422, "invalid-choice", f"`choice` must be one of {named}.", "Choose one of the answers.")
        if len(standing.stored.events) >= self.settings.limits.answers:
            most = self.settings.limits.answers
            raise ProblemError(409, "session-full", f"A session holds {most} answers.", "Open a new session.")

    def _undo(self, id: str, answer: str | None) -> Standing:
        standing = self.open(id)
        answers = standing.answers
        if answer is not None and (not answers or str(answers[-1].place) != answer):
            if any(str(item.place) == answer for item in standing.stored.events) and all(
                str(item.place) != answer for item in answers
            ):
                return standing  # a repeated request
            text = f"Answer {answer} is not the last one."
            raise ProblemError(409, "not-the-last-answer", text, "Take back the last answer first.")
        if not answers:
            raise ProblemError(409, "nothing-to-undo", "There is no answer to take back.", "Answer the open question.")
        twin = standing.state.session.fork()
        twin.undo()
        event = StoredEvent(len(standing.stored.events) + 1, twin.events[-1], None, None, now())
        stored = self.store.append(standing.stored, event, dump_open(twin))
        return self._expecting(self._standing(stored))

    def _change_filters(self, id: str, wanted: schema.NewFilters) -> Standing:
        stored = self._load(id)
        self.openings.check(stored)
        request = schema.NewSession.model_validate({**stored.request, **_plain(wanted)})
        draft, _ = self._first(self.openings.complete(request))
        events = [item.event for item in holding(stored.events)]
        key = first_key(draft.settings, request.time_budget_ms)
        state = self.states.replayed(key, events, None, draft.session.fork)
        stored = self.store.change(stored, _plain(request), draft.settings, state.open)
        return self._expecting(Standing(stored, state))

    def _first(self, wanted: schema.NewSession) -> tuple[Draft, State]:
        """A session that a complete request asks for, and its state with the first question."""
        if (draft := self.openings.remembered(wanted)) is None:
            with self.states.gate.urgent():
                draft = self.openings.draft(wanted)
        key = first_key(draft.settings, wanted.time_budget_ms)
        return draft, self.states.replayed(key, (), None, draft.session.fork)

    def _standing(self, stored: StoredSession) -> Standing:
        key = first_key(stored.settings, stored.request.get("time_budget_ms"))
        events = [item.event for item in holding(stored.events)]
        self.openings.check(stored)
        return Standing(stored, self.states.replayed(key, events, stored.open, lambda: self.openings.stored(stored)))

    def _expecting(self, standing: Standing) -> Standing:
        if self.prefetch is not None:
            self.prefetch.expect(standing.stored.id, standing.state)
        return standing

    def _load(self, id: str) -> StoredSession:
        stored = self.store.load(id) if TOKEN.fullmatch(id) else None
        if stored is None:
            raise _unknown_session()
        return stored

    def _same_request(self, stored: StoredSession, wanted: schema.NewSession) -> Standing:
        if stored.request != _plain(wanted):
            text = "This idempotency key has opened a session with other settings."
            raise ProblemError(422, "idempotency-key-reused", text, "Use a new key for a new session.")
        return self._expecting(self._standing(stored))

    def _counted(self, address: str) -> str:
        """The address as it is stored, unless it has opened too many sessions today."""
        hashed, most = self.store.hash("address", address), self.settings.limits.sessions_per_day
        if self.store.opened_by(hashed, now() - timedelta(days=1)) >= most:
            text = f"One address may open {most} sessions a day."
            raise ProblemError(
                429, "too-many-sessions", text, "Delete old sessions or try tomorrow.", {"Retry-After": "3600"}
            )
        return hashed

    def _retrying(self, act: Callable[[], T]) -> T:
        """Do it again when another request for the same session was faster; it may then find that it was done."""
        for _ in range(ATTEMPTS):
            try:
                return act()
            except LostRaceError:
                continue
        raise busy("Too many requests change this session at once.")


def as_choice(choice: schema.Choice) -> Choice:
    """An answer as the library takes it."""
    return Answer(choice) if isinstance(choice, str) else choice


def _plain(request: BaseModel) -> dict[str, Any]:
    return request.model_dump(mode="json")


def _unknown_session() -> ProblemError:
    return ProblemError(
        404, "unknown-session", "There is no session with this id; it may have expired.", "Open a new one."
    )
