"""The conversations that are open: found by ids that nobody can guess, and ended when nobody uses them."""

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import anyio

from rather.assistants.conversation import Conversation
from rather.assistants.limits import Limits
from rather.assistants.problems import ProblemError
from rather.nouns import counted


@dataclass
class Entry:
    """An open conversation.

    Attributes:
        conversation: The conversation.
        used_at: When it was last used.
        turn: Held by the call that uses it, so that calls come one after the other.
    """

    conversation: Conversation
    used_at: float
    turn: anyio.Lock = field(default_factory=anyio.Lock)


class OpenConversations:
    """The open conversations by id. Only for the thread of the event loop.

    Args:
        limits: How many there may be, and for how long.
        clock: The time in seconds.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._entries: dict[str, Entry] = {}
        self._opening: set[str] = set()

    def __len__(self) -> int:
        self._expire()
        return len(self._entries) + len(self._opening)

    @contextmanager
    def opening(self) -> Iterator[str]:
        """An id of 192 random bits for a new conversation, if there is room for one; the room is kept meanwhile."""
        if len(self) >= self._limits.conversations:
            raise ProblemError(
                f"This server holds no more than {counted(self._limits.conversations, 'open conversation')}.",
                "Close one that you have finished with close_conversation, or go on with one of yours; unused ones end "
                f"after {self._limits.idle_minutes:g} minutes.",
            )
        id = secrets.token_urlsafe(24)
        self._opening.add(id)
        try:
            yield id
        finally:
            self._opening.remove(id)

    def add(self, conversation: Conversation) -> None:
        """Keep a conversation under its id."""
        self._entries[conversation.id] = Entry(conversation, self._clock())

    def find(self, id: str) -> Entry:
        """The conversation of this id, which counts as used now."""
        self._expire()
        entry = self._entries.get(id)
        if entry is None:
            raise ProblemError(
                f"No open conversation has the id {id!r}: it was closed, was not used for "
                f"{self._limits.idle_minutes:g} minutes, or never existed.",
                "Call open_conversation for a new one, and repeat there what the person has told you.",
            )
        entry.used_at = self._clock()
        return entry

    def close(self, id: str) -> Conversation:
        """End the conversation of this id."""
        conversation = self.find(id).conversation
        del self._entries[id]
        return conversation

    def _expire(self) -> None:
        oldest = self._clock() - 60 * self._limits.idle_minutes
        for id, entry in list(self._entries.items()):
            if entry.used_at < oldest and not entry.turn.locked():
                del self._entries[id]
