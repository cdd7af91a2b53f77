"""What every request passes: its size and rate, the security headers, one line of log, the metrics."""

import logging
import secrets
import threading
import time
from collections import OrderedDict
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rather.server.http.metrics import Metrics
from rather.server.http.problems import ProblemError, busy
from rather.server.settings import Limits, Settings

logger = logging.getLogger("rather.server.access")

API_HEADERS = {"cache-control": "no-store", "content-security-policy": "default-src 'none'; frame-ancestors 'none'"}
EVERYWHERE = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}

# Addresses whose rate is remembered; an address that was forgotten starts afresh.
ADDRESSES = 10_000


class BodyLimit:
    """Turns away a body that is too large, whether it says so or not."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app = app
        self.most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        said = dict(scope["headers"]).get(b"content-length", b"0")
        if said.isdigit() and int(said) > self.most:
            await self._refuse(scope, receive, send)
            return
        received = 0
        started = False

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.most:
                raise _TooLargeError
            return message

        async def noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, counted, noted)
        except _TooLargeError:
            if not started:
                await self._refuse(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        text = f"A body may have {self.most} bytes."
        problem = ProblemError(413, "body-too-large", text, "Send less at a time.", {"Connection": "close"})
        await problem.response()(scope, receive, send)


class _TooLargeError(BaseException):
    """Passes through handlers of Exception, which would turn it into a 500."""


class RateLimit:
    """Lets one address make so many requests a minute to the API: a bucket that fills steadily."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app = app
        self.per_second = limits.requests_per_minute / 60
        self.burst = float(limits.requests_per_minute)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] == "http" and scope["path"].startswith("/v1/"):
            client = scope.get("client")
            wait = self._wait(client[0] if client else "local")
            if wait > 0:
                text = f"One address may make {self.burst:.0f} requests a minute."
                retry = {"Retry-After": str(int(wait) + 1)}
                problem = ProblemError(429, "too-many-requests", text, "Wait as long as Retry-After says.", retry)
                await problem.response()(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _wait(self, address: str) -> float:
        """Take one request from the bucket; seconds to wait when it is empty."""
        with self._lock:
            now = time.monotonic()
            left, at = self._buckets.pop(address, (self.burst, now))
            left = min(self.burst, left + (now - at) * self.per_second)
            wait = 0.0 if left >= 1 else (1 - left) / self.per_second
            self._buckets[address] = (left if wait else left - 1, now)
            while len(self._buckets) > ADDRESSES:
                self._buckets.popitem(last=False)
            return wait


class Observe:
    """Adds the security headers, counts, times and logs. A request is named in the log by its id, never by its body."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id, start, status = secrets.token_hex(8), time.perf_counter(), 500
        scope.setdefault("state", {})["request_id"] = request_id

        async def dressed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *self._headers(scope, message, request_id)]
            await send(message)

        self.metrics.under_way.inc()
        try:
            await self.app(scope, receive, dressed)
        finally:
            self.metrics.under_way.dec()
            self._note(scope, request_id, status, time.perf_counter() - start)

    def _headers(self, scope: Scope, message: Message, request_id: str) -> list[tuple[bytes, bytes]]:
        present = {name.lower() for name, _ in message["headers"]}
        wanted = {**EVERYWHERE, **API_HEADERS, "x-request-id": request_id}
        return [(name.encode(), value.encode()) for name, value in wanted.items() if name.encode() not in present]

    def _note(self, scope: Scope, request_id: str, status: int, seconds: float) -> None:
        route = scope.get("route")
        path = getattr(route, "path", "other")  # the template: a path would hold the session's id
        self.metrics.requests.labels(scope["method"] if scope["method"] in METHODS else "other", path, status).inc()
        self.metrics.seconds.labels(path).observe(seconds)
        fields = {
            "request": request_id,
            "method": scope["method"],
            "route": path,
            "status": status,
            "ms": round(seconds * 1000, 1),
        }
        logger.info("request", extra={"fields": fields})


METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})


def unavailable(request: Request, error: Exception) -> Any:
    """The response when the store fails."""
    logger.warning(
        "storage unavailable", extra={"fields": {"reason": str(error), "cause": repr(error.__cause__)[:500]}}
    )
    return busy(str(error), "storage-unavailable").response()
