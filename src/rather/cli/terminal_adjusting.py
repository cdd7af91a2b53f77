"""Changing a recommended configuration at a terminal: "1 frame carbon, gears 14" shows what becomes of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from rich.console import Console, Group, RenderableType
from rich.text import Text

from rather.conversation.adjusting import Adjustment
from rather.conversation.recommendations import match_text
from rather.conversation.session import Session
from rather.errors import InvalidInputError
from rather.model.catalog import Catalog
from rather.model.questions import Recommendation

TAKE = "Take it? y or n > "
YES = ("y", "yes")


def change_typed(said: str, catalog: Catalog) -> tuple[int | None, dict[str, str]] | None:
    """The number of a recommendation, if one was typed, and values by column; None for all else.

    Such as "2 frame carbon" or "2 frame carbon, gears 14".
    """
    if catalog.configurator is None:
        return None
    found = re.fullmatch(r"(?:(?:change|adjust|make) )?(?:(\d+),? )?(.+)", said)
    assert found is not None
    number, rest = int(found[1]) if found[1] else None, found[2]
    columns = {
        name.lower(): each.column for each in catalog.configurator.decisions for name in (each.column, each.name)
    }
    # A value may hold a comma or an "and" of its own: what follows it must be another choice.
    for parts in (re.split(r"\s*[,;]\s*(?:and )?|\s+and\s+", rest), [rest]):
        values = [_value_typed(part, columns) for part in parts]
        if None not in values:
            return number, _by_column(each for each in values if each is not None)
    return None


def _by_column(values: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for column, value in values:
        if column in found:
            raise InvalidInputError(f"There are two values for {column!r}: {found[column]!r} and {value!r}. Type one.")
        found[column] = value
    return found


def _value_typed(said: str, columns: Mapping[str, str]) -> tuple[str, str] | None:
    """A column and a value: "frame carbon", "frame: carbon", "frame to carbon"."""
    for name in sorted(columns, key=len, reverse=True):
        if value := re.fullmatch(rf"{re.escape(name)}(?:\s*[=:]\s*|\s+(?:to |is )?)(.+)", said):
            return columns[name], value[1]
    return None


def adjust(console: Console, session: Session, item: Recommendation, wanted: Mapping[str, str]) -> bool:
    """Show what becomes of a configuration with these values; True if the person takes it, which is then said."""
    adjustment = session.adjust(item.id, wanted)
    console.print(adjustment_view(adjustment))
    if adjustment.item is None or adjustment.item.id == adjustment.start.id:
        return False
    try:
        taken = console.input(Text(TAKE, style="bold")).strip().lower() in YES
    except (EOFError, KeyboardInterrupt):
        console.print()
        return False
    if taken:
        hint = session.hint(adjustment.statement)
        console.print(Text(f"→ {hint.text}", style="bold green"))
    return taken


def adjustment_view(adjustment: Adjustment) -> RenderableType:
    """What changes, what else has to and why, what it comes to, and how well it still matches."""
    lines = []
    if adjustment.item is None:
        wanted = ", ".join(f"{each.name}: {each.after}" for each in adjustment.wanted)
        lines.append(Text(f"No configuration has {wanted}, because", style="red"))
    else:
        lines.append(Text(adjustment.item.label, style="bold cyan"))
        for each in adjustment.wanted:
            lines.append(Text.assemble((f"  {each.name}  ", "dim"), f"{each.before} → {each.after}"))
        if adjustment.forced:
            lines.append(Text("This changes with it:"))
        for each in adjustment.forced:
            lines.append(Text.assemble((f"  {each.name}  ", "dim"), f"{each.before} → {each.after}"))
        if adjustment.because:
            lines.append(Text("Because"))
    for rule in adjustment.because:
        lines.append(Text(f"  • {rule.text}{' (your must-have)' if rule.is_must_have else ''}"))
    if adjustment.item is not None:
        for total in adjustment.totals:
            change = f" ({total.difference})" if total.amount else ""
            lines.append(Text.assemble((f"{total.name}  ", "dim"), f"{total.after}{change}"))
        lines.append(Text(match_text(adjustment.item)))
    return Group(*lines)


def configuration_view(item: Recommendation) -> RenderableType:
    """All that was chosen of a configuration, in one paragraph."""
    return Text.assemble(
        (f"{item.label}: ", "bold"), (" · ".join(f"{name} {value}" for name, value in item.facts.items()), "dim")
    )
