"""Numbers of a conversation that are stored with it, to be shown should its catalogue be gone one day."""

from typing import Any

from rather.conversation.session import Session
from rather.conversation.stopping import Stop, Stopping
from rather.conversation.tasks import predicted_shares
from rather.conversation.tastes import TasteNumbers, tastes


def summary_of(session: Session, regret: float, stop: Stop | None) -> dict[str, Any]:
    """What is stored: answers, the regret before the first and now, why to stop, and the tastes to five digits.

    Of hold-outs that were answered by an option, how many there are and how many the other answers predict by now.

    Args:
        session: The conversation in its state.
        regret: The expected regret now.
        stop: Why to stop asking, if there is a reason.
    """
    holdouts = _holdouts(session)
    return {
        "answers": len(session.turns),
        "start_regret": session.policy.start_regret,
        "regret": regret,
        "stop": None if stop is None else stop.code,
        "tastes": [
            [taste.feature, *(float(f"{number:.5g}") for number in taste[1:5]), taste.column]
            for taste in tastes(session)
        ],
        **({"holdouts": holdouts} if holdouts["answered"] else {}),
    }


def _holdouts(session: Session) -> dict[str, int]:
    """How many hold-outs were answered by an option, and in how many of them it is the one that is most likely now."""
    belief, response = session.belief, session.policy.response
    answered = [turn for turn in session.turns if turn.question.task == "holdout" and isinstance(turn.answer, int)]
    shares = [predicted_shares(turn.question.vectors, belief, response) for turn in answered]
    hits = [share.index(max(share)) == turn.answer for share, turn in zip(shares, answered, strict=True)]
    return {"answered": len(hits), "hits": sum(hits)}


def stored_tastes(summary: dict[str, Any] | None) -> list[TasteNumbers]:
    """The taste profile of a summary."""
    return [] if summary is None else [TasteNumbers(*taste) for taste in summary["tastes"]]


def stored_regrets(summary: dict[str, Any] | None, stopping: Stopping) -> tuple[float, float]:
    """The regret before the first answer and now; for sessions of older versions what the stopping rule tells."""
    if summary is not None:
        return summary["start_regret"], summary["regret"]
    start = (stopping.regret or 0.0) / (Stopping.usual(1.0).regret or 1.0)
    return start, start
