"""The columns of a product space: what its configurations are compared by, and how one may be wished otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import torch

from rather.formats.spaces.texts import Choices
from rather.formats.tables.compared_columns import ComparedColumn
from rather.formats.tables.table_columns import TableColumn
from rather.formats.tables.table_comparatives import TableComparatives
from rather.model.comparatives import Comparative
from rather.model.configured_items import Configurations


def configured_columns(
    described: Sequence[ComparedColumn], values: Mapping[str, TableColumn], choices: Choices
) -> tuple[ComparedColumn, ...]:
    """The columns that configurations are compared by.

    Args:
        described: Those of the table that describes the space: how their values are distributed.
        values: The columns in the table of all values, by name.
        choices: What configurations choose.
    """
    names = [column.block.column.name for column in described]
    return tuple(
        replace(column, values=values[name], cell=partial(_cell, choices, name))
        for column, name in zip(described, names, strict=True)
    )


def _cell(choices: Choices, name: str, row: int) -> int:
    """At which position of its table of values the value of a configuration stands."""
    return choices.of(row)[name]


@dataclass(frozen=True, eq=False)
class ConfiguredComparatives:
    """How a configuration may be wished otherwise; implements `rather.model.comparatives.Comparatives`.

    Attributes:
        table: The same for rows of the table that describes the space.
        values: The columns in the table of all values.
        choices: What configurations choose.
        configurations: Their vectors.
    """

    table: TableComparatives
    values: Mapping[str, TableColumn] = field(repr=False)
    choices: Choices = field(repr=False)
    configurations: Configurations = field(repr=False)

    def __call__(self, row: int) -> tuple[Comparative, ...]:
        """See `Comparatives`."""
        chosen = self.choices.of(row)
        numbers = [float(self.values[name].numbers[chosen[name]]) for name in self.table.names]
        if not self.table.interactions:
            return self.table.of(numbers)
        diagram = self.configurations.diagram
        vector = self.configurations.vectors(diagram.choices(torch.tensor([row])))[0]
        return self.table.of(numbers, vector.numpy())
