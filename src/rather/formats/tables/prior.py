"""What people may like in a table before the first question: a Gaussian over its parameters.

Every table gets the same prior on the scale of `basis`; item vectors are scaled so that utilities then spread by
about 1 over the table.
"""

from collections.abc import Sequence

import numpy as np

from rather.errors import InvalidInputError
from rather.formats.tables.basis import Floats, Gaussian
from rather.formats.tables.blocks import Block
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.priors import Prior, gaussian_prior


def joint_prior(blocks: Sequence[Block]) -> Gaussian:
    """Mean `(d,)` and covariance `(d, d)` over the parameters of all columns; columns are independent."""
    d = sum(block.size for block in blocks)
    mean, covariance = np.zeros(d), np.zeros((d, d))
    start = 0
    for block in blocks:
        own = slice(start, start + block.size)
        mean[own], covariance[own, own] = block.prior.mean, block.prior.covariance
        start += block.size
    return Gaussian(mean, covariance)


def utility_scale(second_moment: Floats, prior: Gaussian) -> float:
    """What to multiply item vectors with so that utility spreads by 1 over items, for an average person.

    `E_u[Var_x(x @ u)] = trace(S (C + m m'))` with S the items' covariance, m and C the prior's mean and covariance.

    Args:
        second_moment: S, `(d, d)`.
        prior: Over the parameters.
    """
    variance = float((second_moment * prior.covariance).sum() + prior.mean @ second_moment @ prior.mean)
    # Six digits are the same on every machine; the last bits of a sum are not.
    return float(f"{1 / np.sqrt(variance):.6g}") if variance > 0 else 1.0


def utility_prior(catalog: Catalog) -> Prior:
    """The distribution of people's utility vectors over a table's parameters."""
    if catalog.table is None:
        raise InvalidInputError("`catalog` must come from a table (Catalog.from_table): only then a prior is known.")
    prior = joint_prior(catalog.table.blocks)
    return gaussian_prior(prior.mean, prior.covariance)


def table_prior(catalog: Catalog, *, particles: int = 1000, seed: int = 0) -> Belief:
    """What we hold about a person before the first question about a table.

    Args:
        catalog: Made by `Catalog.from_table`.
        particles: How many.
        seed: Of their draw.
    """
    return Belief.from_prior(utility_prior(catalog), particles=particles, seed=seed)
