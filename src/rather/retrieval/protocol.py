"""What every retriever offers, and what it finds."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from torch import Tensor

from rather.errors import InvalidInputError
from rather.model.belief import Belief


@dataclass(frozen=True)
class Found:
    """The best items for each direction, best first.

    Attributes:
        scores: `(b, count)` inner products with the direction.
        rows: `(b, count)` rows of the catalogue.
        vectors: `(b, count, d)` the items themselves.
    """

    scores: Tensor
    rows: Tensor
    vectors: Tensor


class Retriever(Protocol):
    """Maximum inner product search over a catalogue ("deep retrieval" once directions are posterior means)."""

    def top(self, directions: Tensor, count: int, allowed: Tensor | None = None) -> Found:
        """The `count` best items for each direction, equal scores in the order of their rows.

        Args:
            directions: `(b, d)`.
            count: How many items for each direction, at most the number of allowed ones.
            allowed: `(n,)` boolean; items that may be found. None allows all.
        """
        ...


@runtime_checkable
class Adapting(Protocol):
    """A retriever that serves some beliefs and filters better than others, and can be fitted to one."""

    def fitted(self, belief: Belief, allowed: Tensor | None = None) -> Retriever:
        """A retriever for what may be asked of somebody with this belief. The same arguments give the same one."""
        ...


@runtime_checkable
class Shortlisting(Protocol):
    """A retriever that knows which few items are ever found."""

    def candidates(self, allowed: Tensor | None = None) -> Tensor:
        """Their rows, rising."""
        ...


def validate_count(count: int, available: int) -> None:
    """Complain when more items are wanted than are allowed."""
    if not 1 <= count <= available:
        raise InvalidInputError(f"`count` must be 1..{available} (the items allowed), got {count}.")
