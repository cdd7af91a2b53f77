"""From the library's values to what goes over the wire."""

from collections.abc import Sequence
from datetime import UTC, datetime

from rather.conversation.session import Session
from rather.formats.opening import Source
from rather.model.catalog import Catalog
from rather.model.questions import Option, Question, Recommendation
from rather.model.responses import SKIP
from rather.numerics.threads import one_thread
from rather.server.http import schema
from rather.server.http.display_text import IMAGE_FACTS, Showing

# What a catalogue calls its items when nobody has said what they are.
NAMELESS = "item"


def option_view(option: Option, order: Sequence[str], show: Showing) -> schema.Option:
    """An option with its facts in the given order."""
    facts = {name: option.facts[name] for name in order if name in option.facts}
    return schema.Option(
        id=option.id,
        label=show.text(option.label),
        facts=_facts(facts, show),
        image=show.image(facts),
        statements=[show.text(statement) for statement in option.attributes],
    )


def question_view(question: Question, id: str, session: Session, show: Showing) -> schema.Question:
    """A question as it is shown."""
    order = fact_order(question.options)
    return schema.Question(
        id=id,
        number=question.number,
        kind=question.kind,
        prompt=prompt(question, session.policy.catalog, show),
        options=[option_view(option, order, show) for option in question.options],
        answers=answers_view(question, session),
        evoi=question.evoi,
    )


def answers_view(question: Question, session: Session) -> list[schema.Choice]:
    """What may be answered."""
    extras = [*session.policy.response.extras, SKIP]
    return [*range(len(question)), *(extra.value for extra in extras)]


def prompt(question: Question, catalog: Catalog, show: Showing) -> str:
    """The question in words. Items are shown beside it, attributes are all there is to say."""
    if question.kind == "attributes":
        return show.text(question.text)
    if catalog.name == NAMELESS:
        return "Which would you rather have?"
    return f"Which {catalog.name} would you rather choose?"


def fact_order(options: Sequence[Option]) -> list[str]:
    """Names of facts, those in which the options differ first."""
    names = list(dict.fromkeys(name for option in options for name in option.facts))
    return sorted(names, key=lambda name: len({option.facts.get(name) for option in options}) == 1)


def recommendation_view(
    item: Recommendation, rank: int, why: schema.Why | None, show: Showing
) -> schema.Recommendation:
    """A recommended item as it is shown."""
    return schema.Recommendation(
        rank=rank,
        id=item.id,
        label=show.text(item.label),
        facts=_facts(dict(item.facts), show),
        image=show.image(item.facts),
        expected_utility=item.expected_utility,
        spread=item.spread,
        probability_best=item.probability_best,
        why=why,
    )


def catalog_view(source: Source, strategies: Sequence[str], largest_slate: int) -> schema.Catalog:
    """A catalogue in short."""
    catalog = source.catalog
    return schema.Catalog(
        name=source.name,
        item=catalog.name,
        items=len(catalog),
        dimensions=catalog.dimensions,
        hash=catalog.content_hash,
        kinds=["items", "attributes"] if catalog.attributes else ["items"],
        strategies=list(strategies),
        largest_slate=min(largest_slate, len(catalog)),
        takes_where=catalog.filters is not None,
    )


def attributes_view(catalog: Catalog) -> list[schema.Attribute]:
    """The named dimensions of a catalogue."""
    if not catalog.features:
        return []
    low, high, spread = catalog.feature_ranges
    return [
        schema.Attribute(name=name, low=float(low[column]), high=float(high[column]), spread=float(spread[column]))
        for column, name in enumerate(catalog.features)
    ]


def profile_view(session: Session) -> schema.Profile:
    """The belief about each named quality, the one that moves the ranking most first."""
    catalog, belief = session.policy.catalog, session.belief
    with one_thread():
        mean, prior = belief.mean, session.policy.prior.mean
        spread = ((belief.particles - mean).square().T @ belief.weights).sqrt()
        differ = catalog.sample(4096).std(dim=0, correction=0)
    tastes = [
        schema.Taste(
            feature=name,
            mean=float(mean[column]),
            spread=float(spread[column]),
            prior_mean=float(prior[column]),
            weight=float(mean[column] * differ[column]),
        )
        for column, name in enumerate(catalog.features)
    ]
    return schema.Profile(tastes=sorted(tastes, key=lambda taste: -abs(taste.weight)))


def aware(time: datetime) -> datetime:
    """A stored time with its zone."""
    return time.replace(tzinfo=UTC)


def _facts(facts: dict[str, str], show: Showing) -> list[schema.Fact]:
    return [
        schema.Fact(name=show.text(name), value=show.text(str(value)))
        for name, value in facts.items()
        if name not in IMAGE_FACTS
    ]
