"""Conversations as the API shows them: the session, its history, pages of its ranking, the taste profile."""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from rather.conversation.adjusting import Adjustment, Alternatives, Change, TotalChange
from rather.conversation.compared_facts import compared_facts
from rather.conversation.contradictions import Contradiction
from rather.conversation.display_text import DisplayText
from rather.conversation.hint_records import logged_hint
from rather.conversation.hint_wording import hint_text
from rather.conversation.hints import wishes
from rather.conversation.reasons import Speaker
from rather.conversation.records import logged_question, question_of
from rather.conversation.session import Session
from rather.conversation.stopping import Stopping
from rather.conversation.tastes import tastes
from rather.conversation.wording import question_in, recommendations_in
from rather.errors import InvalidInputError, UnknownNameError
from rather.languages import ENGLISH, retold
from rather.model.questions import Question, Recommendation
from rather.server.computing.summaries import stored_regrets, stored_tastes
from rather.server.conversations import Conversation
from rather.server.http import schema
from rather.server.http.language import Wishes
from rather.server.http.question_views import UNNAMED, option_views, prompt, question_view, recommendation_view
from rather.server.http.study_views import study_view
from rather.server.requests import NewSession, Page
from rather.server.sessions.records import StoredSession
from rather.server.settings import Settings


def session_view(
    conversation: Conversation, settings: Settings, reader: Wishes, *, shared: bool = False
) -> schema.SessionView:
    """The session; through a share link without the id, which would let the reader answer."""
    stored, state, display = conversation.stored, conversation.found, display_for(reader, conversation, settings)
    request, steps = NewSession.model_validate(stored.request), stored.steps
    study = None if shared else study_view(conversation, settings.study, display.language)
    question, top = None, []
    if state is None:
        start_regret, regret = stored_regrets(stored.summary, stopping_of(stored))
    else:
        policy, start_regret, regret = state.session.policy, state.session.policy.start_regret, state.regret
        top = ranked(conversation, state.top, 0, display, "they" if shared else "you")
        if state.question is not None and not (study is not None and study.finished):
            id = conversation.question_id or ""
            asked = question_in(state.question, policy.catalog, display.language)
            question = question_view(asked, id, policy, state.session.belief, display)
    expires_at = None
    if settings.keep_days is not None:
        expires_at = in_utc(stored.touched_at + timedelta(days=settings.keep_days))
    stop = _stop_view(conversation, display.language)
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
        language=display.language,
        version=stored.version,
        created_at=in_utc(stored.created_at),
        expires_at=expires_at,
        answers=len(stored.answers),
        hints=len(steps) - len(stored.answers),
        last_answer=str(steps[-1].position) if steps else None,
        question=question,
        stop=stop,
        stop_reason=None if stop is None else stop.text,
        expected_regret=regret,
        start_regret=start_regret,
        probability_best=None if state is None else state.session.probability_best(state.top),
        recommendations=top,
        # Those of an earlier change say that all answers count, which they no longer do where nothing can go on.
        catalog_changes=[
            display.text(retold(display.language, "carried", sentence))
            for sentence in (stored.changes if state is not None else None) or ()
        ],
        adjusted=None if state is None else _adjusted(conversation, display, "they" if shared else "you"),
        study=study,
    )


def _adjusted(conversation: Conversation, display: DisplayText, speaker: Speaker) -> schema.RecommendationView | None:
    item = conversation.session.adjusted
    return None if item is None else ranked(conversation, [item], 0, display, speaker)[0]


def display_for(reader: Wishes, conversation: Conversation, settings: Settings) -> DisplayText:
    """How a conversation is shown to a reader."""
    return settings.display(reader.language(conversation.stored.request.get("language")))


def _stop_view(conversation: Conversation, language: str) -> schema.StopView | None:
    if conversation.problem is not None:
        return schema.StopView(
            code=conversation.problem.code, text=retold(language, "problems", conversation.problem.detail)
        )
    stop = conversation.state.stop
    return None if stop is None else schema.StopView(code=stop.code, text=stop.said(language))


def ranked(
    conversation: Conversation, items: Sequence[Recommendation], offset: int, display: DisplayText, speaker: Speaker
) -> list[schema.RecommendationView]:
    """Recommended items with their ranks and reasons."""
    answers = [str(answer.position) for answer in conversation.stored.answers]
    views = []
    catalog = conversation.session.policy.catalog
    items = recommendations_in(items, catalog, display.language)
    found = zip(items, conversation.session.reasons(items, speaker, display.language), strict=True)
    for rank, (item, reasons) in enumerate(found, start=offset + 1):
        why = [
            schema.ReasonView(
                kind=reason.kind,
                text=display.text(reason.text),
                column=reason.column,
                answers=[answers[number - 1] for number in reason.questions],
            )
            for reason in reasons
        ]
        wished = wishes(item.row, conversation.session.policy, conversation.session.belief)
        views.append(recommendation_view(item, rank, why, wished, display))
    if views:
        _say_what_they_stand_for(views, items, conversation.session, display, speaker)
    return views


def _say_what_they_stand_for(
    views: Sequence[schema.RecommendationView],
    items: Sequence[Recommendation],
    session: Session,
    display: DisplayText,
    speaker: Speaker,
) -> None:
    """In each list of a ranking, what its items stand for."""
    size = session.policy.objective.size
    for start in range(0, len(items), size):
        said = session.stands_for(items[start : start + size], speaker, display.language)
        for view, text in zip(views[start : start + size], said, strict=True):
            view.stands_for = display.text(text)


def page_view(
    conversation: Conversation,
    page: Page,
    items: Sequence[Recommendation],
    total: int,
    settings: Settings,
    reader: Wishes,
    speaker: Speaker,
) -> schema.RecommendationsView:
    """A page of the ranking, of `total` items in all."""
    offset, limit = page.offset, page.limit
    query: dict[str, str | int | tuple[str, ...]] = {"offset": offset + limit, "limit": limit}
    if page.filters:
        query["filters"] = json.dumps([item.model_dump(mode="json", exclude_none=True) for item in page.filters])
    if page.where:
        query["where"] = page.where
    if page.exclude:
        query["exclude"] = page.exclude
    if page.ranking != "list":
        query["ranking"] = page.ranking
    return schema.RecommendationsView(
        recommendations=ranked(conversation, items, offset, display_for(reader, conversation, settings), speaker),
        total=total,
        offset=offset,
        limit=limit,
        next=f"?{urlencode(query, doseq=True)}" if offset + limit < total else None,
    )


def history_view(conversation: Conversation, settings: Settings, reader: Wishes) -> schema.History:
    """Every answer in the order it was given, as it was shown then."""
    stored, display = conversation.stored, display_for(reader, conversation, settings)
    held = {event.position for event in stored.steps}
    regrets = _regrets(conversation)
    name = _item_name(conversation)
    turns = []
    for event in stored.events:
        if "undo" in event.event or "hint" in event.event:
            continue
        question = _asked(event.event, conversation, display.language)
        turns.append(
            schema.TurnView(
                answer=str(event.position),
                number=event.event["tell"],
                kind=question.kind,
                prompt=prompt(question, name, display),
                options=option_views(question, compared_facts(question), display),
                choice=event.event["answer"],
                answered_at=in_utc(event.at),
                undone=event.position not in held,
                expected_regret=regrets.get(event.position),
            )
        )
    stopping, state = stopping_of(stored), conversation.found
    start = stored_regrets(stored.summary, stopping)[0] if state is None else state.session.policy.start_regret
    hints = _hint_views(conversation, held, regrets, display)
    return schema.History(start_regret=start, stops_at=stopping.regret, turns=turns, hints=hints)


def _hint_views(
    conversation: Conversation, held: Collection[int], regrets: Mapping[int, float], display: DisplayText
) -> list[schema.HintView]:
    """What was said unasked."""
    views, answers = [], 0
    for event in conversation.stored.events:
        if "hint" in event.event:
            views.append(
                schema.HintView(
                    hint=str(event.position),
                    text=display.text(_said(event.event, conversation, display.language)),
                    answers=answers,
                    given_at=in_utc(event.at),
                    undone=event.position not in held,
                    expected_regret=regrets.get(event.position),
                )
            )
        elif "undo" not in event.event:
            answers += 1
        elif event.event.get("of") != "hint":
            answers -= 1
    return views


def _said(event: Mapping[str, Any], conversation: Conversation, language: str) -> str:
    """A hint in the words of its time, or in another language if what it is about is still there."""
    hint = logged_hint(event)
    if language == ENGLISH or conversation.found is None:
        return hint.text
    try:
        return hint_text(hint.statement, conversation.session.policy.catalog, language)
    except (InvalidInputError, UnknownNameError):
        return hint.text


def contradictions_view(
    conversation: Conversation, found: Sequence[Contradiction], settings: Settings, reader: Wishes
) -> schema.Contradictions:
    """Answers that hardly fit together, with the ids to revise them by."""
    answers = [str(event.position) for event in conversation.stored.answers]
    display = display_for(reader, conversation, settings)
    return schema.Contradictions(
        contradictions=[
            schema.ContradictionView(
                answer=answers[each.number - 1],
                number=each.number,
                earlier_answer=answers[each.earlier - 1],
                earlier_number=each.earlier,
                probability=each.probability,
                text=display.text(each.text),
            )
            for each in found
        ]
    )


def adjustment_view(
    conversation: Conversation,
    adjustment: Adjustment,
    decisions: Sequence[Alternatives],
    settings: Settings,
    reader: Wishes,
) -> schema.AdjustmentView:
    """What becomes of a configuration, and what else could be changed about it."""
    display = display_for(reader, conversation, settings)
    items = [adjustment.start] if adjustment.item is None else [adjustment.start, adjustment.item]
    views = ranked(conversation, items, 0, display, "you")
    return schema.AdjustmentView(
        start=views[0],
        item=None if adjustment.item is None else views[-1],
        wanted=_change_views(adjustment.wanted, display),
        forced=_change_views(adjustment.forced, display),
        because=[
            schema.ObstacleView(text=display.text(each.text), must_have=each.is_must_have)
            for each in adjustment.because
        ],
        totals=_total_views(adjustment.totals, display),
        decisions=[
            schema.AlternativesView(
                column=decision.column,
                name=display.text(decision.name),
                values=[
                    schema.AlternativeView(
                        value=each.value,
                        text=display.text(each.text),
                        chosen=each.is_chosen,
                        possible=each.item is not None,
                        forced=_change_views(each.forced, display),
                        totals=_total_views(each.totals, display),
                    )
                    for each in decision.values
                ],
            )
            for decision in decisions
        ],
    )


def _change_views(changes: Sequence[Change], display: DisplayText) -> list[schema.ChangeView]:
    return [
        schema.ChangeView(
            column=each.column,
            name=display.text(each.name),
            before=display.text(each.before),
            after=display.text(each.after),
        )
        for each in changes
    ]


def _total_views(totals: Sequence[TotalChange], display: DisplayText) -> list[schema.TotalChangeView]:
    return [
        schema.TotalChangeView(
            column=each.column,
            name=display.text(each.name),
            before=display.text(each.before),
            after=display.text(each.after),
            difference=display.text(each.difference),
            amount=each.amount,
        )
        for each in totals
    ]


def profile_view(conversation: Conversation, reader: Wishes) -> schema.Profile:
    """The belief about each attribute, the one that moves the ranking most first."""
    state = conversation.found
    if state is None:
        found = stored_tastes(conversation.stored.summary)
    else:
        found = tastes(state.session, reader.language(conversation.stored.request.get("language")))
    return schema.Profile(tastes=[schema.Taste(**taste._asdict()) for taste in found])


def _item_name(conversation: Conversation) -> str:
    """What items are called; what an older version stored does not say."""
    if conversation.found is not None:
        return conversation.session.policy.catalog.name
    return str(json.loads(conversation.stored.settings).get("name", UNNAMED))


def _asked(event: dict[str, Any], conversation: Conversation, language: str) -> Question:
    """The question of an answer as it was asked; one that an older version stored, as the catalogue shows it."""
    if conversation.found is None:
        return logged_question(event, event["tell"])
    policy = conversation.session.policy
    asked = logged_question(event, event["tell"]) if "shown" in event else question_of(event, policy, event["tell"])
    return question_in(asked, policy.catalog, language)


def stopping_of(stored: StoredSession) -> Stopping:
    """The stopping rule of a stored session."""
    return Stopping(**json.loads(stored.settings)["stopping"])


def in_utc(time: datetime) -> datetime:
    """A stored time with its zone."""
    return time.replace(tzinfo=UTC)


def _regrets(conversation: Conversation) -> dict[int, float]:
    """The expected regret after each answer, by position; computed where it was not stored."""
    known = {event.position: event.regret for event in conversation.stored.events if event.regret is not None}
    steps = conversation.stored.steps
    if conversation.found is None or all(event.position in known for event in steps):
        return known
    session = conversation.session
    for event, step in zip(steps, session.steps, strict=True):
        if event.position not in known:
            known[event.position] = session.policy.expected_regret(step.belief)
    return known
