"""What kind of word a column's name is: an adjective, a plural, a noun with or without an article.

An item *is* electric, but it comes *with* caramel, *with a* towbar, or it *is a* bar.
"""

import re

from rather.conversation.wording import article

ADJECTIVE = re.compile(
    r".*(ic|ical|ible|able|ful|less|ous|ive|ish|ed|ular|proof|free|ient|ant|ent|ual|nal|like|friendly|resistant|ready)|"
    r"\w{2,}[^aeiou]y|"
    r"new|old|used|big|small|large|light|dark|hot|cold|fast|slow|cheap|hard|soft|sweet|salty|sour|bitter|loud|quiet|"
    r"safe|wet|dry|hybrid|vegan|organic|local|legal|long|short|modern|open|wireless|portable|manual|automatic|rare|"
    r"urban|rural|remote|senior|junior|vegetarian|halal|kosher|part-time|full-time|detached|mobile|online|offline|weekly|daily|monthly|yearly|annual"
)
# Nouns that end like adjectives, by their endings and one by one.
_NOUN_ENDING = re.compile(
    r".*(ment|drive|(?<!fru)ity|ery|ory|ony|ary|nty|ogy|phy|try|ncy|rry|sky|bby|omy|egy|ance|hing|unity|undry)"
)
_NOUNS = """
battery display family speed bed key music logic fabric seed cable table shed restaurant plant tenant tent rent event
vent studio bus toy body city party country study lady story play way day bay entry copy relay spray tray ray
honey money percent accent cent parent olive archive motive feed weed reed picnic clinic topic traffic epic relic
vegetable breed refrigerant lubricant deodorant coolant ingredient talent patent
"""
NOT_ADJECTIVES = frozenset(_NOUNS.split())

# Nouns without an article: "with chocolate". Gerunds ("parking") and plurals need none either.
_MASS = """
access air air-conditioning aircon alcohol almond aluminium aluminum assistance auto availability beer bluetooth
breakfast broadband butter caffeine caramel carbon charge childcare chocolate cinnamon cocoa coconut coffee control
cream delivery dinner electricity equity flex food fruit furniture glass gluten gold gps ham health heat hospitality
ice insulation insurance internet leather licorice light luck luggage lunch maintenance meat memory milk mint music
navigation nfc noise nougat nutmeg oak pay peanut power privacy protection ram relocation salt security service silver
space spice steel steering stock storage sugar support suspension tobacco toffee touch transport travel vanilla vinyl
vitamin water wheat wi-fi wifi wine wlan wood wool yeast
"""
MASS = frozenset(_MASS.split())
# What an item can be one of: "that is a bar".
_TYPES = """
bar suv convertible cabrio cabriolet hatchback estate sedan saloon coupe coupé pickup van minivan e-bike ebike
bestseller classic sequel remake hardcover paperback ebook audiobook bungalow penthouse duplex loft maisonette
smartphone tablet startup novel new-build cottage villa chalet houseboat tandem
"""
TYPES = frozenset(_TYPES.split())


def is_adjective(name: str) -> bool:
    """Whether a name is said after "is", by its last word."""
    last = name.lower().split()[-1]
    if last in NOT_ADJECTIVES or last in TYPES or last in MASS or _NOUN_ENDING.fullmatch(last):
        return False
    return bool(ADJECTIVE.fullmatch(last))


def is_plural(name: str) -> bool:
    """Whether a noun is a plural, by its last word."""
    return bool(re.fullmatch(r".*[^siu\W]s", name.split()[-1])) and len(name) > 3


def with_article(name: str) -> str:
    """A noun with the article that it needs, if any: "a towbar", "caramel", "nuts", "AWD"."""
    words = name.split()
    first, last = words[0].lower(), words[-1]
    bare = last.lower() in MASS or is_plural(name) or re.fullmatch(r".{3,}ing", last.lower())
    if bare or first in ("a", "an", "the", "no", "free", "full") or (last.isupper() and len(words) == 1):
        return name
    return f"{article(name)} {name}"
