"""Stored conversations, in the catalogue as it is now: readable even where they cannot go on."""

import re
from collections.abc import Sequence
from dataclasses import replace

from rather.conversation.keys import history_key
from rather.conversation.log import open_changed
from rather.conversation.session import Session
from rather.errors import RatherError
from rather.server.computing.catalogs import ServedCatalog, ServedCatalogs, settings_of
from rather.server.computing.states import Record, State, States
from rather.server.conversations.conversation import Conversation, first_key_of, record_of, sentences_of, steps_of
from rather.server.problems import ProblemError
from rather.server.requests import NewSession
from rather.server.sessions.records import RequestKey, StoredSession
from rather.server.sessions.store import Changes, Store

# Ids and share tokens are made of these. Anything else is not looked up: a database may reject the characters.
TOKEN_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,64}")

OPEN_ANOTHER = "Open a new session. The answers of this one stay readable."


class Loading:
    """Loads conversations.

    Args:
        catalogs: What they are about.
        store: Stores sessions.
        states: Computes their states.
    """

    def __init__(self, catalogs: ServedCatalogs, store: Store, states: States) -> None:
        self._catalogs = catalogs
        self._store = store
        self._states = states

    def find(self, id: str) -> StoredSession:
        """The stored session of this id."""
        stored = self._store.load(id) if TOKEN_PATTERN.fullmatch(id) else None
        if stored is None:
            raise _unknown_session()
        return stored

    def load(self, id: str) -> Conversation:
        """The conversation of this id."""
        return self._resume(self.find(id), keep=True)

    def load_shared(self, share: str) -> Conversation:
        """The conversation of this share token, to be read only."""
        stored = self._store.load_shared(share) if TOKEN_PATTERN.fullmatch(share) else None
        if stored is None:
            raise ProblemError(404, "unknown-share", "No session is shared under this token.", "Ask for a new link.")
        return self._resume(stored, keep=False)

    def delete(self, id: str) -> None:
        """Delete the session of this id."""
        if not TOKEN_PATTERN.fullmatch(id) or not self._store.delete(id):
            raise _unknown_session()

    def _resume(self, stored: StoredSession, *, keep: bool) -> Conversation:
        """The conversation of a stored session.

        Args:
            stored: The session.
            keep: Whether to store what becomes of it in a catalogue that has changed.
        """
        served = self._catalogs.of_session(stored.catalog)
        if served is None:
            return Conversation(stored, None, None, no_longer_served(stored))
        if not served.is_about(stored.settings) or open_changed(stored.open, served.catalog):
            request = NewSession.model_validate(stored.request)
            return self.carry_over(stored, served, request, bool(request.filters or request.where), keep=keep)
        return Conversation(stored, served, self.state(stored, served, steps_of(stored), stored.open))

    def state(
        self, stored: StoredSession, served: ServedCatalog, answers: Sequence[Record], open: Record | None
    ) -> State:
        """The state of a session after these answers of it, with this open question (None to choose one)."""

        def start() -> Session:
            return served.resume(stored.settings, stored.request.get("time_budget_ms"))

        return self._states.resume(first_key_of(stored, served), answers, open, start)

    def carry_over(
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
            with self._states.gate.urgent():
                session = served.carry_over(stored.log, request, filtered=filtered)
                carried = replace(stored, request=record_of(request), settings=settings_of(session, request))
                asked = session.open_question
                state = State.of(history_key(first_key_of(carried, served), steps_of(carried)), session)
        except (RatherError, ProblemError) as error:
            if isinstance(error, ProblemError) and error.status != 422:
                raise
            # Without the line of a filter expression and the mark below it.
            reason = str(error).partition("\n")[0]
            text = f"The catalogue {served.name} has changed since this session was opened. {reason}"
            return Conversation(stored, served, None, ProblemError(409, "catalog-changed", text, OPEN_ANOTHER))
        self._states.keep_loaded(state)
        open = state.open
        if open is not None and asked is not None:
            # The question is still the one that was shown: its id stays, so that an answer on its way is taken.
            open["id"] = (stored.open or {}).get("id") or f"{asked.number}-{stored.version}"
        changes = list(dict.fromkeys([*(stored.changes or ()), *(sentences_of(session) or ())]))
        fields: Changes = {"request": carried.request, "settings": carried.settings, "open": open, "changes": changes}
        stored = self._store.change(stored, key, **fields) if keep else replace(stored, **fields)
        return Conversation(stored, served, state, carried=True)


def _unknown_session() -> ProblemError:
    """No session has this id."""
    text = "There is no session with this id; it may have expired."
    return ProblemError(404, "unknown-session", text, "Open a new one.")


def no_longer_served(stored: StoredSession) -> ProblemError:
    """The catalogue of a session is gone."""
    text = f"The catalogue {stored.catalog} of this session is no longer served."
    return ProblemError(409, "catalog-gone", text, OPEN_ANOTHER)
