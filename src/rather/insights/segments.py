"""Segments: groups of people with similar tastes, as many as the answers support.

The hierarchical model says who belongs together. Where there is none, groups are found in the posterior draws of
everybody's part-worths: in their first principal components, as a mixture of Gaussians with diagonal covariances,
fitted by expectation maximisation. Posterior means would not do: people who gave the same few answers have the same
mean, and would look like a group. The number of groups is that of the lowest Bayesian information criterion (Schwarz
1978), in which the draws of one person count as one; one group means that tastes differ without falling apart.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from rather.insights.aspects import Aspect
from rather.insights.estimates import Estimate, Replicates, population_means
from rather.nouns import counted

MOST_SEGMENTS = 6
MOST_COMPONENTS = 4
# Draws of each person that are looked at.
MOST_DRAWS = 8
# A segment must hold this share of the people, and at least five.
SMALLEST_SHARE, SMALLEST = 0.05, 5
STARTS, ROUNDS = 5, 100
# Below this share of the largest standard deviation, a component says nothing.
NEGLIGIBLE = 0.05
# What a segment is named by: how many values, and by how many standard deviations over people they must differ.
MOST_WORDS, NOTEWORTHY = 3, 0.4


@dataclass(frozen=True)
class Segment:
    """People with similar tastes.

    Attributes:
        name: What sets them apart, in words of the columns.
        share: Of all people.
        differences: The values that they like more (or less) than everybody, the strongest first, with by how many
            standard deviations over people.
        importances: Of each column, in the order of the aspects.
        members: The numbers of the respondents who most likely belong to it.
    """

    name: str
    share: Estimate
    differences: tuple[tuple[str, float], ...]
    importances: tuple[float, ...]
    members: tuple[int, ...]


def segments(
    draws: Tensor,
    aspects: Sequence[Aspect],
    shares: Tensor,
    replicates: Replicates,
    generator: torch.Generator,
    belonging: Tensor | None = None,
) -> tuple[Segment, ...]:
    """The segments of a population, the largest first; a single one where tastes do not fall apart.

    Args:
        draws: `(r, s, d)`.
        aspects: The columns.
        shares: `(r, s, c)`, what `importance_shares` returned.
        replicates: For intervals.
        generator: For the starts of the fit.
        belonging: `(r, g)`, the probability that each respondent belongs to each group, where it is known; by default
            it is estimated from the draws.
    """
    if not aspects or len(draws) < 2 * SMALLEST:
        return ()
    if belonging is None:
        worths = torch.cat([aspect.worths(draws[:, :MOST_DRAWS]) for aspect in aspects], dim=2).double()
        belonging = mixture(components(worths), generator)
    member = belonging.argmax(dim=1)
    used = [index for index in range(belonging.shape[1]) if bool((member == index).any())]
    one_hot = torch.stack([member == index for index in used], dim=1).to(draws.dtype)
    quantity = one_hot[:, None].expand(-1, draws.shape[1], -1)
    found = []
    for number, share in enumerate(population_means(quantity, replicates)):
        own = one_hot[:, number] > 0
        differences = () if len(used) == 1 else _differences(draws, aspects, own)
        average = tuple(shares[own].mean(dim=(0, 1)).tolist())
        members = tuple(own.nonzero()[:, 0].tolist())
        found.append(Segment(_name(differences), share, differences, average, members))
    return tuple(sorted(found, key=lambda each: -each.share.value))


def components(worths: Tensor) -> Tensor:
    """The first principal components `(r, s, q)` of part-worths `(r, s, v)`: those that say something, four at most."""
    flat = worths.flatten(0, 1)
    left, scale, _ = torch.linalg.svd(flat - flat.mean(dim=0), full_matrices=False)
    kept = int((scale > NEGLIGIBLE * scale[0].clamp_min(1e-12)).sum().clamp(1, MOST_COMPONENTS))
    found: Tensor = (left[:, :kept] * scale[:kept]).reshape(*worths.shape[:2], kept)
    return found


def mixture(points: Tensor, generator: torch.Generator) -> Tensor:
    """How likely each person belongs to each group, `(r, g)`, for points `(r, s, q)`; as many groups as BIC takes."""
    people, each, q = points.shape
    best, belonging = math.inf, torch.ones(people, 1, dtype=points.dtype)
    smallest = max(SMALLEST, SMALLEST_SHARE * people)
    for groups in range(1, MOST_SEGMENTS + 1):
        if groups * smallest > people:
            break
        fits = [_fit(points.flatten(0, 1), groups, generator) for _ in range(1 if groups == 1 else STARTS)]
        by_person = [(fit[0] / each, fit[1].reshape(people, each, groups).mean(dim=1)) for fit in fits]
        fitted = max((fit for fit in by_person if _is_sound(fit[1], smallest)), key=lambda fit: fit[0], default=None)
        if fitted is None:
            continue
        parameters = groups * 2 * q + groups - 1
        criterion = parameters * math.log(people) - 2 * fitted[0]
        if criterion < best:
            best, belonging = criterion, fitted[1]
    return belonging


def _is_sound(belonging: Tensor, smallest: float) -> bool:
    counts = torch.bincount(belonging.argmax(dim=1), minlength=belonging.shape[1])
    return bool((counts >= smallest).all())


def _fit(points: Tensor, groups: int, generator: torch.Generator) -> tuple[float, Tensor]:
    """The log-likelihood and `(r, g)` memberships of a mixture of diagonal Gaussians from random centres."""
    r = len(points)
    spread = points.var(dim=0, correction=0).clamp_min(1e-12)
    centres = points[torch.randperm(r, generator=generator)[:groups]]
    variances = spread.expand(groups, -1)
    weights = torch.full((groups,), 1 / groups, dtype=points.dtype)
    likelihood, belonging = -math.inf, torch.ones(r, groups, dtype=points.dtype)
    for _ in range(ROUNDS):
        distance = (points[:, None] - centres).square() / variances
        log_density = -0.5 * (distance + variances.log() + math.log(2 * math.pi)).sum(dim=2) + weights.log()
        total = log_density.logsumexp(dim=1)
        belonging, before, likelihood = (log_density - total[:, None]).exp(), likelihood, float(total.sum())
        if likelihood - before < 1e-6 * abs(likelihood):
            break
        counts = belonging.sum(dim=0).clamp_min(1e-9)
        weights, centres = counts / r, belonging.T @ points / counts[:, None]
        moment = belonging.T @ points.square() / counts[:, None] - centres.square()
        # A floor keeps a group from shrinking onto a single person, whose density would be infinite.
        variances = torch.maximum(moment, 0.01 * spread)
    return likelihood, belonging


def _differences(draws: Tensor, aspects: Sequence[Aspect], own: Tensor) -> tuple[tuple[str, float], ...]:
    """By how many standard deviations the people of a segment like something more than the others."""
    found: list[tuple[str, float]] = []
    means = draws.mean(dim=1)
    for aspect in aspects:
        if aspect.slope is not None:
            found.append(_ordered_difference(means @ aspect.slope, aspect, own))
        else:
            worths = means @ aspect.vectors.T
            gaps = [_gap(worths[:, index], own) for index in range(len(aspect.values))]
            index = max(range(len(gaps)), key=lambda each: abs(gaps[each]))
            found.append((_said(aspect, aspect.values[index], gaps[index]), gaps[index]))
    return tuple(sorted(found, key=lambda each: -abs(each[1])))


def _ordered_difference(slopes: Tensor, aspect: Aspect, own: Tensor) -> tuple[str, float]:
    gap = _gap(slopes, own)
    less, more = aspect.words
    if aspect.values == ("no", "yes") or not less or not more:
        return (aspect.name if gap > 0 else f"not {aspect.name}", gap)
    return (more if gap > 0 else less, gap)


def _said(aspect: Aspect, value: str, gap: float) -> str:
    return f"{aspect.name} {value}" if gap > 0 else f"not {aspect.name} {value}"


def _gap(values: Tensor, own: Tensor) -> float:
    spread = float(values.std(correction=0))
    return 0.0 if spread < 1e-12 else float(values[own].mean() - values[~own].mean()) / spread


def _name(differences: Sequence[tuple[str, float]]) -> str:
    words = [text for text, gap in differences if abs(gap) >= NOTEWORTHY][:MOST_WORDS]
    if not words:
        return "Everybody" if not differences else "People close to the average"
    return f"People who want: {', '.join(words)}"


def in_words(found: Sequence[Segment]) -> str:
    """How many segments there are, in a sentence."""
    if len(found) < 2:
        return "Tastes differ from person to person, but they do not fall into separate groups."
    return f"Tastes fall into {counted(len(found), 'group')}."
