"""A conversation as assistants see it: its question, state, recommendations, and what is known."""

from collections.abc import Sequence
from dataclasses import replace

from rather.assistants.offered_catalog import shown_facts
from rather.assistants.results import (
    KnownResult,
    MatchedItem,
    OptionResult,
    QuestionResult,
    RecommendationResult,
    RecommendationsResult,
    StateResult,
    StopResult,
    TasteResult,
    ToldResult,
    WishResult,
)
from rather.conversation.compared_facts import compared_facts
from rather.conversation.display_text import DisplayText
from rather.conversation.hint_wording import hint_text
from rather.conversation.hints import wishes
from rather.conversation.recommendations import match_text
from rather.conversation.session import Session
from rather.conversation.stopping import Stop
from rather.conversation.tastes import TasteNumbers, tastes
from rather.conversation.turns import HintTurn, Turn
from rather.conversation.wording import item_names, question_in
from rather.model.catalog import Catalog
from rather.model.questions import Recommendation
from rather.model.responses import SKIP, Answer

# Attributes that are explained; the others hardly move the ranking.
MOST_TASTES = 15

ASK = (
    "Ask the person this question in your own words, with the facts that differ, and pass what they say to "
    "answer_question. Do not answer for them. What they say beyond it goes to state_wish or set_must_haves."
)
STOP = "Enough has been asked: call recommend. If the person wants to be asked more, call next_question."


def question_result(session: Session, display: DisplayText) -> QuestionResult:
    """The open question, with the facts that matter most to this belief first."""
    policy = session.policy
    question = question_in(session.ask(), policy.catalog, display.language)
    facts = compared_facts(question, policy.catalog, session.belief, display.language)
    return QuestionResult(
        number=question.number,
        kind=question.kind,
        text=display.text(question.text),
        options=[
            OptionResult(
                choice=index,
                label=display.text(option.label),
                item=option.id,
                facts=shown_facts(((fact.name, fact.values[index]) for fact in facts), display),
                link=display.link(option),
            )
            for index, option in enumerate(question.options)
        ],
        answers=[*range(len(question)), *(extra.value for extra in (*policy.response.extras, SKIP))],
    )


def state_result(
    id: str,
    session: Session,
    must_haves: list[str],
    question: QuestionResult | None,
    stop: Stop | None,
    language: str,
) -> StateResult:
    """Where a conversation stands."""
    return StateResult(
        conversation=id,
        answers=len(session.turns),
        wishes=len(session.hints),
        must_haves=must_haves,
        items=session.policy.available,
        uncertainty=_uncertainty(session),
        question=question,
        stop=None if stop is None else StopResult(code=stop.code, text=stop.said(language)),
        next_step=ASK if stop is None else STOP,
    )


def _uncertainty(session: Session) -> float:
    start = session.policy.start_regret
    return session.expected_regret / start if start > 0 else 0.0


def recommendations_result(
    id: str,
    session: Session,
    items: Sequence[Recommendation],
    *,
    adjusted: Recommendation | None,
    offset: int,
    display: DisplayText,
    next_step: str,
) -> RecommendationsResult:
    """Recommended items, and what the person made of one, called so that no two are called the same."""
    first = [] if adjusted is None else [adjusted]
    shown = _named([*first, *items], session.policy.catalog, display.language)
    return RecommendationsResult(
        conversation=id,
        adjusted=None if adjusted is None else matched_item(shown[0], display),
        recommendations=_recommendations(session, shown[len(first) :], offset, display),
        items=session.policy.available,
        probability_best=session.probability_best(items) if items else 0.0,
        next_step=next_step,
    )


def _named(items: Sequence[Recommendation], catalog: Catalog, language: str) -> list[Recommendation]:
    """Items as a language writes them, called what tells them apart beside each other."""
    names = item_names(catalog, [item.row for item in items], language)
    return [
        replace(item, facts=catalog.facts_of(item.row, language), **name._asdict())
        for item, name in zip(items, names, strict=True)
    ]


def _recommendations(
    session: Session, items: Sequence[Recommendation], offset: int, display: DisplayText
) -> list[RecommendationResult]:
    """Recommended items with their reasons."""
    if not items:
        return []
    policy, language = session.policy, display.language
    found = zip(items, session.reasons(items, "you", language), session.stands_for(items, "you", language), strict=True)
    return [
        RecommendationResult(
            **matched_item(item, display).model_dump(),
            rank=rank,
            reasons=[display.text(reason.text) for reason in reasons],
            stands_for=display.text(stands_for),
            wishes=[
                WishResult(column=each.column, toward=each.toward, text=display.text(each.said(language)))
                for each in wishes(item.row, policy, session.belief)
            ],
        )
        for rank, (item, reasons, stands_for) in enumerate(found, start=offset + 1)
    ]


def matched_item(item: Recommendation, display: DisplayText) -> MatchedItem:
    """An item, and how well it matches."""
    return MatchedItem(
        id=item.id,
        label=display.text(item.label),
        facts=shown_facts(((name, str(value)) for name, value in item.facts.items()), display),
        link=display.link(item),
        match=item.match,
        match_text=match_text(item, display.language),
        probability_best=item.probability_best,
    )


def known_result(id: str, session: Session, must_haves: list[str], display: DisplayText) -> KnownResult:
    """What is known about the person, and from what."""
    return KnownResult(
        conversation=id,
        told=[_told(step, session, display) for step in session.steps],
        must_haves=must_haves,
        items=session.policy.available,
        tastes=[_taste(each, display) for each in tastes(session, display.language)[:MOST_TASTES]],
        uncertainty=_uncertainty(session),
        probability_best=session.probability_best(),
    )


def _told(step: Turn | HintTurn, session: Session, display: DisplayText) -> ToldResult:
    catalog, language = session.policy.catalog, display.language
    if isinstance(step, HintTurn):
        return ToldResult(
            kind="wish", question=None, said=display.text(hint_text(step.hint.statement, catalog, language))
        )
    question = question_in(step.question, catalog, language)
    said = step.answer.value if isinstance(step.answer, Answer) else question.options[step.answer].label
    return ToldResult(kind="answer", question=display.text(question.text), said=display.text(said))


def _taste(taste: TasteNumbers, display: DisplayText) -> TasteResult:
    sure = abs(taste.mean) > taste.spread
    return TasteResult(
        attribute=display.text(taste.feature),
        column=display.text(taste.column),
        leaning="unclear" if not sure else "likes" if taste.mean > 0 else "dislikes",
        worth=taste.mean,
        spread=taste.spread,
        worth_before=taste.prior_mean,
    )
