"""What people may like in a table before the first question: a Gaussian over its parameters.

Every table gets the same prior, on the scale of `basis`. Item vectors are scaled so that the standard deviation of
utility over the table is about 1.
"""

from collections.abc import Sequence

import numpy as np

from rather.formats.tables.basis import Floats, Gaussian
from rather.formats.tables.blocks import Block
from rather.formats.tables.interactions import Interaction


def joint_prior(blocks: Sequence[Block], interactions: Sequence[Interaction] = ()) -> Gaussian:
    """Mean `(d,)` and covariance `(d, d)` of the parameters of all columns and interactions, which are independent."""
    parts: list[Block | Interaction] = [*blocks, *interactions]
    d = sum(part.size for part in parts)
    mean, covariance = np.zeros(d), np.zeros((d, d))
    start = 0
    for part in parts:
        own = slice(start, start + part.size)
        mean[own], covariance[own, own] = part.prior.mean, part.prior.covariance
        start += part.size
    return Gaussian(mean, covariance)


def utility_scale(second_moment: Floats, prior: Gaussian) -> float:
    """The factor for item vectors that makes the standard deviation of utility over items 1, for an average person.

    `E_u[Var_x(x @ u)] = trace(S (C + m m'))` with S the items' covariance, m and C the prior's mean and covariance.

    Args:
        second_moment: S, `(d, d)`.
        prior: Over the parameters.
    """
    variance = float((second_moment * prior.covariance).sum() + prior.mean @ second_moment @ prior.mean)
    # Six digits are the same on every machine; the last bits of a sum are not.
    return float(f"{1 / np.sqrt(variance):.6g}") if variance > 0 else 1.0
