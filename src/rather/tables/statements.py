"""Short phrases about a column that a person can choose between: "all-wheel drive", "200 to 300 hp", "funny"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

if TYPE_CHECKING:
    from rather.tables.blocks import Block


@dataclass(frozen=True)
class Statement:
    """Something said of an item, all else being equal.

    Attributes:
        text: What a person reads.
        column: What it is about. Two statements with the same `column` contradict each other; tags of one column do
            not, and so each has a `column` of its own.
        vector: `(d,)`, the difference it makes: for what an item has or has not, having it against not having it;
            for ranges and categories, that value against an average item.
    """

    text: str
    column: str
    vector: Tensor = field(repr=False, compare=False)

    def contradicts(self, other: Statement) -> bool:
        """Whether the two cannot both be said of one item."""
        return self.column == other.column


def table_statements(blocks: Sequence[Block], scale: float) -> tuple[Statement, ...]:
    """Everything that can be said of the items of a table, column by column.

    Args:
        blocks: The parameters, in the order of the item vectors.
        scale: What the items' rows were multiplied with.
    """
    d = sum(block.size for block in blocks)
    found: list[tuple[Statement, str]] = []
    start = 0
    for block in blocks:
        name = block.column.name
        for level in block.levels:
            vector = np.zeros(d, dtype=np.float32)
            vector[start : start + block.size] = scale * (level.row - level.against)
            about = name if level.exclusive else f"{name}: {level.text}"
            found.append((Statement(level.text, about, torch.from_numpy(vector)), block.column.pretty))
        start += block.size
    return tuple(_spelled_out(found))


def _spelled_out(found: Sequence[tuple[Statement, str]]) -> list[Statement]:
    """Phrases that would not be understood alone ("4", "Y") or that two columns share get their column's name."""
    uses = Counter(statement.text.casefold() for statement, _ in found)
    result = []
    for statement, pretty in found:
        text = statement.text
        alone = uses[text.casefold()] == 1 and sum(map(str.isalpha, text)) >= 2
        if not alone and text.casefold() != pretty.casefold():
            statement = replace(statement, text=f"{pretty} {text}")
        result.append(statement)
    return result
