"""The best items for a person, and how sure we are of each."""

import torch
from torch import Tensor

from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.questions import Recommendation
from rather.retrieval import Found


def recommendations(found: Found, catalog: Catalog, belief: Belief, best: Tensor) -> list[Recommendation]:
    """What was found for the belief's mean, as recommendations.

    Args:
        found: One direction's items, best first.
        catalog: Where they come from.
        belief: What we hold about the person.
        best: `(m,)`, the utility of each particle's best allowed item.
    """
    utilities = found.vectors[0] @ belief.particles.T
    spread = (utilities - found.scores[0][:, None]).square() @ belief.weights
    sure = probability_unbeaten(found.vectors[0], utilities, belief, best)
    return [
        Recommendation(
            row,
            catalog.ids[row],
            catalog.label(row),
            catalog.facts_of(row),
            float(found.scores[0, rank]),
            float(spread[rank].clamp_min(0).sqrt()),
            float(sure[rank]),
        )
        for rank, row in enumerate(found.rows[0].tolist())
    ]


def probability_unbeaten(items: Tensor, utilities: Tensor, belief: Belief, best: Tensor) -> Tensor:
    """The probability that no allowed item is better, for items `(c, d)` of utilities `(c, m)`, shape `(c,)`."""
    # Equal items, and the same item in another matrix product, differ by some 8 units in the last place.
    rounding = 1e-6 * torch.outer(items.square().sum(dim=1), belief.particles.square().sum(dim=1)).sqrt()
    beaten = utilities < best - rounding
    # From the complement, so that a certainty is exactly 1 whatever the weights sum to.
    return (1 - beaten.to(belief.weights.dtype) @ belief.weights).clamp(0, 1)
