"""Which items win: whose best they are, and which are nobody's."""

from dataclasses import dataclass

import torch
from torch import Tensor

from rather.insights.estimates import Estimate, Replicates, population_means
from rather.model.catalog import Catalog
from rather.retrieval.protocol import Retriever

# Directions that are searched: each is a scan of a large catalogue.
MOST_DIRECTIONS = 20_000
# Items that are listed; the CSV has all that win anybody.
TOP = 5


@dataclass(frozen=True)
class Winner:
    """An item that is the best of somebody.

    Attributes:
        row: Of the catalogue.
        item: Its label.
        best: The share of people whose best it is.
        top: The share of people for whom it is among the best five.
    """

    row: int
    item: str
    best: Estimate
    top: float


@dataclass(frozen=True)
class Winners:
    """The items that win, and those that do not.

    Attributes:
        items: Those that are the best of somebody, the most wanted first.
        all_items: How many items there are.
        never_best: How many are nobody's best, in any draw.
        never_top: How many are not even among anybody's best five.
        dead: The labels of items that are not among anybody's best five, those least liked on average first.
        draws: How many draws of each respondent were looked at.
    """

    items: tuple[Winner, ...]
    all_items: int
    never_best: int
    never_top: int
    dead: tuple[str, ...]
    draws: int


def winners(
    draws: Tensor, catalog: Catalog, retriever: Retriever, generator: torch.Generator, most_dead: int = 200
) -> Winners:
    """Whose best each item is.

    Args:
        draws: `(r, s, d)`.
        catalog: All items.
        retriever: Finds the best ones.
        generator: For intervals.
        most_dead: How many items without friends to list.
    """
    r, s, d = draws.shape
    used = draws[:, : max(1, min(s, MOST_DIRECTIONS // r))]
    count = min(TOP, len(catalog))
    found = retriever.top(used.reshape(-1, d), count).rows.reshape(r, used.shape[1], count)
    rows, best = torch.unique(found[:, :, 0], return_inverse=True)
    chosen = torch.nn.functional.one_hot(best, len(rows)).to(draws.dtype)
    estimated = population_means(chosen, Replicates.of(used, generator))
    listed = torch.bincount(found.flatten(), minlength=len(catalog))
    top = (listed[rows] / (r * used.shape[1])).tolist()
    items = [
        Winner(row, catalog.label(row), share, often)
        for row, share, often in zip(rows.tolist(), estimated, top, strict=True)
    ]
    return Winners(
        tuple(sorted(items, key=lambda each: -each.best.value)),
        len(catalog),
        len(catalog) - len(rows),
        int((listed == 0).sum()),
        _dead(listed, draws, catalog, most_dead),
        used.shape[1],
    )


def _dead(listed: Tensor, draws: Tensor, catalog: Catalog, most: int) -> tuple[str, ...]:
    never = (listed == 0).nonzero()[:, 0]
    if len(never) == 0:
        return ()
    worth = torch.cat([catalog.vectors(part) @ draws.mean(dim=(0, 1)) for part in torch.split(never, 65_536)])
    order = never[worth.argsort(stable=True)[:most]]
    return tuple(catalog.label(row) for row in order.tolist())
