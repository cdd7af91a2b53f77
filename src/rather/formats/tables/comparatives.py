"""How two values of a column are compared in words: "cheaper", "lighter", "with more memory"."""

import re

from rather.formats.tables.column_kinds import ColumnKind
from rather.formats.tables.english_phrases import RATE, in_full, inside, is_fuel_economy
from rather.formats.tables.naming import CURRENCY_SIGNS, counts_things
from rather.formats.tables.table_columns import TableColumn
from rather.formats.tables.word_classes import is_adjective, is_plural
from rather.languages import ENGLISH, counted_in, name_in, translated

OF_COUNTS = ("with fewer {name}", "with more {name}")
OF_ECONOMY = ("less economical", "more economical")

# What an item with less and with more of a column is, before "than", by the column's name.
OF_NAMES: dict[str, tuple[str, str]] = {
    r"(.* )?(price|cost|costs|rent|fee|fare|msrp)( per .*)?|(preis|prix|precio)( .*)?": ("cheaper", "dearer"),
    r"(.* )?(salary|wage|pay)|gehalt": ("lower paid", "better paid"),
    r"(.* )?weight|gewicht|poids|peso": ("lighter", "heavier"),
    r"(.* )?year|(year )?(built|founded|established)|vintage|released?|(bau|modell)?jahr|release date|published|date": (
        "older",
        "newer",
    ),
    r"age": ("younger", "older"),
    r"departure|arrival|start|end|begins?|ends?": ("earlier", "later"),
    r"available( from)?": ("available earlier", "available later"),
    r"sleeps": ("with room for fewer guests", "with room for more guests"),
    r"arrived|added|listed|posted|updated|launched|expires|starts|opens": ("{name} earlier", "{name} later"),
    r"floor|storey": ("lower down", "higher up"),
    r"(.* )?camera": ("with a weaker {name}", "with a better {name}"),
    r"warranty|guarantee|garantie": ("with a shorter {name}", "with a longer {name}"),
    r"length|länge": ("shorter", "longer"),
    r"height|höhe": ("lower", "taller"),
    r"width|breite": ("narrower", "wider"),
    r"(.* )?(duration|runtime|time)|dauer": ("shorter", "longer"),
    r"(top |max |maximum )?speed|tempo": ("slower", "faster"),
    r"(.* )?(horse)?power|hp|ps|leistung": ("less powerful", "more powerful"),
    r"(.* )?(rating|stars|score)|bewertung": ("lower rated", "better rated"),
    r"(noise|loudness)( .*)?": ("quieter", "louder"),
    r"(distance|entfernung)( .*)?": ("closer", "farther away"),
    r"((total|land|living) )?area|surface|(wohn)?fläche|größe": ("smaller", "larger"),
    r"size": ("smaller", "bigger"),
    r"(.* )?battery capacity": ("with a smaller {name}", "with a bigger {name}"),
    r"(.* )?(power supply|charger)": ("with a weaker {name}", "with a stronger {name}"),
    r"(tyre|tire) width": ("with narrower tyres", "with wider tyres"),
    r"capacity|volume": ("with less room", "with more room"),
    r"population": ("with fewer people", "with more people"),
    r"(screen|display)( size)?|bildschirm": ("with a smaller screen", "with a bigger screen"),
    r"battery( hours)?": ("with shorter battery life", "with longer battery life"),
    r"(.* )?(life|range)|reach|(.* )?coastline": ("with a shorter {name}", "with a longer {name}"),
    r"((average|mean|summer|winter|water|air) )?temperature": ("colder", "warmer"),
    r"(combined |city |highway )?mpg": OF_ECONOMY,
    r".* size": ("with a smaller {name}", "with a bigger {name}"),
    r"(.* )?(ssd|hdd)": ("with less {name} storage", "with more {name} storage"),
    # Plurals without an "s".
    r"\w*(zimmer|räume|bäder|betten|türen|fenster|stockwerke|etagen|sitze|plätze|gänge|räder|zylinder|kerne|anschlüsse|"
    r"fächer|schubladen|seiten|personen|spieler)": OF_COUNTS,
}
OF_AMOUNTS = ("with less {name}", "with more {name}")
OF_BOUNDS = {
    "minimum": ("with a lower minimum of {name}", "with a higher minimum of {name}"),
    "maximum": ("with a lower maximum of {name}", "with a higher maximum of {name}"),
}
OF_DATES = ("older", "newer")
OF_QUALITIES = ("less {name}", "more {name}")
OF_UNCOUNTABLES = ("with lower {name}", "with higher {name}")
OF_THE_REST = ("with a lower {name}", "with a higher {name}")

# What is measured but not counted: "with more memory".
AMOUNTS = re.compile(
    r"(.* )?(memory|ram|storage|space|sugar|fat|salt|protein|fibre|fiber|caffeine|alcohol|cocoa|torque|"
    r"(arbeits)?speicher)"
)
# What takes no article: "with lower unemployment".
UNCOUNTABLES = re.compile(
    r"(.* )?(unemployment|employment|inflation|growth|pollution|consumption|literacy|fertility|mortality|debt|spending|"
    r"income|humidity|rainfall|education|crime|freedom|trust|corruption|acidity|density|access)( .*)?"
)


def all_words() -> list[tuple[str, str]]:
    """All that columns can be compared by."""
    usual = [*OF_BOUNDS.values(), OF_AMOUNTS, OF_COUNTS, OF_DATES, OF_QUALITIES, OF_UNCOUNTABLES, OF_THE_REST]
    return [*OF_NAMES.values(), *usual]


def comparative_words(column: TableColumn, language: str = ENGLISH) -> tuple[str, str]:
    """What an item with less and with more of a column is, before "than"; "" where values have no order."""
    if column.kind not in (ColumnKind.NUMBER, ColumnKind.PRICE, ColumnKind.DATE, ColumnKind.DEGREE):
        return "", ""
    name = in_full(inside(column.display_name), column.unit)
    spoken = name.lower()
    known = (words for pattern, words in OF_NAMES.items() if re.fullmatch(pattern, spoken))
    both = next(known, None) or _usual_words(column, spoken)
    less, more = (translated(language, "comparatives", words) for words in both)
    if _is_bound(spoken):
        name = name.partition(" ")[2]
    elif both == OF_COUNTS and is_adjective(spoken) and column.unit.isalpha():
        name = f"{name} {column.unit}"  # "weekly hours", but no "power supply W"
    if language != ENGLISH:
        name = (counted_in if both == OF_COUNTS else name_in)(language, column.display_name)
    return less.replace("{name}", name), more.replace("{name}", name)


def _is_bound(spoken: str) -> bool:
    return spoken.startswith(("minimum ", "maximum ")) and is_plural(spoken)


def _usual_words(column: TableColumn, spoken: str) -> tuple[str, str]:
    if column.kind is ColumnKind.DATE:
        return OF_DATES
    if is_fuel_economy(spoken, column.unit):
        return OF_ECONOMY
    if _is_bound(spoken):
        return OF_BOUNDS[spoken.split()[0]]
    if column.unit == "%" and not RATE.fullmatch(spoken) and not UNCOUNTABLES.fullmatch(spoken):
        return OF_QUALITIES if is_adjective(spoken) else OF_AMOUNTS
    if is_adjective(spoken) and column.unit.isalpha():
        return OF_COUNTS
    if column.kind is ColumnKind.DEGREE:
        return OF_QUALITIES if is_adjective(spoken) else OF_AMOUNTS
    if column.unit and column.unit in CURRENCY_SIGNS and " " not in spoken:
        return "cheaper", "dearer"
    if AMOUNTS.fullmatch(spoken):
        return OF_AMOUNTS
    if (counts_things(column.display_name) and not column.unit) or (
        is_plural(spoken) and column.unit.startswith("per ")
    ):
        return OF_COUNTS
    return OF_UNCOUNTABLES if UNCOUNTABLES.fullmatch(spoken) or spoken.endswith("s") else OF_THE_REST
