"""Questions and recommended items as the API shows them."""

from collections.abc import Mapping, Sequence

from rather.conversation.compared_facts import ComparedFact, compared_facts
from rather.conversation.display_text import IMAGE_FACTS, DisplayText
from rather.conversation.policy import Policy
from rather.conversation.recommendations import match_text
from rather.languages import message
from rather.model.belief import Belief
from rather.model.comparatives import Comparative
from rather.model.questions import Question, Recommendation
from rather.model.responses import SKIP, ResponseModel
from rather.server.http import schema
from rather.server.requests import JsonChoice

# What a catalogue calls its items unless it says what they are.
UNNAMED = "item"


def question_view(
    question: Question, id: str, policy: Policy, belief: Belief, display: DisplayText
) -> schema.QuestionView:
    """A question with its possible answers, and the facts that matter most to this belief first."""
    facts = compared_facts(question, policy.catalog, belief, display.language)
    return schema.QuestionView(
        id=id,
        number=question.number,
        kind=question.kind,
        prompt=prompt(question, policy.catalog.name, display),
        options=option_views(question, facts, display),
        answers=possible_answers(question, policy.response),
        evoi=question.evoi,
    )


def option_views(question: Question, facts: Sequence[ComparedFact], display: DisplayText) -> list[schema.OptionView]:
    """The options of a question, with these facts."""
    views = []
    for index, option in enumerate(question.options):
        images = display.images(option)
        views.append(
            schema.OptionView(
                id=option.id,
                label=display.text(option.label),
                facts=[
                    schema.OptionFact(
                        name=display.text(fact.name), value=display.text(fact.values[index]), differs=fact.differs
                    )
                    for fact in facts
                    if fact.name not in IMAGE_FACTS and fact.values[index]
                ],
                link=display.link(option),
                image=images[0] if images else None,
                images=images,
                attributes=[display.text(attribute) for attribute in option.attributes],
                phrase=display.text(option.named),
            )
        )
    return views


def possible_answers(question: Question, response: ResponseModel) -> list[JsonChoice]:
    """What may be answered to a question."""
    return [*range(len(question)), *(extra.value for extra in (*response.extras, SKIP))]


def prompt(question: Question, name: str, display: DisplayText) -> str:
    """The question as a sentence. Items, which are called `name`, are shown beside it; attributes are part of it."""
    if question.kind == "attributes":
        return display.text(question.text)
    key = "question.prompt_unnamed" if name == UNNAMED else "question.prompt"
    if question.names_noun:
        return display.text(f"{question.start}?")
    said = {"noun": display.text(name), "lead": question.lead, "start": question.start}
    return message(display.language, key, **said)


def recommendation_view(
    item: Recommendation,
    rank: int,
    reasons: list[schema.ReasonView],
    wished: Sequence[Comparative],
    display: DisplayText,
) -> schema.RecommendationView:
    """A recommended item."""
    images = display.images(item)
    return schema.RecommendationView(
        rank=rank,
        id=item.id,
        label=display.text(item.label),
        facts=_fact_views(item.facts, display),
        link=display.link(item),
        image=images[0] if images else None,
        images=images,
        expected_utility=item.expected_utility,
        spread=item.spread,
        probability_best=item.probability_best,
        match=item.match,
        probability_good=item.probability_good,
        match_text=match_text(item, display.language),
        reasons=reasons,
        wishes=[
            schema.Wish(column=each.column, toward=each.toward, text=display.text(each.said(display.language)))
            for each in wished
        ],
    )


def _fact_views(facts: Mapping[str, str], display: DisplayText) -> list[schema.Fact]:
    return [
        schema.Fact(name=display.text(name), value=display.text(str(value)))
        for name, value in facts.items()
        if name not in IMAGE_FACTS
    ]
