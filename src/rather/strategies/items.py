"""Items as the options of a question."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from rather import value
from rather.errors import InvalidInputError, number_range
from rather.model.allowed import Allowed, allowed_rows, count_allowed, numbered_rows
from rather.model.belief import Belief
from rather.model.catalog import Catalog


@dataclass(frozen=True, eq=False)
class ItemOptions:
    """The allowed items. A slate is k rows `(k,)`, a batch of slates `(b, k)`.

    Attributes:
        catalog: All items.
        belief: Whom they are worth something to.
        k: Items on a slate.
        allowed: The items that may be asked about, `(n,)` boolean, or rules; None allows all.
    """

    catalog: Catalog
    belief: Belief
    k: int
    allowed: Allowed | None = None
    noun = "item"

    def __post_init__(self) -> None:
        if self.count < 2:
            raise InvalidInputError(
                f"A question compares at least 2 items, but only {self.count} may be asked about: loosen the filter, "
                "or use a catalogue with more items."
            )
        if not 2 <= self.k <= self.count:
            allowed = number_range(2, self.count)
            raise InvalidInputError(f"`k` must be {allowed} (the items that may be asked about), got {self.k}.")

    @cached_property
    def count(self) -> int:
        """How many items may be asked about."""
        return count_allowed(self.allowed, len(self.catalog))

    @cached_property
    def rows(self) -> Tensor:
        """Their rows, ascending."""
        return allowed_rows(self.allowed, self.catalog.storage)

    @property
    def slates(self) -> int:
        """How many slates there are, whatever their order."""
        return math.comb(self.count, self.k)

    def vectors(self, slates: Tensor) -> Tensor:
        """Item vectors `(b, k, d)` of slates `(b, k)`."""
        return self.catalog.vectors(slates)

    def utilities(self, slates: Tensor) -> Tensor:
        """Utilities `(b, k, m)` of slates `(b, k)`."""
        return value.utilities(self.vectors(slates), self.belief)

    def random(self, count: int, generator: torch.Generator) -> Tensor:
        """`count` slates of k distinct items, `(count, k)`."""
        if self.count <= 4 * self.k:  # so few that rejection would take long
            shape = (count, self.count)
            order = torch.rand(shape, generator=generator, dtype=torch.float32).argsort(dim=1)
            return numbered_rows(self.allowed, order[:, : self.k].contiguous())
        picks = torch.randint(self.count, (count, self.k), generator=generator)
        while len(repeated := _with_repeats(picks)):
            picks[repeated] = torch.randint(self.count, (len(repeated), self.k), generator=generator)
        return numbered_rows(self.allowed, picks)

    def batches(self, size: int) -> Iterator[Tensor]:
        """All slates, in batches of `size`."""
        slates = itertools.combinations(self.rows.tolist(), self.k)
        while batch := list(itertools.islice(slates, size)):
            yield torch.tensor(batch)

    @staticmethod
    def name(slate: Sequence[int]) -> frozenset[int]:
        """The same for every order of the rows."""
        return frozenset(slate)


def _with_repeats(picks: Tensor) -> Tensor:
    """The slates `(b, k)` that hold an item twice."""
    ordered = picks.sort(dim=1).values
    return (ordered[:, 1:] == ordered[:, :-1]).any(dim=1).nonzero()[:, 0]
