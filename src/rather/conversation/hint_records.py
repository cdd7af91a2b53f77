"""Hints as plain records: what a log holds, and how a hint comes back from it.

A record holds the imagined slate, the answer and the response model, so that it says the same whatever becomes of the
catalogue.
"""

from typing import Any

from rather.conversation.records import damaged, item_record, option_of, packed, text_of, unpacked
from rather.conversation.translations import Translations
from rather.errors import InvalidInputError
from rather.model.catalog import Catalog
from rather.model.hints import Hint
from rather.model.personal_noise import PersonalNoise
from rather.model.questions import GONE
from rather.model.responses import Logistic, answer_row, as_choice
from rather.model.statements import statement_of, statement_record


def hint_record(hint: Hint, catalog: Catalog) -> dict[str, Any]:
    """A hint: enough to replay it without the catalogue."""
    shown = {
        "text": hint.text,
        "options": [item_record(option) for option in hint.options],
        "k": len(hint.vectors),
        "vectors": packed(hint.vectors),
        "space": catalog.space_hash,
    }
    response = _response_record(hint.response)
    said = statement_record(hint.statement)
    return {"hint": hint.number, **said, "answer": hint.answer, "response": response, "shown": shown}


def hint_of_record(record: Any, number: int, catalog: Catalog, translations: Translations) -> Hint:
    """The hint of a record, as number `number` of a session about the catalogue as it is now."""
    logged = logged_hint(record)
    if logged.number != number:
        raise damaged(record)
    found = [catalog.find(option.id) if option.id is not None else None for option in logged.options]
    rows = tuple(GONE if row is None else row for row in found)
    vectors = translations(text_of(record["shown"].get("space"), record), logged.vectors)
    return Hint(number, logged.statement, logged.text, vectors, logged.answer, logged.response, rows, logged.options)


def logged_hint(record: Any) -> Hint:
    """The hint of a record as it was given, without a catalogue."""
    shown = record.get("shown") if isinstance(record, dict) else None
    if not isinstance(shown, dict) or not isinstance(shown.get("options"), list) or type(record["hint"]) is not int:
        raise damaged(record)
    said = {name: value for name, value in record.items() if name not in ("hint", "answer", "response", "shown")}
    try:
        response = _response_of(record["response"])
        statement, answer = statement_of(said), as_choice(record["answer"])
        answer_row(answer, shown["k"], response)
        vectors = unpacked(shown.get("vectors"), shown["k"], record)
    except (InvalidInputError, TypeError, KeyError):
        raise damaged(record) from None
    options = tuple(option_of(option, record) for option in shown["options"])
    if len(options) > len(vectors):
        raise damaged(record)
    return Hint(record["hint"], statement, text_of(shown.get("text"), record), vectors, answer, response, (), options)


def _response_record(response: Logistic | PersonalNoise) -> dict[str, Any]:
    if isinstance(response, PersonalNoise):
        levels = {"temperatures": list(response.temperatures), "weights": list(response.weights)}
        return {**levels, "tie": response.tie}
    return {"temperature": response.temperature, "tie": response.tie}


def _response_of(record: dict[str, Any]) -> Logistic | PersonalNoise:
    return PersonalNoise(**record) if "temperatures" in record else Logistic(**record)
