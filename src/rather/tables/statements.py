"""Short phrases about a column that a person can choose between: "all-wheel drive", "200 to 300 hp", "funny"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from rather.statements import Form as StatementForm
from rather.statements import Statement
from rather.tables.blocks import level_masks
from rather.tables.kinds import Form

if TYPE_CHECKING:
    from rather.tables.blocks import Block

FORMS: dict[Form, StatementForm] = {Form.IS: "is", Form.WITH: "with", Form.THAT: "that", Form.ALONE: ""}

# Rows looked at in one go for which statements hold together.
ROWS_AT_A_TIME = 65_536


class _Said(NamedTuple):
    """A statement, and which level of which block it is."""

    statement: Statement
    block: int
    level: int


def table_statements(blocks: Sequence[Block], scale: float) -> tuple[Statement, ...]:
    """Everything that can be said of the items of a table, column by column.

    The vector of what an item has or has not is having it against not having it; of ranges and categories, that value
    against an average item. Tags of one column do not contradict each other: each has a column of its own.

    Args:
        blocks: The parameters, in the order of the item vectors.
        scale: What the items' rows were multiplied with.
    """
    return tuple(said.statement for said in _said(blocks, scale))


def statements_together(blocks: Sequence[Block]) -> npt.NDArray[np.bool_]:
    """`(a, a)`, which two of the statements hold of one row at least."""
    masks = [level_masks(block) for block in blocks]
    held = [masks[said.block][said.level] for said in _said(blocks, 1.0)]
    counts = np.zeros((len(held), len(held)), dtype=np.float32)
    for start in range(0, len(held[0]) if held else 0, ROWS_AT_A_TIME):
        part = np.stack([mask[start : start + ROWS_AT_A_TIME] for mask in held]).astype(np.float32)
        counts += part @ part.T
    return counts > 0


def _said(blocks: Sequence[Block], scale: float) -> list[_Said]:
    d = sum(block.size for block in blocks)
    found: list[_Said] = []
    start = 0
    for number, block in enumerate(blocks):
        column = block.column
        for place, level in enumerate(block.levels):
            vector = np.zeros(d, dtype=np.float32)
            vector[start : start + block.size] = scale * (level.row - level.against)
            about = column.name if level.exclusive else f"{column.name}: {level.text}"
            found.append(
                _Said(Statement(level.text, about, torch.from_numpy(vector), FORMS[column.form]), number, place)
            )
        start += block.size
    return _without_repeats(_spelled_out(found, [block.column.pretty for block in blocks]))


def _spelled_out(found: Sequence[_Said], names: Sequence[str]) -> list[_Said]:
    """Phrases that would not be understood alone ("4", "Y") or that two columns share get their column's name."""
    uses = Counter(said.statement.text.casefold() for said in found)
    result = []
    for said in found:
        text, pretty = said.statement.text, names[said.block]
        alone = uses[text.casefold()] == 1 and sum(map(str.isalpha, text)) >= 2
        if not alone and text.casefold() != pretty.casefold():
            said = said._replace(statement=replace(said.statement, text=f"{pretty} {text}"))
        result.append(said)
    return result


def _without_repeats(found: Sequence[_Said]) -> list[_Said]:
    """Ranges so narrow that they are spelled alike are one and the same to a reader: the first stays."""
    first: dict[tuple[str, str], _Said] = {}
    for said in found:
        first.setdefault((said.statement.column, said.statement.text), said)
    return list(first.values())
