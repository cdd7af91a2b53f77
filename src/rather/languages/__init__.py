"""The languages in which people are spoken to: messages, numbers and the choice of a language.

A message is a template with `{named}` values in a file for each language (`en.toml`, `de.toml` …). All files have the
same messages with the same values, which a test checks.
"""

from rather.languages.choosing import chosen_language, validated_language
from rather.languages.messages import ENGLISH, LANGUAGES, has_message, message, retold, translated
from rather.languages.names import counted_in, name_in
from rather.languages.numbers import (
    conjunction,
    count_text,
    date_text,
    joined,
    localized,
    month_name,
    percent,
    percent_sign,
    with_currency,
)

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "chosen_language",
    "conjunction",
    "count_text",
    "counted_in",
    "date_text",
    "has_message",
    "joined",
    "localized",
    "message",
    "month_name",
    "name_in",
    "percent",
    "percent_sign",
    "retold",
    "translated",
    "validated_language",
    "with_currency",
]
