"""A product space made into vectors: its catalogue, and the belief that conversations about it start from.

The columns are those of a table of all configurations. Of a space that is too large to list, the table holds random
ones: it decides the knots of numbers, the scale and the averages, nothing else. The vector of a configuration follows
from its choices alone, by the same bases as in a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
import torch

from rather.formats.spaces.columns import ConfiguredComparatives, configured_columns
from rather.formats.spaces.combinable import CombinableAttributes
from rather.formats.spaces.compiling import Compiled, Part, Settled
from rather.formats.spaces.configuring import SpaceConfigurator
from rather.formats.spaces.definition import ProductSpace
from rather.formats.spaces.space_filters import SpaceFilters
from rather.formats.spaces.texts import Choices, ConfiguredFacts, Ids, Labels, images, label_of
from rather.formats.spaces.valid import ValidConfigurations
from rather.formats.tables.basis import Floats
from rather.formats.tables.blocks import Block
from rather.formats.tables.column_kinds import MOST_LEVELS
from rather.formats.tables.compared_columns import compared_columns
from rather.formats.tables.encoded_table import EncodedTable, encode_table
from rather.formats.tables.table_comparatives import TableComparatives
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.configured_items import Configurations, ConfiguredItems
from rather.model.diagrams import Diagram

# A space of up to this many configurations is described by all of them; of more, so many random ones: the average of a
# column then differs from that of all by a hundredth of its spread.
MOST_DESCRIBED, DRAWN = 100_000, 10_000

# Random configurations of each value: so many that it has a parameter of its own, which takes a row of 500.
LEAST_DRAWN = 40


@dataclass(frozen=True, eq=False)
class EncodedSpace:
    """A product space whose configurations have become the items of a catalogue; made by `encode_space`.

    Attributes:
        valid: The configurations.
        table: The table that describes them.
    """

    valid: ValidConfigurations
    table: EncodedTable = field(repr=False)

    @property
    def space(self) -> ProductSpace:
        """What can be chosen, and the rules."""
        return self.valid.space

    @cached_property
    def catalog(self) -> Catalog:
        """All valid configurations."""
        choices, table = Choices(self.valid), self.table
        configurations = self.configurations(self.valid.compiled)
        blocks, scale, interactions = table.blocks, table.scale, table.interactions
        described = table.catalog
        compared = compared_columns(blocks, described.attributes, interactions, scale)
        values = {column.name: column for column in self.valid.values}
        return Catalog(
            ConfiguredItems(configurations),
            ids=Ids(choices),
            labels=Labels(choices),
            facts=ConfiguredFacts(choices, label_of(choices)[1]),
            images=images(choices),
            features=described.features,
            name=self.space.name,
            verb=self.space.verb,
            attributes=described.attributes,
            columns=configured_columns(compared, values, choices),
            together=partial(getattr, described, "together"),
            combinable=CombinableAttributes(self.valid, blocks),
            comparatives=ConfiguredComparatives(
                TableComparatives(blocks, scale, interactions), values, choices, configurations
            ),
            filters=SpaceFilters(self.valid, self.configurations),
            configurator=SpaceConfigurator(self.valid, choices),
            space=described.space,
            notes=described.notes,
        )

    def belief(self, *, particles: int = 1000, seed: int = 0) -> Belief:
        """The belief about a person before the first question: `particles` draws from the prior."""
        return self.table.belief(particles=particles, seed=seed)

    def configurations(self, compiled: Compiled) -> Configurations:
        """Configurations with what every choice adds to their vectors."""
        effects = [
            self._effects(compiled.order[layer], settled, first=layer == 0)
            for layer, settled in enumerate(compiled.settled)
        ]
        return Configurations(compiled.diagram, tuple(effects), self._scale)

    def _effects(self, decision: int, settled: Sequence[Settled], *, first: bool) -> torch.Tensor:
        """What each symbol of a layer adds to an item vector, `(symbols, d)`; that of the base with the first."""
        effects = np.zeros((len(settled), self.table.catalog.dimensions))
        chosen = np.array([each.value for each in settled])
        self._fill(effects, Part(decision), chosen)
        for number, whole in enumerate(self.valid.totals):
            if not whole.is_wanted:
                self._add(effects, number, whole.adds[decision], chosen, first=first)
        for number, (total, _) in enumerate(settled[0].totals):
            self._fill(effects, Part(total, is_total=True), np.array([each.totals[number][1] for each in settled]))
        for number, (pair, _, _) in enumerate(settled[0].pairs):
            both = np.array([each.pairs[number][1:] for each in settled])
            self._fill_pair(effects, pair, both)
        return torch.from_numpy(effects * self._scale)

    def _fill(self, effects: Any, part: Part, values: Any) -> None:
        block = self._block_of.get(self._name(part))
        if block is None:  # shown only
            return
        rows = self._rows(block, part, values)
        start = self._starts[block]
        mean = self.table.blocks[block].mean
        effects[:, start : start + len(mean)] = rows - mean

    def _add(self, effects: Any, total: int, adds: Any, chosen: Any, *, first: bool) -> None:
        """What choices add to the worth of a total that is a line."""
        block = self._block_of.get(self._name(Part(total, is_total=True)))
        if block is None:
            return
        own, units = self.table.blocks[block], self.valid.units[total]
        at_zero, at_base = own.basis.rows(np.array([0.0, self.space.totals[total].base]))
        rows = np.zeros((len(chosen), own.size))
        if adds is not None:
            amounts = np.array([units.amount(int(each)) for each in adds])
            rows += (own.basis.rows(amounts) - at_zero)[chosen]
        if first:
            rows += at_base - own.mean
        start = self._starts[block]
        effects[:, start : start + own.size] += rows

    def _fill_pair(self, effects: Any, pair: int, values: Any) -> None:
        names = self.space.interactions[pair]
        parts = dict(zip(names, self.valid.problem.pairs[pair], strict=True))
        columns = dict(zip(names, values.T, strict=True))
        start = self._starts[len(self.table.blocks)]
        for each in self.table.interactions:
            if set(each.names) == set(names):
                own = [self.table.blocks[block].column.name for block in each.blocks]
                rows = [
                    self._rows(block, parts[name], columns[name]) for block, name in zip(each.blocks, own, strict=True)
                ]
                effects[:, start : start + each.size] = each.rows(*rows) - each.mean
            start += each.size

    @property
    def _scale(self) -> float:
        """The factor of item vectors, in the precision in which a table multiplies by it."""
        return float(np.float32(self.table.scale))

    def _rows(self, block: int, part: Part, values: Any) -> Floats:
        """Values of a decision or amounts of a total in the parameters of their block, `(n, p)`; not centred."""
        own = self.table.blocks[block]
        if part.is_total:
            units = self.valid.units[part.index]
            distinct, inverse = np.unique(values, return_inverse=True)
            rows = own.basis.rows(np.array([units.amount(int(each)) for each in distinct]))
            return np.asarray(rows[inverse.ravel()])
        return np.asarray(self._decision_rows(own, part.index)[values])

    def _decision_rows(self, block: Block, decision: int) -> Floats:
        """All values of a decision in the parameters of its block, `(values, p)`."""
        cells = self.space.decisions[decision].cells
        if not block.values:
            return block.basis.rows(np.array([float(cell) for cell in cells]))
        number = {value: index for index, value in enumerate(block.values)}
        rows = np.zeros((len(cells), block.size))
        for row, cell in enumerate(cells):
            # A rare value counts as "any other"; one that no valid configuration has is never looked at.
            rows[row, number.get(str(cell), len(block.values) - 1)] = 1
        return rows

    def _name(self, part: Part) -> str:
        return (self.space.totals if part.is_total else self.space.decisions)[part.index].name

    @cached_property
    def _block_of(self) -> Mapping[str, int]:
        return {block.column.name: number for number, block in enumerate(self.table.blocks)}

    @cached_property
    def _starts(self) -> list[int]:
        """The first dimension of each block, and the first after them."""
        return [0, *np.cumsum([block.size for block in self.table.blocks]).tolist()]


def encode_space(space: ProductSpace, *, most_described: int = MOST_DESCRIBED) -> EncodedSpace:
    """Compile the rules of a product space, and turn its configurations into item vectors.

    Args:
        space: What can be chosen.
        most_described: Up to this many configurations are all looked at to describe the columns.
    """
    valid = ValidConfigurations(space)
    diagram = valid.compiled.diagram
    if diagram.count < 2:
        space.reject(("space", "rules"), "its rules leave a single configuration, so there is nothing to choose.")
    if diagram.count <= most_described:
        rows = valid.listed(most_described)
    else:
        rows = valid.table(_typical(diagram, DRAWN, LEAST_DRAWN))
    return EncodedSpace(valid, encode_table(rows, space.table_settings))


def _typical(diagram: Diagram, count: int, least: int) -> torch.Tensor:
    """The choices `(c, L)` of random configurations: `count` of all, and `least` more of each value that is rare.

    A value that does not occur would be taken for another one. Of a decision with many values, the rarest share a
    parameter in a table too.
    """
    generator = torch.Generator().manual_seed(0)

    def drawn(some: Diagram, number: int) -> torch.Tensor:
        return some.choices(torch.randint(some.count, (number,), generator=generator).sort().values)

    found = drawn(diagram, count)
    parts = [found]
    for layer, values in enumerate(found.unbind(dim=1)):
        occurring = torch.bincount(values, minlength=diagram.layers[layer].values)
        if int(occurring.count_nonzero()) > MOST_LEVELS:
            continue
        for value in (occurring < least).nonzero()[:, 0].tolist():
            if (rare := diagram.having(layer, value)) is not None:
                parts.append(drawn(rare, least))
    return torch.cat(parts)
