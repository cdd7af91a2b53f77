"""The ASGI application, built by a function from settings and catalogues."""

import asyncio
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio.to_thread
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from rather import __version__
from rather.errors import InvalidInputError
from rather.formats.opened import Opened
from rather.formats.prior_files import LearntPrior
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.server.computing.catalogs import ServedCatalogs
from rather.server.computing.gate import Gate
from rather.server.computing.prefetch import Prefetch
from rather.server.computing.priors import Priors
from rather.server.computing.states import States
from rather.server.conversations import Conversations
from rather.server.conversations.insights import InsightReports
from rather.server.http import insights, pages, problems
from rather.server.http.api_description import describe
from rather.server.http.exports import exports
from rather.server.http.metrics import Metrics
from rather.server.http.middleware import Attend, BodyLimit, HostCheck, Observe, unavailable
from rather.server.http.operations import administration, operations
from rather.server.http.rate_limits import RateLimit
from rather.server.http.routes import api
from rather.server.learning import Learning, PriorFolder
from rather.server.reloading import Reloading
from rather.server.sessions.sql_store import SqlStore
from rather.server.sessions.store import Store, StoreUnavailableError
from rather.server.settings import Settings

# How often old sessions are deleted.
EXPIRE_SECONDS = 3600

# Requests wait in threads, for a core or for the database; the usual 40 would leave none for /ready.
THREADS = 256


def create_app(
    catalogs: Mapping[str, tuple[Catalog, Belief]],
    settings: Settings | None = None,
    store: Store | None = None,
    files: Mapping[str, str | Path] | None = None,
    priors: Mapping[str, LearntPrior] | None = None,
) -> FastAPI:
    """The service as an ASGI application.

    >>> import rather
    >>> app = create_app({"films": rather.open("films")}, Settings(database="sqlite:///sessions.db"))
    >>> app.title
    'rather'

    Args:
        catalogs: The catalogues to serve by name, each with the belief that conversations about it start from.
        settings: What the operator decided, by default `Settings()`.
        store: Where sessions are stored, by default the database of the settings.
        files: The file or folder that a catalogue was opened from, by the name of the catalogue. It is opened again
            when it changes (see `Settings.watch`) and when the operator asks. For one that comes from elsewhere,
            call `app.state.conversations.replace(name, rather.open(...))`.
        priors: Learnt priors for conversations to start from in place of the catalogues' own, by the name of the
            catalogue. See `Settings.learn` for learning them while the server runs.
    """
    settings = settings if settings is not None else Settings()
    gate = Gate(settings.cores, settings.limits.wait_seconds)
    served, learnt = _served(catalogs, priors or {}, settings, gate)
    states = States(gate, settings.cache_mb, settings.limits.wait_seconds)
    prefetch = Prefetch(states, max(1, settings.cores - 1)) if settings.prefetch else None
    store = store if store is not None else SqlStore(settings.database_url)
    app = FastAPI(
        title="rather",
        version=__version__,
        description=DESCRIPTION,
        openapi_tags=TAGS,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        lifespan=_lifespan,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        # Schemas of the same name for request and response: one type for each in generated clients.
        separate_input_output_schemas=False,
    )
    app.state.settings = settings
    app.state.conversations = Conversations(settings, served, store, states, prefetch)
    app.state.reloading = Reloading(app.state.conversations, files or {}, learnt)
    app.state.priors = learnt
    app.state.learning = None
    if settings.learn is not None:
        every = None if settings.learn == "daily" else int(settings.learn)
        app.state.learning = Learning(app.state.conversations, learnt, PriorFolder(settings.learnt_folder), every)
    app.state.metrics = Metrics(states, app.state.reloading)
    app.state.insights = InsightReports(served, store)
    app.state.draining = threading.Event()
    for router in (api, administration, exports, operations):
        app.include_router(router)
    insights.install(app)
    pages.install(app, settings)
    problems.install(app)
    app.exception_handler(StoreUnavailableError)(unavailable)
    app.add_middleware(Attend, THREADS // 2)
    app.add_middleware(RateLimit, settings.limits)
    app.add_middleware(BodyLimit, settings.limits.body_bytes)
    if settings.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.origins,
            allow_methods=["GET", "POST", "PUT", "DELETE"],
            allow_headers=["Content-Type", "Idempotency-Key"],
            expose_headers=["Location", "Retry-After", "X-Request-Id"],
            max_age=3600,
        )
    app.add_middleware(HostCheck, settings.hosts)
    app.add_middleware(Observe, settings, app.state.metrics)
    app.openapi = lambda: describe(app)  # type: ignore[method-assign]  # FastAPI's documented way
    return app


def _served(
    catalogs: Mapping[str, tuple[Catalog, Belief]], given: Mapping[str, LearntPrior], settings: Settings, gate: Gate
) -> tuple[ServedCatalogs, Priors]:
    """The catalogues with the beliefs that learnt priors give them, those of an earlier run before that given now."""
    served = ServedCatalogs(catalogs, settings, gate)  # rejects what is none
    kept = PriorFolder(settings.learnt_folder) if settings.learn is not None else None
    versions = {each.name: kept.versions(each.name) if kept is not None else [] for each in served}
    for name, learnt in given.items():
        if name not in versions:
            raise InvalidInputError(f"`priors` must name catalogues that are served, got {name}.")
        # What was learnt since is newer than what the server was first started with.
        versions[name] = [learnt, *versions[name]]
    priors = Priors(versions)
    beliefs = {
        name: priors.beliefs(name, Opened(*opened), strict=name in given and len(versions[name]) == 1)
        for name, opened in catalogs.items()
    }
    for name, each in catalogs.items():
        priors.serve(name, Opened(*each))
    opened = {name: (catalogs[name][0], found.current) for name, found in beliefs.items()}
    return ServedCatalogs(opened, settings, gate, {name: found.earlier for name, found in beliefs.items()}), priors


DESCRIPTION = """Ask a person the few questions that matter, then recommend.

Open a session about a catalogue, show its question and send the answer; the next question and the best items so far
come back, until `stop` says that another question is not worth asking. Every error has the same body
(RFC 9457, `application/problem+json`) with a `code` for programs and an `action` for people."""

TAGS: list[dict[str, Any]] = [
    {"name": "catalogs", "description": "What conversations can be about."},
    {"name": "sessions", "description": "Conversations: questions and answers."},
    {"name": "results", "description": "What follows from the answers."},
    {"name": "shared", "description": "The same, read only, for whoever has the share link."},
    {"name": "admin", "description": "For the operator, with the admin token."},
    {"name": "operations", "description": "Health and metrics."},
]


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    conversations: Conversations = app.state.conversations
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
    await asyncio.to_thread(conversations.warm_up)
    if conversations.settings.watch:
        app.state.reloading.start()
    if app.state.learning is not None:
        app.state.learning.start()
    stop = asyncio.Event()
    expiry = asyncio.create_task(_expire_repeatedly(conversations, stop))
    try:
        yield
    finally:
        app.state.draining.set()
        stop.set()
        await expiry
        await asyncio.to_thread(app.state.reloading.close)
        if app.state.learning is not None:
            await asyncio.to_thread(app.state.learning.close)
        app.state.insights.close()
        await asyncio.to_thread(conversations.close)


async def _expire_repeatedly(conversations: Conversations, stop: asyncio.Event) -> None:
    days = conversations.settings.keep_days
    while days is not None and not stop.is_set():
        with suppress(StoreUnavailableError):  # it is tried again in the next round
            await asyncio.to_thread(conversations.expire, days)
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), EXPIRE_SECONDS)
