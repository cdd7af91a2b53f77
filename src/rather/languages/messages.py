"""Messages by language and key, from the TOML files beside this module."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from rather.languages.numbers import count_text, plural_form

ENGLISH = "en"
LANGUAGES = (ENGLISH, "de", "fr", "es")

# A template, or one for each plural form of its `{count}`.
Template = str | Mapping[str, str]
PLURAL_FORMS = frozenset(["zero", "one", "two", "few", "many", "other"])


def message(language: str, key: str, **values: object) -> str:
    """The message with its values filled in; of a plural, the form that fits `count`.

    Args:
        language: One of `LANGUAGES`.
        key: Its section and name: "stop.exhausted".
        values: By name. Whole numbers are written as the language writes them, from a hundred million on roughly; all
            else is taken as it is.
    """
    template = messages(language)[key]
    if not isinstance(template, str):
        count = values["count"]
        assert isinstance(count, int)
        template = template.get(plural_form(language, count), template["other"])
    return template.format_map({name: _written(language, value) for name, value in values.items()})


def translated(language: str, section: str, text: str) -> str:
    """A template that stands in the code in English, in a language; only English needs no entry in its file.

    For templates that code chooses between by what a table holds: their English text is their key.
    """
    if language == ENGLISH:
        return text
    template = messages(language)[f"{section}.{text}"]
    assert isinstance(template, str)
    return template


def retold(language: str, section: str, text: str) -> str:
    """An English text that was made from a message of this section, in a language; as it is where it was not.

    For what is stored or raised in English long before anybody knows who reads it.
    """
    if language == ENGLISH:
        return text
    for key, pattern in _patterns(section):
        if found := pattern.fullmatch(text):
            values = {name: retold(language, section, value) for name, value in found.groupdict().items()}
            return message(language, key, **values)
    return text


@cache
def _patterns(section: str) -> list[tuple[str, re.Pattern[str]]]:
    """A pattern for each text of a section, those with the fewest values first."""
    templates = messages(ENGLISH).items()
    texts = [(key, text) for key, text in templates if key.startswith(f"{section}.") and isinstance(text, str)]
    texts.sort(key=lambda entry: entry[1].count("{"))
    return [(key, re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+)", re.escape(text)))) for key, text in texts]


def has_message(language: str, key: str) -> bool:
    """Whether there is such a message."""
    return key in messages(language)


@cache
def messages(language: str) -> dict[str, Template]:
    """All messages of a language by key."""
    return dict(_flat(tomllib.loads(files(__package__).joinpath(f"{language}.toml").read_text(encoding="utf-8")), ""))


def _flat(content: Mapping[str, Any], before: str) -> list[tuple[str, Template]]:
    found: list[tuple[str, Template]] = []
    for name, value in content.items():
        if isinstance(value, str) or value.keys() <= PLURAL_FORMS:
            found.append((before + name, value))
        else:
            found += _flat(value, f"{before}{name}.")
    return found


def _written(language: str, value: object) -> object:
    return count_text(value, language) if isinstance(value, int) else value
