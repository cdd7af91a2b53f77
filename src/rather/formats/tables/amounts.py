"""Numbers as people write them: `€1,234.50`, `1.234,5 km`, `ab 899,- €`, `up to 11 hours`, `4-6 kg`."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from rather.formats.tables.naming import CURRENCIES, CURRENCY_SIGNS, UNITS

if TYPE_CHECKING:
    import pint

# Words before a number that leave it a number, in English, German, French and Spanish.
_HEDGES = """
about|approximately|approx.|approx|around|circa|ca.|ca|up to|from|starting at|starting from|at least|at most|only|over|
under|more than|less than|min.|min|max.|max|ab|bis zu|bis|etwa|rund|nur|ungefähr|mindestens|höchstens|environ|env.|env|
à partir de|dès|jusqu'à|au moins|desde|hasta|unos|unas|aprox.|aprox|
VB|VHB
"""
# What a price may be followed by: that it can be negotiated, what it includes, or what it is for.
_PRICE_REMARK = re.compile(
    r"(?<=[€$£¥₹A-Z])\s*(VB|VHB|FP|p\.\s?P\.|p/p|pp|each|ea\.?|inkl\..*|incl\..*|zzgl\..*|netto|brutto|net|gross)$"
)
# What costs nothing.
_FREE = frozenset(
    ["free", "free of charge", "for free", "gratis", "kostenlos", "umsonst", "gratuit", "gratuito", "waived"]
)
_SIGN_OF_CODE = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "INR": "₹", "US$": "$", "euro": "€", "euros": "€"}

# Different spellings of one unit, after the name under which the unit library knows it.
_SPELLINGS = """
hour: h hr hrs hour hours std std. stunde stunden heure heures hora horas
minute: min mins min. minute minutes minuten minuto minutos
second: s sec secs second seconds sekunden
day: day days tag tage tagen jour jours día días
week: week weeks woche wochen semaine semaines semana semanas
month: mo mos month months monat monate monaten mois mes meses
year: yo y/o y.o. year years yr yrs jahr jahre an ans año años
inch: " ″ ” '' in inch inches zoll pouce pouces pulgada pulgadas
foot: ft foot feet ′
mile: mi mile miles
kilogram: kg kgs kilo kilos
pound: lb lbs pound pounds
liter: l litre litres liter liters
gallon: gal gallon gallons
horsepower: hp
metric_horsepower: ps
kilowatt: kw
watt_hour: wh
kilowatt_hour: kwh
kilometer/hour: kmh km/h kph
mile/gallon: mpg
foot**2: sqft ft² ft2
meter**2: sqm m² m2 qm
megahertz: mhz
gigahertz: ghz
megabyte: mb
gigabyte: gb
terabyte: tb
milliampere_hour: mah
kilocalorie: kcal calories
"""
_LIBRARY_NAMES = {
    word: name
    for name, words in (line.split(": ") for line in _SPELLINGS.strip().splitlines())
    for word in words.split()
}
# Units whose plural is meant by a column that has "1 year" more often than "2 years".
_SINGULARS = ("hour", "minute", "day", "week", "month", "year")
# Units that may stand right after the digits. "4WD" is a name.
_ATTACHED = frozenset({*_LIBRARY_NAMES, *UNITS, "%", *map(str.lower, CURRENCIES), "g", "m", "cm", "mm", "ml", "w", "v"})

EXPONENT = r"(?:[eE][+-]?\d{1,3})?"
_NUMBER = rf"(?:\d|[.,](?=\d))(?:[\d.,]|[ \u00a0\u202f'’](?=\d{{3}}(?!\d)))*{EXPONENT}"
_HEDGE = "|".join(re.escape(word.strip()) for word in _HEDGES.replace("\n", "").split("|"))
_CURRENCY = rf"[{CURRENCY_SIGNS}]|US\$|[A-Z]{{3}}(?=[\s\d])"
_AMOUNT = re.compile(
    rf"(?P<hedge>(?:(?i:{_HEDGE})\s+|[~≈±<>≤≥]=?\s*)?)"
    rf"(?P<sign>[+\-−]?)(?P<before>(?:{_CURRENCY})?)\s*(?P<sign_after>-?)(?P<low>{_NUMBER})"
    rf"(?:(?:\s?[-–—]\s?|\s(?:to|bis|à|a)\s)(?P<high>{_NUMBER}))?"
    r"(?P<dash>[-–—]{0,2})"
    r"(?P<gap>\s*)(?P<after>\D{0,16}|m2|ft2)",
    re.ASCII,
)
_CODE = re.compile(r"0\d", re.ASCII)
_AGE = re.compile(r"(?<=[a-z])[ -]old$")
# "1 year 6 months", "5 ft 11 in", "2 h and 30 min".
_IN_TWO_UNITS = re.compile(r"(\d+)\s*([^\W\d_]+)\.?,?\s*(?:and |und |et |y |& ?)?(\d+)\s*([^\W\d_]+)\.?", re.ASCII)
# "92/100", "4,5/5 stars", "4 out of 5".
_RATING = re.compile(
    r"([\d.,]+)\s*(?:/|out of|von|sur|de)\s*(5|10|20|100)(?:\s+(?:stars?|points?|pts|sternen?|punkten?))?",
    re.I | re.ASCII,
)


@dataclass(frozen=True)
class Amount:
    """A number, or a range of numbers, as it is written.

    Attributes:
        low: The number's digits and separators.
        high: Those of the upper end of a range, "" if it is none.
        unit: Its unit.
        hedged: Whether its text says more than its number: "about 5", "1 year 6 months", "92/100".
    """

    low: str
    high: str
    unit: str
    hedged: bool


def parse_amount(text: str) -> Amount | None:
    """The amount that a text is, or None."""
    if rating := _RATING.fullmatch(text):
        return Amount(rating[1], "", f"/{rating[2]}", hedged=True)
    if (two := _IN_TWO_UNITS.fullmatch(text)) and (amount := _sum_of(*two.groups())):
        return amount
    match = _AMOUNT.fullmatch(text)
    if match is None or _CODE.match(match["low"]):  # 007 is a code
        return None
    low, high, after = match["low"], match["high"] or "", match["after"].strip()
    if match["dash"]:  # "899,-" is a price without cents
        if low[-1] not in ".," or high:
            return None
        low = low[:-1]
    if after and not match["gap"] and after.lower() not in _ATTACHED:
        return None
    before = _SIGN_OF_CODE.get(match["before"], match["before"])
    after = _AGE.sub("", _PRICE_REMARK.sub("", after))
    after = _SIGN_OF_CODE.get(after, after)
    if (before and before not in CURRENCIES) or (before and after and before != after):
        return None
    if match["sign"] and match["sign_after"]:
        return None
    sign = "-" if match["sign"] in ("-", "−") or match["sign_after"] else ""
    if high and (sign or _CODE.match(high)):
        return None
    unit = before or (after if after in CURRENCIES else UNITS.get(after.lower(), after))
    return Amount(sign + _without_spaces(low), _without_spaces(high), unit, bool(match["hedge"]))


def _sum_of(whole: str, unit: str, part: str, smaller: str) -> Amount | None:
    """An amount in two units: a year and six months are 1.5 years."""
    known = unit.lower() in _LIBRARY_NAMES and smaller.lower() in _LIBRARY_NAMES
    conversion = conversion_between(smaller, unit) if known else None
    if conversion is None or not 0 < conversion[0] < 1:
        return None
    millionths = round((int(whole) + int(part) * conversion[0]) * 1e6)
    return Amount(f"{millionths}e-6", "", UNITS.get(unit.lower(), unit), hedged=True)


def _without_spaces(digits: str) -> str:
    return re.sub(r"[ \u00a0\u202f'’]", "", digits)


@dataclass(frozen=True)
class Amounts:
    """The amounts of a column, one for each of its distinct texts.

    Attributes:
        values: The numbers in the column's unit, NaN where a text is no amount; the middle of a range.
        decimals: The decimals to write each with; None where the text itself has to be shown.
        unit: The unit of the column, as it is most often written.
    """

    values: list[float]
    decimals: list[int | None]
    unit: str


def read_amounts(texts: Sequence[str], counts: Sequence[int]) -> Amounts:
    """The amounts of a column's distinct texts, each with how often it occurs.

    Units are converted to the most common one of the column. Currencies are not: exchange rates are unknown.
    """
    amounts = [parse_amount(text) for text in texts]
    if any(amount is not None and amount.unit in CURRENCIES for amount in amounts):
        free = Amount("0", "", "", hedged=True)
        amounts = [free if text.casefold() in _FREE else amount for text, amount in zip(texts, amounts, strict=True)]
    weighted = [(amount, count) for amount, count in zip(amounts, counts, strict=True) if amount is not None]
    if 2 * sum(count for amount, count in weighted if amount.high) > sum(count for _, count in weighted):
        amounts = [None if amount is not None and amount.high else amount for amount in amounts]  # classes, not amounts
    unit = _most_common_unit([(amount.unit, count) for amount, count in weighted if amount.unit])
    comma = _decimal_sign([(end, count) for amount, count in weighted for end in (amount.low, amount.high)]) == ","
    values: list[float] = []
    decimals: list[int | None] = []
    for amount in amounts:
        value, places = (math.nan, None) if amount is None else _read(amount, unit, comma=comma)
        values.append(value)
        decimals.append(places)
    return Amounts(values, decimals, unit)


def _read(amount: Amount, unit: str, *, comma: bool) -> tuple[float, int | None]:
    low, places = read_digits(amount.low, comma=comma)
    high, _ = read_digits(amount.high, comma=comma) if amount.high else (low, 0)
    if math.isnan(low) or not high >= low:
        return math.nan, None
    value = low if high == low else (low + high) / 2
    if amount.unit in ("", unit):
        return value, None if amount.high or amount.hedged else places
    conversion = conversion_between(amount.unit, unit)
    if conversion is None:
        return math.nan, None
    factor, offset = conversion
    return float(f"{offset + factor * value:.12g}"), None


def _most_common_unit(units: Sequence[tuple[str, int]]) -> str:
    """The unit with the most values, in its most common spelling."""
    names, spellings = Counter[str](), Counter[str]()
    for unit, count in units:
        names[_LIBRARY_NAMES.get(unit.lower(), unit)] += count
        spellings[unit] += count
    if not names:
        return ""
    name = names.most_common(1)[0][0]
    unit = max(spellings, key=lambda unit: (_LIBRARY_NAMES.get(unit.lower(), unit) == name, spellings[unit]))
    return f"{unit}s" if unit in _SINGULARS else unit


@cache
def conversion_between(unit: str, other: str) -> tuple[float, float] | None:
    """The factor and the offset that turn a number in one unit into the other; None if there are none."""
    if unit in CURRENCIES or other in CURRENCIES or not unit or not other:
        return None
    names = [_LIBRARY_NAMES.get(each.lower(), each) for each in (unit, other)]
    if names[0] == names[1]:
        return 1.0, 0.0
    import pint  # takes half a second, and few columns mix units

    registry = _unit_registry()
    try:
        zero, one = (registry.Quantity(number, names[0]).to(names[1]).magnitude for number in (0.0, 1.0))
    except (pint.PintError, ValueError, TypeError, AttributeError, AssertionError):
        return None
    return float(one - zero), float(zero)


@cache
def _unit_registry() -> "pint.UnitRegistry[float]":
    import pint

    return pint.UnitRegistry()


# A number with this decimal sign, with the other sign between groups of three digits or nowhere.
_WRITTEN = {
    sign: re.compile(rf"-?(\d*|[1-9]\d{{0,2}}(\{separator}\d{{3}})+)(\{sign}\d*)?{EXPONENT}", re.ASCII)
    for sign, separator in (".,", ",.")
}


def _decimal_sign(digits: Sequence[tuple[str, int]]) -> str:
    """The decimal sign of a column, from those of its numbers that can be read in one way only; else a point."""
    votes = Counter[str]()
    for text, count in digits:
        possible = [sign for sign in ".," if _WRITTEN[sign].fullmatch(text)]
        if len(possible) == 1:
            votes[possible[0]] += count
    return "," if votes[","] > votes["."] else "."


def read_digits(text: str, *, comma: bool) -> tuple[float, int]:
    """A number and its count of decimals; NaN if its separators make no sense.

    Only a number such as 1.234 or 1,234 can be read in two ways: then `comma` says which sign is the decimal one.
    """
    for sign in ",." if comma else ".,":
        if _WRITTEN[sign].fullmatch(text):
            plain = text.replace("." if sign == "," else ",", "").replace(sign, ".")
            return float(plain), len(re.split("[eE]", plain)[0].partition(".")[2])
    return math.nan, 0


def in_other_currency(text: str, unit: str) -> bool:
    """Whether a text is a price in another currency than this one."""
    amount = parse_amount(text)
    return amount is not None and unit in CURRENCIES and amount.unit in CURRENCIES and amount.unit != unit
