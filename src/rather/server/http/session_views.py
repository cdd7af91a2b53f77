"""A standing conversation as the API shows it: the session, its history, pages of its ranking."""

import json
from collections.abc import Sequence
from datetime import timedelta
from urllib.parse import urlencode

from rather.conversation.records import question_of
from rather.model.questions import Recommendation
from rather.numerics.threads import one_thread
from rather.server.computing.standing import Standing
from rather.server.http import schema
from rather.server.http.display_text import Showing
from rather.server.http.item_views import aware, fact_order, option_view, prompt, question_view, recommendation_view
from rather.server.http.reasons import reasons
from rather.server.settings import Settings


def session_view(standing: Standing, settings: Settings, *, shared: bool = False) -> schema.Session:
    """The session as it stands; through a share link without the id that allows to answer."""
    stored, state, show = standing.stored, standing.state, settings.showing
    request, answers = schema.NewSession.model_validate(stored.request), standing.answers
    keep = None if settings.keep_days is None else timedelta(days=settings.keep_days)
    question = None
    if state.question is not None:
        question = question_view(state.question, standing.question_id or "", state.session, show)
    return schema.Session(
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
        created_at=aware(stored.created_at),
        expires_at=None if keep is None else aware(stored.touched_at + keep),
        answers=len(answers),
        last_answer=str(answers[-1].place) if answers else None,
        question=question,
        stop=None if state.stop is None else schema.Stop(code=state.stop.code, text=state.stop.text),
        stop_reason=None if state.stop is None else state.stop.text,
        expected_regret=state.regret,
        start_regret=state.session.policy.start_regret,
        recommendations=ranked(standing, state.top, 0, show),
    )


def ranked(
    standing: Standing, items: Sequence[Recommendation], offset: int, show: Showing
) -> list[schema.Recommendation]:
    """Recommended items with their ranks and reasons."""
    answers = [str(answer.place) for answer in standing.answers]
    with one_thread():
        why = reasons(standing.state.session, [item.row for item in items], answers, show)
    return [
        recommendation_view(item, rank, reason, show)
        for rank, (item, reason) in enumerate(zip(items, why, strict=True), start=offset + 1)
    ]


def page_view(
    standing: Standing,
    filters: Sequence[schema.Filter],
    where: str | None,
    items: Sequence[Recommendation],
    page: tuple[int, int, int],
    show: Showing,
) -> schema.Recommendations:
    """A page `(offset, limit, total)` of the ranking."""
    offset, limit, total = page
    query: dict[str, str | int] = {"offset": offset + limit, "limit": limit}
    if filters:
        query["filters"] = json.dumps([item.model_dump(mode="json", exclude_none=True) for item in filters])
    if where:
        query["where"] = where
    return schema.Recommendations(
        recommendations=ranked(standing, items, offset, show),
        total=total,
        offset=offset,
        limit=limit,
        next=f"?{urlencode(query)}" if offset + limit < total else None,
    )


def history_view(standing: Standing, settings: Settings) -> schema.History:
    """Every answer in the order it was given."""
    session, show = standing.state.session, settings.showing
    held = {item.place for item in standing.answers}
    regrets = _regrets(standing)
    turns = []
    for item in standing.stored.events:
        if "undo" in item.event:
            continue
        question = question_of(item.event, session.policy, item.event["tell"])
        order = fact_order(question.options)
        turns.append(
            schema.Turn(
                answer=str(item.place),
                number=item.event["tell"],
                kind=question.kind,
                prompt=prompt(question, session.policy.catalog, show),
                options=[option_view(option, order, show) for option in question.options],
                choice=item.event["answer"],
                answered_at=aware(item.at),
                undone=item.place not in held,
                expected_regret=regrets.get(item.place),
            )
        )
    return schema.History(start_regret=session.policy.start_regret, stops_at=session.stopping.regret, turns=turns)


def _regrets(standing: Standing) -> dict[int, float]:
    """Expected regret after each answer, by place; computed where it was not stored."""
    known = {item.place: item.regret for item in standing.stored.events if item.regret is not None}
    answers = standing.answers
    if all(item.place in known for item in answers):
        return known
    twin = standing.state.session.fork()
    for item in reversed(answers):
        known.setdefault(item.place, twin.expected_regret)
        twin.undo()
    return known
