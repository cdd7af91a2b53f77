"""What every retriever offers, and what it finds."""

from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeGuard, runtime_checkable

from torch import Tensor

from rather.errors import InvalidInputError, number_range
from rather.model.belief import Belief
from rather.retrieval.scan import Best


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

    def top(self, directions: Tensor, count: int, allowed: Any = None) -> Found:
        """The `count` best items for each direction, equal scores in the order of their rows.

        Args:
            directions: `(b, d)`.
            count: Items per direction, at most as many as are allowed.
            allowed: The items that may be found, `(n,)` boolean; for a product space rules. None allows all.
        """
        ...


@runtime_checkable
class AdaptiveRetriever(Protocol):
    """A retriever that can be fitted to a belief and a filter."""

    def fitted(self, belief: Belief, allowed: Any = None) -> Retriever:
        """The retriever for questions asked under this belief. The same arguments give the same one."""
        ...


@runtime_checkable
class HasCandidates(Protocol):
    """A retriever that finds only the items of a shortlist."""

    def candidates(self, allowed: Any = None) -> Tensor:
        """Their rows, ascending."""
        ...


@runtime_checkable
class HasFavourites(Protocol):
    """A retriever that keeps the best item of every particle of a belief."""

    def favourites(self, particles: Tensor, allowed: Any = None) -> Best:
        """Scores and rows `(m, 1)` of the best items of particles `(m, d)`; searched once while the particles live."""
        ...


@runtime_checkable
class Screening(Protocol):
    """A retriever that finds good items, if not the best, much faster than the best ones."""

    def screen(self, directions: Tensor, count: int, allowed: Any = None) -> Tensor:
        """Rows `(b, count)` of good items for each direction; arguments as those of `Retriever.top`."""
        ...


def is_adaptive(retriever: Retriever) -> TypeGuard[AdaptiveRetriever]:
    """Whether a retriever can be fitted to a belief."""
    return _follows(type(retriever), AdaptiveRetriever)


def has_candidates(retriever: Retriever) -> TypeGuard[HasCandidates]:
    """Whether a retriever finds only the items of a shortlist."""
    return _follows(type(retriever), HasCandidates)


def has_favourites(retriever: Retriever) -> TypeGuard[HasFavourites]:
    """Whether a retriever keeps the best item of every particle."""
    return _follows(type(retriever), HasFavourites)


def is_screening(retriever: Retriever) -> TypeGuard[Screening]:
    """Whether a retriever finds good items much faster than the best ones."""
    return _follows(type(retriever), Screening)


@cache
def _follows(kind: type, protocol: type) -> bool:
    """Once for each kind: to ask whether an object follows a protocol takes as long as a small kernel, five times."""
    return issubclass(kind, protocol)


def validate_count(count: int, available: int) -> None:
    """Reject a count below 1 or above the number of allowed items."""
    if not 1 <= count <= available:
        raise InvalidInputError(f"`count` must be {number_range(1, available)} (the items allowed), got {count}.")
