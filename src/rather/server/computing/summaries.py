"""Numbers of a conversation that are stored with it, to be shown should its catalogue be gone one day."""

from typing import Any, NamedTuple

import torch

from rather.conversation.session import Session
from rather.conversation.stopping import Stop, Stopping
from rather.languages import ENGLISH
from rather.model.attributes import Attribute
from rather.numerics.threads import one_thread

# Items that say how much all differ in an attribute.
SAMPLED_ITEMS = 1_000


class TasteNumbers(NamedTuple):
    """How much an attribute matters to a person.

    Attributes:
        feature: The attribute in words: "funny", "RAM 16 GB", "brand: Lenovo".
        mean: What it adds to an item's utility.
        spread: Standard deviation of that under the belief.
        prior_mean: The mean before the first answer.
        weight: The mean times how much items differ in it.
        column: What the attribute is about.
    """

    feature: str
    mean: float
    spread: float
    prior_mean: float
    weight: float
    column: str = ""


def tastes(session: Session, language: str = ENGLISH) -> list[TasteNumbers]:
    """The belief about each attribute, the one that moves the ranking most first; none without attributes."""
    catalog, belief = session.policy.catalog, session.belief
    if not catalog.attributes:
        return []
    with one_thread():
        vectors = catalog.attribute_vectors
        worth = vectors @ belief.particles.T
        expected, before = vectors @ belief.mean, vectors @ session.policy.prior.mean
        deviation = ((worth - expected[:, None]).square() @ belief.weights).sqrt()
        # How much of the attribute an item has, if only this direction counts.
        amounts = (
            catalog.sample(SAMPLED_ITEMS) @ (vectors / vectors.square().sum(dim=1, keepdim=True).clamp_min(1e-12)).T
        )
        columns = [expected, deviation, before, expected * amounts.std(dim=0, correction=0)]
    numbers = torch.stack(columns, dim=1).tolist()
    found = [
        TasteNumbers(_named(attribute, language), mean, spread, prior, weight, attribute.column)
        for attribute, (mean, spread, prior, weight) in zip(catalog.attributes, numbers, strict=True)
    ]
    return sorted(found, key=lambda taste: -abs(taste.weight))


def _named(attribute: Attribute, language: str) -> str:
    """An attribute as a line of its own, with what it is about where its text does not say that."""
    text = attribute.said(language).text
    said = attribute.topic and attribute.topic.lower() not in text.lower() and attribute.topic != attribute.text
    return f"{attribute.topic}: {text}" if said else text


def summary_of(session: Session, regret: float, stop: Stop | None) -> dict[str, Any]:
    """What is stored: answers and why to stop, the expected regret at the start and now, tastes to five digits."""
    return {
        "answers": len(session.turns),
        "stop": None if stop is None else stop.code,
        "start_regret": session.policy.start_regret,
        "regret": regret,
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
