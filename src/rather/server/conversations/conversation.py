"""A conversation: a stored session and the state that its answers lead to."""

from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from rather.conversation.session import Session
from rather.server.computing.catalogs import ServedCatalog, settings_of
from rather.server.computing.states import State, first_key
from rather.server.problems import ProblemError
from rather.server.requests import NewSession
from rather.server.sessions.records import StoredSession


@dataclass(frozen=True)
class Conversation:
    """A session as it is stored, and the state that its answers lead to.

    Attributes:
        stored: The session as it is stored.
        served: The version of its catalogue that this request is about; None when it is no longer served.
        found: The state; None when the session can only be read.
        problem: Why it can only be read.
        carried: Whether this request has carried it over to a changed catalogue, which nobody has been told yet.
    """

    stored: StoredSession
    served: ServedCatalog | None
    found: State | None
    problem: ProblemError | None = None
    carried: bool = False

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


def new_stored(request: NewSession, session: Session) -> StoredSession:
    """A new session to store, with its open question still to be chosen."""
    settings = settings_of(session, request)
    record = record_of(request.without_study)
    return StoredSession.new(request.catalog or "", record, settings, None, session.events, request.study)


def first_key_of(stored: StoredSession, served: ServedCatalog) -> str:
    """The key of the state of a session before its first answer."""
    return first_key(served.name, served.version, stored.settings, stored.request.get("time_budget_ms"))


def steps_of(stored: StoredSession) -> list[dict[str, Any]]:
    """The answers and hints that hold, as the library logs them."""
    return [event.event for event in stored.steps]


def record_of(request: BaseModel) -> dict[str, Any]:
    """A request as it is stored."""
    return request.model_dump(mode="json")


def sentences_of(session: Session) -> list[str] | None:
    """What has changed in the catalogue of a session that was carried over, for people; None where nothing has."""
    carried = session.carried_over
    if carried is None or not carried.catalog_changed:
        return None
    return list(replace(carried, belief_changed=False).sentences)
