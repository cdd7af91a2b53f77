"""A conversation with a program: one JSON object per line, out and in."""

import dataclasses
import json
import sys
from collections.abc import Callable
from typing import Any

from rather.cli.json_output import print_json
from rather.cli.terminal_contradictions import Contradictions
from rather.conversation.session import Session
from rather.errors import InvalidInputError, RatherError
from rather.model.questions import Option, Question
from rather.model.responses import SKIP
from rather.model.statements import statement_of


def converse(session: Session, on_change: Callable[[], None]) -> None:
    """Ask until more questions would hardly help, the input ends or the program quits."""
    contradictions = Contradictions(session)
    reason, code = _stop(session)
    while reason is None:
        question = session.ask()
        _say(question_object(question, session))
        line = sys.stdin.readline()
        if not line:
            reason, code = "the input ended", "input"
            break
        try:
            if _obey(line, question, session):
                reason, code = "asked to quit", "quit"
                break
        except RatherError as error:
            _say({"type": "error", "message": str(error)})
            continue
        on_change()
        _say({"type": "recommendations", **state_object(session)})
        if found := contradictions.new():
            _say({"type": "contradictions", "contradictions": [dataclasses.asdict(each) for each in found]})
        reason, code = _stop(session)
    _say({"type": "end", "code": code, "reason": reason, "answers": len(session.turns), **state_object(session)})


def _stop(session: Session) -> tuple[str | None, str | None]:
    stop = session.stop
    return (None, None) if stop is None else (stop.text, stop.code)


def _obey(line: str, question: Question, session: Session) -> bool:
    """Carry out one line; True when it says to quit."""
    command = _parse(line)
    if command.get("quit"):
        return True
    if command.get("undo"):
        session.undo()
        return False
    if "hint" in command:
        session.hint(statement_of(command["hint"]))
        return False
    if "choice" not in command:
        raise InvalidInputError('Expected {"choice": …}, {"hint": …}, {"undo": true} or {"quit": true}.')
    if "revise" in command:
        session.revise(command["revise"], command["choice"])
        return False
    session.tell(command.get("number", question.number), command["choice"])
    return False


def _parse(line: str) -> dict[str, Any]:
    try:
        command = json.loads(line)
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits
        raise InvalidInputError(f"Not JSON: {error}.") from None
    return command if isinstance(command, dict) else {"choice": command}


def question_object(question: Question, session: Session) -> dict[str, Any]:
    """A question as JSON."""
    answers = [*range(len(question)), *(str(extra) for extra in session.policy.response.extras), str(SKIP)]
    return {
        "type": "question",
        "number": question.number,
        "kind": question.kind,
        "text": question.text,
        "options": [_option_object(option) for option in question.options],
        "answers": answers,
        "evoi": question.evoi,
    }


def _option_object(option: Option) -> dict[str, Any]:
    if option.attributes:
        return {"label": option.label, "attributes": list(option.attributes)}
    return {"id": option.id, "label": option.label, "facts": dict(option.facts)}


def state_object(session: Session) -> dict[str, Any]:
    """Recommendations and how sure we are, as JSON."""
    top = session.recommend(5)
    return {
        "recommendations": [
            {
                "id": item.id,
                "label": item.label,
                "expected_utility": item.expected_utility,
                "spread": item.spread,
                "probability_best": item.probability_best,
                "match": item.match,
                "probability_good": item.probability_good,
                "reasons": [reason.text for reason in reasons],
                "stands_for": stands_for,
            }
            for item, reasons, stands_for in zip(top, session.reasons(top), session.stands_for(top), strict=True)
        ],
        "probability_best": session.probability_best(top),
        "expected_regret": session.expected_regret,
    }


def _say(message: dict[str, Any]) -> None:
    print_json(message, indent=None)
