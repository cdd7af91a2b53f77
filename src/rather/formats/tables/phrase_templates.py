"""Templates of phrases: what follows a noun when a value of a column is said of it.

`{value}` is the value, `{name}` what the column is called, `{rest}` what a pattern calls so. A language file has the
translations of the templates that all languages share; of the others, and of the details of English (articles, "fewer
than 3"), the other languages say "name: value".
"""

import re

from rather.formats.tables.column_kinds import MAKER_NAMES
from rather.nouns import usual_verb

# By a column's name, in all languages. What none of them fits is said as "whose … is …".
OF_NUMBERS = {
    r"((list|sale|retail|unit|selling|purchase|total|our|your) )?(price|cost)|\w*preis( .*)?|(prix|precio)( .*)?": (
        "that costs {value}"
    ),
    r"((net|total|curb|kerb) )?weight|gewicht|poids|peso": "that weighs {value}",
    r"(.* )?(ram|memory|storage)|arbeitsspeicher|speicher": "with {value} of {name}",
    r"(.* )?(ssd|hdd)": "with {value} of {name} storage",
    r"((model|release|publication|production|construction|registration) )?year|released?|(bau|modell)?jahr|vintage|"
    r"jahrgang|année|año": "from {value}",
    r"capacity|volume": "that holds {value}",
    r"duration|runtime|running time": "that lasts {value}",
}
OF_CATEGORIES = {
    rf"({MAKER_NAMES})( name)?": "made by {value}",
    r"author|writer|artist|director|publisher|studio|architect|designer": "by {value}",
    r"((body|exterior) )?colou?r|farbe": "in {value}",
    r"((home) )?country|country of origin|origin|herkunft|appellation|winery|producer": "from {value}",
    r"region|city|town|district|neighbou?rhood|continent|location|place|sector|industry|department|area|quarter": (
        "in {value}"
    ),
    r"os|operating system|betriebssystem|platform": "that runs {value}",
    r"fuel( type)?|kraftstoff": "that runs on {value}",
    r"material": "made of {value}",
    r"language|sprache": "in {value}",
    r"genre": "in the genre {value}",
    r"(.* )?(class|category|segment|klasse|kategorie)": "in the {name} {value}",
}
# Of what comes from a place instead of being in one: what is made, or played and read anywhere.
OF_ORIGINS = {r"region|continent|city|town|area|place": "from {value}"}
_MADE = ("eat", "drink", "cook", "wear", "read", "watch", "listen to")
OF_TAGS = {
    r"extras?|features?|amenities|equipment|accessories|options|ingredients?|toppings?|perks|benefits|ausstattung|"
    r"flavou?rs?|materials?|notes|aromas?|skills?": "with {value}",
    r"genres?": "in the genre {value}",
    r"authors?|writers?|artists?|directors?": "by {value}",
    r"languages?|sizes?|größen?|colou?rs?": "in {value}",
}
# Those that no name asks for, by what they are about.
OTHERS = {
    "number": ("whose {name} is {value}", "whose {name} are {value}", "with {value} {name}", "with {value}"),
    "category": ("whose {name} is {value}", "whose {name} are {value}", "with {value}"),
    "tags": ("tagged {value}",),
    "quality": ("that {value}", "that is {value}", "with {value}"),
    "date": ("from {value}",),
}

# By a column's name, in English only.
ENGLISH_NUMBERS = {
    r"(price|cost|rent) per (?P<rest>.+)": "that costs {value} per {rest}",
    r"(year )?(?P<rest>built|founded|established)( in| year)?": "{rest} in {value}",
    r"salary|wage|pay|(annual|monthly|yearly) (salary|pay)|gehalt": "that pays {value}",
    r"battery( life| hours)?|battery runtime": "whose battery lasts {value}",
    r"distance": "that is {value} away",
    r"sleeps": "that sleeps {value}",
    r"floor|storey|stockwerk|etage": "on floor {value}",
    r"distance (to|from) (the )?(?P<rest>.+)": "that is {value} from the {rest}",
    r"co2|co₂": "whose CO2 emissions are {value}",
    r"(rating|stars|(user|customer|guest|average|review) (rating|score))": "rated {value}",
}
ENGLISH_DATES = {
    r"(.* )?(date|year|released?|published|jahr)": "from {value}",
    r"(?P<rest>born|built|founded|made|opened|added|listed|posted|updated|renovated|refurbished|bottled|harvested)": (
        "{rest} in {value}"
    ),
    r"(?P<rest>arrived|launched|started|ended|closed|joined|expired|expires|starts|ends|begins|opens|closes)": (
        "that {rest} in {value}"
    ),
    r"available( from)?|availability|free from": "that is available from {value}",
}
ENGLISH_CATEGORIES = {
    r"operator|provider|carrier": "run by {value}",
    r"(?P<rest>.+) material": "whose {rest} is made of {value}",
    r"grapes?|grape variety": "made from {value}",
    r"(frame |clothing |shoe )?sizes?|größen?": "in size {value}",
    r"((body|exterior) )?colou?r|sex|gender": "that is {value}",
    r"(?!.*(business|fitness|illness|wellness)).*\w{2}ness": "that is {value}",
    r"(.* )?(condition|zustand)": "in {value} condition",
    r"company|employer|firm": "at {value}",
    r"seller|store|shop|vendor|retailer": "sold by {value}",
    r"type|kind|style|variety|shape": "of the {name} {value}",
}
ENGLISH_TAGS = {
    r"extras?|features?|amenities|equipment|accessories|options|perks|benefits": "with {article}{value}",
    r"sizes?|größen?": "in size {value}",
    r"grapes?|grape variet(y|ies)|varietals?": "made from {value}",
    r"region|location|country|origin|area|place": "whose {name} includes {value}",
}


def category_templates(noun: str) -> dict[str, str]:
    """The templates of categories for what one calls an item: a wine is from Bordeaux, a flat in Bordeaux."""
    comes_from_places = usual_verb(noun) in _MADE or noun.lower().split()[-1:] in (["product"], ["bottle"])
    return {**OF_ORIGINS, **OF_CATEGORIES} if comes_from_places else OF_CATEGORIES


def english_template(own: dict[str, str], shared: dict[str, str], name: str) -> str:
    """The template that a column's name fits, with the name in it; "" if there is none."""
    for pattern, template in {**own, **shared}.items():
        if match := re.fullmatch(pattern, name.lower()):
            rest = match.groupdict().get("rest") or ""
            return template.replace("{name}", name).replace("{rest}", rest)
    return ""
