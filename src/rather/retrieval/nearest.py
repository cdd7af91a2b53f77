"""The items nearest to points, for methods that pull hypothetical items towards real ones."""

import torch
from torch import Tensor

from rather.model.catalog import BLOCK_ROWS, Catalog


def nearest_items(points: Tensor, catalog: Catalog, allowed: Tensor | None = None) -> Tensor:
    """For points `(..., d)` the nearest allowed item of the catalogue, `(..., d)`.

    The nearest z maximises `x @ z - |z|^2 / 2`.
    """
    flat = points.reshape(-1, points.shape[-1])
    best = torch.full((len(flat),), -torch.inf, dtype=flat.dtype)
    rows = torch.zeros(len(flat), dtype=torch.long)
    for start in range(0, len(catalog), BLOCK_ROWS):
        block = catalog.items[start : start + BLOCK_ROWS]
        scores = flat @ block.T - block.square().sum(dim=1) / 2
        if allowed is not None:
            scores.masked_fill_(~allowed[start : start + BLOCK_ROWS], -torch.inf)
        found, places = scores.max(dim=1)
        rows = torch.where(found > best, places + start, rows)
        best = torch.maximum(found, best)
    return catalog.items[rows].view(points.shape)
