"""The API under /v1. Routes that compute or wait for the database are plain functions and run in threads."""

import json
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from pydantic import Field, TypeAdapter, ValidationError

from rather.conversation.policy_settings import Ranking
from rather.conversation.reasons import Speaker
from rather.server.conversations import Conversation, Conversations
from rather.server.http import schema
from rather.server.http.addresses import caller
from rather.server.http.catalog_views import attributes_view, catalog_view
from rather.server.http.language import Reader, Wishes
from rather.server.http.problems import documented
from rather.server.http.session_views import (
    adjustment_view,
    contradictions_view,
    display_for,
    history_view,
    page_view,
    profile_view,
    session_view,
)
from rather.server.problems import ProblemError, invalid_filter, invalid_request
from rather.server.requests import (
    Filter,
    Filters,
    Log,
    NewAnswer,
    NewFilters,
    NewHint,
    NewSession,
    Page,
    Revision,
    Undo,
    Wanted,
)

api = APIRouter(prefix="/v1", responses=documented(422, 429, 503))


async def conversations_of(request: Request) -> Conversations:
    """The conversations of the app that serves a request."""
    conversations: Conversations = request.app.state.conversations
    return conversations


async def address(request: Request) -> str:
    """Where a request comes from."""
    return caller(request.scope)


AppConversations = Annotated[Conversations, Depends(conversations_of)]
Address = Annotated[str, Depends(address)]
SessionId = Annotated[str, Path(description="The id of a session.", examples=["pX0i3mZ5yK0lq3hV9m1tJ2a7Qw4uB8cD"])]
AnswerId = Annotated[str, Path(max_length=20, description="The id of an answer.", examples=["3"])]
ShareToken = Annotated[str, Path(description="The share token of a session.")]
CatalogName = Annotated[str, Path(description="The name of a catalogue.", examples=["films"])]
Limit = Annotated[int, Query(ge=1, le=100, description="How many.")]
Offset = Annotated[int, Query(ge=0, le=10_000, description="How many to skip.")]
FiltersText = Annotated[
    str | None,
    Query(
        max_length=5_000,
        description="Filters as a JSON list; items must match all of them.",
        examples=['[{"attribute": "year", "minimum": 1990}]'],
    ),
]
WhereText = Annotated[str | None, Query(max_length=1_000, description="A filter expression that items must match.")]
Excluded = Annotated[
    list[str] | None,
    Query(max_length=1_000, description="Ids of items to leave out, such as those the person has; repeat it for more."),
]
AdjustedId = Annotated[str, Query(max_length=5_000, description="The id of the configuration to adjust.")]
WantedText = Annotated[
    str | None,
    Query(
        max_length=20_000,
        description="The values wanted, as a JSON list.",
        examples=['[{"column": "frame", "value": "carbon"}]'],
    ),
]
RankedBy = Annotated[
    Ranking,
    Query(
        description="`list`: the items that are worth most together, list after list; `mean`: those of highest "
        "expected utility."
    ),
]
IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=16,
        max_length=200,
        description="A unique value, such as a UUID. The same request sent again with it changes nothing more, and "
        "returns the session as it is now.",
    ),
]


def page_of(
    conversations: AppConversations,
    limit: Limit = 10,
    offset: Offset = 0,
    filters: FiltersText = None,
    where: WhereText = None,
    exclude: Excluded = None,
    ranking: RankedBy = "list",
) -> Page:
    """The part of the ranking that a request asks for."""
    most = min(limit, conversations.settings.limits.page)
    return Page(offset, most, tuple(_parse_filters(filters)), where, tuple(exclude or ()), ranking)


_FILTERS = TypeAdapter(Filters)
_WANTED = TypeAdapter(Annotated[list[Wanted], Field(max_length=200)])


@api.get("/catalogs", tags=["catalogs"], summary="List the catalogues")
def list_catalogs(conversations: AppConversations) -> schema.CatalogsView:
    """Every catalogue of this server."""
    return schema.CatalogsView(
        catalogs=[catalog_view(served, conversations.settings) for served in conversations.catalogs]
    )


@api.get("/catalogs/{name}", tags=["catalogs"], summary="Show a catalogue", responses=documented(404))
def show_catalog(name: CatalogName, conversations: AppConversations) -> schema.CatalogView:
    """A catalogue: its size, and what can be asked about it."""
    return catalog_view(conversations.catalogs.find(name), conversations.settings)


@api.get("/catalogs/{name}/attributes", tags=["catalogs"], summary="What items differ in", responses=documented(404))
def show_attributes(name: CatalogName, conversations: AppConversations, reader: Reader) -> schema.AttributesView:
    """The named dimensions of a catalogue's items, what items can be filtered by, and what people may say."""
    display = conversations.settings.display(reader.language())
    return attributes_view(conversations.catalogs.find(name), display)


@api.post(
    "/sessions", tags=["sessions"], summary="Open a session", status_code=201, responses=documented(400, 404, 409, 413)
)
def open_session(
    body: NewSession,
    conversations: AppConversations,
    reader: Reader,
    address: Address,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> schema.SessionView:
    """Start a conversation. The response has the first question.

    Its id is unguessable: whoever has it may answer, and nobody else.
    """
    language = reader.language(body.language)
    conversation, repeated = conversations.create(body, address, idempotency_key, language)
    response.status_code = 200 if repeated else 201
    response.headers["Location"] = f"/v1/sessions/{conversation.stored.id}"
    return session_view(conversation, conversations.settings, reader)


@api.post(
    "/sessions/import", tags=["sessions"], summary="Import a log", status_code=201, responses=documented(400, 413)
)
def import_session(
    body: Log,
    conversations: AppConversations,
    reader: Reader,
    address: Address,
    response: Response,
    catalog: Annotated[
        str | None,
        Query(max_length=200, description="The name of the catalogue that the log is about; not needed as a rule."),
    ] = None,
    idempotency_key: IdempotencyKey = None,
) -> schema.SessionView:
    """Continue a session that was exported from a server or written by the library, about one of our catalogues.

    The catalogue may have changed since; `catalog_changes` then says what could not be carried over.
    """
    conversation, repeated = conversations.restore(body, address, catalog, idempotency_key)
    response.status_code = 200 if repeated else 201
    response.headers["Location"] = f"/v1/sessions/{conversation.stored.id}"
    return session_view(conversation, conversations.settings, reader)


@api.get("/sessions/{id}", tags=["sessions"], summary="Show a session", responses=documented(404, 409))
def show_session(id: SessionId, conversations: AppConversations, reader: Reader) -> schema.SessionView:
    """A session with its open question and the best items so far."""
    return session_view(conversations.load_to_answer(id), conversations.settings, reader)


@api.delete("/sessions/{id}", tags=["sessions"], summary="Delete a session", status_code=204, responses=documented(404))
def delete_session(id: SessionId, conversations: AppConversations) -> None:
    """Delete a session and all its answers permanently."""
    conversations.delete(id)


@api.get("/sessions/{id}/question", tags=["sessions"], summary="The open question", responses=documented(404, 409))
def show_question(id: SessionId, conversations: AppConversations, reader: Reader) -> schema.QuestionView:
    """The open question; it stays the same until it is answered."""
    conversation = conversations.load_to_answer(id)
    question = session_view(conversation, conversations.settings, reader).question
    if conversation.problem is not None:
        raise conversation.problem
    if question is None:
        text = "Every question has been asked."
        raise ProblemError(409, "no-question-left", text, "Read the recommendations.")
    return question


@api.post("/sessions/{id}/answers", tags=["sessions"], summary="Answer", responses=documented(400, 404, 409, 413))
def answer_question(id: SessionId, body: NewAnswer, conversations: AppConversations, reader: Reader) -> schema.Answered:
    """Answer the open question. The response has the next one, and the answer has been stored when it arrives.

    The same answer sent again counts once. A different answer to an answered question is a conflict, which names
    the open question.
    """
    conversation, answer, repeated = conversations.answer(id, body)
    return schema.Answered(
        answer=answer, repeated=repeated, session=session_view(conversation, conversations.settings, reader)
    )


@api.put(
    "/sessions/{id}/answers/{answer}", tags=["sessions"], summary="Revise", responses=documented(400, 404, 409, 413)
)
def revise_answer(
    id: SessionId,
    answer: AnswerId,
    body: Revision,
    conversations: AppConversations,
    reader: Reader,
    idempotency_key: IdempotencyKey = None,
) -> schema.SessionView:
    """Answer an earlier question otherwise. What was answered and said after it stays, under new ids.

    The history shows the answers from there on as taken back and given again. The open question is chosen again.
    """
    return session_view(conversations.revise(id, answer, body, idempotency_key), conversations.settings, reader)


@api.get("/sessions/{id}/contradictions", tags=["results"], summary="Contradictions", responses=documented(404, 409))
def show_contradictions(id: SessionId, conversations: AppConversations, reader: Reader) -> schema.Contradictions:
    """Pairs of answers that hardly fit together, in words, the most surprising first. Both may be right."""
    conversation = conversations.load(id)
    language = display_for(reader, conversation, conversations.settings).language
    found = conversations.contradictions(conversation, language)
    return contradictions_view(conversation, found, conversations.settings, reader)


@api.post("/sessions/{id}/hints", tags=["sessions"], summary="Give a hint", responses=documented(400, 404, 409, 413))
def give_hint(
    id: SessionId,
    body: NewHint,
    conversations: AppConversations,
    reader: Reader,
    idempotency_key: IdempotencyKey = None,
) -> schema.SessionView:
    """Say something unasked: "more like this", "like this, but cheaper", "I want …", "I don't care about …".

    Or take a configuration that was adjusted. It counts like an answer, and undo takes it back. The open question is
    chosen again in the light of it, under a new id.
    """
    return session_view(conversations.hint(id, body, idempotency_key), conversations.settings, reader)


@api.get("/sessions/{id}/adjustment", tags=["results"], summary="Adjust", responses=documented(404, 409))
def show_adjustment(
    id: SessionId, conversations: AppConversations, reader: Reader, item: AdjustedId, wanted: WantedText = None
) -> schema.AdjustmentView:
    """A configuration with some choices changed and as little else as the rules and must-haves allow.

    Nothing is learned from looking. Who takes it says so in a hint: `{"says": "adjust", "item": …, "to": …}`.
    """
    conversation = conversations.load(id)
    language = display_for(reader, conversation, conversations.settings).language
    found = conversations.adjust(conversation, item, _parse_wanted(wanted), language)
    return adjustment_view(conversation, *found, conversations.settings, reader)


@api.post("/sessions/{id}/undo", tags=["sessions"], summary="Undo", responses=documented(400, 404, 409, 413))
def undo_answer(
    id: SessionId,
    conversations: AppConversations,
    reader: Reader,
    body: Undo | None = None,
    idempotency_key: IdempotencyKey = None,
) -> schema.SessionView:
    """Take the last answer or hint back; the question of an answer is open again, under a new id."""
    return session_view(conversations.undo(id, body or Undo(), idempotency_key), conversations.settings, reader)


@api.put(
    "/sessions/{id}/filters", tags=["sessions"], summary="Set the filters", responses=documented(400, 404, 409, 413)
)
def set_filters(
    id: SessionId,
    body: NewFilters,
    conversations: AppConversations,
    reader: Reader,
    idempotency_key: IdempotencyKey = None,
) -> schema.SessionView:
    """From now on, ask about and recommend only items that match these filters. The answers stay."""
    return session_view(conversations.change_filters(id, body, idempotency_key), conversations.settings, reader)


@api.get("/sessions/{id}/recommendations", tags=["results"], summary="Recommend", responses=documented(404, 409))
def recommend(
    id: SessionId,
    conversations: AppConversations,
    reader: Reader,
    page: Annotated[Page, Depends(page_of)],
) -> schema.RecommendationsView:
    """A page of the ranking, with how sure we are of each item and why. These filters apply to this page only.

    Items are ranked in lists of five: each list is worth most together of what the lists before it have left.
    """
    return _page(conversations, conversations.load(id), reader, page)


@api.get("/sessions/{id}/history", tags=["results"], summary="All answers", responses=documented(404, 409))
def show_history(id: SessionId, conversations: AppConversations, reader: Reader) -> schema.History:
    """Every answer and hint, with the expected regret after it."""
    return history_view(conversations.load(id), conversations.settings, reader)


@api.get("/sessions/{id}/profile", tags=["results"], summary="The taste profile", responses=documented(404, 409))
def show_profile(id: SessionId, conversations: AppConversations, reader: Reader) -> schema.Profile:
    """How much each feature matters to this person, and how sure we are."""
    return profile_view(conversations.load(id), reader)


@api.get("/sessions/{id}/export", tags=["sessions"], summary="Export a log", responses=documented(404, 409))
def export_session(id: SessionId, conversations: AppConversations) -> Log:
    """The session as the library's JSON log, for `Session.from_json` or for import into another server."""
    return Log.model_validate(conversations.export(id))


@api.get("/shared/{token}", tags=["shared"], summary="Show a shared session", responses=documented(404, 409))
def show_shared(token: ShareToken, conversations: AppConversations, reader: Reader) -> schema.SessionView:
    """A session, read only."""
    return session_view(conversations.load_shared(token), conversations.settings, reader, shared=True)


@api.get("/shared/{token}/recommendations", tags=["shared"], summary="Recommend", responses=documented(404, 409))
def recommend_shared(
    token: ShareToken,
    conversations: AppConversations,
    reader: Reader,
    page: Annotated[Page, Depends(page_of)],
) -> schema.RecommendationsView:
    """A page of the ranking of a shared session."""
    return _page(conversations, conversations.load_shared(token), reader, page, "they")


@api.get("/shared/{token}/history", tags=["shared"], summary="All answers", responses=documented(404, 409))
def show_shared_history(token: ShareToken, conversations: AppConversations, reader: Reader) -> schema.History:
    """Every answer of a shared session."""
    return history_view(conversations.load_shared(token), conversations.settings, reader)


@api.get("/shared/{token}/profile", tags=["shared"], summary="The taste profile", responses=documented(404, 409))
def show_shared_profile(token: ShareToken, conversations: AppConversations, reader: Reader) -> schema.Profile:
    """The taste profile of a shared session."""
    return profile_view(conversations.load_shared(token), reader)


def _page(
    conversations: Conversations, conversation: Conversation, reader: Wishes, page: Page, speaker: Speaker = "you"
) -> schema.RecommendationsView:
    items, total = conversations.rank(conversation, page)
    return page_view(conversation, page, items, total, conversations.settings, reader, speaker)


def _parse_wanted(text: str | None) -> dict[str, str]:
    if not text:
        return {}
    try:
        return {each.column: each.value for each in _WANTED.validate_json(text)}
    except ValidationError as error:
        first: Any = error.errors()[0]
        example = '[{"column": "frame", "value": "carbon"}]'
        raise invalid_request(f"`wanted` must be a JSON list such as {example}: {first['msg']}.") from None


def _parse_filters(text: str | None) -> list[Filter]:
    if not text:
        return []
    try:
        return _FILTERS.validate_json(text)
    except ValidationError as error:
        first: Any = error.errors()[0]
        raise invalid_filter(f"`filters` must be a JSON list of filters: {first['msg']}.") from None
    except json.JSONDecodeError:
        raise invalid_filter("`filters` must be a JSON list of filters.") from None
