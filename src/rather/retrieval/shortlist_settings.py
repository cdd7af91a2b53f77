"""How thoroughly a shortlist is made, and what is known of it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ShortlistPlan:
    """How thoroughly a shortlist is made.

    Attributes:
        directions: Searched when it is built, and again for each enlargement.
        depth: Items taken for each direction; twice as many at every enlargement.
        bound: Largest loss that is let pass: the share of what there is to gain by asking. See `ShortlistReport.loss`.
        enlargements: At most this many when it is built.
        checks: Fresh directions that measure the loss.
        refresh: Directions searched when it has to be enlarged for a belief.
        seed: Of the directions.
    """

    directions: int = 1024
    depth: int = 8
    bound: float = 0.01
    enlargements: int = 2
    checks: int = 128
    refresh: int = 128
    seed: int = 0


@dataclass(frozen=True)
class ShortlistReport:
    """What is known of a shortlist.

    Attributes:
        items: How many items it holds.
        catalog: Of how many.
        directions: Searched to find them.
        loss: What it loses in fresh directions, as a share of what those directions gain over the item that is best on
            average: 0 when it always holds the best item, 1 when it might as well hold that one alone.
        checks: How many fresh directions that was measured in.
        bound: The loss that is let pass.
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
