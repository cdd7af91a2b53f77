"""What the dimensions of a table mean: values of its columns. A new price or a new row moves knots and categories.

A parameter of a number is its utility at a knot (or what a step between two knots adds), and a parameter of a category
the utility of a value. So vectors of an earlier version of the table are read by what their parameters stand for: a
knot at 500 EUR is the value 500 EUR, wherever the knots are now. Utilities are about values, not about the average item
or the scale, so that the evidence in an answer stays the same although both have moved.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch

from rather.errors import CatalogChangedError, InvalidInputError
from rather.formats.tables.basis import Degree, Floats, Hats, Steps
from rather.formats.tables.blocks import OTHER, Block
from rather.formats.tables.interaction_translation import (
    ColumnTranslation,
    described_interaction,
    with_interactions,
)
from rather.formats.tables.interactions import Interaction
from rather.formats.tables.naming import words
from rather.model.spaces import Translation, raise_for_changes


@dataclass(frozen=True, eq=False)
class TableSpace:
    """The columns of a table.

    Attributes:
        blocks: Those that are learned from, in the order of the item vectors.
        others: The names of all others. Which columns are worth learning from follows from the rows (one that says the
            same as another is not), and so may change although the columns are the same.
        interactions: The joint terms of pairs of columns, whose parameters follow.
    """

    is_named: ClassVar[bool] = True
    blocks: tuple[Block, ...]
    others: tuple[str, ...] = ()
    interactions: tuple[Interaction, ...] = ()

    @property
    def description(self) -> dict[str, Any]:
        """See `rather.model.spaces.Space.description`."""
        columns = {"columns": [_described(block) for block in self.blocks], "others": list(self.others)}
        joint = {"interactions": [described_interaction(each) for each in self.interactions]}
        return {**columns, **(joint if self.interactions else {})}

    def translation(self, before: Mapping[str, Any]) -> Translation:
        """See `rather.model.spaces.Space.translation`: the columns must be the same, their values need not."""
        columns, others = before.get("columns"), before.get("others")
        if not isinstance(columns, list) or not isinstance(others, list):
            raise CatalogChangedError("Items are described otherwise now: by the columns of a table.")
        try:
            return self._translation(columns, others, before.get("interactions", []))
        except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
            if isinstance(error, InvalidInputError):
                raise
            raise InvalidInputError("This session log is damaged: its columns are not those of a table.") from None

    def _translation(
        self, columns: list[dict[str, Any]], others: list[str], joint: list[dict[str, Any]]
    ) -> Translation:
        names = [column["name"] for column in columns]
        own = [block.column.name for block in self.blocks]
        gone = [name for name in names if name not in own and name not in self.others]
        new = [name for name in own if name not in names and name not in others]
        raise_for_changes(gone, new, "column")
        if columns == self.description["columns"] and joint == self.description.get("interactions", []):
            return Translation()
        starts = np.cumsum([0, *(block.size for block in self.blocks)])
        number = {block.column.name: index for index, block in enumerate(self.blocks)}
        parts, lost = [], []
        translations: list[ColumnTranslation] = []
        for column in columns:
            index = number.get(column["name"])
            if index is None:
                parts.append(np.zeros((starts[-1], _size(column))))
                translations.append(ColumnTranslation(column["name"], parts[-1][:0]))
                lost.append(" ".join(words(column["name"])))
                continue
            translated, values = _translated(column, self.blocks[index])
            translations.append(ColumnTranslation(column["name"], translated))
            part = np.zeros((starts[-1], translated.shape[1]))
            part[starts[index] : starts[index + 1]] = translated
            parts.append(part)
            lost += [f"{self.blocks[index].column.display_name} {value}" for value in values]
        matrix, gone_pairs = with_interactions(np.concatenate(parts, axis=1), translations, joint, self.interactions)
        return Translation(torch.from_numpy(matrix.astype(np.float32)), (*lost, *gone_pairs))


def _described(block: Block) -> dict[str, Any]:
    described: dict[str, Any] = {"name": block.column.name, "unknown": block.has_unknown}
    basis = block.basis
    if isinstance(basis, Hats):
        return {**described, "unit": block.column.unit, "knots": list(basis.knots), "steps": 0}
    if isinstance(basis, Steps):
        return {**described, "unit": block.column.unit, "knots": list(basis.knots), "steps": -1 if basis.less else 1}
    if isinstance(basis, Degree):
        return {**described, "unit": block.column.unit, "knots": [basis.low, basis.high], "steps": 1}
    return {**described, "values": list(block.values)}


def _size(described: Mapping[str, Any]) -> int:
    """How many parameters a described column had."""
    if "values" in described:
        return len(described["values"]) + bool(described["unknown"])
    return len(described["knots"]) - bool(described["steps"]) + bool(described["unknown"])


def _translated(before: Mapping[str, Any], now: Block) -> tuple[Floats, list[str]]:
    """`(p, q)`, from the q parameters that a column had to the p that it has, and the values that have none."""
    name = now.column.name
    if ("values" in before) != bool(now.values):
        raise CatalogChangedError(f"Items are described otherwise now: the column {name!r} is of another kind.")
    if now.values:
        parameters, lost = _values_translated(before["values"], now)
    else:
        if before["unit"].lower() != now.column.unit.lower():
            units = f"{before['unit'] or 'no unit'} to {now.column.unit or 'no unit'}"
            raise CatalogChangedError(
                f"Items are described otherwise now: the unit of {name!r} has changed from {units}."
            )
        parameters, lost = _number_translated(before["knots"], before["steps"], now), []
    if before["unknown"]:
        # Where nothing is missing any more, an unknown value counts as an average one.
        unknown = np.eye(now.size)[-1] if now.has_unknown else now.mean
        parameters = np.column_stack([parameters, unknown])
    return parameters, lost


def _number_translated(knots: list[float], steps: int, now: Block) -> Floats:
    values = np.zeros((len(knots), now.size))
    values[:, : now.basis.size] = now.basis.rows(np.asarray(knots, dtype=np.float64))
    if not np.isfinite(values).all():
        raise ValueError("knots must be finite")
    return (values if steps == 0 else steps * np.diff(values, axis=0)).T


def _values_translated(values: list[str], now: Block) -> tuple[Floats, list[str]]:
    number = {value: index for index, value in enumerate(now.values)}
    parameters, lost = np.zeros((now.size, len(values))), []
    for column, value in enumerate(values):
        row = number.get(value, number.get(OTHER))
        if row is not None:
            parameters[row, column] = 1
        elif value != OTHER:
            lost.append(value)
    return parameters, lost
