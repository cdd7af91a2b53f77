"""What was asked, answered and said in a logged conversation, without its catalogue."""

from dataclasses import dataclass

from rather.conversation.held_events import held_events
from rather.conversation.hint_records import logged_hint
from rather.conversation.log import number_of, parse
from rather.conversation.records import logged_question
from rather.model.hints import Hint
from rather.model.questions import Question
from rather.model.responses import Choice, as_choice


@dataclass(frozen=True)
class LoggedTurn:
    """A question of a log as it was asked, and its answer.

    Attributes:
        question: With the texts, rows and vectors of its time.
        answer: What was answered.
        undone: Whether the answer was taken back later.
    """

    question: Question
    answer: Choice
    undone: bool


@dataclass(frozen=True)
class LoggedHint:
    """A hint of a log as it was given.

    Attributes:
        hint: With the text and vectors of its time.
        before: The number of the question that was answered next, or would have been.
        undone: Whether it was taken back later.
    """

    hint: Hint
    before: int
    undone: bool


def hint_history(text: str | bytes) -> tuple[LoggedHint, ...]:
    """All hints of a log, oldest first, as they were given. Needs no catalogue.

    Args:
        text: What `Session.to_json` returned.
    """
    events, answered, said = parse(text)["events"], 0, []
    held = {id(event) for event in held_events(events)}
    for event in events:
        if "hint" in event:
            said.append(LoggedHint(logged_hint(event), answered + 1, id(event) not in held))
        elif "undo" not in event:
            answered += 1
        elif event.get("of") != "hint":
            answered -= 1
    return tuple(said)


def history(text: str | bytes) -> tuple[LoggedTurn, ...]:
    """All answers of a log, oldest first, as they were given. Needs no catalogue.

    A log of version 1 holds no texts: its options are called by their rows.

    Args:
        text: What `Session.to_json` returned.
    """
    events = parse(text)["events"]
    held = {id(event) for event in held_events(events)}
    return tuple(
        LoggedTurn(logged_question(event, number_of(event)), as_choice(event.get("answer")), id(event) not in held)
        for event in events
        if "undo" not in event and "hint" not in event
    )
