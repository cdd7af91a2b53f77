"""The decisions about a configuration, as assistants read and name them."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from rather.assistants.arguments import NewValue, Value
from rather.assistants.problems import ProblemError
from rather.assistants.results import DecisionResult
from rather.conversation.adjusting import configurator_of, offered_positions
from rather.conversation.display_text import DisplayText
from rather.errors import InvalidInputError
from rather.languages import ENGLISH, name_in
from rather.model.catalog import Catalog
from rather.model.configurators import Choosable, Configurator

# Decisions that an error lists.
MOST_NAMED = 20

CORRECT_CHANGES = "Nothing has changed. describe_catalog lists the decisions with their values; correct the call."


def decision_results(catalog: Catalog, display: DisplayText) -> list[DecisionResult]:
    """What can be chosen about the items of a catalogue; nothing where they are picked as they are."""
    if catalog.configurator is None:
        return []
    return [_decision_result(each, catalog.configurator, display) for each in catalog.configurator.decisions]


def _decision_result(decision: Choosable, configurator: Configurator, display: DisplayText) -> DecisionResult:
    texts = (
        configurator.text(decision, position, display.language) for position in offered_positions(len(decision.values))
    )
    return DecisionResult(
        column=decision.column,
        name=display.text(name_in(display.language, decision.name)),
        values=[text for text in texts if display.text(text) == text],
        count=len(decision.values),
    )


def wanted_values(changes: Sequence[NewValue], catalog: Catalog, language: str) -> Mapping[str, Value]:
    """The values wanted, by column, for `Session.adjust`.

    Args:
        changes: What the assistant passed, with names and values as ids say them or as they are shown.
        catalog: Of configurations.
        language: In which names and values may be written besides English.
    """
    configurator = configurator_of(catalog)
    found: dict[str, Value] = {}
    for change in changes:
        decision = _decision(change.column, catalog, language)
        if decision.column in found:
            raise ProblemError(f"`changes` has two values for {decision.column!r}.", "Call the tool again with one.")
        found[decision.column] = _value(change.value, decision, configurator, language)
    return found


def _decision(name: str, catalog: Catalog, language: str) -> Choosable:
    """The decision that is called this: its column, or what people read, in any capitals."""
    configurator = configurator_of(catalog)
    for decision in configurator.decisions:
        if decision.column == name:
            return decision
    by_name = {each.name: each for each in configurator.decisions}
    if name in by_name:
        return by_name[name]
    alike = [each for each in configurator.decisions if _key(name) in map(_key, _names(each, language))]
    if len(alike) == 1:
        return alike[0]
    columns = [each.column for each in configurator.decisions]
    totals = [_key(text) for each in configurator.amounts(0, language) for text in (each.column, each.name)]
    if _key(name) in totals:
        raise ProblemError(
            f"{name!r} of a {catalog.name} cannot be chosen: it follows from the choices.",
            f"Nothing has changed. To limit it, call set_must_haves; otherwise change one of: {_listed(columns)}.",
        )
    likely = [each.column for each in alike] or get_close_matches(name, columns)
    known = f"Perhaps one of these was meant: {_listed(likely)}" if likely else f"There are: {_listed(columns)}"
    raise ProblemError(f"Nothing called {name!r} is chosen about a {catalog.name}. {known}.", CORRECT_CHANGES)


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(columns[:MOST_NAMED]) + ", …" * (len(columns) > MOST_NAMED)


def _names(decision: Choosable, language: str) -> tuple[str, ...]:
    return decision.column, decision.name, name_in(language, decision.name)


def _value(value: Value, decision: Choosable, configurator: Configurator, language: str) -> Value:
    """A value as ids say it, from that or from how it is shown: "28 mm"."""
    try:
        configurator.position(decision, value)
    except InvalidInputError as error:
        shown = [
            position
            for position in range(len(decision.values))
            if isinstance(value, str)
            and _key(value) in {_key(configurator.text(decision, position, each)) for each in (language, ENGLISH)}
        ]
        if len(shown) != 1:
            raise ProblemError(str(error), CORRECT_CHANGES) from None
        return decision.values[shown[0]]
    return value


def _key(text: str) -> str:
    return text.strip().casefold()
