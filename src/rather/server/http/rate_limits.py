"""How many requests an address and a session may make."""

import re
import threading
import time
from collections import OrderedDict

from starlette.types import ASGIApp, Receive, Scope, Send

from rather.server.http.addresses import caller
from rather.server.http.problems import problem_response
from rather.server.problems import ProblemError
from rather.server.settings import Limits

# The requests about one session; an import opens a new one.
SESSION_PATH = re.compile(r"/v1/(?:sessions/(?!import$)|shared/)([^/]+)")

# Pages and their files cost nothing, but who logs in as the operator may be guessing.
LIMITED = ("/v1/", "/admin/")


class Buckets:
    """Token buckets by key: as many requests a minute as are allowed, which may all come at once.

    Args:
        per_minute: How many.
        most_keys: Whose buckets are kept. A key whose bucket was dropped starts with a full one.
    """

    def __init__(self, per_minute: int, most_keys: int = 10_000) -> None:
        self.per_minute = per_minute
        self.most_keys = most_keys
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, key: str) -> float:
        """Take a token from the bucket of a key; seconds to wait when it is empty."""
        burst, per_second = float(self.per_minute), self.per_minute / 60
        with self._lock:
            now = time.monotonic()
            left, at = self._left.pop(key, (burst, now))
            left = min(burst, left + (now - at) * per_second)
            wait = 0.0 if left >= 1 else (1 - left) / per_second
            self._left[key] = (left if wait else left - 1, now)
            while len(self._left) > self.most_keys:
                self._left.popitem(last=False)
            return wait


class RateLimit:
    """Limits how many requests to the API and the operator's pages may be made a minute.

    One bound is for requests about one session, and another for those of one address.

    A classroom has one address: that bound is wide, and it is the bound of each session that stops a program.

    Args:
        app: The next ASGI application.
        limits: How many requests are allowed.
    """

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app = app
        self._addresses = Buckets(limits.requests_per_minute)
        self._sessions = Buckets(limits.session_requests_per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        is_limited = scope["type"] == "http" and scope["path"].startswith(LIMITED)
        problem = self._problem(scope) if is_limited else None
        if problem is None:
            await self.app(scope, receive, send)
        else:
            await problem_response(problem)(scope, receive, send)

    def _problem(self, scope: Scope) -> ProblemError | None:
        """Why a request has to wait, if it has to."""
        session = SESSION_PATH.match(scope["path"])
        if session is not None and (wait := self._sessions.wait(session[1])):
            return _too_many(f"One session may get {self._sessions.per_minute} requests a minute.", wait)
        if wait := self._addresses.wait(caller(scope)):
            return _too_many(f"One address may make {self._addresses.per_minute} requests a minute.", wait)
        return None


def _too_many(text: str, wait: float) -> ProblemError:
    action, retry = "Wait as long as the Retry-After header says.", {"Retry-After": str(int(wait) + 1)}
    return ProblemError(429, "too-many-requests", text, action, retry)
