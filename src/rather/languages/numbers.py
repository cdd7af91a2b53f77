"""Numbers, amounts of money and lists as each language writes them, by the locales of Babel.

Babel is imported where it is needed: `rather --help` does not wait for it.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babel import Locale

ENGLISH = "en"


def localized(number: str, language: str) -> str:
    """A number that is written in English (`1,299.00`) with the separators of a language (`1.299,00`).

    No digit changes: what is shown is what the file says. Spanish does not separate the thousands of four digits.
    """
    if language == ENGLISH:
        return number
    if language == "es":
        number = re.sub(r"(?<![\d,])(\d),(\d{3})(?![\d,])", r"\1\2", number)
    return number.translate(_separators(language))


# From here on nobody reads the digits: 1,087,369,280,520.
READABLE = 100_000_000


def count_text(count: int, language: str) -> str:
    """A number of things as a person writes it: "1,200", "660 million", in German "1,1 Billionen"."""
    if count < READABLE:
        return localized(f"{count:,}", language)
    from babel.numbers import format_compact_decimal

    rough = int(float(f"{count:.2g}"))
    return str(format_compact_decimal(rough, format_type="long", locale=language, fraction_digits=1))


def percent(share: float, language: str) -> str:
    """A share in whole percent: `56%`, in German `56 %`."""
    return percent_sign(f"{share:.0%}".removesuffix("%"), language)


def percent_sign(number: str, language: str) -> str:
    """A number with the percent sign of a language."""
    if language == ENGLISH:
        return f"{number}%"
    return number + str(_locale(language).percent_formats[None].suffix[0])


def with_currency(number: str, sign: str, language: str) -> str:
    """A number with the sign of its currency on the side where the language has it: `€5`, in German `5 €`."""
    prefix, suffix = (part[0] for part in _currency_pattern(language))
    if "¤" in suffix:
        return number + suffix.replace("¤", sign)
    return prefix.replace("¤", sign) + number


def month_name(month: int, language: str) -> str:
    """The short name of a month from 1 to 12: "Apr.", in French "avr."."""
    return str(_locale(language).months["format"]["abbreviated"][month])


def date_text(date: str, language: str) -> str:
    """A date as the table has it (`2024-03-05`), in other languages than English as they write it (`05.03.2024`)."""
    if language == ENGLISH or not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        return date
    from babel.dates import format_date

    return str(format_date(datetime.date.fromisoformat(date), "medium", locale=language))


def plural_form(language: str, count: int) -> str:
    """The form of a noun after this number: "one" or "other", in some languages others."""
    return str(_locale(language).plural_form(count))


def joined(parts: Sequence[str], language: str, last: str = "and") -> str:
    """A list as a person writes it: "a, b and c", or with `last` "or"."""
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + conjunction(language, last, parts[-1]) + parts[-1]


def conjunction(language: str, kind: str, following: str) -> str:
    """The "and" or "or" of a language before a word; in Spanish it changes before a vowel like its own."""
    from rather.languages.messages import message

    if language == "es" and kind == "and" and re.match(r"[^\w]*h?[iíy](?![aeo])", following, re.IGNORECASE):
        return " e "
    if language == "es" and kind == "or" and re.match(r"[^\w]*h?[oó]", following, re.IGNORECASE):
        return " u "
    return message(language, f"list.{kind}")


@cache
def _locale(language: str) -> Locale:
    from babel import Locale

    return Locale(language)


@cache
def _separators(language: str) -> dict[int, str]:
    symbols = _locale(language).number_symbols["latn"]
    return {ord(","): symbols["group"], ord("."): symbols["decimal"]}


@cache
def _currency_pattern(language: str) -> tuple[tuple[str, str], tuple[str, str]]:
    pattern = _locale(language).currency_formats["standard"]
    return pattern.prefix, pattern.suffix
