"""Which rows of a table have an attribute, and whether one has several of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from rather.formats.tables.blocks import Block, level_masks
from rather.formats.tables.table_attributes import level_numbers


@dataclass(frozen=True, eq=False)
class RowsWithAttributes:
    """Whether some row has all of some attributes, given by their indices.

    Attributes:
        blocks: The parameters of the table, in the order of the item vectors.
    """

    blocks: Sequence[Block] = field(repr=False)

    def __call__(self, attributes: Sequence[int]) -> bool:
        """Whether some row has them all."""
        rows = -1
        for attribute in attributes:
            rows &= self._rows[attribute]
        return rows != 0

    @cached_property
    def _rows(self) -> tuple[int, ...]:
        """For each attribute the rows that have it, as the bits of a number: one `&` looks at all rows."""
        masks = [level_masks(block) for block in self.blocks]
        held = (masks[block][level] for block, level in level_numbers(self.blocks))
        return tuple(int.from_bytes(np.packbits(mask).tobytes(), "big") for mask in held)
