"""Somebody whose recorded ratings answer the questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rather.model.questions import Question
from rather.model.responses import SAME, Choice, ResponseModel
from rather.numerics.randomness import derive_generator


@dataclass(frozen=True, eq=False)
class RatedUser:
    """Prefers what they rated higher.

    Attributes:
        rows: `(r,)`, the items that were rated.
        stars: `(r,)`, how.
        seed: Decides between options that are equally good.
    """

    rows: NDArray[np.int64]
    stars: NDArray[np.float32]
    seed: int

    @cached_property
    def by_row(self) -> dict[int, float]:
        """The stars of each rated item."""
        return dict(zip(self.rows.tolist(), self.stars.tolist(), strict=True))

    def prefers(self, slate: Sequence[int], number: int) -> int | None:
        """The option with the most stars; None if all have the same. Of several best ones, one at random.

        Args:
            slate: Rows of rated items.
            number: Of the question; ties are broken by it and the seed alone.
        """
        stars = [self.by_row[row] for row in slate]
        if len(set(stars)) == 1:
            return None
        best = [option for option, given in enumerate(stars) if given == max(stars)]
        return best[self._draw(len(best), number)]

    def answer(self, question: Question, response: ResponseModel) -> Choice:
        """What their ratings say; "about the same" for equal ones or, where that is not offered, one at random."""
        preferred = self.prefers(question.slate, question.number)
        if preferred is not None:
            return preferred
        return SAME if SAME in response.extras else self._draw(len(question.slate), question.number)

    def _draw(self, count: int, number: int) -> int:
        return int(torch.randint(count, (), generator=derive_generator(self.seed, "tie", number)))

    def halves(self, items: int) -> tuple[Tensor, Tensor]:
        """Masks `(items,)` of a random half of what they rated, rounded up, and of the rest."""
        order = torch.randperm(len(self.rows), generator=derive_generator(self.seed, "halves"))
        cut = (len(order) + 1) // 2
        masks = torch.zeros(2, items, dtype=torch.bool)
        for mask, part in zip(masks, (order[:cut], order[cut:]), strict=True):
            mask[torch.from_numpy(self.rows)[part]] = True
        return masks[0], masks[1]
