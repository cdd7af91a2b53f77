"""Questions and recommended items as the API shows them."""

from collections.abc import Mapping, Sequence

from rather.model.questions import Option, Question, Recommendation
from rather.model.responses import SKIP, ResponseModel
from rather.server.http import schema
from rather.server.http.display_text import IMAGE_FACTS, DisplayText
from rather.server.requests import JsonChoice

# What a catalogue calls its items unless it says what they are.
UNNAMED = "item"


def question_view(
    question: Question, id: str, name: str, response: ResponseModel, display: DisplayText
) -> schema.QuestionView:
    """A question with its possible answers."""
    return schema.QuestionView(
        id=id,
        number=question.number,
        kind=question.kind,
        prompt=prompt(question, name, display),
        options=option_views(question, display),
        answers=possible_answers(question, response),
        evoi=question.evoi,
    )


def option_views(question: Question, display: DisplayText) -> list[schema.OptionView]:
    """The options of a question, with the facts in which they differ first."""
    order = fact_order(question.options)
    views = []
    for option in question.options:
        facts = {name: option.facts[name] for name in order if name in option.facts}
        views.append(
            schema.OptionView(
                id=option.id,
                label=display.text(option.label),
                facts=_fact_views(facts, display),
                image=display.image(facts),
                attributes=[display.text(attribute) for attribute in option.attributes],
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
    noun = "" if name == UNNAMED else f" {display.text(name)}"
    return f"Which{noun} {question.lead}?"


def fact_order(options: Sequence[Option]) -> list[str]:
    """The names of facts, those in which the options differ first."""
    names = list(dict.fromkeys(name for option in options for name in option.facts))
    return sorted(names, key=lambda name: len({option.facts.get(name) for option in options}) == 1)


def recommendation_view(
    item: Recommendation, rank: int, why: schema.Why | None, display: DisplayText
) -> schema.RecommendationView:
    """A recommended item."""
    return schema.RecommendationView(
        rank=rank,
        id=item.id,
        label=display.text(item.label),
        facts=_fact_views(item.facts, display),
        image=display.image(item.facts),
        expected_utility=item.expected_utility,
        spread=item.spread,
        probability_best=item.probability_best,
        why=why,
    )


def _fact_views(facts: Mapping[str, str], display: DisplayText) -> list[schema.Fact]:
    return [
        schema.Fact(name=display.text(name), value=display.text(str(value)))
        for name, value in facts.items()
        if name not in IMAGE_FACTS
    ]
