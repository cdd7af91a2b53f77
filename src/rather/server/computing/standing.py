"""A session as it is stored together with the state that it is in."""

from collections.abc import Sequence
from dataclasses import dataclass

from rather.server.computing.states import State
from rather.server.sessions.store import StoredEvent, StoredSession


@dataclass(frozen=True)
class Standing:
    """A session as it is stored, and the state that it is in."""

    stored: StoredSession
    state: State

    @property
    def question_id(self) -> str | None:
        """The id of the open question. A new one whenever the session changes, so that a late answer is known."""
        question = self.state.question
        return None if question is None else f"{question.number}-{self.stored.version}"

    @property
    def answers(self) -> list[StoredEvent]:
        """The answers that hold."""
        return holding(self.stored.events)


def holding(events: Sequence[StoredEvent]) -> list[StoredEvent]:
    """The answers that have not been taken back, oldest first."""
    left: list[StoredEvent] = []
    for event in events:
        if "undo" in event.event:
            left.pop()
        else:
            left.append(event)
    return left
