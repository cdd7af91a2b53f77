"""How thoroughly a shortlist is built, and what was measured about it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ShortlistSettings:
    """How thoroughly a shortlist is built and checked.

    Attributes:
        directions: Searched when it is built, and again for each enlargement.
        depth: Items taken for each direction; doubled with every enlargement.
        bound: Largest acceptable loss, as a share of what there is to gain by asking. See `ShortlistReport.loss`.
        user_bound: The same for single users, whose best items only the expected regret needs. See
            `ShortlistReport.user_loss`.
        enlargements: At most this many while it is built.
        checks: Fresh beliefs that measure the loss, and a quarter as many fresh users. Of a million films, the loss in
            128 was 2 % or next to 0, by whether an outlying user was among them; in 512 it was 0.1 to 0.5 %.
        check_one_in: Of this many beliefs it is fitted to, one is checked by exact searches;
        scan_one_in: and of this many where those take a scan of all items. On a million films that is five times the
            work of a question, and 128 checks in conversations found nothing to add.
        refresh: Directions searched when it has to be enlarged for a belief.
        seed: For drawing directions.
    """

    directions: int = 1024
    depth: int = 8
    bound: float = 0.01
    user_bound: float = 0.05
    enlargements: int = 2
    checks: int = 512
    check_one_in: int = 8
    scan_one_in: int = 256
    refresh: int = 128
    seed: int = 0


@dataclass(frozen=True)
class ShortlistReport:
    """What was measured about a shortlist.

    Attributes:
        items: How many items it holds.
        catalog: How many the catalogue holds.
        directions: How many were searched to find them.
        loss: What it loses in the directions that questions and recommendations search, the means of fresh beliefs, as
            a share of what those directions gain over the item that is best on average: 0 if it always holds the best
            item, 1 if it might as well hold only that one.
        user_loss: The same in the directions of fresh users. No question or recommendation searches in those, but the
            expected regret compares with every particle's own best item.
        checks: How many beliefs the loss was measured in.
        bound: The largest acceptable loss,
        user_bound: and that for single users.
        enlargements: How often it was enlarged.
        exact_is_cheap: Whether norms stop most exact searches early, so that searches for few directions are exact.
    """

    items: int
    catalog: int
    directions: int
    loss: float
    user_loss: float
    checks: int
    bound: float
    user_bound: float
    enlargements: int
    exact_is_cheap: bool

    @property
    def trusted(self) -> bool:
        """Whether both losses are within their bounds."""
        return self.loss <= self.bound and self.user_loss <= self.user_bound
