"""The API under /v1. Routes that compute or wait for the database are plain functions and run in threads."""

import json
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from pydantic import TypeAdapter, ValidationError

from rather.server.computing.filters import refused
from rather.server.computing.standing import Standing
from rather.server.conversations import Conversations
from rather.server.http import schema
from rather.server.http.item_views import attributes_view, catalog_view, profile_view
from rather.server.http.problems import ProblemError, documented
from rather.server.http.session_views import history_view, page_view, session_view

api = APIRouter(prefix="/v1", responses=documented(422, 429, 503))


def conversations(request: Request) -> Conversations:
    """The conversations of the app that a request reached."""
    found: Conversations = request.app.state.conversations
    return found


def address(request: Request) -> str:
    """Where a request comes from."""
    return request.client.host if request.client is not None else "local"


All = Annotated[Conversations, Depends(conversations)]
Address = Annotated[str, Depends(address)]
SessionId = Annotated[str, Path(description="The id of a session.", examples=["pX0i3mZ5yK0lq3hV9m1tJ2a7Qw4uB8cD"])]
ShareToken = Annotated[str, Path(description="The share token of a session.")]
CatalogName = Annotated[str, Path(description="The name of a catalogue.", examples=["films"])]
Limit = Annotated[int, Query(ge=1, le=100, description="How many.")]
Offset = Annotated[int, Query(ge=0, le=10_000, description="How many to leave out.")]
FiltersText = Annotated[
    str | None,
    Query(
        max_length=5_000,
        description="Must-haves as a JSON list of filters.",
        examples=['[{"attribute": "year", "minimum": 1990}]'],
    ),
]
WhereText = Annotated[str | None, Query(max_length=1_000, description="Must-haves as an expression.")]
IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=16,
        max_length=200,
        description="A value of your own, such as a UUID. The same one again returns the session that it opened.",
    ),
]
_FILTERS = TypeAdapter(schema.Filters)


@api.get("/catalogs", tags=["catalogs"], summary="List the catalogues")
def list_catalogs(all: All) -> schema.Catalogs:
    """Every catalogue that this server can ask about."""
    return schema.Catalogs(catalogs=[_catalog(all, name) for name in all.openings.served])


@api.get("/catalogs/{name}", tags=["catalogs"], summary="Show a catalogue", responses=documented(404))
def show_catalog(name: CatalogName, all: All) -> schema.Catalog:
    """One catalogue."""
    return _catalog(all, name)


@api.get("/catalogs/{name}/attributes", tags=["catalogs"], summary="What items differ in", responses=documented(404))
def show_attributes(name: CatalogName, all: All) -> schema.Attributes:
    """The named dimensions of a catalogue's items, and what must-haves can be about."""
    served = all.openings.find(name)
    return schema.Attributes(attributes=attributes_view(served.catalog), filters=served.filters.options())


@api.post(
    "/sessions", tags=["sessions"], summary="Open a session", status_code=201, responses=documented(400, 404, 413)
)
def open_session(
    body: schema.NewSession, all: All, address: Address, response: Response, idempotency_key: IdempotencyKey = None
) -> schema.Session:
    """Begin a conversation. The first question comes with it.

    Its id is unguessable: whoever has it may answer, and nobody else.
    """
    standing, repeated = all.create(body, address, idempotency_key)
    response.status_code = 200 if repeated else 201
    response.headers["Location"] = f"/v1/sessions/{standing.stored.id}"
    return session_view(standing, all.settings)


@api.post(
    "/sessions/import", tags=["sessions"], summary="Import a log", status_code=201, responses=documented(400, 413)
)
def import_session(body: schema.Log, all: All, address: Address, response: Response) -> schema.Session:
    """Go on with a session that was exported here, or written by the library, about one of our catalogues."""
    standing = all.restore(body, address)
    response.headers["Location"] = f"/v1/sessions/{standing.stored.id}"
    return session_view(standing, all.settings)


@api.get("/sessions/{id}", tags=["sessions"], summary="Show a session", responses=documented(404, 409))
def show_session(id: SessionId, all: All) -> schema.Session:
    """A session as it stands, with the open question and the best few items."""
    return session_view(all.current(id), all.settings)


@api.delete("/sessions/{id}", tags=["sessions"], summary="Delete a session", status_code=204, responses=documented(404))
def delete_session(id: SessionId, all: All) -> None:
    """Delete a session with all its answers, for good."""
    all.delete(id)


@api.get("/sessions/{id}/question", tags=["sessions"], summary="The open question", responses=documented(404, 409))
def show_question(id: SessionId, all: All) -> schema.Question:
    """The open question; it stays the same until it is answered."""
    question = session_view(all.current(id), all.settings).question
    if question is None:
        text = "Every question has been asked."
        raise ProblemError(409, "no-question-left", text, "Read the recommendations.")
    return question


@api.post("/sessions/{id}/answers", tags=["sessions"], summary="Answer", responses=documented(400, 404, 409, 413))
def answer_question(id: SessionId, body: schema.NewAnswer, all: All) -> schema.Answered:
    """Answer the open question; the next one comes back. Once this returns the answer is safe.

    The same answer sent again counts once. Another answer to an answered question is a conflict that names the
    open one.
    """
    standing, answer, repeated = all.answer(id, body)
    return schema.Answered(answer=answer, repeated=repeated, session=session_view(standing, all.settings))


@api.post("/sessions/{id}/undo", tags=["sessions"], summary="Take back", responses=documented(400, 404, 409, 413))
def undo_answer(id: SessionId, all: All, body: schema.Undo | None = None) -> schema.Session:
    """Take the last answer back; its question is open again, under a new id."""
    return session_view(all.undo(id, body.answer if body is not None else None), all.settings)


@api.put(
    "/sessions/{id}/filters", tags=["sessions"], summary="Set must-haves", responses=documented(400, 404, 409, 413)
)
def set_filters(id: SessionId, body: schema.NewFilters, all: All) -> schema.Session:
    """Ask about and recommend only items that have all of this, from now on. Answers stay."""
    return session_view(all.change_filters(id, body), all.settings)


@api.get("/sessions/{id}/recommendations", tags=["results"], summary="Recommend", responses=documented(404, 409))
def recommend(
    id: SessionId,
    all: All,
    limit: Limit = 10,
    offset: Offset = 0,
    filters: FiltersText = None,
    where: WhereText = None,
) -> schema.Recommendations:
    """A page of the ranking, with how sure we are of each item and why. Filters here narrow this page alone."""
    return _page(all, all.open(id), limit, offset, filters, where)


@api.get("/sessions/{id}/history", tags=["results"], summary="All answers", responses=documented(404, 409))
def show_history(id: SessionId, all: All) -> schema.History:
    """Every answer, and how the expected regret fell."""
    return history_view(all.open(id), all.settings)


@api.get("/sessions/{id}/profile", tags=["results"], summary="The taste profile", responses=documented(404, 409))
def show_profile(id: SessionId, all: All) -> schema.Profile:
    """Which qualities matter how much to this person, and how sure we are."""
    return profile_view(all.open(id).state.session)


@api.get("/sessions/{id}/export", tags=["sessions"], summary="Export a log", responses=documented(404, 409))
def export_session(id: SessionId, all: All) -> schema.Log:
    """The session as the library's JSON log, for `Session.from_json` or an import elsewhere."""
    return schema.Log.model_validate(all.export(id))


@api.get("/shared/{token}", tags=["shared"], summary="Show a shared session", responses=documented(404, 409))
def show_shared(token: ShareToken, all: All) -> schema.Session:
    """A session as it stands, to read only."""
    return session_view(all.open_shared(token), all.settings, shared=True)


@api.get("/shared/{token}/recommendations", tags=["shared"], summary="Recommend", responses=documented(404, 409))
def recommend_shared(
    token: ShareToken,
    all: All,
    limit: Limit = 10,
    offset: Offset = 0,
    filters: FiltersText = None,
    where: WhereText = None,
) -> schema.Recommendations:
    """A page of the ranking of a shared session."""
    return _page(all, all.open_shared(token), limit, offset, filters, where)


@api.get("/shared/{token}/history", tags=["shared"], summary="All answers", responses=documented(404, 409))
def show_shared_history(token: ShareToken, all: All) -> schema.History:
    """Every answer of a shared session."""
    return history_view(all.open_shared(token), all.settings)


@api.get("/shared/{token}/profile", tags=["shared"], summary="The taste profile", responses=documented(404, 409))
def show_shared_profile(token: ShareToken, all: All) -> schema.Profile:
    """The taste profile of a shared session."""
    return profile_view(all.open_shared(token).state.session)


def _catalog(all: Conversations, name: str) -> schema.Catalog:
    served = all.openings.find(name)
    return catalog_view(served.source, all.settings.strategies_for(len(served.catalog)), all.settings.limits.slate)


def _page(
    all: Conversations, standing: Standing, limit: int, offset: int, filters: str | None, where: str | None
) -> schema.Recommendations:
    wanted = _parse_filters(filters)
    items, total = all.rank(standing, offset, min(limit, all.settings.limits.page), wanted, where)
    return page_view(standing, wanted, where, items, (offset, limit, total), all.settings.showing)


def _parse_filters(text: str | None) -> list[schema.Filter]:
    if not text:
        return []
    try:
        return _FILTERS.validate_json(text)
    except ValidationError as error:
        first: Any = error.errors()[0]
        raise refused(f"`filters` must be a JSON list of filters: {first['msg']}.") from None
    except json.JSONDecodeError:
        raise refused("`filters` must be a JSON list of filters.") from None
