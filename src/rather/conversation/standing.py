"""What each item of a list stands for: "if you want a film that is funny".

A list has something for everybody whom the belief still holds possible. Those who would take an item differ from the
others in what they like; what they like more, and the item has, is what it stands for.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from rather.conversation.reasons import Speaker
from rather.conversation.wording import described
from rather.languages import ENGLISH, message
from rather.model.attributes import Attribute
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.questions import Recommendation

# Where fewer would take an item, it stands for nothing in particular.
LEAST_SHARE = 0.05

# How much more they must like what is said, in standard deviations over the belief.
LEAST_DIFFERENCE = 0.25


def stands_for(
    items: Sequence[Recommendation],
    catalog: Catalog,
    belief: Belief,
    speaker: Speaker = "you",
    language: str = ENGLISH,
) -> list[str]:
    """For each item of a list what it stands for, in words; "" where that cannot be said. Nothing is said twice.

    Args:
        items: What is recommended together.
        catalog: Where the items come from.
        belief: What we hold about the person.
        speaker: "they" where somebody else reads it.
        language: The language of the words.
    """
    found = _attributes(items, catalog, belief)
    return [
        ""
        if attribute is None
        else message(language, f"standing.{speaker}", thing=described(catalog.name, attribute, language))
        for attribute in found
    ]


def _attributes(items: Sequence[Recommendation], catalog: Catalog, belief: Belief) -> list[Attribute | None]:
    found: list[Attribute | None] = [None] * len(items)
    strengths = _strengths(items, catalog, belief)
    said: set[str] = set()
    for _, slot, attribute in sorted(strengths, key=lambda each: (-each[0], each[1])):
        if found[slot] is None and attribute.column not in said:
            found[slot] = attribute
            said.add(attribute.column)
    return found


def _strengths(items: Sequence[Recommendation], catalog: Catalog, belief: Belief) -> list[tuple[float, int, Attribute]]:
    """How much more than others those who would take an item like what it has, with the item's slot."""
    own = [_own(item, catalog) for item in items]
    if len(items) < 2 or not any(own):
        return []
    takers = _takers(catalog.vectors([item.row for item in items]), belief)
    strengths = []
    for slot, attributes in enumerate(own):
        share = float(takers[slot].sum())
        if not attributes or not LEAST_SHARE <= share <= 1 - LEAST_SHARE:
            continue
        liked = torch.stack([each.vector for each in attributes]) @ belief.particles.T
        mean = liked @ belief.weights
        spread = ((liked - mean[:, None]).square() @ belief.weights).sqrt()
        difference = (liked @ takers[slot] / share - mean) / spread.clamp_min(1e-12)
        strengths += [
            (strength, slot, attribute)
            for strength, attribute in zip(difference.tolist(), attributes, strict=True)
            if strength >= LEAST_DIFFERENCE
        ]
    return strengths


def _own(item: Recommendation, catalog: Catalog) -> list[Attribute]:
    """What can be said of an item."""
    return [each for column in catalog.columns for each in column.attributes(item.row) if each.phrase]


def _takers(items: Tensor, belief: Belief) -> Tensor:
    """`(s, m)`: the weights of the particles that would take each of the items `(s, d)`, 0 for the others."""
    taken = (items @ belief.particles.T).argmax(dim=0)
    return torch.nn.functional.one_hot(taken, len(items)).T.to(belief.weights.dtype) * belief.weights
