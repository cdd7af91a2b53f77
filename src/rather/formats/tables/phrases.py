"""How a column's values are said of an item: "made by Lenovo", "with 16 GB of memory", "that costs under €700"."""

import re

from rather.conversation.wording import article
from rather.formats.tables.column_kinds import AMOUNTS, ColumnKind
from rather.formats.tables.english_phrases import english_phrase, inside
from rather.formats.tables.naming import CURRENCY_SIGNS, counts_things, words
from rather.formats.tables.number_texts import Bounds, NumberTexts
from rather.formats.tables.phrase_templates import OF_NUMBERS, OF_TAGS, category_templates
from rather.formats.tables.sayings import Saying, own_phrase
from rather.formats.tables.settings import VALUE
from rather.formats.tables.table_columns import TableColumn
from rather.formats.tables.word_classes import is_adjective, is_plural
from rather.languages import ENGLISH
from rather.model.attributes import STRESS


def _template(column: TableColumn) -> str:
    """What is said of an item in all languages, with `{value}` for the value and `{name}` for that of the column."""
    name = inside(column.display_name)
    if column.kind in (ColumnKind.YES_NO, ColumnKind.DEGREE):
        return _quality_template(name)
    if column.kind is ColumnKind.DATE:
        return "from {value}"
    categories = category_templates(column.noun)
    tables = {**dict.fromkeys(AMOUNTS, OF_NUMBERS), ColumnKind.CATEGORY: categories, ColumnKind.TAGS: OF_TAGS}
    for pattern, template in tables.get(column.kind, {}).items():
        if re.fullmatch(pattern, column.display_name.lower()):
            return template
    if column.kind is ColumnKind.TAGS:
        return "tagged {value}"
    if column.kind in AMOUNTS:
        if column.unit and column.unit in CURRENCY_SIGNS:
            return "that costs {value}" if len(words(column.name)) == 1 else "whose {name} is {value}"
        if counts_things(column.display_name) and not column.unit:
            return "with {value} {name}"
        if column.display_name == column.unit:
            return "with {value}"
    return "whose {name} are {value}" if is_plural(name) else "whose {name} is {value}"


def _template_for(column: TableColumn, value: str) -> str:
    if column.kind is ColumnKind.CATEGORY and _names_its_column(value, column.display_name):
        return "with {value}"  # not "whose drive is all-wheel drive"
    return _template(column)


def phrase(column: TableColumn, value: str) -> str:
    """What follows a noun when this value is said of it in English, the value between `**`."""
    value = value.replace(STRESS, "")
    own = own_phrase(column.phrase, ENGLISH)
    if own is None:
        return english_phrase(column, value)
    if article(value) == "an":
        own = re.sub(rf"\b([Aa]) {re.escape(VALUE)}", rf"\1n {VALUE}", own)
    return own.replace(VALUE, f"{STRESS}{value}{STRESS}") if VALUE in own else ""


SECTIONS = {
    **dict.fromkeys(AMOUNTS, "number"),
    ColumnKind.CATEGORY: "category",
    ColumnKind.TAGS: "tags",
    ColumnKind.DATE: "date",
}


def saying(column: TableColumn, value: str, bounds: Bounds | None) -> Saying:
    """The same for all languages."""
    return Saying(
        name=column.display_name,
        template=_template_for(column, value),
        section=SECTIONS.get(column.kind, "quality"),
        value=value,
        bounds=bounds,
        numbers=NumberTexts.of(column),
        own=column.phrase,
        counted=bounds is not None and not column.unit and counts_things(column.display_name),
        alone=bounds is None or column.display_name == column.unit,
    )


def _names_its_column(value: str, name: str) -> bool:
    """Whether a value ends with the name of its column, as "All-Wheel Drive" does in the column "drive"."""
    return value.lower().endswith(f" {name.lower()}")


def _quality_template(name: str) -> str:
    """How a yes/no column is said: its name is the value."""
    first, _, rest = name.partition(" ")
    if first in ("has", "is", "can", "includes", "supports", "fits") and rest:
        return "that {value}"
    return "that is {value}" if is_adjective(name) else "with {value}"
