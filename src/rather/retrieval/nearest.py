"""The items nearest to given points, for methods that pull hypothetical items towards real ones."""

import torch
from torch import Tensor

from rather.model.allowed import Allowed, AllowedConfigurations
from rather.model.catalog import Catalog
from rather.model.configured_items import ConfiguredItems
from rather.model.items import BLOCK_ROWS
from rather.retrieval.paths import nearest_configurations


def nearest_items(
    points: Tensor, catalog: Catalog, allowed: Allowed | None = None, block_rows: int = BLOCK_ROWS
) -> Tensor:
    """For points `(..., d)` the nearest allowed item of the catalogue, `(..., d)`.

    The nearest z maximises `x @ z - |z|^2 / 2`. Items are compared in blocks of `block_rows`.
    """
    flat = points.reshape(-1, points.shape[-1])
    if isinstance(catalog.storage, ConfiguredItems):
        where = allowed.configurations if isinstance(allowed, AllowedConfigurations) else catalog.storage.configurations
        return nearest_configurations(flat, where).to(points.dtype).view(points.shape)
    assert not isinstance(allowed, AllowedConfigurations), "rules belong to a product space"
    best = torch.full((len(flat),), -torch.inf, dtype=flat.dtype)
    rows = torch.zeros(len(flat), dtype=torch.long)
    for start in range(0, len(catalog), block_rows):
        block = catalog.items[start : start + block_rows]
        scores = flat @ block.T - block.square().sum(dim=1) / 2
        if allowed is not None:
            scores.masked_fill_(~allowed[start : start + block_rows], -torch.inf)
        found, indices = scores.max(dim=1)
        rows = torch.where(found > best, indices + start, rows)
        best = torch.maximum(found, best)
    return catalog.vectors(rows).view(points.shape)
