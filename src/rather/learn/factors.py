"""What learning returns: a vector for every user and item, and how training went."""

from collections.abc import Callable
from dataclasses import dataclass, field

from torch import Tensor

OnEpoch = Callable[[int, int, str], None]
"""Called after each pass over the data with its number from 1, how many there will be, and a text on how it goes."""


@dataclass(frozen=True, eq=False)
class Factors:
    """Users `(m, d)` and items `(n, d)`; the utility of item x for user u is `x @ u`.

    Attributes:
        users: One row per user.
        items: One row per item.
        offset: Added to a utility to predict a rating.
        notes: Settings and measurements of the training, as plain data.
    """

    users: Tensor
    items: Tensor
    offset: float = 0.0
    notes: dict[str, float | int | str] = field(default_factory=dict)

    def predict(self, users: Tensor, items: Tensor) -> Tensor:
        """Predicted ratings `(r,)` of the given pairs."""
        return (self.users[users] * self.items[items]).sum(dim=1) + self.offset
