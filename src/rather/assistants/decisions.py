"""The decisions about a configuration, as assistants read them."""

from rather.assistants.results import DecisionResult
from rather.conversation.adjusting import offered_positions
from rather.conversation.display_text import DisplayText
from rather.languages import name_in
from rather.model.catalog import Catalog
from rather.model.configurators import Choosable, Configurator


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
