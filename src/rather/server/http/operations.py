"""Routes for operators: health, readiness, metrics, and those that need the admin token."""

import secrets
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from rather import __version__
from rather.server.http import schema
from rather.server.http.problems import documented
from rather.server.http.routes import AppConversations
from rather.server.http.session_views import in_utc
from rather.server.problems import ProblemError, busy

operations = APIRouter()
bearer = HTTPBearer(auto_error=False, description="The admin token that the server was started with.")


@operations.get("/health", tags=["operations"], summary="Is it running?")
async def health() -> schema.Health:
    """Succeeds as long as the process runs, whatever else fails."""
    return schema.Health(version=__version__)


@operations.get("/ready", tags=["operations"], summary="Is it ready?", responses=documented(503))
def ready(request: Request, conversations: AppConversations) -> schema.Health:
    """Succeeds when requests can be served: not while the server shuts down, and not without the database."""
    if request.app.state.draining.is_set():
        raise busy("The server is shutting down.", "draining")
    conversations.store.ping()
    return schema.Health(version=__version__)


@operations.get(
    "/metrics",
    tags=["operations"],
    summary="Prometheus metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
def metrics(request: Request) -> Response:
    """Counts and times of this process, in the Prometheus format."""
    return Response(generate_latest(request.app.state.metrics.registry), media_type=CONTENT_TYPE_LATEST)


async def admin(request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]) -> None:
    """Reject requests without the admin token."""
    token = request.app.state.settings.admin_token
    if token is None:
        text = "This server was started without an admin token."
        raise ProblemError(403, "no-admin", text, "Start it with --admin-token, or set RATHER_ADMIN_TOKEN.")
    given = "" if credentials is None else credentials.credentials
    if not secrets.compare_digest(given.encode(errors="replace"), token.encode()):
        text = "This needs the admin token."
        raise ProblemError(401, "unauthorized", text, "Send it as a bearer token.", {"WWW-Authenticate": "Bearer"})


administration = APIRouter(
    prefix="/v1/admin",
    tags=["admin"],
    dependencies=[Depends(admin)],
    responses=documented(401, 403, 422, 429, 503),
)


@administration.get("/sessions", summary="List sessions")
def list_sessions(
    conversations: AppConversations,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
    offset: Annotated[int, Query(ge=0, le=2**31)] = 0,
) -> schema.AdminSessions:
    """All sessions, newest first, without their answers."""
    rows, total = conversations.store.page(limit, offset)
    sessions = [
        schema.AdminSession(
            id=stored.id,
            catalog=stored.catalog,
            created_at=in_utc(stored.created_at),
            touched_at=in_utc(stored.touched_at),
            events=count,
        )
        for stored, count in rows
    ]
    return schema.AdminSessions(sessions=sessions, total=total)


@administration.post("/expire", summary="Delete old sessions now")
def expire_sessions(
    conversations: AppConversations, days: Annotated[float | None, Query(gt=0, le=100_000, allow_inf_nan=False)] = None
) -> schema.Expired:
    """Delete sessions that have not changed for this many days, by default as many as the server keeps them."""
    kept = days if days is not None else conversations.settings.keep_days
    if kept is None:
        text = "This server keeps sessions forever, and `days` is missing."
        raise ProblemError(422, "no-policy", text, "Pass `days`.")
    return schema.Expired(deleted=conversations.expire(kept))


@administration.post("/reload", summary="Open changed files now")
def reload_catalogs(request: Request, conversations: AppConversations) -> schema.ReloadedCatalogs:
    """Open every file again that does not hold what is served, even one that could not be served the last time.

    The response comes when new requests get the new versions. It may take as long as starting the server.
    """
    reloaded = request.app.state.reloading.reload()
    return schema.ReloadedCatalogs(
        catalogs=[
            schema.ReloadedCatalog(
                name=each.catalog,
                outcome=each.outcome,
                text=each.text,
                items=len(conversations.catalogs.find(each.catalog).catalog),
                **({} if each.changes is None else vars(each.changes)),
            )
            for each in reloaded
        ]
    )
