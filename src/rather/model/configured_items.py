"""Items that are configurations of a product: as many as there are, none of them written down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor

from rather.errors import NeedsListError
from rather.model.diagrams import Diagram
from rather.model.items import FeatureRanges, ItemId, ItemStorage, hash_of_shape

# Up to this many items a list of all of them is made where something asks for it: 80 MB of 20 dimensions.
MOST_LISTED = 2**20

# Up to so many vectors at once are looked up one by one, and so many are kept: more than are shown in a few hundred
# conversations, in 4 MB of 100 dimensions.
FEW, MOST_KNOWN = 16, 10_000


@dataclass(frozen=True, eq=False)
class Configurations:
    """The valid configurations of a product, and what each choice adds to an item vector.

    Attributes:
        diagram: Which configurations there are. Their numbers are the rows of the catalogue.
        effects: For each decision in the diagram's order `(symbols, d)` float64, what a choice adds to the vector.
            Every dimension belongs to one decision, the others add 0 there, but for sums over decisions.
        scale: Vectors are rounded to float32 before they are multiplied by it, like those of a table, so that they are
            the same to the last bit.
    """

    diagram: Diagram
    effects: tuple[Tensor, ...] = field(repr=False)
    scale: float = 1.0

    @property
    def dimensions(self) -> int:
        """The length d of an item vector."""
        return self.effects[0].shape[1]

    @cached_property
    def is_sum(self) -> Tensor:
        """`(d,)` boolean, which dimensions several decisions add to."""
        return torch.stack([(effects != 0).any(dim=0) for effects in self.effects]).sum(dim=0) > 1

    @cached_property
    def _all_effects(self) -> Tensor:
        """The effects of all decisions, one after the other."""
        return torch.cat(self.effects)

    @cached_property
    def _starts(self) -> Tensor:
        """`(L,)` the first row of each decision among all effects."""
        sizes = torch.tensor([len(effects) for effects in self.effects])
        return sizes.cumsum(0) - sizes

    def vectors(self, choices: Tensor) -> Tensor:
        """The vectors `(b, d)` of configurations of these values `(b, L)`."""
        return self.settled_vectors(self.diagram.symbols(choices))

    def settled_vectors(self, symbols: Tensor) -> Tensor:
        """The vectors `(b, d)` of configurations whose choices settle these symbols `(b, L)`."""
        total = torch.nn.functional.embedding_bag(symbols + self._starts, self._all_effects, mode="sum")
        return (total / self.scale).float() * self.scale


class ConfiguredItems(ItemStorage):
    """The item vectors of all configurations of a product.

    Args:
        configurations: What there is.
        most_listed: Up to this many a list of all vectors is made where something asks for it.
    """

    def __init__(self, configurations: Configurations, most_listed: int = MOST_LISTED) -> None:
        self.configurations = configurations
        self._most_listed = most_listed
        self._known: dict[int, Tensor] = {}

    @property
    def diagram(self) -> Diagram:
        """Which configurations there are."""
        return self.configurations.diagram

    @property
    def shape(self) -> tuple[int, int]:
        """`(n, d)`."""
        return self.diagram.count, self.configurations.dimensions

    def choices(self, row: int) -> tuple[int, ...]:
        """What the item in this row chooses, for each layer of the diagram."""
        return self.diagram.path(row)[0]

    def vectors(self, rows: Tensor) -> Tensor:
        """The vectors `(..., d)` of the items in these rows `(...)`."""
        if 0 < rows.numel() <= FEW:
            return torch.stack([self._vector(row) for row in rows.reshape(-1).tolist()]).view(*rows.shape, -1)
        _, symbols = self.diagram.walked(rows.reshape(-1))
        return self.configurations.settled_vectors(symbols).view(*rows.shape, self.shape[1])

    @property
    def rows(self) -> Tensor:
        """All rows, ascending, if they are few."""
        if self.shape[0] > self._most_listed:
            raise NeedsListError(self.shape[0], self._most_listed)
        return super().rows

    def _vector(self, row: int) -> Tensor:
        """One vector; those of the items that are shown are asked for again and again."""
        if (known := self._known.get(row)) is not None:
            return known
        total = self.configurations.settled_vectors(torch.tensor([self.diagram.path(row)[1]]))[0]
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[row] = total
        return total

    def spaced_rows(self, count: int) -> Tensor:
        """See `ItemStorage.spaced_rows`; random ones of many, because neighbours at even distances share choices."""
        n = self.shape[0]
        if n <= self._most_listed:
            return super().spaced_rows(count)
        return torch.randint(n, (count,), generator=torch.Generator().manual_seed(0)).sort().values

    @cached_property
    def average(self) -> Tensor:
        """The average vector `(d,)` over all configurations."""
        return self._moments[0].float()

    @cached_property
    def feature_ranges(self) -> FeatureRanges:
        """How each dimension varies over all configurations."""
        effects = [each.double() for each in self.configurations.effects]
        high = self.diagram.longest(effects)[0][0]
        low = -self.diagram.longest([-each for each in effects])[0][0]
        mean, squares = self._moments
        return FeatureRanges(low.float(), high.float(), (squares - mean.square()).clamp_min(0).sqrt().float())

    @cached_property
    def _moments(self) -> tuple[Tensor, Tensor]:
        """The averages of all vectors and of their squares, each `(d,)`; in float64."""
        mean = torch.zeros(1, self.shape[1], dtype=torch.float64)
        squares = torch.zeros_like(mean)
        layers = zip(
            reversed(self.diagram.layers),
            reversed(self.configurations.effects),
            self.diagram.counts[::-1],
            strict=False,
        )
        for layer, effects, after in layers:
            paths = (after.double()[layer.target] * layer.exists)[:, :, None]
            shares = paths / paths.sum(dim=1, keepdim=True)
            own, rest, rest_squares = effects.double()[layer.symbol], mean[layer.target], squares[layer.target]
            mean = (shares * (own + rest)).sum(dim=1)
            squares = (shares * (own.square() + 2 * own * rest + rest_squares)).sum(dim=1)
        return mean[0], squares[0]

    @cached_property
    def largest_norm(self) -> float:
        """The largest Euclidean norm of a vector; of more configurations than can be listed, no less than that."""
        if self.shape[0] <= self._most_listed:
            return float(self.norms.max())
        is_sum, ranges = self.configurations.is_sum, self.feature_ranges
        own = [each.double()[:, ~is_sum].square().sum(dim=1, keepdim=True) for each in self.configurations.effects]
        sums = torch.maximum(ranges.low.abs(), ranges.high.abs())[is_sum].square().sum()
        return float((self.diagram.longest(own)[0][0, 0] + sums).sqrt())

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
        return self.vectors(self.rows)

    @property
    def norms(self) -> Tensor:
        """All Euclidean norms `(n,)`, if they are few."""
        norms: Tensor = torch.linalg.vector_norm(self.tensor, dim=1)
        return norms
