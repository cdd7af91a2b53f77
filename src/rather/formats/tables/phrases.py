"""How a column's values are said of an item: "made by Lenovo", "with 16 GB of memory", "that costs under €700"."""

import re

from rather.formats.tables.column_kinds import MAKER_NAMES, ColumnKind
from rather.formats.tables.naming import ACRONYMS, CURRENCY_SIGNS, counts_things, words
from rather.formats.tables.settings import VALUE
from rather.formats.tables.table_columns import TableColumn

# Templates by a column's name. What none of them fits is said as "whose … is …".
OF_NUMBERS = {
    r"((list|sale|retail|unit|selling|purchase) )?(price|cost)|(preis|prix|precio)( .*)?": "that costs {value}",
    r"((net|total|curb|kerb) )?weight|gewicht|poids|peso": "that weighs {value}",
    r"(.* )?(ram|memory|storage)|arbeitsspeicher|speicher": "with {value} of {name}",
    r"(.* )?(ssd|hdd)": "with {value} of {name} storage",
    r"((model|release|publication) )?year|released?|(bau|modell)?jahr": "from {value}",
    r"capacity|volume": "that holds {value}",
    r"duration|runtime|running time": "that lasts {value}",
}
OF_CATEGORIES = {
    MAKER_NAMES: "made by {value}",
    r"author|writer|artist|director|publisher|studio": "by {value}",
    r"((body|exterior) )?colou?r|farbe": "in {value}",
    r"((home) )?country|country of origin|origin|herkunft": "from {value}",
    r"region|city|town|district|neighbou?rhood|continent": "in {value}",
    r"os|operating system|betriebssystem|platform": "that runs {value}",
    r"fuel( type)?|kraftstoff": "that runs on {value}",
    r"material": "made of {value}",
    r"language|sprache": "in {value}",
    r"genre": "in the genre {value}",
    r"(.* )?(class|category|segment|klasse|kategorie)": "in the {name} {value}",
}
OF_TAGS = {
    r"extras?|features?|amenities|equipment|accessories|options|ingredients|toppings|ausstattung": "with {value}",
    r"genres?": "in the genre {value}",
    r"authors?|writers?|artists?|directors?": "by {value}",
    r"languages?|sizes?|größen?|colou?rs?": "in {value}",
}
# Endings and words of adjectives: an item *is* electric, but it is *with* a towbar.
ADJECTIVE = re.compile(
    r".*(ic|ical|ible|able|ful|less|ous|ive|ish|ed|ary|ular|proof|free|ient|ant|ent|ual|nal|like)|\w{2,}[^aeiou]y|"
    r"new|old|used|big|small|large|light|dark|hot|cold|fast|slow|cheap|hard|soft|sweet|salty|sour|bitter|loud|quiet|"
    r"safe|wet|dry|hybrid|vegan|organic|local|legal|long|short|modern|open|wireless|portable|manual|automatic|rare"
)
NOT_ADJECTIVES = frozenset(["battery", "display", "family", "speed", "bed", "key", "music", "logic", "fabric", "seed"])


def phrase_template(column: TableColumn) -> str:
    """What follows a noun when a value of this column is said of it, with `{value}` for the value."""
    name = _inside(column.display_name)
    if column.kind in (ColumnKind.YES_NO, ColumnKind.DEGREE):
        return _quality_template(name)
    if column.kind is ColumnKind.DATE:
        return "from {value}"
    tables = {ColumnKind.NUMBER: OF_NUMBERS, ColumnKind.CATEGORY: OF_CATEGORIES, ColumnKind.TAGS: OF_TAGS}
    for pattern, template in tables.get(column.kind, {}).items():
        if re.fullmatch(pattern, column.display_name.lower()):
            return template.replace("{name}", name)
    if column.kind is ColumnKind.TAGS:
        return "tagged {value}"
    if column.kind is ColumnKind.NUMBER:
        if column.unit and column.unit in CURRENCY_SIGNS:
            return "that costs {value}" if len(words(column.name)) == 1 else f"whose {name} is {{value}}"
        if counts_things(column.display_name) and not column.unit:
            return "with {value} " + name
        if column.display_name == column.unit:
            return "with {value}"
    return f"whose {name} {'are' if _is_plural(name) else 'is'} {{value}}"


def phrase(column: TableColumn, value: str) -> str:
    """What follows a noun when this value is said of it, the value between `**`."""
    template = phrase_template(column) if column.phrase is None else column.phrase
    if column.phrase is None and column.kind is ColumnKind.CATEGORY and _names_its_column(value, column.display_name):
        template = "with {value}"  # not "whose drive is all-wheel drive"
    if template.startswith("with {value} ") and value.startswith("under "):
        value = f"fewer than {value.removeprefix('under ')}" if counts_things(column.display_name) else value
    value = value.replace("**", "")
    return template.replace(VALUE, f"**{value}**") if VALUE in template else ""


def _names_its_column(value: str, name: str) -> bool:
    """Whether a value ends with the name of its column, as "All-Wheel Drive" does in the column "drive"."""
    return value.lower().endswith(f" {name.lower()}")


def _quality_template(name: str) -> str:
    """How a yes/no column is said: its name is the value."""
    first, _, rest = name.partition(" ")
    if first in ("has", "is", "can", "includes", "supports", "fits") and rest:
        return "that {value}"
    last = name.lower().split()[-1]
    if last not in NOT_ADJECTIVES and ADJECTIVE.fullmatch(last):
        return "that is {value}"
    return "with {value}"


def _inside(name: str) -> str:
    """A column's name inside a sentence: "battery life" for "Battery life", but "RAM" and "USB ports"."""
    return " ".join(
        word if word.lower() in ACRONYMS or not (word[:1].isupper() and word[1:].islower()) else word.lower()
        for word in name.split()
    )


def _is_plural(name: str) -> bool:
    return bool(re.fullmatch(r".*[^siu\W]s", name.split()[-1])) and len(name) > 3
