"""How columns and numbers are written for people: display names, units found in names, readable numbers."""

import math
import re

from rather.languages import ENGLISH, has_message, message, percent_sign, with_currency
from rather.nouns import plural

# Words at the end of a column's name that give the unit of its numbers. Words with a second common meaning in names
# ("min", "max", "in", "s") are left out.
_UNIT_WORDS = """
km mi miles m cm mm ft feet inch inches kg g mg lb lbs oz tonnes l ml cl litres liters gallons hp kW kWh Wh mpg kmh mph
hours hrs minutes mins seconds days weeks months years kcal calories sqft sqm GB MB TB GHz MHz mAh MP dB USD EUR GBP CHF
"""
_ACRONYM_WORDS = """
AWD FWD RWD 4WD 2WD GDP CO2 USD EUR GBP SUV EV CPU GPU RAM SSD HDD USB TV LED LCD OLED GPS EPA GHG PPP LGBT ISBN SKU ID
URL HDMI NFC UK USA EU BBQ DVD WLAN NVME LTE ABS
"""
UNITS = {word.lower(): word for word in _UNIT_WORDS.split()} | {
    "pct": "%",
    "percent": "%",
    "%": "%",
    "m2": "m²",
    "m²": "m²",
    "ft2": "ft²",
    "km2": "km²",
}
_TIMES = frozenset(["hours", "hrs", "minutes", "mins", "seconds", "days", "weeks", "months"])
_PLURAL_UNITS = frozenset(["miles", "inches", "litres", "liters", "gallons", "years", *_TIMES])
ACRONYMS = {word.lower(): word for word in _ACRONYM_WORDS.split()}
# Numbers that are counts: "number of doors", "num_doors", "door count".
_COUNTED = re.compile(r"(?:number|num|no\.?|nr\.?|#)(?: of)? (?P<things>.+)|(?P<thing>.+) count", re.IGNORECASE)
CURRENCY_SIGNS = "$€£¥₹"
_CURRENCY_CODES = """
EUR USD GBP JPY INR CHF CAD AUD NZD CNY KRW SEK NOK DKK PLN CZK HUF RON TRY ILS BRL MXN ZAR SGD HKD THB
"""
CURRENCIES = frozenset({*_CURRENCY_CODES.split(), *CURRENCY_SIGNS})
UNKNOWN = "unknown"


def words(name: str) -> list[str]:
    """The words of a column's name: `engineSize_l` gives engine, size, l, and `num-of-doors` num, of, doors."""
    if not re.search(r"\s", name.strip()):
        name = "_".join(part if part.lower() in UNITS else _split_camel_case(part) for part in name.split("_"))
        name = re.sub(r"(?<=[a-z])(percent|pct)$", r"_\1", re.sub(r"(?<=\w)\.(?=[^\W\d])", "_", name))
        if name.count("-") > 1:
            name = name.replace("-", "_")
    return [word for word in re.split(r"[_\s]+", name) if word]


def _split_camel_case(text: str) -> str:
    # A capital inside camelCase marks a word, not a proper noun.
    return re.sub(r"(?<=[a-z])[A-Z](?=[a-z])", lambda capital: "_" + capital[0].lower(), text)


def spoken_name(name: str) -> str:
    """A column's name in lower case, with spaces between its words."""
    return " ".join(words(name)).lower()


def pretty_name(name: str) -> str:
    """A column's name as a person writes it: `gdp_per_capita` becomes "GDP per capita", `Organic?` "Organic"."""
    name = name.rstrip("?: ") or name
    if name.isupper() and any(len(word) > 3 and word.lower() not in ACRONYMS for word in words(name)):
        name = name.lower()  # nobody shouts in a sentence
    return " ".join(_pretty_word(word) for word in words(name)) or name.strip() or "column"


def _pretty_word(word: str) -> str:
    if word.lower() in ACRONYMS and (word.islower() or word.isupper()):
        return ACRONYMS[word.lower()]
    return word


def name_and_unit(name: str) -> tuple[str, str]:
    """The display name of a column of numbers and the unit its name ends with, "" if it ends with none.

    `price_usd` gives ("price", "USD"), `Weight (kg)` ("Weight", "kg"), `co2_g_per_mile` ("CO2", "g per mile") and
    `charge_hours_240v` ("charge time at 240 V", "hours").
    """
    bracketed = re.fullmatch(r"(.*\S)\s*[(\[]([^()\[\]]{1,12})[)\]]", name.strip())
    if bracketed and re.search(r"[^\d\s.,-]", bracketed[2]):
        return pretty_name(bracketed[1]), UNITS.get(bracketed[2].lower(), bracketed[2])
    if counted := _COUNTED.fullmatch(" ".join(words(name))):
        return pretty_name(counted["things"] or plural(counted["thing"])), ""
    parts = words(name)
    if len(parts) > 1 and parts[-1].lower() == "c" and parts[-2].lower() in ("temp", "temperature"):
        return pretty_name("_".join(parts[:-1])), "°C"
    if len(parts) == 2 and parts[0].lower() == "mpg":
        return f"{_pretty_word(parts[1])} mpg", ""
    at = re.fullmatch(r"(\d+)(v|w|hz|kmh|mph)", parts[-1].lower()) if len(parts) > 2 else None
    if at and parts[-2].lower() in _TIMES:  # "charge_hours_240v"
        voltage = f"{at[1]} {at[2].upper() if len(at[2]) == 1 else at[2]}"
        return f"{pretty_name('_'.join(parts[:-2]))} time at {voltage}", UNITS[parts[-2].lower()]
    cut = _unit_start([part.lower() for part in parts])
    if cut is None or cut == 0:
        return pretty_name(name), ""
    unit = parts[cut:]
    if len(unit) == 2 and unit[0].lower() in ("pct", "percent"):
        return pretty_name("_".join(parts[:cut])), f"% of {_pretty_word(unit[1])}"
    text = " ".join(UNITS.get(part.lower(), _pretty_word(part)) for part in unit)
    return pretty_name("_".join(parts[:cut])), text


def _unit_start(parts: list[str]) -> int | None:
    """The index of the word that starts the unit, among the lower-case words of a name."""
    last = len(parts) - 1
    if last >= 1 and parts[last - 1] in ("pct", "percent"):
        return last - 1
    if "per" in parts[1:-1]:
        per = last - parts[::-1].index("per")
        if per >= 2 and parts[per - 1] in UNITS:
            return per - 1
        if parts[last] not in UNITS or per + 1 == last or parts[per + 1] == "sq":
            return per
    if parts and parts[last] in UNITS:
        return last - 1 if last >= 2 and parts[last - 1] == "sq" else last
    return None


def counts_things(name: str) -> bool:
    """Whether a number is written before the name: "4 cylinders", "200 hp", but "year 2020"."""
    if name.lower() in UNITS:
        return True
    return bool(re.fullmatch(r"\w{3,}[^siu\W]s", name))


def spelled(value: float, digits: int = 4, *, grouped: bool = True) -> str:
    """A number with at most `digits` significant digits and thousands separators: `12,500`, `0.732`."""
    if not math.isfinite(value):
        return UNKNOWN
    if value == round(value) and abs(value) < 1e15:
        return f"{value:,.0f}" if grouped else f"{value:.0f}"
    if 1000 <= abs(value) < 1e15 and digits <= 4:
        return f"{value:,.0f}" if grouped else f"{value:.0f}"
    if 1e-4 <= abs(value) < 1e15:
        places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
        text = f"{value:,.{places}f}" if grouped else f"{value:.{places}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{value:.{digits}g}"


def with_unit(text: str, unit: str, language: str = ENGLISH) -> str:
    """A number or range of numbers with its unit: `$5`, `5%`, `5 km`."""
    if not unit:
        return text
    if language != ENGLISH:
        return _with_unit_in(text, unit, language)
    first, *rest = unit.split(" ")
    if text == "1" and first.lower() in _PLURAL_UNITS:
        return " ".join(["1", singular(first) or first, *rest])
    if unit in CURRENCY_SIGNS:
        return re.sub(r"(-?)(\d[\d.,]*)", rf"\g<1>{unit}\g<2>", text)
    return f"{text}{unit}" if unit.startswith(("%", "/", '"', "″", "”", "'")) else f"{text} {unit}"


def _with_unit_in(text: str, unit: str, language: str) -> str:
    if unit in CURRENCY_SIGNS:
        return with_currency(text, unit, language)
    if unit.startswith("%"):
        return percent_sign(text, language) + unit[1:]
    if unit.startswith(("/", '"', "″", "”", "'")):
        return text + unit
    key = f"units.{unit}"
    return f"{text} {message(language, key) if has_message(language, key) else unit}"


def shortened(text: str, longest: int = 60) -> str:
    """The text, cut to a length with an ellipsis at its end."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def joined(parts: list[str]) -> str:
    """A list as a person writes it: "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


# Words of a file's name that say nothing about its rows.
_GENERIC_WORDS = """
all attributes catalog catalogue clean cleaned columns core csv data dataset database details entries export exports
features file files final full info items list lists master new old prices public ratings raw records results rows sales
derived sample samples sheet sheets stats table tables test tests train values
"""
GENERIC = frozenset(_GENERIC_WORDS.split())
_IRREGULAR = (
    "movies movie inches inch cookies cookie smoothies smoothie series series species species people person buses bus"
)
IRREGULAR = dict(zip(_IRREGULAR.split()[::2], _IRREGULAR.split()[1::2], strict=True))


def noun_of_file(stem: str) -> str | None:
    """What to call a row, from the name of the file: "car" for `cars_2025`; None where it is unclear.

    Only a plural is trusted, or a word beside a generic one (`candy-data`): a file may be called `export`.
    """
    parts = [word.lower() for word in re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", stem))]
    telling = [word for word in parts if word not in GENERIC]
    if not telling:
        return None
    one = singular(telling[-1])
    if one is None and parts[-1] != telling[-1] and len(telling) == 1:
        one = telling[-1]
    return one if one is not None and len(one) >= 3 else None


def singular(word: str) -> str | None:
    """The singular of an English plural; None for any other word."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return None
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "xes", "ches", "shes", "zzes", "toes")) else word[:-1]
