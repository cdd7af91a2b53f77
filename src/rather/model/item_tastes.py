"""What a person thinks of one item alone, beyond what its vector explains.

A linear utility `x @ u` says that two items with the same vector are worth the same to everybody. They are not: what
vectors leave unexplained of a rating is mostly a taste for that one item, which is still there when the item is asked
about again. As noise it would be drawn anew in every answer. As one more dimension of the item, with a normal prior, it
is learnt from answers like any other taste, and utility stays linear.
"""

import math
from typing import Any

import torch
from torch import Tensor

from rather.errors import InvalidInputError
from rather.model.belief import Belief
from rather.model.priors import Prior
from rather.numerics.arrays import as_floats
from rather.numerics.randomness import derive_generator


def with_item_tastes(vectors: Any, belief: Belief, spread: float, *, seed: int = 0) -> tuple[Tensor, Belief]:
    """Item vectors with one more dimension for each item, and a belief that has tastes `N(0, spread^2)` in them.

    Example:
        >>> belief = Belief.from_users([[1.0, 0.0], [0.0, 1.0]])
        >>> vectors, belief = with_item_tastes([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], belief, 0.25)
        >>> vectors[1].tolist(), tuple(belief.particles.shape)
        ([0.5, 0.5, 0.0, 0.25, 0.0], (2, 5))

    Under the prior, every utility then has the variance that it had plus `spread^2`; expected utilities are what they
    were. There are as many more dimensions as items, so this is for some hundred items, not for a million.

    Args:
        vectors: `(n, d)`.
        belief: About d dimensions; without answers so far.
        spread: Standard deviation of a taste, in units of utility.
        seed: Draws the tastes of the particles.

    Returns:
        `(n, d + n)`, and the belief about d + n dimensions.
    """
    items = as_floats(vectors, "vectors", rank=2)
    if not 0 < spread < math.inf:
        raise InvalidInputError(f"`spread` must be above 0 and finite, got {spread}.")
    if belief.evidence:
        raise InvalidInputError("`belief` must be without answers: those were about items of fewer dimensions.")
    tastes = torch.randn(len(belief), len(items), generator=derive_generator(seed, "item tastes"), dtype=items.dtype)
    tastes -= belief.weights @ tastes  # a mean that is not 0 would recommend by chance before the first answer
    particles = torch.cat([belief.particles, tastes], dim=1)
    own = torch.cat([items, spread * torch.eye(len(items), dtype=items.dtype)], dim=1)
    return own, Belief(particles, belief.log_weights, _extended(belief.prior, len(items)))


def _extended(prior: Prior | None, count: int) -> Prior | None:
    """The prior with `count` standard normal dimensions. All components get one scale, or tastes would share theirs."""
    if prior is None:
        return None
    centres = torch.cat([prior.centres, prior.centres.new_zeros(len(prior.centres), count)], dim=1)
    cholesky: Tensor = torch.block_diag(prior.cholesky, torch.eye(count))  # type: ignore[no-untyped-call]
    return Prior(centres, prior.log_weights, cholesky)
