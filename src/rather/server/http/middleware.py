"""What every request passes through: limits of size, security headers, a line in the log, metrics."""

import asyncio
import logging
import secrets
import time
from collections import Counter
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rather.server.computing.callers import Caller, current_caller
from rather.server.http.addresses import caller, is_served
from rather.server.http.metrics import Metrics
from rather.server.http.problems import problem_response, unexpected
from rather.server.problems import ProblemError, busy
from rather.server.settings import Settings

logger = logging.getLogger("rather.server.access")

API_HEADERS = {"cache-control": "no-store", "content-security-policy": "default-src 'none'; frame-ancestors 'none'"}
SECURITY_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}

# More than the waits of a request for a core, for the database and for a question add up to.
LONGEST_SECONDS = 300.0


class BodyLimit:
    """Rejects a body that is too large, whether its header says so or not."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app = app
        self.most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if announced.isdigit() and int(announced) > self.most:
            await self._reject(scope, receive, send)
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

        async def send_noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, counted, send_noted)
        except _TooLargeError:
            if not started:
                await self._reject(scope, receive, send)

    async def _reject(self, scope: Scope, receive: Receive, send: Send) -> None:
        text = f"A body may have at most {self.most} bytes."
        problem = ProblemError(413, "body-too-large", text, "Send a smaller body.", {"Connection": "close"})
        await problem_response(problem)(scope, receive, send)


class Attend:
    """Says who asks while a request is served, and notices when they go; limits how much is under way for one address.

    An answer is stored even if the person has gone: they have given it.

    Args:
        app: The next ASGI application.
        most: Requests of one address that may be under way.
        longest: Seconds until a request of a person is given up; None for no limit.
    """

    def __init__(self, app: ASGIApp, most: int, longest: float | None = LONGEST_SECONDS) -> None:
        self.app = app
        self.most = most
        self.longest = longest
        self._under_way: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http" or not scope["path"].startswith("/v1/"):
            await self.app(scope, receive, send)
            return
        address = caller(scope)
        if self._under_way[address] >= self.most:
            problem = busy("Too many requests of this address are under way.")
            await problem_response(problem)(scope, receive, send)
            return
        self._under_way[address] += 1
        try:
            await self._end_in_time(Caller(address), scope, receive, send)
        finally:
            self._under_way[address] -= 1
            if not self._under_way[address]:
                del self._under_way[address]

    async def _end_in_time(self, asking: Caller, scope: Scope, receive: Receive, send: Send) -> None:
        """Attend to a request, and turn it away when it takes so long that its thread must have died."""
        begun = False

        async def send_noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        longest = None if scope["path"].startswith("/v1/admin/") else self.longest  # an operator may open large files
        try:
            async with asyncio.timeout(longest) as limit:
                await self._attend(asking, scope, receive, send_noted)
        except TimeoutError:
            if begun or not limit.expired():
                raise
            await problem_response(busy("The server could not finish this request."))(scope, receive, send)

    async def _attend(self, asking: Caller, scope: Scope, receive: Receive, send: Send) -> None:
        body = [await receive()]
        while body[-1].get("more_body", False):
            body.append(await receive())

        async def notice() -> Message:
            message = await receive()  # once the body has come, this waits for the end of the connection
            if not scope["path"].endswith(("/answers", "/hints")):
                asking.leave()
            return message

        noticing = asyncio.ensure_future(notice())

        async def receive_again() -> Message:
            return body.pop(0) if body else await asyncio.shield(noticing)

        token = current_caller.set(asking)
        try:
            await self.app(scope, receive_again, send)
        finally:
            current_caller.reset(token)
            noticing.cancel()


class HostCheck:
    """Rejects requests for names that are not served.

    A page of another site can let its own name point to this server, and would then read here as its own (DNS
    rebinding). Its browser still says which name it asked for.

    Args:
        app: The next ASGI application.
        names: The names that are served.
    """

    def __init__(self, app: ASGIApp, names: tuple[str, ...]) -> None:
        self.app = app
        self.names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        hosts = [value.decode("latin-1") for name, value in scope.get("headers", ()) if name == b"host"]
        if all(is_served(host, self.names) for host in hosts):
            await self.app(scope, receive, send)
            return
        text = "This server is not known under the name that was asked for."
        problem = ProblemError(421, "unknown-host", text, "If you run it, start it with --allowed-host and this name.")
        await problem_response(problem)(scope, receive, send)


class _TooLargeError(BaseException):
    """Passes through handlers of Exception, which would turn it into a 500."""


class Observe:
    """Adds the security headers; counts, times and logs requests, by their ids and never with their contents."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id, start, status = secrets.token_hex(8), time.perf_counter(), 0
        scope.setdefault("state", {})["request_id"] = request_id

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *self._headers(scope, message, request_id)]
            await send(message)

        self.metrics.under_way.inc()
        try:
            await self.app(scope, receive, send_with_headers)
        except Exception as error:
            logger.exception("failed", extra={"fields": {"request": request_id, "route": _route(scope)}})
            if status:
                raise  # the response has begun: only the connection can say that it is incomplete
            await problem_response(unexpected(error))(scope, receive, send_with_headers)
        finally:
            self.metrics.under_way.dec()
            self._record(scope, request_id, status, time.perf_counter() - start)

    def _headers(self, scope: Scope, message: Message, request_id: str) -> list[tuple[bytes, bytes]]:
        present = {name.lower() for name, _ in message["headers"]}
        wanted = {**SECURITY_HEADERS, **API_HEADERS, "x-request-id": request_id}
        return [(name.encode(), value.encode()) for name, value in wanted.items() if name.encode() not in present]

    def _record(self, scope: Scope, request_id: str, status: int, seconds: float) -> None:
        path = _route(scope)
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


def _route(scope: Scope) -> str:
    """The template of a path: the path itself would hold the session's id."""
    return str(getattr(scope.get("route"), "path", "other"))


METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})


def unavailable(request: Request, error: Exception) -> Any:
    """The response while the store is unavailable."""
    logger.warning(
        "storage unavailable", extra={"fields": {"reason": str(error), "cause": repr(error.__cause__)[:500]}}
    )
    return problem_response(busy(str(error), "storage-unavailable"))
