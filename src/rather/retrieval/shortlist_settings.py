"""How thoroughly a shortlist is built, and what was measured about it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ShortlistSettings:
    """How thoroughly a shortlist is built and checked.

    Attributes:
        directions: Searched when it is built, and again for each enlargement.
        depth: Items taken for each direction; doubled with every enlargement.
        bound: Largest acceptable loss, as a share of what there is to gain by asking. See `ShortlistReport.loss`.
        enlargements: At most this many while it is built.
        checks: Fresh directions that measure the loss.
        check_one_in: Of this many beliefs it is fitted to, one is checked by exact searches.
        refresh: Directions searched when it has to be enlarged for a belief.
        seed: For drawing directions.
    """

    directions: int = 1024
    depth: int = 8
    bound: float = 0.01
    enlargements: int = 2
    checks: int = 128
    check_one_in: int = 8
    refresh: int = 128
    seed: int = 0


@dataclass(frozen=True)
class ShortlistReport:
    """What was measured about a shortlist.

    Attributes:
        items: How many items it holds.
        catalog: How many the catalogue holds.
        directions: How many were searched to find them.
        loss: What it loses in fresh directions, as a share of what those directions gain over the item that is best on
            average: 0 if it always holds the best item, 1 if it might as well hold only that one.
        checks: How many fresh directions that was measured in.
        bound: The largest acceptable loss.
        enlargements: How often it was enlarged.
        exact_is_cheap: Whether norms stop most exact searches early, so that searches for few directions are exact.
    """

    items: int
    catalog: int
    directions: int
    loss: float
    checks: int
    bound: float
    enlargements: int
    exact_is_cheap: bool

    @property
    def trusted(self) -> bool:
        """Whether the loss is within the bound."""
        return self.loss <= self.bound
