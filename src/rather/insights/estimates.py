"""Numbers about a population with what is uncertain about them: both the people, and what their answers say of each.

A replicate is one posterior draw of everybody together with one Bayesian bootstrap over respondents (Rubin 1981): the
draw says what these people may want, the bootstrap which population they may come from. Where the draws come from a
hierarchical model, the replicates of a mean are draws from its posterior.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

# Replicates of every number. The ends of a 95 % interval then have a Monte Carlo error of a tenth of its width.
REPLICATES = 400

# The intervals that are reported: the middle 95 %.
LOW, HIGH = 0.025, 0.975


@dataclass(frozen=True)
class Estimate:
    """A number and its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low > 0 or self.high < 0

    def as_data(self) -> dict[str, float]:
        """In plain JSON."""
        return {"value": self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True, eq=False)
class Replicates:
    """Weights of respondents in every replicate.

    Attributes:
        weights: `(s, c, r)`, for each of s draws c weightings of r respondents, each of which sums to 1.
    """

    weights: Tensor

    @classmethod
    def of(cls, draws: Tensor, generator: torch.Generator, count: int = REPLICATES) -> "Replicates":
        """Replicates for draws `(r, s, d)`; each draw is used equally often."""
        r, s = draws.shape[:2]
        each = max(1, -(-count // s))
        exponential = torch.empty(s, each, r, dtype=torch.float64).exponential_(generator=generator)
        return cls((exponential / exponential.sum(dim=2, keepdim=True)).to(draws.dtype))

    def means(self, quantity: Tensor) -> Tensor:
        """The population mean of `(r, s, v)` in every replicate, `(b, v)`."""
        return torch.einsum("scr,rsv->scv", self.weights, quantity).flatten(0, 1)


def summarised(replicated: Tensor, values: Tensor) -> list[Estimate]:
    """Estimates of v numbers, from their replicates `(b, v)` and their values `(v,)`."""
    return estimates(values, *_ends(replicated, dim=0))


def estimates(values: Tensor, low: Tensor, high: Tensor) -> list[Estimate]:
    """Estimates from three vectors `(v,)`."""
    return [Estimate(*row) for row in torch.stack([values, low, high], dim=1).tolist()]


def population_means(quantity: Tensor, replicates: Replicates) -> list[Estimate]:
    """The population means of v quantities `(r, s, v)`, one of each respondent and draw."""
    return summarised(replicates.means(quantity), quantity.mean(dim=(0, 1)))


def respondent_means(quantity: Tensor) -> list[list[Estimate]]:
    """For each respondent the v quantities `(r, s, v)` with what their own answers leave uncertain."""
    rows = zip(quantity.mean(dim=1), *_ends(quantity, dim=1), strict=True)
    return [estimates(mean, low, high) for mean, low, high in rows]


def _ends(draws: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """The ends of the intervals, of n draws along a dimension.

    Of n + 1 draws alike each is equally likely to be the largest, so that a share of k / (n + 1) is expected below the
    k-th smallest (Weibull 1939). The usual interpolation, of (k - 1) / (n - 1), is too narrow for few draws: of 40, it
    would hold 90 %.
    """
    n = draws.shape[dim]
    low, high = (min(1.0, max(0.0, ((n + 1) * share - 1) / max(1, n - 1))) for share in (LOW, HIGH))
    ends = torch.quantile(draws, torch.tensor([low, high], dtype=draws.dtype), dim=dim)
    return ends[0], ends[1]


def listed(found: Sequence[Estimate]) -> list[dict[str, float]]:
    """Estimates in plain JSON."""
    return [each.as_data() for each in found]
