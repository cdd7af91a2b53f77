"""What the dimensions of item vectors mean, so that vectors of an earlier version of a catalogue can still be read.

A utility vector belongs to a space: the columns and values of a table, a list of named features, or dimensions without
names. A space can be described in plain JSON, and a space of today translates vectors of a space that was described
earlier, as long as both are about the same things.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import torch
from torch import Tensor

from rather.errors import CatalogChangedError


@dataclass(frozen=True, eq=False)
class Translation:
    """How vectors of an earlier space read in a space of today.

    Attributes:
        matrix: `(d, c)`, from c dimensions then to d now; None where nothing changes.
        lost: What had a dimension then and has none now, in words.
    """

    matrix: Tensor | None = field(default=None, repr=False)
    lost: tuple[str, ...] = ()

    def __call__(self, vectors: Tensor) -> Tensor:
        """The vectors `(..., c)` as `(..., d)`."""
        if self.matrix is None:
            return vectors
        return (vectors.double() @ self.matrix.double().T).float()


class Space(Protocol):
    """The meaning of d dimensions.

    Attributes:
        is_named: Whether names say what they mean. Without names, only the items can tell that it is the same.
    """

    is_named: ClassVar[bool]

    @property
    def description(self) -> dict[str, Any]:
        """The space in plain JSON."""
        ...

    def translation(self, before: Mapping[str, Any]) -> Translation:
        """From a space that was described earlier; raises `CatalogChangedError` where the meaning is another one."""
        ...


@dataclass(frozen=True)
class UnnamedDimensions:
    """Dimensions without names, such as those that a model has learned."""

    is_named: ClassVar[bool] = False

    count: int

    @property
    def description(self) -> dict[str, Any]:
        """See `Space.description`."""
        return {"dimensions": self.count}

    def translation(self, before: Mapping[str, Any]) -> Translation:
        """See `Space.translation`."""
        if before.get("dimensions") != self.count:
            raise CatalogChangedError(f"The item vectors have another meaning: {_kind(before)} became {self.count}.")
        return Translation()


@dataclass(frozen=True)
class NamedFeatures:
    """A name for each dimension."""

    is_named: ClassVar[bool] = True

    names: tuple[str, ...]

    @property
    def description(self) -> dict[str, Any]:
        """See `Space.description`."""
        return {"features": list(self.names)}

    def translation(self, before: Mapping[str, Any]) -> Translation:
        """See `Space.translation`. The order of the features may change."""
        names = before.get("features")
        if not isinstance(names, list):
            raise CatalogChangedError(
                f"The item vectors have another meaning: {_kind(before)} became {len(self.names)} named features."
            )
        if names == list(self.names):
            return Translation()
        raise_for_changes(names, self.names, "feature")
        matrix = torch.zeros(len(self.names), len(names))
        matrix[[self.names.index(name) for name in names], range(len(names))] = 1
        return Translation(matrix)


def space_hash(description: Mapping[str, Any]) -> str:
    """A short name for a space, by content."""
    return hashlib.blake2b(json.dumps(description, sort_keys=True).encode(), digest_size=6).hexdigest()


def raise_for_changes(before: Sequence[str], now: Sequence[str], noun: str) -> None:
    """Raise `CatalogChangedError` unless the same names are there, in whatever order."""
    parts = []
    for names, verb in (
        ([name for name in before if name not in now], "gone"),
        ([name for name in now if name not in before], "new"),
    ):
        if names:
            several = "s" * (len(names) > 1)
            parts.append(f"the {noun}{several} {_listed(names)} {'are' if several else 'is'} {verb}")
    if parts:
        raise CatalogChangedError(f"Items are described otherwise now: {' and '.join(parts)}.")


def _listed(names: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _kind(description: Mapping[str, Any]) -> str:
    if isinstance(features := description.get("features"), list):
        return f"{len(features)} named features"
    if isinstance(columns := description.get("columns"), list):
        return f"the {len(columns)} columns of a table"
    return f"{description.get('dimensions')} dimensions without names"
