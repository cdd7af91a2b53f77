"""What people answered in stored conversations, as evidence about a catalogue as it is now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rather.conversation.carrying import validate_same_vectors
from rather.conversation.held_events import held_events
from rather.conversation.hint_records import logged_hint
from rather.conversation.log import load_response, number_of, parse
from rather.conversation.records import damaged, logged_question
from rather.conversation.translations import Translations
from rather.errors import CatalogChangedError, InvalidInputError
from rather.model.belief import Evidence
from rather.model.personal_noise import PersonalNoise
from rather.model.questions import GONE
from rather.model.responses import SKIP, Logistic, answer_row, as_choice

if TYPE_CHECKING:
    from rather.model.catalog import Catalog
    from rather.model.hints import Hint
    from rather.model.questions import Question


@dataclass(frozen=True, eq=False)
class Conversation:
    """What one person said.

    Attributes:
        evidence: Their answers and hints, oldest first; every response model is `Logistic`.
        name: What the conversation is called where it came from: a file, or a session.
    """

    evidence: tuple[Evidence, ...]
    name: str = ""

    def __len__(self) -> int:
        """How many answers and hints."""
        return len(self.evidence)


@dataclass(frozen=True)
class LeftOut:
    """A conversation that cannot be learnt from, and why."""

    name: str
    reason: str


@dataclass(frozen=True, eq=False)
class Conversations:
    """Conversations about one catalogue, and those that were left out.

    Attributes:
        used: Those with at least one answer that still means something.
        left_out: All others.
    """

    used: tuple[Conversation, ...]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def answers(self) -> int:
        """How many answers and hints there are."""
        return sum(len(each) for each in self.used)

    @property
    def reasons(self) -> dict[str, int]:
        """Why conversations were left out, and how many for each reason, the most frequent first."""
        return dict(Counter(each.reason for each in self.left_out).most_common())


def conversations_of(logs: Iterable[tuple[str, Any]], catalog: Catalog) -> Conversations:
    """What people answered, in the dimensions of the catalogue.

    ```python
    found = conversations_of([("monday.json", Path("monday.json").read_text())], catalog)
    ```

    Args:
        logs: For each conversation its name and its log, as `Session.to_json` wrote it, or the same as plain data.
        catalog: What the conversations were about; its items and prices may have changed since.
    """
    used: list[Conversation] = []
    left_out: list[LeftOut] = []
    for name, log in logs:
        found = read_conversation(name, log, catalog)
        used.append(found) if isinstance(found, Conversation) else left_out.append(found)
    return Conversations(tuple(used), tuple(left_out))


def read_conversation(name: str, log: Any, catalog: Catalog) -> Conversation | LeftOut:
    """What a log says about a person, or why it says nothing.

    Args:
        name: Of the conversation.
        log: As text or as plain data.
        catalog: What it was about.
    """
    try:
        data = dict(log) if isinstance(log, Mapping) else parse(log)
        if data.get("rather") == 1:
            return LeftOut(name, "its log is of version 1, which does not hold what was shown")
        evidence = _evidence(data, catalog)
    except CatalogChangedError as error:
        return LeftOut(name, f"it is about another catalogue. {error}")
    except InvalidInputError as error:
        return LeftOut(name, str(error))
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError):
        return LeftOut(name, "its log is damaged")
    if not evidence:
        return LeftOut(name, "nothing was answered")
    return Conversation(evidence, name)


def _evidence(log: dict[str, Any], catalog: Catalog) -> tuple[Evidence, ...]:
    translations = Translations(log["spaces"], catalog)
    events = held_events(log["events"])
    _validate_dimensions(events, log, catalog)
    found = []
    for event in events:
        if "hint" in event:
            hint = logged_hint(event)
            vectors, answer, response = hint.vectors, hint.answer, hint.response
        else:
            question, answer = logged_question(event, number_of(event)), as_choice(event.get("answer"))
            if answer is SKIP or question.task == "holdout":
                continue
            vectors, response = question.vectors, _logistic(log)
        vectors = translations(event["shown"]["space"], vectors)
        found.append(Evidence(vectors, answer_row(answer, len(vectors), response), response))
    return tuple(found)


def _logistic(log: Mapping[str, Any]) -> Logistic:
    """How the person was taken to answer: where that was learnt from the answers, as people usually do."""
    response = load_response(log["response"])
    if isinstance(response, PersonalNoise):
        return Logistic(response.typical, response.none_utility, response.tie)
    if not isinstance(response, Logistic):
        raise InvalidInputError("it was held without noise in the answers, which allows no mistake")
    return response


def _validate_dimensions(events: list[dict[str, Any]], log: Mapping[str, Any], catalog: Catalog) -> None:
    """Where dimensions have no names, only what was shown tells that they still mean the same."""
    if catalog.space.is_named or log["catalog"] == catalog.content_hash or not events:
        return
    seen: list[Question | Hint] = []
    for event in events:
        if "shown" not in event:
            raise damaged(event)
        shown = logged_hint(event) if "hint" in event else logged_question(event, number_of(event))
        rows = [catalog.find(option.id) if option.id is not None else None for option in shown.options]
        seen.append(replace(shown, slate=tuple(GONE if row is None else row for row in rows)))
    validate_same_vectors(seen, catalog)
