"""What a product space amounts to: how many configurations there are, and what its rules and values do."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from rather.formats.spaces.encoding import EncodedSpace
from rather.formats.tables.table_columns import TableColumn

# Rules are left out one by one for so long; the others are said not to have been tried.
SECONDS_FOR_RULES = 30.0


@dataclass(frozen=True)
class InspectedColumn:
    """A column of a product space.

    Attributes:
        column: As it is learned from and shown.
        values: The texts of the values of a decision; none for a total.
        never: Those of them that no valid configuration has.
        adds: For each total that the decision adds to, what each value adds.
        bounds: Of a total, the least and the most that a valid configuration comes to.
    """

    column: TableColumn
    values: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    adds: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    bounds: tuple[float, float] | None = None


@dataclass(frozen=True)
class InspectedRule:
    """A rule of a product space.

    Attributes:
        rule: As it is written.
        line: Where it stands in its file.
        excludes: How many configurations more there would be without it; None if they were not counted.
    """

    rule: str
    line: int | None
    excludes: int | None


def inspected_columns(encoded: EncodedSpace) -> list[InspectedColumn]:
    """The columns of a product space: decisions, then totals."""
    valid, space = encoded.valid, encoded.space
    described = {column.name: column for column in encoded.table.columns}
    found = []
    for index, decision in enumerate(space.decisions):
        texts = [valid.values[index].text(row) for row in range(len(decision.values))]
        occurring = valid.occurring(index)
        never = [text for text, occurs in zip(texts, occurring, strict=True) if not occurs]
        totals = {name for adds in decision.adds for name, amount in adds.items() if amount}
        adds = {
            total.name: tuple(float(adds.get(total.name, 0)) for adds in decision.adds)
            for total in space.totals
            if total.name in totals
        }
        found.append(InspectedColumn(described[decision.name], tuple(texts), tuple(never), adds))
    for index, total in enumerate(space.totals):
        found.append(InspectedColumn(described[total.name], bounds=valid.total_bounds(index)))
    return found


def inspected_rules(encoded: EncodedSpace, seconds: float = SECONDS_FOR_RULES) -> list[InspectedRule]:
    """The rules of a product space, each with what it excludes that the others allow."""
    valid, space = encoded.valid, encoded.space
    count = valid.compiled.diagram.count
    started = time.monotonic()
    found = []
    for number, rule in enumerate(space.rules):
        without = valid.count_without(number) if time.monotonic() - started < seconds else None
        line = space.lines.get(("space", "rules", str(number)))
        found.append(InspectedRule(rule, line, None if without is None else without - count))
    return found
