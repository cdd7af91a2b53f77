"""How English says a value of an item: with its articles, its plurals and its many ways of putting it."""

import re

from rather.conversation.wording import article
from rather.formats.tables.column_kinds import AMOUNTS, ColumnKind
from rather.formats.tables.naming import ACRONYMS, CURRENCIES, CURRENCY_SIGNS, singular, words
from rather.formats.tables.phrase_templates import (
    ENGLISH_CATEGORIES,
    ENGLISH_DATES,
    ENGLISH_NUMBERS,
    ENGLISH_TAGS,
    OF_NUMBERS,
    OF_TAGS,
    category_templates,
    english_template,
)
from rather.formats.tables.settings import VALUE
from rather.formats.tables.table_columns import TableColumn
from rather.formats.tables.word_classes import TYPES, is_adjective, is_plural, with_article

# What is paid for something else than the item itself.
_DUES = ("rent", "fee", "tax", "deposit", "salary", "wage", "discount", "shipping", "miete", "kaution")
# Words that names of columns cut short.
_FULL_WORDS = {
    "min": "minimum",
    "max": "maximum",
    "avg": "average",
    "temp": "temperature",
    "qty": "quantity",
    "spend": "spending",
}
# What people subscribe to, where it is counted "per 100".
_SUBSCRIBED = ("mobile", "mobile phone", "broadband", "internet", "telephone", "landline")
# What is not part of anything although it is given in per cent.
RATE = re.compile(
    r"(.* )?(rate|ratio|share|level|index|score|spend|spending|balance|change|percentage|grade)|taxes|tax"
)
# Words after what is there or allowed: "with breakfast included".
_STATE = re.compile(r"\S+ (.* )?(allowed|included|permitted|welcome|possible|available|required|supported|provided)")
_VERBS = ("has", "is", "can", "includes", "supports", "fits", "needs", "comes", "runs", "works", "allows", "offers")
# Sizes that are words, and how they are said.
_SIZES = {
    **dict.fromkeys(("tiny", "small", "large", "big", "huge"), "that is {value}"),
    **dict.fromkeys(("medium", "x-large", "extra large", "extra-large"), "of {value} size"),
}
# What adjectives stand in, which have no capital inside a sentence: "that is male".
_OF_ADJECTIVES = ("that is {value}", "of {value} size", "in {value} condition")
# Words of degree before what something is to that degree: "that is mostly house trained".
_DEGREES = re.compile(r"(not|almost|always|sometimes|often|never|half|semi|\w+ly)( yet)?", re.I)
_YES, _NO = frozenset(("yes", "ja", "oui", "sí", "true", "y")), frozenset(("no", "nein", "non", "false", "n", "none"))


def english_phrase(column: TableColumn, value: str) -> str:
    """What follows a noun when this value is said of it, the value between `**`."""
    name = in_full(inside(column.display_name), column.unit)
    if column.kind in (ColumnKind.YES_NO, ColumnKind.DEGREE):
        return _quality(name, with_articles=column.kind is ColumnKind.YES_NO)
    if column.kind is ColumnKind.DATE:
        template = english_template(ENGLISH_DATES, {}, name) or f"whose {name} is {VALUE}"
        return _fitted(template, value).replace(VALUE, f"**{value}**")
    if column.kind in AMOUNTS:
        return _amount(column, name, value)
    if column.kind is ColumnKind.TAGS:
        return _tag(name, _readable(value))
    answers = any(text.lower() in _YES | _NO for text in column.cells.distinct)
    known = english_template(ENGLISH_CATEGORIES, category_templates(column.noun), name)
    return _category(name, _readable(value), known, answers=answers)


def _amount(column: TableColumn, name: str, value: str) -> str:
    """How a number or a range of numbers is said."""
    if column.unit in CURRENCIES and re.fullmatch(r"[^\d.,]*0([.,]0+)?[^\d.,]*", value):
        return "that is **free**" if len(words(column.name)) == 1 and name not in _DUES else f"with **no** {name}"
    if template := english_template(ENGLISH_NUMBERS, OF_NUMBERS, name):
        return _fitted(template, value).replace(VALUE, f"**{value}**")
    if column.unit in CURRENCY_SIGNS and column.unit and len(words(column.name)) == 1 and name not in _DUES:
        return f"that costs **{value}**"
    if name == "age" and column.unit:
        bound = value.removesuffix(" or more")
        return f"that is **{bound}** old" if bound == value else f"that is **{bound} or older**"
    if column.display_name == column.unit:
        return f"with **{value}**"
    bound, _, things = name.partition(" ")
    if bound in ("minimum", "maximum") and is_plural(name) and not column.unit:
        return f"with a {bound} of **{value}** {_things(things, value)}"
    if not column.unit and is_plural(name):
        return _count(name, value)
    if is_adjective(name) and column.unit.isalpha():
        return f"with **{value.replace(f' {column.unit}', '', 1)}** {name} {column.unit}"
    if column.unit.startswith("per ") and is_plural(name):
        number = value.replace(f" {column.unit}", "", 1)
        return f"{_count(name, number)} {column.unit}"
    if column.unit == "%" and is_adjective(name):
        return f"that is **{_less(value)}** {name}"
    if column.unit == "%" and name in ("win", "hit", "success", "loss"):
        return f"whose {name} rate is **{value}**"
    if column.unit == "%" and not RATE.fullmatch(name):
        return f"with **{_less(value)}** {name}"
    noun = f"{name} figure" if is_adjective(name) else _complete(name, column.unit)
    return f"whose {noun} {'are' if is_plural(noun) else 'is'} **{value}**"


def _count(things: str, value: str) -> str:
    """A number of things: "with **fewer than 3** airports", "with **1** airport"."""
    number = "no" if value == "0" else _less(value, "fewer")
    return f"with **{number}** {_things(things, value)}"


def _things(things: str, value: str) -> str:
    """The plural, or the singular after "1"."""
    last = things.split()[-1]
    return things.removesuffix(last) + (singular(last) or last) if value == "1" else things


def _less(value: str, word: str = "less") -> str:
    return f"{word} than {value.removeprefix('under ')}" if value.startswith("under ") else value


def _complete(name: str, unit: str) -> str:
    """A name with the noun that its unit leaves out."""
    if unit.endswith("per capita") and name in ("alcohol", "energy", "electricity", "water", "meat", "coffee"):
        return f"{name} consumption"
    if is_fuel_economy(name, unit):
        return f"{name} fuel economy"
    return name


def is_fuel_economy(name: str, unit: str) -> bool:
    """Whether a column such as "city mpg", whose unit is not part of its name, holds how economical cars are."""
    return unit == "mpg" and name in ("city", "highway", "combined")


def _fitted(template: str, value: str) -> str:
    """A template with the preposition of its value: "built in 2020", "built before 2020", "built from 2010 to 2020"."""
    if value.startswith("before "):
        return re.sub(r" (in|from) \{value}$", " {value}", template)
    return re.sub(r" in \{value}$", " from {value}", template) if " to " in value else template


def in_full(name: str, unit: str) -> str:
    """A name with its words written out, and a bound before what it bounds: "maximum players" for "players max".

    What is counted per 100 people is named: "mobile subscriptions" for "mobile".
    """
    if name in _SUBSCRIBED and unit.startswith("per "):
        return f"{name} subscriptions"
    words = [_FULL_WORDS.get(word, word) for word in name.split()]
    if len(words) > 1 and words[-1] in ("minimum", "maximum", "average"):
        words = [words[-1], *words[:-1]]
    return " ".join(words)


def _category(name: str, value: str, known: str, *, answers: bool) -> str:
    """How a value of a category is said.

    Args:
        name: What the column is called.
        value: The value.
        known: The template that the name fits, if any.
        answers: Whether yes or no is among the values.
    """
    if value.lower() in _YES:
        return _quality(name)
    if value.lower() in _NO and not known:
        return f"that is not **{name}**" if _is_said_after_is(name) else f"without {_with_article(name)}"
    if answers and _is_said_after_is(name) and not known:
        return f"that is **{value}** {name}" if _DEGREES.fullmatch(value) else f"that is {name} (**{value}**)"
    if value.lower().endswith(f" {name.lower()}"):
        return f"with **{value}**"  # not "whose drive is all-wheel drive"
    if template := _sized(known, value):
        said = inside(value) if template in _OF_ADJECTIVES else value
        return template.replace(VALUE, f"**{said}**")
    if len(name) > 3 and len(value) > len(name) and value.lower().endswith(name.lower()):
        return f"with **{value}**"  # as German joins words: "with Scheibenbremse"
    return f"whose {name} {'are' if is_plural(name) else 'is'} **{value}**"


def _sized(template: str, value: str) -> str:
    """A template as its value needs it: "that is small" rather than "in size small", "whose sex is M"."""
    if template == "in size {value}":
        if "size" in value.lower():
            return "in {value}"
        return _SIZES.get(value.lower(), template)
    return template if len(value) > 1 or template != "that is {value}" else ""


def _tag(name: str, value: str) -> str:
    template = english_template(ENGLISH_TAGS, OF_TAGS, name) or "tagged {value}"
    if "{article}" in template:
        if is_adjective(value):
            return f"that is **{value}**"
        template = template.replace("{article}", with_article(value).removesuffix(value))
    return template.replace(VALUE, f"**{value}**")


def _quality(name: str, *, with_articles: bool = True) -> str:
    """How a yes/no column is said: its name is the value. What comes in degrees ("luck") has no article."""
    first, _, rest = name.partition(" ")
    if rest and first in ("has", "includes", "comes"):
        return f"that **{first} {with_article(rest)}**"
    if rest and first in _VERBS:
        return f"that **{name}**"
    if _STATE.fullmatch(name):
        return f"with **{name}**"
    if _is_said_after_is(name):
        return f"that is **{name}**"
    if not with_articles:
        return f"with **{name}**"
    if name.lower().split()[-1] in TYPES:
        return f"that is {article(name)} **{name}**"
    return f"with {_with_article(name)}"


def _with_article(name: str) -> str:
    """A stressed noun with the article that it needs, if any."""
    return f"{with_article(name).removesuffix(name)}**{name}**"


def _is_said_after_is(name: str) -> bool:
    """Whether an item is what a column is called: "furnished", "good with children"."""
    return is_adjective(name) or name.partition(" ")[0] in ("open", "suitable", "ready", "made", "good", "safe", "okay")


def _readable(value: str) -> str:
    """A value of a category without the underscores that stand for spaces."""
    return value if " " in value else value.replace("_", " ").strip() or value


def inside(name: str) -> str:
    """A column's name inside a sentence: "battery life" for "Battery life", but "RAM" and "USB ports"."""
    return " ".join(_inside_word(word) for word in name.split())


def _inside_word(word: str) -> str:
    if word.lower() in ACRONYMS:
        return word
    shouted = word.isupper() and word.replace("-", "").isalpha() and len(word) > 3
    return word.lower() if shouted or (word[:1].isupper() and word[1:].islower()) else word
