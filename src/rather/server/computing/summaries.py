"""Numbers of a conversation that are stored with it, to be shown should its catalogue be gone one day."""

from typing import Any

from rather.conversation.session import Session
from rather.conversation.stopping import Stop, Stopping
from rather.conversation.tastes import TasteNumbers, tastes


def summary_of(session: Session, regret: float, stop: Stop | None) -> dict[str, Any]:
    """What is stored: answers, the regret before the first and now, why to stop, and the tastes to five digits.

    Args:
        session: The conversation in its state.
        regret: The expected regret now.
        stop: Why to stop asking, if there is a reason.
    """
    return {
        "answers": len(session.turns),
        "start_regret": session.policy.start_regret,
        "regret": regret,
        "stop": None if stop is None else stop.code,
        "tastes": [
            [taste.feature, *(float(f"{number:.5g}") for number in taste[1:5]), taste.column]
            for taste in tastes(session)
        ],
    }


def stored_tastes(summary: dict[str, Any] | None) -> list[TasteNumbers]:
    """The taste profile of a summary."""
    return [] if summary is None else [TasteNumbers(*taste) for taste in summary["tastes"]]


def stored_regrets(summary: dict[str, Any] | None, stopping: Stopping) -> tuple[float, float]:
    """The regret before the first answer and now; for sessions of older versions what the stopping rule tells."""
    if summary is not None:
        return summary["start_regret"], summary["regret"]
    start = (stopping.regret or 0.0) / (Stopping.usual(1.0).regret or 1.0)
    return start, start
