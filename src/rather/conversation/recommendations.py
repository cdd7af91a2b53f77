"""The best items for a person, and how sure we are of each."""

from collections.abc import Sequence

import torch
from torch import Tensor

from rather.conversation.wording import item_names
from rather.languages import ENGLISH, message
from rather.model.allowed import Allowed, AllowedConfigurations
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.questions import Recommendation

# Allowed items that stand for all of them in an average.
SAMPLED_ITEMS = 1_000

# How well an item matches, from which share on; and how sure that is, from which probability on.
MATCHES = {"strong": 0.85, "good": 0.6, "fair": 0.3}
SURE = {"": 0.9, "_fairly": 0.7}


def match_text(item: Recommendation, language: str = ENGLISH) -> str:
    """How well an item matches and how sure that is, in words: "a good match, still unsure"."""
    match = next((name for name, least in MATCHES.items() if item.match >= least), "weak")
    sure = 1 - item.probability_good if match == "weak" else item.probability_good
    return message(language, f"match.{match}{next((name for name, least in SURE.items() if sure >= least), '_unsure')}")


def recommendations(
    rows: Sequence[int],
    catalog: Catalog,
    belief: Belief,
    best: Tensor,
    allowed: Allowed | None = None,
    language: str = ENGLISH,
) -> list[Recommendation]:
    """Items as recommendations.

    Args:
        rows: The items.
        catalog: Where they come from.
        belief: What we hold about the person.
        best: `(m,)`, the utility of each particle's best allowed item.
        allowed: The items that may be recommended, `(n,)` boolean, or rules; None for all.
        language: That of labels and facts.
    """
    average = belief.particles @ _average(catalog, allowed)
    vectors = catalog.vectors(rows)
    expected, utilities = vectors @ belief.mean, vectors @ belief.particles.T
    spread = (utilities - expected[:, None]).square() @ belief.weights
    unbeaten = probability_unbeaten(vectors, utilities, belief, best)
    match = matches(expected, belief, average, best)
    good = probability_good(utilities, belief, average, best)
    names = item_names(catalog, rows, language)
    return [
        Recommendation(
            row,
            catalog.ids[row],
            names[rank].label,
            catalog.facts_of(row, language),
            float(expected[rank]),
            float(spread[rank].clamp_min(0).sqrt()),
            float(unbeaten[rank]),
            float(match[rank]),
            float(good[rank]),
            catalog.link_of(row),
            catalog.images_of(row),
            names[rank].phrase,
        )
        for rank, row in enumerate(rows)
    ]


def matches(expected: Tensor, belief: Belief, average: Tensor, best: Tensor) -> Tensor:
    """How well items of these expected utilities `(c,)` match, from 0 for an average item to 1 for the person's best.

    `(E[u] - E[average]) / (E[best] - E[average])`: as ordered as the expected utilities, and 1 only for an item that is
    expected to lose nothing.

    Args:
        expected: `(c,)`.
        belief: What we hold about the person.
        average: `(m,)`, the utility of an average allowed item to each particle.
        best: `(m,)`, the utility of each particle's best allowed item.
    """
    start, end = belief.weights @ average, belief.weights @ best
    if end - start <= 1e-6 * (end.abs() + start.abs()):
        return torch.ones_like(expected)  # no item is better than any other
    return ((expected - start) / (end - start)).clamp(0, 1)


def probability_good(utilities: Tensor, belief: Belief, average: Tensor, best: Tensor) -> Tensor:
    """The probability that items of utilities `(c, m)` are nearer to the person's best than to an average, `(c,)`."""
    good = utilities >= (average + best) / 2 - 1e-6 * best.abs()
    return (good.to(belief.weights.dtype) @ belief.weights).clamp(0, 1)


def _average(catalog: Catalog, allowed: Allowed | None) -> Tensor:
    """The average `(d,)` of the allowed items, of evenly spaced ones where they are many."""
    if allowed is None:
        return catalog.average
    if isinstance(allowed, AllowedConfigurations):
        return allowed.average
    rows = allowed.nonzero()[:, 0]
    return catalog.vectors(rows[:: max(1, len(rows) // SAMPLED_ITEMS)]).mean(dim=0)


def probability_unbeaten(items: Tensor, utilities: Tensor, belief: Belief, best: Tensor) -> Tensor:
    """The probability that no allowed item is better, for items `(c, d)` of utilities `(c, m)`, shape `(c,)`."""
    beaten = utilities < best - _rounding(items, belief)
    # From the complement, so that a certainty is exactly 1 whatever the weights sum to.
    return (1 - beaten.to(belief.weights.dtype) @ belief.weights).clamp(0, 1)


def probability_one_unbeaten(items: Tensor, belief: Belief, best: Tensor) -> float:
    """The probability that no allowed item is better than the best of items `(c, d)`."""
    beaten = (items @ belief.particles.T < best - _rounding(items, belief)).all(dim=0)
    return min(1.0, max(0.0, 1 - float(beaten.to(belief.weights.dtype) @ belief.weights)))


def _rounding(items: Tensor, belief: Belief) -> Tensor:
    """`(c, m)`: equal items, and the same item in another matrix product, differ by some 8 units in the last place."""
    return 1e-6 * torch.outer(items.square().sum(dim=1), belief.particles.square().sum(dim=1)).sqrt()
