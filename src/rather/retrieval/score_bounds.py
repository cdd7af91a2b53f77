"""Which items could still beat a score, by a tenth of their numbers.

On orthonormal axes an inner product splits in two, x @ v = x_a @ v_a + x_r @ v_r, and the second part is at most
|x_r| |v_r|. What people want has a few main axes in common, and on those lies most of every direction in which a
conversation searches. There the bound is sharp: of a million books some 20,000 are long enough to be somebody's best,
and 8 axes leave 10 to 100 of them to be looked at.
"""

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rather.model.belief import Belief

# Main axes kept. With 4 some three times as many books were left, and 16 cost twice as much to multiply.
AXES = 8

# Rounding of float32 inner products over some hundred dimensions, relative to the two lengths; without it an equal
# could be missed.
ROUNDING = 1e-5


@dataclass(frozen=True, eq=False)
class Sketch:
    """Upper bounds of inner products with some items, longest first.

    Attributes:
        axes: `(d, a)` orthonormal.
        numbers: `(a + 2, h)` for each item its coordinates on the axes, what is left of its length, and its length.
        shortness: `(h,)` minus the lengths, which rise.
        longest_left: The length of the longest item that is not among these.
    """

    axes: Tensor
    numbers: Tensor
    shortness: NDArray[np.float32]
    longest_left: float

    @classmethod
    def of(cls, items: Tensor, longest_left: float, belief: Belief) -> "Sketch":
        """The sketch of the longest items `(h, d)` of a catalogue, longest first, on the main axes of a population."""
        d = items.shape[1]
        moments = belief.particles.T @ (belief.particles * belief.weights[:, None])
        axes = torch.linalg.eigh(moments).eigenvectors[:, d - min(d, AXES) :]
        numbers = _split(items, axes).T.contiguous()
        return cls(axes, numbers, (-numbers[-1]).numpy(), longest_left)

    def covers(self, directions: Tensor, least: Tensor) -> Tensor:
        """For which directions, `(b,)`, no item that is shorter than all of these may reach `least`."""
        return _shortest(directions.norm(dim=1), least) > self.longest_left

    def could_reach(self, directions: Tensor, least: Tensor) -> Tensor | None:
        """Places of the items whose inner product with some direction `(b, d)` may be at least its `least`, `(b,)`.

        None when an item that is shorter than all of these may reach it too.
        """
        # On their own scale: an answer that hardly anybody gives has a direction whose squares would be 0.
        scale = directions.abs().amax(dim=1).clamp_min(1e-37)
        split, least = _split(directions / scale[:, None], self.axes), least / scale
        lengths = split[:, -1]
        shortest = float(_shortest(lengths, least).min())
        if not shortest > self.longest_left:  # nor is anything known of what is no number
            return None
        long = bisect_right(self.shortness, -shortest)  # a prefix, for the items come longest first
        lengths *= ROUNDING
        above = (split @ self.numbers[:, :long]).sub_(least[:, None])
        return (above.amax(dim=0) >= 0).nonzero()[:, 0]


def _shortest(lengths: Tensor, least: Tensor) -> Tensor:
    """How long an item must be to reach `least` with a direction of such a length, both `(b,)` (Cauchy-Schwarz)."""
    return least / (lengths * (1 + ROUNDING)).clamp_min(1e-30)


def _split(vectors: Tensor, axes: Tensor) -> Tensor:
    """Coordinates on the axes of vectors `(b, d)`, the length of what is left, and their length, `(b, a + 2)`."""
    on_axes = vectors @ axes
    lengths = vectors.norm(dim=1, keepdim=True)
    left = (vectors - on_axes @ axes.T).norm(dim=1, keepdim=True)
    return torch.cat([on_axes, left, lengths], dim=1)
