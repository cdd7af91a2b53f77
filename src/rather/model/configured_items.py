"""Items that are configurations of a product: as many as there are, none of them written down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor

from rather.errors import NeedsListError
from rather.model.diagrams import Diagram
from rather.model.items import FeatureRanges, ItemId, ItemStorage, hash_of_shape

# Up to this many items a list of all of them is made where something asks for it: 80 MB of 20 dimensions.
MOST_LISTED = 2**20


@dataclass(frozen=True, eq=False)
class Configurations:
    """The valid configurations of a product, and what each choice adds to an item vector.

    Attributes:
        diagram: Which configurations there are. Their numbers are the rows of the catalogue.
        effects: For each decision in the diagram's order `(symbols, d)`, what a choice adds to the vector. Every
            dimension belongs to one decision: the others add 0 there.
    """

    diagram: Diagram
    effects: tuple[Tensor, ...] = field(repr=False)

    @property
    def dimensions(self) -> int:
        """The length d of an item vector."""
        return self.effects[0].shape[1]

    def vectors(self, choices: Tensor) -> Tensor:
        """The vectors `(b, d)` of configurations of these values `(b, L)`."""
        symbols = self.diagram.symbols(choices)
        total = torch.zeros(len(choices), self.dimensions)
        for effects, symbol in zip(self.effects, symbols.unbind(dim=1), strict=True):
            total += effects[symbol]
        return total


class ConfiguredItems(ItemStorage):
    """The item vectors of all configurations of a product.

    Args:
        configurations: What there is.
        most_listed: Up to this many a list of all vectors is made where something asks for it.
    """

    def __init__(self, configurations: Configurations, most_listed: int = MOST_LISTED) -> None:
        self.configurations = configurations
        self._most_listed = most_listed

    @property
    def diagram(self) -> Diagram:
        """Which configurations there are."""
        return self.configurations.diagram

    @property
    def shape(self) -> tuple[int, int]:
        """`(n, d)`."""
        return self.diagram.count, self.configurations.dimensions

    def vectors(self, rows: Tensor) -> Tensor:
        """The vectors `(..., d)` of the items in these rows `(...)`."""
        flat = self.diagram.choices(rows.reshape(-1))
        return self.configurations.vectors(flat).view(*rows.shape, -1)

    def spaced_rows(self, count: int) -> Tensor:
        """See `ItemStorage.spaced_rows`; random ones of many, because neighbours at even distances share choices."""
        n = self.shape[0]
        if n <= self._most_listed:
            return super().spaced_rows(count)
        return torch.randint(n, (count,), generator=torch.Generator().manual_seed(0)).sort().values

    @cached_property
    def average(self) -> Tensor:
        """The average vector `(d,)` over all configurations."""
        return self._mean.float()

    @cached_property
    def feature_ranges(self) -> FeatureRanges:
        """How each dimension varies over all configurations: each belongs to one decision."""
        effects = self.configurations.effects
        squares = self._expected(torch.square)
        spread = (squares - self._mean.square()).clamp_min(0).sqrt().float()
        occurring = [each[shares > 0] for each, shares in zip(effects, self.diagram.shares, strict=True)]
        low = torch.stack([each.amin(dim=0) for each in occurring]).sum(dim=0)
        high = torch.stack([each.amax(dim=0) for each in occurring]).sum(dim=0)
        return FeatureRanges(low, high, spread)

    @cached_property
    def _mean(self) -> Tensor:
        return self._expected(lambda effects: effects)

    def _expected(self, of: Callable[[Tensor], Tensor]) -> Tensor:
        """The average `(d,)` of a function of the effects, summed over decisions; in float64."""
        parts = [
            shares @ of(effects.double())
            for shares, effects in zip(self.diagram.shares, self.configurations.effects, strict=True)
        ]
        return torch.stack(parts).sum(dim=0)

    @cached_property
    def largest_norm(self) -> float:
        """The largest Euclidean norm of a vector: of the path with the largest sum of squares."""
        best = torch.zeros(1, dtype=torch.float64)
        squares = [effects.double().square().sum(dim=1) for effects in self.configurations.effects]
        for layer, square in zip(reversed(self.diagram.layers), reversed(squares), strict=True):
            best = (square[layer.symbol] + best[layer.target]).masked_fill(~layer.exists, -torch.inf).amax(dim=1)
        return float(best[0].sqrt())

    def content_hash(self, ids: Sequence[ItemId] | None) -> str:
        """A hash of the diagram and of all effects; the ids follow from the choices."""
        digest = hash_of_shape(self.shape)
        digest.update(self.diagram.content_hash.encode())
        for effects in self.configurations.effects:
            digest.update(effects.contiguous().numpy().data)
        return digest.hexdigest()

    @cached_property
    def tensor(self) -> Tensor:
        """All vectors `(n, d)`, if they are few."""
        if self.shape[0] > self._most_listed:
            raise NeedsListError(self.shape[0], self._most_listed)
        return self.vectors(torch.arange(self.shape[0]))

    @property
    def norms(self) -> Tensor:
        """All Euclidean norms `(n,)`, if they are few."""
        norms: Tensor = torch.linalg.vector_norm(self.tensor, dim=1)
        return norms
