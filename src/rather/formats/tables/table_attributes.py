"""The attributes of a table: short phrases to choose between, such as "all-wheel drive", "200 to 300 hp", "funny"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from rather.formats.tables.blocks import level_masks
from rather.formats.tables.cells import FLAGS
from rather.formats.tables.column_kinds import ColumnKind
from rather.formats.tables.english_phrases import inside
from rather.formats.tables.interactions import Interaction, column_changes
from rather.formats.tables.phrases import phrase, saying
from rather.formats.tables.sayings import Saying
from rather.formats.tables.table_columns import TableColumn
from rather.model.attributes import Attribute

if TYPE_CHECKING:
    from rather.formats.tables.blocks import Block

# Rows that are counted at a time.
BATCH_ROWS = 65_536

# An attribute implies another if nearly all rows that have the first have the other, at most half of all rows have the
# other, and all of that happens by chance less than once in a million.
IMPLIED_SHARE, IMPLIED_BASE, IMPLIED_BY_CHANCE = 0.95, 0.5, 1e-6


YES_OR_NO = frozenset(word for pair in FLAGS for word in pair)


class _LevelAttribute(NamedTuple):
    """An attribute, and which level of which block it is."""

    attribute: Attribute
    block: int
    level: int


def table_attributes(
    blocks: Sequence[Block], scale: float, interactions: Sequence[Interaction] = ()
) -> tuple[Attribute, ...]:
    """All attributes of the items of a table, column by column.

    The vector of what an item has or has not is having it minus not having it; that of a range or category is the value
    minus an average item. An attribute also includes what it implies (`implied_attributes`): all electric cars emit
    nothing, so nobody thinks of one that emits as much as an average car. All else is equal. Tags of one column do not
    contradict each other: each has a column of its own.

    Args:
        blocks: The parameters, in the order of the item vectors.
        scale: The factor by which the rows of items were multiplied.
        interactions: The joint terms, whose parameters follow: an attribute is said of an item that is otherwise
            average.
    """
    found = _level_attributes(blocks, scale, interactions)
    if not found:
        return ()
    vectors = torch.stack([each.attribute.vector for each in found])
    vectors = vectors + torch.from_numpy(implied_attributes(blocks).astype(np.float32)) @ vectors
    return tuple(replace(each.attribute, vector=vector) for each, vector in zip(found, vectors, strict=True))


def level_numbers(blocks: Sequence[Block]) -> list[tuple[int, int]]:
    """Of each attribute the number of its block, and of its level in that block."""
    return [(each.block, each.level) for each in _level_attributes(blocks, 1.0)]


def implied_attributes(blocks: Sequence[Block]) -> npt.NDArray[np.bool_]:
    """`(a, a)`, which attributes each attribute implies: those that hold wherever it does.

    Degrees neither imply nor are implied: where they hold is itself a matter of degree.
    """
    found = _level_attributes(blocks, 1.0)
    rows = len(blocks[0].column.cells)
    step = max(1, rows // BATCH_ROWS)
    counts = _counts(blocks, found, step)
    holding = counts.diagonal()
    base = holding / len(range(0, rows, step))
    always = counts >= IMPLIED_SHARE * holding[:, None]
    chance = base[None] ** holding[:, None]
    block = np.array([each.block for each in found])
    graded = np.array([blocks[each.block].column.kind is ColumnKind.DEGREE for each in found], dtype=bool)
    comparable = (block[:, None] != block) & ~graded[:, None] & ~graded
    implied: npt.NDArray[np.bool_] = always & (base <= IMPLIED_BASE) & (chance <= IMPLIED_BY_CHANCE) & comparable
    return implied


def attributes_together(blocks: Sequence[Block], interactions: Sequence[Interaction] = ()) -> npt.NDArray[np.bool_]:
    """`(a, a)`, which two attributes can be combined.

    At least one row has both, and they and what they imply are about different columns: otherwise something would be
    said twice. Nor are those of two columns whose worth is joint: what two attributes add is the sum of both.
    """
    found = _level_attributes(blocks, 1.0)
    includes = implied_attributes(blocks).astype(np.float32) + np.eye(len(found), dtype=np.float32)
    columns = {name: index for index, name in enumerate(dict.fromkeys(each.attribute.column for each in found))}
    about = np.zeros((len(found), len(columns)), dtype=np.float32)
    about[np.arange(len(found)), [columns[each.attribute.column] for each in found]] = 1
    mentioned = ((includes @ about) > 0).astype(np.float32)
    overlapping = mentioned @ mentioned.T > 0
    np.fill_diagonal(overlapping, False)
    block = np.array([each.block for each in found])
    for each in interactions:
        one, two = block == each.blocks[0], block == each.blocks[1]
        overlapping |= (one[:, None] & two) | (two[:, None] & one)
    return (_counts(blocks, found) > 0) & ~overlapping


def _counts(blocks: Sequence[Block], found: Sequence[_LevelAttribute], step: int = 1) -> npt.NDArray[np.float64]:
    """`(a, a)`, how many rows have both attributes, among every `step`-th row."""
    masks = [[mask[::step] for mask in level_masks(block)] for block in blocks]
    held = [masks[each.block][each.level] for each in found]
    counts = np.zeros((len(held), len(held)))
    for start in range(0, len(held[0]) if held else 0, BATCH_ROWS):
        batch = np.stack([mask[start : start + BATCH_ROWS] for mask in held]).astype(np.float32)
        counts += batch @ batch.T
    return counts


def _level_attributes(
    blocks: Sequence[Block], scale: float, interactions: Sequence[Interaction] = ()
) -> list[_LevelAttribute]:
    d = sum(block.size for block in blocks)
    means = [block.mean for block in blocks]
    found: list[_LevelAttribute] = []
    start = 0
    for number, block in enumerate(blocks):
        column = block.column
        for index, level in enumerate(block.levels):
            change = level.row - level.against
            joint = column_changes(interactions, number, change, means)
            vector = np.concatenate([np.zeros(d), *joint])
            vector[start : start + block.size] = change
            about = column.name if level.exclusive else f"{column.name}: {level.text}"
            topic = inside(column.display_name) if level.exclusive else level.text
            attribute = Attribute(
                level.text,
                about,
                torch.from_numpy((scale * vector).astype(np.float32)),
                phrase(column, level.value),
                topic,
                saying(column, level.value, level.bounds),
            )
            found.append(_LevelAttribute(attribute, number, index))
        start += block.size
    return _without_repeats(_spelled_out(found, [block.column for block in blocks]))


def _spelled_out(found: Sequence[_LevelAttribute], columns: Sequence[TableColumn]) -> list[_LevelAttribute]:
    """Phrases that are unclear by themselves ("4", "Y") or that two columns share are preceded by the column's name.

    So is what stands beside yes and no: "house trained mostly".
    """
    uses = Counter(each.attribute.text.casefold() for each in found)
    result = []
    for each in found:
        text, column = each.attribute.text, columns[each.block]
        display_name = column.display_name
        answers = column.kind is ColumnKind.CATEGORY and any(
            value.casefold() in YES_OR_NO for value in column.cells.distinct if len(value) > 1
        )
        clear = (
            not answers
            and uses[text.casefold()] == 1
            and sum(map(str.isalpha, text)) >= 2
            and text.casefold() not in YES_OR_NO
        )
        if not clear and text.casefold() != display_name.casefold():
            translate = each.attribute.translate
            assert isinstance(translate, Saying)
            named = replace(each.attribute, text=f"{display_name} {text}", translate=replace(translate, alone=False))
            each = each._replace(attribute=named)
        result.append(each)
    return result


def _without_repeats(found: Sequence[_LevelAttribute]) -> list[_LevelAttribute]:
    """Without ranges so narrow that they read the same as another: the first stays."""
    first: dict[tuple[str, str], _LevelAttribute] = {}
    for each in found:
        first.setdefault((each.attribute.column, each.attribute.text), each)
    return list(first.values())
