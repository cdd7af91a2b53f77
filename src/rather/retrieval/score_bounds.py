"""Upper bounds of scores from a few coordinates: which items could still beat a given score.

On orthonormal axes an inner product splits in two, x @ v = x_a @ v_a + x_r @ v_r, and the second part is at most
|x_r| |v_r|. The users of a population share a few main axes, and most of every direction that a conversation searches
lies on those. There the bound is tight: of a million books some 20,000 are long enough to be anybody's best, and
8 axes leave 10 to 100 of them to score.
"""

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rather.model.belief import Belief

# Main axes kept. With 4, about three times as many books were left to score; 16 cost twice as much to multiply.
AXES = 8

# Rounding error of float32 inner products over some hundred dimensions, relative to the two norms. Without it an item
# of equal score could be missed.
ROUNDING = 1e-5


@dataclass(frozen=True, eq=False)
class ScoreBounds:
    """Upper bounds of inner products with the longest items of a catalogue.

    Attributes:
        axes: `(d, a)` orthonormal.
        components: `(a + 2, h)`: each item's coordinates on the axes, the norm of the rest, and its norm.
        negative_norms: `(h,)`, ascending: the items are sorted by descending norm.
        longest_outside: The norm of the longest item that is not among these.
    """

    axes: Tensor
    components: Tensor
    negative_norms: NDArray[np.float32]
    longest_outside: float

    @classmethod
    def of(cls, items: Tensor, longest_outside: float, population: Belief) -> "ScoreBounds":
        """For items `(h, d)` sorted by descending norm, on the main axes of a population."""
        d = items.shape[1]
        moments = population.particles.T @ (population.particles * population.weights[:, None])
        axes = torch.linalg.eigh(moments).eigenvectors[:, d - min(d, AXES) :]
        components = _components(items, axes).T.contiguous()
        return cls(axes, components, (-components[-1]).numpy(), longest_outside)

    def covers(self, directions: Tensor, thresholds: Tensor) -> Tensor:
        """For which directions `(b,)` no item outside can reach the threshold `(b,)`."""
        return _norm_needed(directions.norm(dim=1), thresholds) > self.longest_outside

    def may_reach(self, directions: Tensor, thresholds: Tensor) -> Tensor | None:
        """Positions of the items whose score for some direction `(b, d)` may be at least its threshold `(b,)`.

        None if an item outside may reach one too.
        """
        # Scaled to about 1: the direction of an answer that hardly anybody gives has squares that vanish.
        scale = directions.abs().amax(dim=1).clamp_min(1e-37)
        components, thresholds = _components(directions / scale[:, None], self.axes), thresholds / scale
        norms = components[:, -1]
        needed = float(_norm_needed(norms, thresholds).min())
        if not needed > self.longest_outside:  # also true for NaN
            return None
        long_enough = bisect_right(self.negative_norms, -needed)
        norms *= ROUNDING  # in place: the product below adds the rounding error of each item to its bound
        above = (components @ self.components[:, :long_enough]).sub_(thresholds[:, None])
        return (above.amax(dim=0) >= 0).nonzero()[:, 0]


def _norm_needed(norms: Tensor, thresholds: Tensor) -> Tensor:
    """The norm that an item needs to reach each threshold with a direction of that norm (Cauchy-Schwarz), `(b,)`."""
    return thresholds / (norms * (1 + ROUNDING)).clamp_min(1e-30)


def _components(vectors: Tensor, axes: Tensor) -> Tensor:
    """Of vectors `(b, d)`: the coordinates on the axes, the norm of the rest, and the norm, `(b, a + 2)`."""
    on_axes = vectors @ axes
    norms = vectors.norm(dim=1, keepdim=True)
    rest = (vectors - on_axes @ axes.T).norm(dim=1, keepdim=True)
    return torch.cat([on_axes, rest, norms], dim=1)
