"""Searches in a space beside looking at every configuration, where these can be written down."""

from __future__ import annotations

import itertools
from collections.abc import Collection

import numpy as np
import numpy.typing as npt
import torch

from rather.formats.spaces.definition import ProductSpace
from rather.formats.spaces.encoding import encode_space
from rather.formats.tables.filter_expressions import where_mask
from rather.formats.tables.inspection import inspect_table
from rather.research.bench.spaces.measurements import CheckedSearch
from rather.retrieval.paths import PathRetriever


def checked_searches(
    space: ProductSpace, free: Collection[str], directions: int = 50, count: int = 10, seed: int = 0
) -> CheckedSearch:
    """Compare the searches of a space, with all decisions but some fixed to their first value, with brute force.

    Which combinations are valid is decided by adding up totals and evaluating the rules on the rows of a table, not by
    the decision diagram.

    Args:
        space: What can be chosen.
        free: The decisions that are not fixed.
        directions: Random directions, half of them from the prior.
        count: Items to find for each.
        seed: Of the directions.
    """
    encoded = encode_space(space)
    catalog, belief = encoded.catalog, encoded.belief(particles=directions, seed=seed)
    values = [range(len(each.values)) if each.name in free else range(1) for each in space.decisions]
    chosen = np.array(list(itertools.product(*values)))
    valid = _satisfying(space, chosen)
    order, diagram = list(encoded.valid.compiled.order), encoded.valid.compiled.diagram
    numbers = diagram.numbers(torch.from_numpy(chosen[:, order]))
    misjudged = int(((numbers >= 0).numpy() != valid).sum())
    rows = numbers[numbers >= 0]
    noise = torch.randn(directions, catalog.dimensions, generator=torch.Generator().manual_seed(seed))
    both = torch.cat([belief.particles[: directions // 2], noise[directions // 2 :]])
    best = (catalog.vectors(rows) @ both.T).topk(count, dim=0).values.T
    fixing = _fixing(space, free)
    fixed = catalog.where(fixing) if fixing else None
    found = PathRetriever(catalog).top(both, count, fixed).scores
    return CheckedSearch(len(chosen), int(valid.sum()), misjudged, directions, _gap(best, found), count)


def _satisfying(space: ProductSpace, chosen: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Which combinations `(c, decisions)` satisfy all rules, by the filters of tables."""
    count, sizes = len(chosen), np.array([len(each.values) for each in space.decisions])
    # Rows with all other values, because a filter may only name what its table holds.
    chosen = np.concatenate([chosen, np.minimum(np.arange(sizes.max())[:, None], sizes - 1)])
    columns = {
        each.name: [each.values[index] for index in chosen[:, number]] for number, each in enumerate(space.decisions)
    }
    for total in space.totals:
        amounts = np.full(len(chosen), float(total.base))
        for number, each in enumerate(space.decisions):
            gains = [adds.get(total.name, 0.0) for adds in each.adds]
            amounts += np.array([0.0, 1.0] if each.name in total.counts else gains)[chosen[:, number]]
        columns[total.name] = amounts.round(6).tolist()
    table = inspect_table(columns, space.table_settings).columns
    satisfied = np.ones(len(chosen), dtype=bool)
    for rule in space.rules:
        satisfied &= where_mask(rule, table)
    return satisfied[:count]


def _fixing(space: ProductSpace, free: Collection[str]) -> str:
    """The first value of every decision that is not free, as a must-have."""
    conditions = []
    for each in space.decisions:
        if each.name in free:
            continue
        value = each.values[0]
        if isinstance(value, bool):
            conditions.append(f"not `{each.name}`")
        else:
            conditions.append(f"`{each.name}` == {value!r}")
    return " and ".join(conditions)


def _gap(best: torch.Tensor, found: torch.Tensor) -> float:
    return max(0.0, float((best - found).max()))
