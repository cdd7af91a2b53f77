"""Conversations as the API shows them: the session, its history, pages of its ranking, the taste profile."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from rather.conversation.records import question_of
from rather.conversation.session import Session
from rather.model.questions import Recommendation
from rather.numerics.threads import one_thread
from rather.server.conversations import Conversation
from rather.server.http import schema
from rather.server.http.display_text import DisplayText
from rather.server.http.question_views import option_views, prompt, question_view, recommendation_view
from rather.server.http.reasons import reasons
from rather.server.requests import Filter, NewSession
from rather.server.settings import Settings


def session_view(conversation: Conversation, settings: Settings, *, shared: bool = False) -> schema.SessionView:
    """The session; through a share link without the id, which would let the reader answer."""
    stored, state, display = conversation.stored, conversation.state, DisplayText.under(settings)
    request, answers, policy = NewSession.model_validate(stored.request), stored.answers, state.session.policy
    question = None
    if state.question is not None:
        id = conversation.question_id or ""
        question = question_view(state.question, id, policy.catalog, policy.response, display)
    expires_at = None
    if settings.keep_days is not None:
        expires_at = in_utc(stored.touched_at + timedelta(days=settings.keep_days))
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
        stop=None if state.stop is None else schema.StopView(code=state.stop.code, text=state.stop.text),
        stop_reason=None if state.stop is None else state.stop.text,
        expected_regret=state.regret,
        start_regret=policy.start_regret,
        recommendations=ranked(conversation, state.top, 0, display),
    )


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
    """Every answer in the order it was given."""
    session, display = conversation.session, DisplayText.under(settings)
    held = {event.position for event in conversation.stored.answers}
    regrets = _regrets(conversation)
    turns = []
    for event in conversation.stored.events:
        if "undo" in event.event:
            continue
        question = question_of(event.event, session.policy, event.event["tell"], session.translations)
        turns.append(
            schema.TurnView(
                answer=str(event.position),
                number=event.event["tell"],
                kind=question.kind,
                prompt=prompt(question, session.policy.catalog, display),
                options=option_views(question, display),
                choice=event.event["answer"],
                answered_at=in_utc(event.at),
                undone=event.position not in held,
                expected_regret=regrets.get(event.position),
            )
        )
    return schema.History(start_regret=session.policy.start_regret, stops_at=session.stopping.regret, turns=turns)


def profile_view(session: Session) -> schema.Profile:
    """The belief about each feature, the one that moves the ranking most first."""
    catalog, belief = session.policy.catalog, session.belief
    with one_thread():
        mean, prior = belief.mean, session.policy.prior.mean
        spread = ((belief.particles - mean).square().T @ belief.weights).sqrt()
        item_spread = catalog.feature_ranges.spread
    tastes = [
        schema.Taste(
            feature=name,
            mean=float(mean[column]),
            spread=float(spread[column]),
            prior_mean=float(prior[column]),
            weight=float(mean[column] * item_spread[column]),
        )
        for column, name in enumerate(catalog.features)
    ]
    return schema.Profile(tastes=sorted(tastes, key=lambda taste: -abs(taste.weight)))


def in_utc(time: datetime) -> datetime:
    """A stored time with its zone."""
    return time.replace(tzinfo=UTC)


def _regrets(conversation: Conversation) -> dict[int, float]:
    """The expected regret after each answer, by position; computed where it was not stored."""
    known = {event.position: event.regret for event in conversation.stored.events if event.regret is not None}
    answers = conversation.stored.answers
    if all(event.position in known for event in answers):
        return known
    twin = conversation.session.fork()
    for event in reversed(answers):
        known.setdefault(event.position, twin.expected_regret)
        twin.undo()
    return known
