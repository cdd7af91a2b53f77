"""Conversations as the API shows them: the session, its history, pages of its ranking, the taste profile."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from rather.conversation.records import logged_question, question_of
from rather.conversation.stopping import Stopping
from rather.model.questions import Question, Recommendation
from rather.numerics.threads import one_thread
from rather.server.computing.summaries import stored_regrets, stored_tastes, tastes
from rather.server.conversations import Conversation
from rather.server.http import schema
from rather.server.http.display_text import DisplayText
from rather.server.http.question_views import UNNAMED, option_views, prompt, question_view, recommendation_view
from rather.server.http.reasons import reasons
from rather.server.requests import Filter, NewSession
from rather.server.sessions.records import StoredSession
from rather.server.settings import Settings


def session_view(conversation: Conversation, settings: Settings, *, shared: bool = False) -> schema.SessionView:
    """The session; through a share link without the id, which would let the reader answer."""
    stored, state, display = conversation.stored, conversation.found, DisplayText.under(settings)
    request, answers = NewSession.model_validate(stored.request), stored.answers
    question, top = None, []
    if state is None:
        start_regret, regret = stored_regrets(stored.summary, stopping_of(stored))
    else:
        policy, start_regret, regret = state.session.policy, state.session.policy.start_regret, state.regret
        top = ranked(conversation, state.top, 0, display)
        if state.question is not None:
            id = conversation.question_id or ""
            question = question_view(state.question, id, policy.catalog.name, policy.response, display)
    expires_at = None
    if settings.keep_days is not None:
        expires_at = in_utc(stored.touched_at + timedelta(days=settings.keep_days))
    stop = _stop_view(conversation)
    return schema.SessionView(
        id=None if shared else stored.id,
        share=stored.share,
        catalog=stored.catalog,
        k=request.k,
        ask=request.ask,
        filters=request.filters,
        where=request.where,
        strategy=request.strategy,
        seed=request.seed,
        version=stored.version,
        created_at=in_utc(stored.created_at),
        expires_at=expires_at,
        answers=len(answers),
        last_answer=str(answers[-1].position) if answers else None,
        question=question,
        stop=stop,
        stop_reason=None if stop is None else stop.text,
        expected_regret=regret,
        start_regret=start_regret,
        recommendations=top,
        catalog_changes=[display.text(sentence) for sentence in stored.changes or ()],
    )


def _stop_view(conversation: Conversation) -> schema.StopView | None:
    if conversation.problem is not None:
        return schema.StopView(code=conversation.problem.code, text=conversation.problem.detail)
    stop = conversation.state.stop
    return None if stop is None else schema.StopView(code=stop.code, text=stop.text)


def ranked(
    conversation: Conversation, items: Sequence[Recommendation], offset: int, display: DisplayText
) -> list[schema.RecommendationView]:
    """Recommended items with their ranks and reasons."""
    answers = [str(answer.position) for answer in conversation.stored.answers]
    with one_thread():
        why = reasons(conversation.session, [item.row for item in items], answers, display)
    return [
        recommendation_view(item, rank, reason, display)
        for rank, (item, reason) in enumerate(zip(items, why, strict=True), start=offset + 1)
    ]


def page_view(
    conversation: Conversation,
    filters: Sequence[Filter],
    where: str | None,
    items: Sequence[Recommendation],
    page: tuple[int, int, int],
    display: DisplayText,
) -> schema.RecommendationsView:
    """A page `(offset, limit, total)` of the ranking."""
    offset, limit, total = page
    query: dict[str, str | int] = {"offset": offset + limit, "limit": limit}
    if filters:
        query["filters"] = json.dumps([item.model_dump(mode="json", exclude_none=True) for item in filters])
    if where:
        query["where"] = where
    return schema.RecommendationsView(
        recommendations=ranked(conversation, items, offset, display),
        total=total,
        offset=offset,
        limit=limit,
        next=f"?{urlencode(query)}" if offset + limit < total else None,
    )


def history_view(conversation: Conversation, settings: Settings) -> schema.History:
    """Every answer in the order it was given, as it was shown then."""
    stored, display = conversation.stored, DisplayText.under(settings)
    held = {event.position for event in stored.answers}
    regrets = _regrets(conversation)
    name = _item_name(conversation)
    turns = []
    for event in stored.events:
        if "undo" in event.event:
            continue
        question = _asked(event.event, conversation)
        turns.append(
            schema.TurnView(
                answer=str(event.position),
                number=event.event["tell"],
                kind=question.kind,
                prompt=prompt(question, name, display),
                options=option_views(question, display),
                choice=event.event["answer"],
                answered_at=in_utc(event.at),
                undone=event.position not in held,
                expected_regret=regrets.get(event.position),
            )
        )
    stopping, state = stopping_of(stored), conversation.found
    start = stored_regrets(stored.summary, stopping)[0] if state is None else state.session.policy.start_regret
    return schema.History(start_regret=start, stops_at=stopping.regret, turns=turns)


def profile_view(conversation: Conversation) -> schema.Profile:
    """The belief about each feature, the one that moves the ranking most first."""
    state = conversation.found
    found = stored_tastes(conversation.stored.summary) if state is None else tastes(state.session)
    return schema.Profile(tastes=[schema.Taste(**taste._asdict()) for taste in found])


def _item_name(conversation: Conversation) -> str:
    """What items are called; what an older version stored does not say."""
    if conversation.found is not None:
        return conversation.session.policy.catalog.name
    return str(json.loads(conversation.stored.settings).get("name", UNNAMED))


def _asked(event: dict[str, Any], conversation: Conversation) -> Question:
    """The question of an answer as it was asked; one that an older version stored, as the catalogue shows it."""
    if "shown" in event or conversation.found is None:
        return logged_question(event, event["tell"])
    return question_of(event, conversation.session.policy, event["tell"])


def stopping_of(stored: StoredSession) -> Stopping:
    """The stopping rule of a stored session."""
    return Stopping(**json.loads(stored.settings)["stopping"])


def in_utc(time: datetime) -> datetime:
    """A stored time with its zone."""
    return time.replace(tzinfo=UTC)


def _regrets(conversation: Conversation) -> dict[int, float]:
    """The expected regret after each answer, by position; computed where it was not stored."""
    known = {event.position: event.regret for event in conversation.stored.events if event.regret is not None}
    answers = conversation.stored.answers
    if conversation.found is None or all(event.position in known for event in answers):
        return known
    session = conversation.session
    for event, turn in zip(answers, session.turns, strict=True):
        if event.position not in known:
            known[event.position] = session.policy.expected_regret(turn.belief)
    return known
