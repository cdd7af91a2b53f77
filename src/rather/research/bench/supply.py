"""Items and users for every size that is measured, from each origin of vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from torch import Tensor

from rather.research.bench.machine import available_bytes
from rather.research.bench.origins import SMALL, Origin
from rather.research.bench.sizes import Size

# Simulated users whose answer to the first question is followed,
USERS = 3

# and with whom questions are compared where vectors have no structure: their EVOI varies most there. With six of them
# the standard error of a share was 4 %.
COMPARED_USERS = 30

# A catalogue, its longest items, the copy that the process for memory loads, and room to work.
MEMORY_SHARE = 2.7


class Sample(NamedTuple):
    """Vectors to measure with: items `(n, d)`, users of the belief `(m, d)`, others to ask, and where all come from."""

    items: Tensor
    members: Tensor
    users: Tensor
    name: str
    origin: str


class Supply:
    """Items and users for sizes; the larger catalogues begin with the smaller ones, and share their memory.

    Args:
        name: Of where they come from.
        origin: Finds them; None if they are not on this machine.
        sizes: That will be drawn.
        real: A whole catalogue, taken as it is for the size that it has.
        limit: Bytes that a size may need; by default what is free.
        users: To ask.
    """

    def __init__(
        self,
        name: str,
        origin: Callable[[], Origin | None],
        sizes: Sequence[Size],
        real: Origin | None = None,
        limit: int | None = None,
        users: int = USERS,
    ) -> None:
        self.name, self.sizes, self.users = name, tuple(sorted(sizes)), users
        self._small, self._limit = real, limit
        self._items: Tensor | None = None
        self._large = origin() if any(self._real(size) is None for size in sizes) else None

    def _real(self, size: Size) -> Origin | None:
        """The catalogue of just this size, if there is one."""
        small = self._small
        if small is None or size.n > SMALL or (size.n, size.m) != (len(small.items), len(small.users)):
            return None
        return small

    def reason_to_skip(self, size: Size) -> str | None:
        """Why this size cannot be measured here; None if it can."""
        if self._real(size) is not None or (self._items is not None and len(self._items) >= size.n):
            return None
        if self._large is None:
            return "its ratings are not on this machine, or not learnt from yet"
        needed = MEMORY_SHARE * 4 * size.n * self._large.items.shape[1]
        available = available_bytes() if self._limit is None else self._limit
        if available is not None and needed > available:
            return f"needs {needed / 1e9:.1f} GB of memory, {available / 1e9:.1f} GB are free"
        return None

    def draw(self, size: Size) -> Sample:
        """Vectors for a size."""
        real = self._real(size)
        if real is not None:
            return Sample(real.items, *real.draw_users(size.m, self.users), real.name, real.description)
        origin = self._large
        assert origin is not None
        if self._items is None or len(self._items) < size.n:
            self._items = origin.resampled(self._size_to_make(size))
        users = origin.draw_users(size.m, self.users)
        return Sample(self._items[: size.n], *users, origin.name, origin.resampled_description)

    def _size_to_make(self, size: Size) -> int:
        """As many items as this and the following sizes need, unless one of them is too large."""
        return max(other.n for other in (*self.sizes, size) if self.reason_to_skip(other) is None)
