"""What a conversation has taught about a person's taste, attribute by attribute."""

from typing import NamedTuple

import torch

from rather.conversation.session import Session
from rather.languages import ENGLISH, name_in
from rather.model.attributes import Attribute
from rather.model.belief import Belief
from rather.model.catalog import Catalog
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
    return attribute_tastes(session.policy.catalog, session.belief, session.policy.prior, language)


def attribute_tastes(catalog: Catalog, belief: Belief, before: Belief, language: str = ENGLISH) -> list[TasteNumbers]:
    """The same for a belief about a person, beside another one that it is compared with."""
    if not catalog.attributes:
        return []
    with one_thread():
        vectors = catalog.attribute_vectors
        worth = vectors @ belief.particles.T
        expected, earlier = vectors @ belief.mean, vectors @ before.mean
        deviation = ((worth - expected[:, None]).square() @ belief.weights).sqrt()
        # How much of the attribute an item has, if only this direction counts.
        amounts = (
            catalog.sample(SAMPLED_ITEMS) @ (vectors / vectors.square().sum(dim=1, keepdim=True).clamp_min(1e-12)).T
        )
        columns = [expected, deviation, earlier, expected * amounts.std(dim=0, correction=0)]
    numbers = torch.stack(columns, dim=1).tolist()
    found = [
        TasteNumbers(named_taste(attribute, language), mean, spread, prior, weight, attribute.column)
        for attribute, (mean, spread, prior, weight) in zip(catalog.attributes, numbers, strict=True)
    ]
    return sorted(found, key=lambda taste: -abs(taste.weight))


def named_taste(attribute: Attribute, language: str) -> str:
    """An attribute as a line of its own, with what it is about where its text does not say that."""
    text = attribute.said(language).text
    topic = name_in(language, attribute.topic)
    said = topic and topic.lower() not in text.lower() and attribute.topic != attribute.text
    return f"{topic}: {text}" if said else text
