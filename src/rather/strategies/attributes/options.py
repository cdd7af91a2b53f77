"""Partial items as the options of a question: each states p attributes and leaves the rest equal."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, islice

import torch
from torch import Tensor

from rather import value
from rather.caching.by_identity import ByIdentity
from rather.errors import InvalidInputError
from rather.model.attributes import column_numbers
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.strategies.attributes.space import AttributeSpace

# Catalogues, and pairs of k and p for each, whose spaces are cached: counting the partial items takes 0.2 s at p = 5.
CACHED_CATALOGS = 32
CACHED_SIZES = 8

_SPACES: ByIdentity[Callable[[int, int], AttributeSpace]] = ByIdentity(CACHED_CATALOGS)


@dataclass(frozen=True, eq=False)
class AttributeOptions:
    """The partial items of p attributes. A slate is `(k, p)` attribute indices, a batch of slates `(b, k, p)`.

    Attributes:
        catalog: Whose attributes.
        belief: Whom they are worth something to.
        k: Partial items on a slate.
        p: Attributes that each of them states.
        kept_numbers: Utilities of single attributes are computed once while they are no more numbers than this (128
            MiB of float32), else from vectors each time.
    """

    catalog: Catalog
    belief: Belief
    k: int
    p: int
    kept_numbers: int = 2**25
    noun = "partial item"

    def __post_init__(self) -> None:
        if not self.catalog.attributes:
            raise InvalidInputError(
                "This catalogue has no attributes to ask about. "
                "Give it `features` (names of its dimensions) or `attributes`, or ask about items."
            )
        _ = self.space  # rejects a k or p that does not fit

    @cached_property
    def space(self) -> AttributeSpace:
        """The partial items there are, and slates of them."""
        return _SPACES(self.catalog, lambda: _spaces(self.catalog))(self.k, self.p)

    @property
    def count(self) -> int:
        """How many partial items there are."""
        return self.space.items

    @property
    def slates(self) -> int:
        """How many slates there are, whatever their order."""
        return self.space.slates

    @cached_property
    def matrix(self) -> Tensor:
        """`(a, d)`, what each attribute adds to an item vector."""
        return self.catalog.attribute_vectors

    @cached_property
    def variance(self) -> Tensor:
        """`(a,)`, the variance of each attribute's utility over the belief."""
        centred = self.belief.particles - self.belief.mean
        spread = (centred * self.belief.weights[:, None]).T @ centred
        return ((self.matrix @ spread) * self.matrix).sum(dim=1)

    def vectors(self, slates: Tensor) -> Tensor:
        """Vectors `(b, k, d)` of slates `(b, k, p)`: otherwise average items that have the attributes.

        Any other uniform completion gives the same choice among the options. The average item is the one that makes
        sense of "none of these", where the outside option is worth as much as an average item.
        """
        return self.catalog.average + self.matrix[slates].sum(dim=2)

    def utilities(self, slates: Tensor) -> Tensor:
        """Utilities `(b, k, m)` of slates `(b, k, p)`."""
        if len(self.matrix) * len(self.belief) > self.kept_numbers:
            return value.utilities(self.vectors(slates), self.belief)
        # Adding p rows of known utilities is cheaper than a product over d coordinates.
        total = self.of_each[slates[:, :, 0]]
        for index in range(1, self.p):
            total += self.of_each[slates[:, :, index]]
        return total + self.of_average

    @cached_property
    def of_each(self) -> Tensor:
        """`(a, m)`, what each attribute adds to the utility of an item."""
        return self.matrix @ self.belief.particles.T

    @cached_property
    def of_average(self) -> Tensor:
        """`(m,)`, the utility of the average item."""
        return self.belief.particles @ self.catalog.average

    def random(self, count: int, generator: torch.Generator) -> Tensor:
        """`count` random slates, `(count, k, p)`."""
        return self.space.random(count, generator)

    def batches(self, size: int) -> Iterator[Tensor]:
        """All slates, in batches of `size`."""
        items = torch.tensor(list(self.space.every_item()))
        slates = combinations(range(len(items)), self.k)
        while batch := list(islice(slates, size)):
            yield items[torch.tensor(batch)]

    @staticmethod
    def name(slate: Sequence[Sequence[int]]) -> frozenset[frozenset[int]]:
        """The same for every order of partial items and of their attributes."""
        return frozenset(frozenset(item) for item in slate)


def _spaces(catalog: Catalog) -> Callable[[int, int], AttributeSpace]:
    """Makes the spaces of a catalogue by k and p, without keeping the catalogue alive."""
    columns, together, combinable = column_numbers(catalog.attributes), catalog.together, catalog.combinable

    @lru_cache(CACHED_SIZES)
    def space(k: int, p: int) -> AttributeSpace:
        return AttributeSpace(columns, k, p, together, combinable)

    return space
