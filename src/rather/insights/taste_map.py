"""A map of items and tastes: the two directions in which items differ most, and where people look."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from rather.insights.aspects import Aspect
from rather.insights.items import item_of, names
from rather.model.catalog import Catalog

# Items and people that are drawn; more would only blacken the page.
MOST_ITEMS, MOST_PEOPLE, MOST_ARROWS = 400, 300, 6


@dataclass(frozen=True)
class Point:
    """Something on the map.

    Attributes:
        label: What it is called.
        x: To the right.
        y: Upwards.
    """

    label: str
    x: float
    y: float


@dataclass(frozen=True)
class TasteMap:
    """Items, people and columns in two dimensions.

    Attributes:
        explained: The share of the differences between items that the two dimensions show.
        winners: The items that win.
        items: Some of the others.
        people: The direction of each person's taste, of length 1: items far out in this direction suit them.
        columns: For the columns that the map shows best, the direction in which items have more of it, or the value.
    """

    explained: float
    winners: tuple[Point, ...]
    items: tuple[Point, ...]
    people: tuple[Point, ...]
    columns: tuple[Point, ...]


def taste_map(draws: Tensor, catalog: Catalog, aspects: Sequence[Aspect], shown: Sequence[int]) -> TasteMap:
    """The map of a catalogue and its respondents.

    Principal components of what makes items differ for these people: item vectors are first weighted by how much
    utilities vary in each dimension, so that a dimension that nobody cares about does not stretch the map.

    Args:
        draws: `(r, s, d)`.
        catalog: The items.
        aspects: The columns.
        shown: Rows of the items that win.
    """
    means = draws.mean(dim=1)
    weight = means.square().mean(dim=0).sqrt().clamp_min(1e-9)
    others = [row for row in range(0, len(catalog), max(1, len(catalog) // MOST_ITEMS)) if row not in shown]
    rows = [*shown, *others]
    vectors = catalog.vectors(rows) * weight
    centre = (catalog.sample(5_000) * weight).mean(dim=0)
    _, scale, axes = torch.linalg.svd(catalog.sample(5_000) * weight - centre, full_matrices=False)
    axes = _oriented(axes[:2])
    positions = (vectors - centre) @ axes.T
    positions = positions / positions.norm(dim=1).max().clamp_min(1e-12)
    people = torch.nn.functional.normalize((means / weight)[:MOST_PEOPLE] @ axes.T, dim=1)
    count = len(shown)
    return TasteMap(
        float(scale[:2].square().sum() / scale.square().sum().clamp_min(1e-12)),
        _points(names([item_of(catalog, row) for row in shown]), positions[:count]),
        _points([catalog.label(row) for row in others], positions[count:]),
        _points([""] * len(people), people),
        _arrows(aspects, weight, axes),
    )


def _oriented(axes: Tensor) -> Tensor:
    """Two axes whose largest entries are positive, so that the same data give the same map on every machine."""
    if len(axes) < 2:
        axes = torch.cat([axes, torch.zeros(2 - len(axes), axes.shape[1])])
    largest = axes.gather(1, axes.abs().argmax(dim=1, keepdim=True))
    return axes * torch.where(largest < 0, -1.0, 1.0)


def _arrows(aspects: Sequence[Aspect], weight: Tensor, axes: Tensor) -> tuple[Point, ...]:
    found: list[tuple[str, Tensor]] = []
    for aspect in aspects:
        if aspect.slope is not None:
            found.append((aspect.words[1] or aspect.name, aspect.vectors[-1] - aspect.vectors[0]))
        else:
            found += list(zip(aspect.values, aspect.vectors, strict=True))
    if not found:
        return ()
    positions = torch.stack([vector for _, vector in found]) * weight @ axes.T
    order = positions.norm(dim=1).argsort(descending=True)[:MOST_ARROWS]
    kept = positions[order] / positions[order].norm(dim=1).max().clamp_min(1e-12)
    return _points([found[index][0] for index in order.tolist()], kept)


def _points(labels: Sequence[str], positions: Tensor) -> tuple[Point, ...]:
    return tuple(Point(label, *position) for label, position in zip(labels, positions.tolist(), strict=True))
