"""Short phrases about a column that a person can choose between: "all-wheel drive", "200 to 300 hp", "funny"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from rather.formats.tables.blocks import level_masks
from rather.formats.tables.column_kinds import ColumnKind, PhraseForm
from rather.model.attributes import Attribute
from rather.model.attributes import Form as AttributeForm

if TYPE_CHECKING:
    from rather.formats.tables.blocks import Block

FORMS: dict[PhraseForm, AttributeForm] = {
    PhraseForm.IS: "is",
    PhraseForm.WITH: "with",
    PhraseForm.THAT: "that",
    PhraseForm.ALONE: "",
}

# Rows looked at in one go for which attributes hold together.
ROWS_AT_A_TIME = 65_536

# A attribute brings another one along when the other holds of nearly all rows of which the first does, of at most
# half of all rows, and all of that by chance less than once in a million.
BROUGHT_SHARE, BROUGHT_BASE, BROUGHT_BY_CHANCE = 0.95, 0.5, 1e-6


class _Said(NamedTuple):
    """A attribute, and which level of which block it is."""

    attribute: Attribute
    block: int
    level: int


def table_attributes(blocks: Sequence[Block], scale: float) -> tuple[Attribute, ...]:
    """Everything that can be said of the items of a table, column by column.

    The vector of what an item has or has not is having it against not having it; of ranges and categories, that value
    against an average item. A attribute also says what goes with it (`brought_along`): all electric cars emit nothing,
    so nobody thinks of one that emits as much as an average car. All else is equal. Tags of one column do not
    contradict each other: each has a column of its own.

    Args:
        blocks: The parameters, in the order of the item vectors.
        scale: What the items' rows were multiplied with.
    """
    found = _said(blocks, scale)
    if not found:
        return ()
    vectors = torch.stack([said.attribute.vector for said in found])
    vectors = vectors + torch.from_numpy(brought_along(blocks).astype(np.float32)) @ vectors
    return tuple(replace(said.attribute, vector=vector) for said, vector in zip(found, vectors, strict=True))


def brought_along(blocks: Sequence[Block]) -> npt.NDArray[np.bool_]:
    """`(a, a)`, which attributes each of the attributes brings along: those that hold wherever it does.

    Qualities of degree neither bring nor are brought: where they hold is a matter of degree too.
    """
    found = _said(blocks, 1.0)
    rows = len(blocks[0].column.cells)
    step = max(1, rows // ROWS_AT_A_TIME)
    counts = _counts(blocks, found, step)
    holding = counts.diagonal()
    base = holding / len(range(0, rows, step))
    always = counts >= BROUGHT_SHARE * holding[:, None]
    chance = base[None] ** holding[:, None]
    block = np.array([said.block for said in found])
    graded = np.array([blocks[said.block].column.kind is ColumnKind.DEGREE for said in found], dtype=bool)
    apart = (block[:, None] != block) & ~graded[:, None] & ~graded
    brought: npt.NDArray[np.bool_] = always & (base <= BROUGHT_BASE) & (chance <= BROUGHT_BY_CHANCE) & apart
    return brought


def attributes_together(blocks: Sequence[Block]) -> npt.NDArray[np.bool_]:
    """`(a, a)`, which two of the attributes can be said of one item.

    They hold of one row at least, and what they say and bring along is about different columns: otherwise one of them
    would be said twice.
    """
    found = _said(blocks, 1.0)
    says = brought_along(blocks).astype(np.float32) + np.eye(len(found), dtype=np.float32)
    columns = {name: place for place, name in enumerate(dict.fromkeys(said.attribute.column for said in found))}
    about = np.zeros((len(found), len(columns)), dtype=np.float32)
    about[np.arange(len(found)), [columns[said.attribute.column] for said in found]] = 1
    said_about = ((says @ about) > 0).astype(np.float32)
    overlapping = said_about @ said_about.T > 0
    np.fill_diagonal(overlapping, False)
    return (_counts(blocks, found) > 0) & ~overlapping


def _counts(blocks: Sequence[Block], found: Sequence[_Said], step: int = 1) -> npt.NDArray[np.float64]:
    """`(a, a)`, of how many rows two attributes hold together; of every `step`-th row."""
    masks = [[mask[::step] for mask in level_masks(block)] for block in blocks]
    held = [masks[said.block][said.level] for said in found]
    counts = np.zeros((len(held), len(held)))
    for start in range(0, len(held[0]) if held else 0, ROWS_AT_A_TIME):
        part = np.stack([mask[start : start + ROWS_AT_A_TIME] for mask in held]).astype(np.float32)
        counts += part @ part.T
    return counts


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
                _Said(Attribute(level.text, about, torch.from_numpy(vector), FORMS[column.form]), number, place)
            )
        start += block.size
    return _without_repeats(_spelled_out(found, [block.column.display_name for block in blocks]))


def _spelled_out(found: Sequence[_Said], names: Sequence[str]) -> list[_Said]:
    """Phrases that would not be understood alone ("4", "Y") or that two columns share get their column's name."""
    uses = Counter(said.attribute.text.casefold() for said in found)
    result = []
    for said in found:
        text, display_name = said.attribute.text, names[said.block]
        alone = uses[text.casefold()] == 1 and sum(map(str.isalpha, text)) >= 2
        if not alone and text.casefold() != display_name.casefold():
            said = said._replace(attribute=replace(said.attribute, text=f"{display_name} {text}"))
        result.append(said)
    return result


def _without_repeats(found: Sequence[_Said]) -> list[_Said]:
    """Ranges so narrow that they are spelled alike are one and the same to a reader: the first stays."""
    first: dict[tuple[str, str], _Said] = {}
    for said in found:
        first.setdefault((said.attribute.column, said.attribute.text), said)
    return list(first.values())
