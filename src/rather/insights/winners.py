"""Which items win: whose best they are, and which are nobody's."""

from dataclasses import dataclass

import torch
from torch import Tensor

from rather.insights.estimates import Estimate, Replicates, summarised
from rather.insights.items import Item, item_of
from rather.model.catalog import Catalog
from rather.model.configured_items import MOST_LISTED, ConfiguredItems
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
        item: Which one.
        best: The share of people whose best it is.
        top: The share of people for whom it is among the best five.
    """

    row: int
    item: Item
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
        dead: Items that are not among anybody's best five, those least liked on average first; none of a product space
            that is too large to list.
        draws: How many draws of each respondent were looked at.
    """

    items: tuple[Winner, ...]
    all_items: int
    never_best: int
    never_top: int
    dead: tuple[Item, ...]
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
    estimated = _best_shares(best, len(rows), Replicates.of(used, generator))
    listed, often = torch.unique(found.flatten(), return_counts=True)
    top = (often[torch.searchsorted(listed, rows)] / (r * used.shape[1])).tolist()
    items = [
        Winner(row, item_of(catalog, row), share, share_of_top)
        for row, share, share_of_top in zip(rows.tolist(), estimated, top, strict=True)
    ]
    return Winners(
        tuple(sorted(items, key=lambda each: -each.best.value)),
        len(catalog),
        len(catalog) - len(rows),
        len(catalog) - len(listed),
        _dead(listed, draws, catalog, most_dead),
        used.shape[1],
    )


def _best_shares(best: Tensor, count: int, replicates: Replicates) -> list[Estimate]:
    """The share of people whose best each of w winners is, for the number of the winner of each draw, `(r, s)`.

    What `population_means` of a one-hot `(r, s, w)` would give, which for a large catalogue does not fit in memory.
    """
    weights = replicates.weights
    replicated = torch.zeros(*weights.shape[:2], count, dtype=weights.dtype)
    for draw, (found, own) in enumerate(zip(best.T, weights, strict=True)):
        replicated[draw].index_add_(1, found, own)
    values = torch.bincount(best.flatten(), minlength=count) / best.numel()
    return summarised(replicated.flatten(0, 1), values.to(weights.dtype))


def _dead(listed: Tensor, draws: Tensor, catalog: Catalog, most: int) -> tuple[Item, ...]:
    if isinstance(catalog.storage, ConfiguredItems) and len(catalog) > MOST_LISTED:
        return ()  # hardly any of so many configurations can be among anybody's best
    never = torch.ones(len(catalog), dtype=torch.bool).index_fill_(0, listed, False).nonzero()[:, 0]
    if len(never) == 0:
        return ()
    worth = torch.cat([catalog.vectors(part) @ draws.mean(dim=(0, 1)) for part in torch.split(never, 65_536)])
    order = never[worth.argsort(stable=True)[:most]]
    return tuple(item_of(catalog, row) for row in order.tolist())
