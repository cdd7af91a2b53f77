"""The sizes that are measured: items, particles, items on a slate."""

from __future__ import annotations

from dataclasses import dataclass

from rather.errors import InvalidInputError


@dataclass(frozen=True, order=True)
class Size:
    """n items, m particles, slates of k."""

    n: int
    m: int
    k: int

    def __str__(self) -> str:
        return f"{self.n:,} items, {self.m} particles, k = {self.k}"

    @classmethod
    def parse(cls, text: str) -> Size:
        """From `1e6,500,2`."""
        try:
            n, m, k = (int(float(part)) for part in text.split(","))
        except (ValueError, OverflowError):
            raise InvalidInputError(f"A size must be items,particles,k such as 1e6,500,2; got {text!r}.") from None
        if n < 10 or m < 2 or not 2 <= k <= min(n, 10):
            raise InvalidInputError(
                f"A size must have 10 items, 2 particles and 2 to 10 options at least; got {text!r}."
            )
        return cls(n, m, k)


PAPER = (
    Size(1_682, 943, 2),
    Size(1_682, 943, 5),
    Size(200_000, 100, 2),
    Size(1_000_000, 100, 2),
    Size(1_000_000, 500, 2),
    Size(1_000_000, 500, 5),
)
"""Those of the paper's table."""

BEYOND = (Size(100_000, 500, 2), Size(10_000_000, 500, 2))
"""How the time grows with the catalogue."""

ELSEWHERE = (Size(1_000_000, 500, 2), Size(1_000_000, 500, 5))
"""What is measured on other origins of vectors, too."""

QUICK = (Size(1_682, 943, 2), Size(1_682, 943, 5), Size(200_000, 100, 2))
"""What fits into a minute."""

QUICK_ELSEWHERE = (Size(200_000, 100, 2),)
"""Likewise."""
