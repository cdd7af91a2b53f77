"""Conversations that are not stored yet: from a request, or from a log of the library."""

import math
from dataclasses import replace

from rather.conversation.keys import history_key
from rather.server.computing.catalogs import ServedCatalog, ServedCatalogs
from rather.server.computing.states import State, States
from rather.server.computing.summaries import summary_of
from rather.server.conversations.conversation import Conversation, first_key_of, new_stored, sentences_of, steps_of
from rather.server.problems import invalid_log
from rather.server.requests import Log, NewSession
from rather.server.studies import Study


class Opening:
    """Makes new conversations.

    Args:
        catalogs: What they are about.
        states: Computes their states.
    """

    def __init__(self, catalogs: ServedCatalogs, states: States) -> None:
        self._catalogs = catalogs
        self._states = states

    def requested(self, request: NewSession) -> Conversation:
        """The conversation that a request asks for."""
        return self.begin(self._catalogs.find(request.catalog), request)

    def begin(self, served: ServedCatalog, request: NewSession, study: Study | None = None) -> Conversation:
        """The conversation that a request asks for, about this version of its catalogue.

        Args:
            served: The version.
            request: What is asked for.
            study: That it is part of.
        """
        complete = served.complete(request)
        session = served.start(complete, study=study)
        stored = new_stored(complete, session)
        state = self._states.resume(first_key_of(stored, served), (), None, lambda: session)
        summary = summary_of(session, state.regret, state.stop)
        return Conversation(replace(stored, open=state.open, summary=summary), served, state)

    def restored(self, log: Log, name: str | None) -> Conversation:
        """The conversation of a log, about the catalogue of this name if one is given."""
        with self._states.gate.urgent():
            served = self._catalogs.of_log(log, name)
            request, session = served.read_log(log)
            stored = replace(new_stored(request, session), changes=sentences_of(session))
            state = State.of(history_key(first_key_of(stored, served), steps_of(stored)), session)
        if not math.isfinite(state.regret) or not all(math.isfinite(item.spread) for item in state.top):
            raise invalid_log("Its numbers overflow.")
        self._states.keep_loaded(state)
        stored = replace(stored, open=state.open, summary=summary_of(session, state.regret, state.stop))
        return Conversation(stored, served, state)
