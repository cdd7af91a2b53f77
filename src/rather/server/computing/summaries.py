"""Numbers of a conversation that are stored with it, to be shown should its catalogue be gone one day."""

from typing import Any, NamedTuple

from rather.conversation.session import Session
from rather.conversation.stopping import Stopping
from rather.numerics.threads import one_thread


class TasteNumbers(NamedTuple):
    """How much a feature matters to a person.

    Attributes:
        feature: Its name.
        mean: What one unit of it adds to an item's utility.
        spread: Standard deviation of that under the belief.
        prior_mean: The mean before the first answer.
        weight: The mean times how much items differ in it.
    """

    feature: str
    mean: float
    spread: float
    prior_mean: float
    weight: float


def tastes(session: Session) -> list[TasteNumbers]:
    """The belief about each feature, the one that moves the ranking most first; none without names."""
    catalog, belief = session.policy.catalog, session.belief
    if not catalog.features:
        return []
    with one_thread():
        mean, prior = belief.mean, session.policy.prior.mean
        spread = ((belief.particles - mean).square().T @ belief.weights).sqrt()
        columns = [mean, spread, prior, mean * catalog.feature_ranges.spread]
    numbers = zip(catalog.features, *(column.tolist() for column in columns), strict=True)
    return sorted((TasteNumbers(*row) for row in numbers), key=lambda taste: -abs(taste.weight))


def summary_of(session: Session, regret: float) -> dict[str, Any]:
    """What is stored: the expected regret before the first answer and now, and the taste profile to five digits."""
    return {
        "start_regret": session.policy.start_regret,
        "regret": regret,
        "tastes": [[taste.feature, *(float(f"{number:.5g}") for number in taste[1:])] for taste in tastes(session)],
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
