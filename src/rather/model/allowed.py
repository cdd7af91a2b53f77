"""Which items may be asked about and recommended: a mask over the rows, or rules about configurations.

A list of items is filtered by a mask `(n,)`. A product space is filtered by rules, which lead to a diagram of their
own: no mask of 10^12 rows is ever made. What the rest of the code wants to know of either is here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from rather.errors import InvalidInputError, NeedsListError
from rather.model.configured_items import MOST_LISTED, Configurations, ConfiguredItems
from rather.model.items import ItemStorage
from rather.numerics.arrays import as_mask


@dataclass(frozen=True, eq=False)
class AllowedConfigurations:
    """The configurations that satisfy some expressions.

    Attributes:
        expressions: What they satisfy, sorted.
        configurations: They alone; numbered by themselves.
        everything: All configurations; their numbers are the rows of the catalogue.
        filtered: The configurations that satisfy some expressions.
    """

    expressions: tuple[str, ...]
    configurations: Configurations = field(repr=False)
    everything: Configurations = field(repr=False)
    filtered: Callable[[tuple[str, ...]], Configurations] = field(repr=False)

    def __and__(self, other: AllowedConfigurations) -> AllowedConfigurations:
        return self.both(other.expressions)

    def both(self, expressions: tuple[str, ...]) -> AllowedConfigurations:
        """Those that satisfy further expressions too."""
        together = tuple(sorted({*self.expressions, *expressions}))
        if together == self.expressions:
            return self
        return AllowedConfigurations(together, self.filtered(together), self.everything, self.filtered)

    @property
    def count(self) -> int:
        """How many there are."""
        return self.configurations.diagram.count

    def holds(self, rows: Tensor) -> Tensor:
        """Which of the rows `(...)` are among them, boolean."""
        choices = self.everything.diagram.choices(rows.reshape(-1))
        return (self.configurations.diagram.numbers(choices) >= 0).view(rows.shape)

    def rows(self, numbers: Tensor) -> Tensor:
        """The rows `(...)` of the configurations of these numbers among themselves `(...)`, in the same order."""
        choices = self.configurations.diagram.choices(numbers.reshape(-1))
        return self.everything.diagram.numbers(choices).view(numbers.shape)

    def every_row(self, most_listed: int = MOST_LISTED) -> Tensor:
        """The rows of all of them, ascending, if they are few."""
        if self.count > most_listed:
            raise NeedsListError(self.count, most_listed)
        return self.rows(torch.arange(self.count))

    @property
    def average(self) -> Tensor:
        """The average vector `(d,)` of all of them."""
        parts = [
            shares @ effects.double()
            for shares, effects in zip(self.configurations.diagram.shares, self.configurations.effects, strict=True)
        ]
        return torch.stack(parts).sum(dim=0).float()


Allowed = Tensor | AllowedConfigurations


def as_allowed(values: Any, name: str, storage: ItemStorage) -> Allowed:
    """A mask over a list of items, or rules about the configurations of a product space."""
    if isinstance(storage, ConfiguredItems):
        if not isinstance(values, AllowedConfigurations):
            raise InvalidInputError(
                f"`{name}` must be rules for a product space, as `catalog.where` returns them, got "
                f"{type(values).__name__}."
            )
        if values.everything.diagram.content_hash != storage.diagram.content_hash:
            raise InvalidInputError(f"`{name}` must be what `catalog.where` of this product space returned.")
        return values
    if isinstance(values, AllowedConfigurations):
        raise InvalidInputError(f"`{name}` must be a mask for a list of items, got the rules of a product space.")
    return as_mask(values, name, storage.shape[0])


def both_allowed(first: Allowed, second: Allowed) -> Allowed:
    """What is allowed by both."""
    if isinstance(first, AllowedConfigurations) and isinstance(second, AllowedConfigurations):
        return first & second
    if isinstance(first, Tensor) and isinstance(second, Tensor):
        return first & second
    raise InvalidInputError("`allowed` must be a mask for a list of items, and rules for a product space.")


def count_allowed(allowed: Allowed | None, count: int) -> int:
    """How many of `count` items are allowed."""
    if allowed is None:
        return count
    return allowed.count if isinstance(allowed, AllowedConfigurations) else int(allowed.count_nonzero())


def are_allowed(allowed: Allowed | None, rows: Tensor) -> Tensor:
    """Which of the rows `(...)` are allowed, boolean."""
    if allowed is None:
        return torch.ones(rows.shape, dtype=torch.bool)
    return allowed.holds(rows) if isinstance(allowed, AllowedConfigurations) else allowed[rows]


def allowed_rows(allowed: Allowed | None, storage: ItemStorage) -> Tensor:
    """All rows of items that are allowed, ascending."""
    if isinstance(allowed, Tensor):
        return allowed.nonzero()[:, 0]
    return storage.rows if allowed is None else allowed.every_row()


def numbered_rows(allowed: Allowed | None, numbers: Tensor) -> Tensor:
    """The rows of the allowed items with these numbers among the allowed ones."""
    if allowed is None:
        return numbers
    return allowed.rows(numbers) if isinstance(allowed, AllowedConfigurations) else allowed.nonzero()[:, 0][numbers]
