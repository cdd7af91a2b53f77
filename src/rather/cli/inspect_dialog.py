"""The dialog of `rather inspect`: the owner of a table decides what is doubtful about its columns."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rather.formats.tables.column_kinds import ColumnKind
    from rather.formats.tables.settings import ColumnSettings, TableSettings
    from rather.formats.tables.table_columns import InspectedTable, TableColumn

# Asks for a text, given what to ask and what an empty answer means.
Prompt = Callable[[str, str], str]
# Prints a line.
Tell = Callable[[str], None]

IGNORE = "ignore"
UNNAMED = "item"
# From this share of numbers on, a category may have been meant for numbers.
MANY_NUMBERS = 0.5
EXAMPLES = 3

ROW_NOUN = "What is one row called"
COLUMN = "{name}: {examples}"
WHY_STOCK = "It seems to say what is in stock."
WHY_CODE = "It seems to be a code, not an amount."
WHY_NUMBERS = "{share:.0%} of its values are numbers, the others are not."
KIND = "  Kind ({kinds} or ignore)"
NAME = "  What people read"
PHRASE = "  In a question, with {{value}} for the value: {noun} …"
WRONG_KIND = "  Please type one of these: {kinds} or ignore."
WRONG_PHRASE = "  Please write {value} once where the value belongs."


def doubt(column: "TableColumn") -> str:
    """Why a column may not be what it was taken for, in words; "" without doubt."""
    from rather.formats.tables.column_kinds import ColumnKind, Role

    if column.problem:
        return column.problem
    if column.role is Role.IGNORE and column.kind is not ColumnKind.ID:
        return ""
    if column.kind is ColumnKind.STOCK:
        return f"{WHY_STOCK} {column.note.capitalize()}.".removesuffix(" .")
    if column.kind is ColumnKind.ID and column.note:
        return WHY_CODE
    numbers = column.cells.numbers.share
    if column.kind is ColumnKind.CATEGORY and MANY_NUMBERS <= numbers < 1:
        return WHY_NUMBERS.format(share=numbers)
    return "; ".join(repair for repair in column.repairs if "missing" in repair or "address" in repair)


def decided(inspected: "InspectedTable", prompt: Prompt, tell: Tell) -> "TableSettings":
    """The settings that follow from what the owner says about doubtful columns; the guess is the default everywhere."""
    settings = inspected.given
    if inspected.name == UNNAMED and settings.name is None:
        noun = prompt(ROW_NOUN, UNNAMED).strip()
        settings = replace(settings, name=None if noun == UNNAMED else noun)
    noun = settings.name or inspected.name
    columns = dict(settings.columns)
    for column in inspected.columns:
        if why := doubt(column):
            examples = ", ".join(column.cells.distinct[:EXAMPLES])
            tell(COLUMN.format(name=column.name, examples=examples))
            tell(f"  {why}")
            columns[column.name] = _decided(column, settings.column(column.name), noun, prompt, tell)
    return replace(settings, columns=columns)


def _decided(column: "TableColumn", given: "ColumnSettings", noun: str, prompt: Prompt, tell: Tell) -> "ColumnSettings":
    from rather.formats.tables.column_kinds import USABLE, ColumnKind, Role

    kind = _kind(column, prompt, tell)
    if kind is None:
        return replace(given, role=Role.IGNORE)
    decided = replace(given, kind=kind)
    if (name := prompt(NAME, column.display_name).strip()) != column.display_name:
        decided = replace(decided, name=name)
    if kind is column.kind and kind in USABLE and kind not in (ColumnKind.YES_NO, ColumnKind.DEGREE):
        phrase = _phrase(column, noun, prompt, tell)
        decided = decided if phrase is None else replace(decided, phrase=phrase)
    return decided


def _kind(column: "TableColumn", prompt: Prompt, tell: Tell) -> "ColumnKind | None":
    from rather.formats.tables.column_kinds import ColumnKind

    kinds = ", ".join(kind.value for kind in ColumnKind)
    while True:
        said = prompt(KIND.format(kinds=kinds), column.kind.value).strip().lower()
        if said == IGNORE:
            return None
        if said in {kind.value for kind in ColumnKind}:
            return ColumnKind(said)
        tell(WRONG_KIND.format(kinds=kinds))


def _phrase(column: "TableColumn", noun: str, prompt: Prompt, tell: Tell) -> str | None:
    """What the owner wants a question to say; None for the usual phrase."""
    from rather.conversation.wording import article
    from rather.formats.tables.settings import VALUE

    usual = usual_phrase(column)
    while usual:
        said = prompt(PHRASE.format(noun=f"{article(noun)} {noun}"), usual).strip()
        if said == usual:
            return None
        if said.count(VALUE) == 1:
            return said
        tell(WRONG_PHRASE.format(value=VALUE))
    return None


def usual_phrase(column: "TableColumn") -> str:
    """How a question says a value of a column, with `{value}` for the value; "" where nothing is learned from it."""
    from rather.formats.tables.blocks import build_block
    from rather.formats.tables.column_kinds import Role
    from rather.formats.tables.phrases import phrase
    from rather.formats.tables.settings import VALUE

    if column.role is not Role.USE or column.problem:
        return ""
    levels = build_block(column)[0].levels
    return re.sub(r"\*\*.*?\*\*", VALUE, phrase(column, levels[-1].value)) if levels else ""
