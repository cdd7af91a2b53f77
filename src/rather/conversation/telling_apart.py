"""Which values tell configurations apart that would be called the same. They have no names."""

from __future__ import annotations

from collections.abc import Sequence

from rather.model.catalog import Catalog
from rather.model.configurators import Choosable
from rather.model.configured_items import ConfiguredItems


def position_of(decision: Choosable, row: int, catalog: Catalog) -> int:
    """Which of the values of a decision the item in a row has."""
    assert isinstance(catalog.storage, ConfiguredItems), "only configurations choose"
    return catalog.storage.choices(row)[decision.layer]


def positions_of(catalog: Catalog, row: int) -> dict[str, int]:
    """The same of every decision, by column."""
    assert catalog.configurator is not None
    return {each.column: position_of(each, row, catalog) for each in catalog.configurator.decisions}


def telling_apart(rows: Sequence[int], catalog: Catalog) -> list[Choosable]:
    """Few decisions in which no two of these different items agree; nothing for items that have names.

    Always the one that tells most of them apart is added, the first among equals, what is only shown last.
    """
    rows = list(dict.fromkeys(rows))
    if catalog.configurator is None or len(rows) < 2:
        return []
    decisions = sorted(catalog.configurator.decisions, key=lambda each: each.is_shown_only)
    chosen: list[Choosable] = []
    told = 1
    while told < len(rows):
        groups = {each.column: _groups(rows, [*chosen, each], catalog) for each in decisions}
        best = max(decisions, key=lambda each: groups[each.column])  # two items differ somewhere, so that told grows
        chosen.append(best)
        told = groups[best.column]
    return chosen


def _groups(rows: Sequence[int], decisions: Sequence[Choosable], catalog: Catalog) -> int:
    """How many different combinations of values these items have."""
    return len({tuple(position_of(each, row, catalog) for each in decisions) for row in rows})
