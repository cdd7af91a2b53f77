"""Which attributes some valid configuration has together, however many they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rather.formats.spaces.valid import ValidConfigurations
from rather.formats.tables.blocks import Block, level_masks
from rather.formats.tables.column_kinds import ColumnKind
from rather.formats.tables.rows_with_attributes import RowsWithAttributes
from rather.formats.tables.table_attributes import level_numbers
from rather.model.diagrams import Ints

Mask = npt.NDArray[np.bool_]

# States that a search looks at, some 20 ms: one that needs more is about totals that hardly any configuration comes to.
MOST_STATES = 10_000

# Sets of attributes whose search is cached; the laptop has 281 such sets of three.
CACHED_SETS = 100_000

# An amount that no total reaches; twice as much still fits into an int64.
ENDLESS = 2**62


@dataclass(frozen=True)
class _Known:
    """Where an attribute holds.

    Attributes:
        index: The decision or total that it is about.
        values: `(values,)`, for which values of the decision it holds; None for a total.
        amounts: The least and the most of the total, in its smallest unit.
    """

    index: int
    values: Mask | None = None
    amounts: tuple[int, int] = (0, 0)


@dataclass(frozen=True, eq=False)
class CombinableAttributes:
    """Whether some valid configuration has all of some attributes, given by their ascending indices.

    Nearly always one of those that describe the space has. Otherwise the diagram is searched for one, depth first, as
    long as the remaining choices can bring each total into its range.

    Attributes:
        valid: The configurations.
        blocks: The columns of the table that describes them.
        most_states: A search gives up after so many, and the answer is no, although some configuration may have them.
    """

    valid: ValidConfigurations
    blocks: Sequence[Block] = field(repr=False)
    most_states: int = MOST_STATES
    _searched: dict[tuple[int, ...], bool] = field(default_factory=dict, init=False, repr=False)

    def __call__(self, attributes: tuple[int, ...]) -> bool:
        """Whether some configuration has them all."""
        if self._described(attributes):
            return True
        if self._all_described:
            return False
        found = self._searched.get(attributes)
        if found is None:
            if len(self._searched) >= CACHED_SETS:
                self._searched.clear()
            found = self._searched[attributes] = self._search([self._known[each] for each in attributes])
        return found

    @cached_property
    def _described(self) -> RowsWithAttributes:
        return RowsWithAttributes(self.blocks)

    @cached_property
    def _all_described(self) -> bool:
        return len(self.blocks[0].column.cells) == self.valid.compiled.diagram.count

    @cached_property
    def _known(self) -> tuple[_Known, ...]:
        masks = [level_masks(block) for block in self.blocks]
        return tuple(self._where(block, level, masks[block][level]) for block, level in level_numbers(self.blocks))

    def _where(self, number: int, level: int, holds: Mask) -> _Known:
        """Where an attribute holds that the configurations described `(n,)` have where `holds`."""
        block, space = self.blocks[number], self.valid.space
        index = space.names.index(block.column.name)
        if index >= len(space.decisions):
            total = index - len(space.decisions)
            amounts = block.column.numbers[holds]
            least, most = (self.valid.units[total].whole(float(each)) for each in (amounts.min(), amounts.max()))
            return _Known(total, amounts=(least, most))
        cells = space.decisions[index].cells
        if space.decisions[index].kind is ColumnKind.CATEGORY:
            return _Known(index, np.array([str(cell) == block.levels[level].text for cell in cells]))
        # Also numbers of this range that no configuration described has.
        own, values = block.column.numbers[holds], np.array([float(cell) for cell in cells])
        return _Known(index, (values >= own.min(initial=np.inf)) & (values <= own.max(initial=-np.inf)))

    def _search(self, wanted: Sequence[_Known]) -> bool:
        """Whether a path of the diagram has values and amounts like these."""
        compiled, totals = self.valid.compiled, self.valid.totals
        chosen = {each.index: each.values for each in wanted if each.values is not None}
        ranges = {each.index: each.amounts for each in wanted if each.values is None}
        layers = []
        for layer, decision in zip(compiled.diagram.layers, compiled.order, strict=True):
            values = np.flatnonzero(chosen.get(decision, np.ones(layer.values, dtype=bool)))
            adds = (totals[total].adds[decision] for total in ranges)
            # The first sum is always 0: it tells where there is a way to the end.
            gains = [np.zeros_like(values), *(np.zeros_like(values) if each is None else each[values] for each in adds)]
            layers.append((layer.child.numpy()[:, values], np.array(gains)))
        low, high = _rest(layers)
        least, most = np.array([(0, 0), *ranges.values()]).T[:, :, None]
        waiting = [(0, 0, (0, *(totals[total].base for total in ranges)))]
        met = set(waiting)
        while waiting and len(met) <= self.most_states:
            depth, node, sums = waiting.pop()
            if depth == len(layers):
                return True
            child, gained = layers[depth]
            after, reached = child[node], np.array(sums)[:, None] + gained
            fits = (reached + low[depth + 1][:, after] <= most) & (reached + high[depth + 1][:, after] >= least)
            for value in np.flatnonzero(fits.all(axis=0) & (after >= 0)).tolist():
                state = (depth + 1, int(after[value]), tuple(reached[:, value].tolist()))
                if state not in met:
                    met.add(state)
                    waiting.append(state)
        return False


def _rest(layers: Sequence[tuple[Ints, Ints]]) -> tuple[list[Ints], list[Ints]]:
    """The least and the most that remaining choices add to each sum, `(sums, nodes)` for each layer and after the last.

    Args:
        layers: For each the edges `(nodes, values)`, and what the values add to the sums `(sums, values)`.
    """
    low = [np.zeros((len(layers[0][1]), 1), dtype=np.int64)]
    high = [low[0]]
    for child, gains in reversed(layers):
        exists = (child >= 0) & (low[-1][0][child] < ENDLESS)
        low.append(np.where(exists, gains[:, None] + low[-1][:, child], ENDLESS).min(axis=2))
        high.append(np.where(exists, gains[:, None] + high[-1][:, child], -ENDLESS).max(axis=2))
    return low[::-1], high[::-1]
