"""Requests that are sent again, or at the same time as others: each is done once."""

import json
from collections.abc import Callable
from typing import TypeVar

from pydantic import BaseModel

from rather.server.conversations.conversation import record_of
from rather.server.problems import ProblemError, busy
from rather.server.sessions.records import RequestKey
from rather.server.sessions.store import LostRaceError, Store

# How often a change is tried when other requests for the same session are faster; each time, another one succeeds.
ATTEMPTS = 5

Result = TypeVar("Result")


def request_key(
    store: Store, who: str, idempotency_key: str | None, what: str, request: BaseModel
) -> RequestKey | None:
    """What tells a request that is sent again.

    Args:
        store: Hashes what is kept of it.
        who: The address of whoever opens a session, or the id of the session that is changed: nobody reaches another's
            session by guessing a key.
        idempotency_key: As it was sent.
        what: The operation.
        request: What it is asked to do.
    """
    if idempotency_key is None:
        return None
    content = json.dumps(record_of(request), sort_keys=True)
    return RequestKey(store.hash("idempotency", who, idempotency_key), store.hash("content", what, content))


def changed_by(store: Store, key: RequestKey | None) -> str | None:
    """The id of the session that this very request has opened or changed before."""
    found = None if key is None else store.find_request(key.key)
    if key is None or found is None:
        return None
    content, session = found
    if content is not None and content != key.content:
        text = "This idempotency key was sent with another request before."
        raise ProblemError(422, "idempotency-key-reused", text, "Use a new key for a new request.")
    return session


def retry(change: Callable[[], Result]) -> Result:
    """Try a change again when another request for the same session was faster; it may then turn out to be done."""
    for _ in range(ATTEMPTS):
        try:
            return change()
        except LostRaceError:
            continue
    raise busy("Too many requests are changing this session at once.")
