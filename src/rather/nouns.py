"""English nouns in messages: "1 country", "3 countries".

The library `inflect` knows more words, but takes 2 s to import and makes "SUVS" of "SUV".
"""

from decimal import Decimal

_PAIRS = """
aircraft aircraft bus buses calf calves child children deer deer fish fish foot feet goose geese half halves
hero heroes knife knives leaf leaves life lives loaf loaves man men mouse mice ox oxen person people potato potatoes
quiz quizzes scarf scarves series series sheep sheep shelf shelves species species thief thieves tomato tomatoes
tooth teeth wife wives wolf wolves woman women
"""
IRREGULAR = dict(zip(_PAIRS.split()[::2], _PAIRS.split()[1::2], strict=True))


def plural(noun: str, count: int | None = None) -> str:
    """A noun in the plural; as it is for a count of 1.

    Only its last word changes: "phone case" is "phone cases".
    """
    if count == 1:
        return noun
    before, space, word = noun.rpartition(" ")
    return before + space + _plural_word(word)


def counted(count: int, noun: str) -> str:
    """A number and its noun: `counted(1200, "country")` is "1,200 countries"."""
    return f"{count:,} {plural(noun, count)}"


SCALES = ("million", "billion", "trillion", "quadrillion", "quintillion")


def large_number(count: int) -> str:
    """A number that one can read: "657.6 million (657,622,176)", and beyond 10^21 "3.2e+25"."""
    if count < 10**6:
        return f"{count:,}"
    # A Decimal: a float ends at 1e308.
    thousands = (len(str(count)) - 1) // 3
    if thousands - 2 >= len(SCALES):
        return f"{Decimal(count):.1e}"
    return f"{count / 10 ** (3 * thousands):.1f} {SCALES[thousands - 2]} ({count:,})"


def _plural_word(word: str) -> str:
    lower = word.lower()
    if lower in IRREGULAR:
        return word[0] + IRREGULAR[lower][1:]
    if lower.endswith("y") and lower[-2:-1] not in ("", *"aeiou"):
        return word[:-1] + "ies"
    if lower.endswith(("s", "x", "z", "ch", "sh")) and not word.isupper():
        return word + "es"
    return word + "s"


# What one does with an item, for "would you rather ... ?".
VERBS = {
    "watch": "film movie series show episode documentary video",
    "read": "book novel article paper comic magazine story poem",
    "listen to": "song album track podcast record",
    "play": "game boardgame videogame sport",
    "eat": "candy sweet snack dish meal food chocolate cheese pizza dessert",
    "drink": "wine beer coffee tea cocktail whisky whiskey juice",
    "visit": "country city place museum beach park destination island restaurant",
    "stay at": "hotel hostel resort holiday-home cottage villa cabin chalet",
    "ride": "bike bicycle motorcycle",
    "join": "gym club",
    "live in": "house apartment flat home neighbourhood neighborhood",
    "take": "course class job train flight trip tour connection",
    "cook": "recipe",
    "wear": "shirt shoe dress jacket coat watch hat",
}
_VERB_OF = {noun: verb for verb, nouns in VERBS.items() for noun in nouns.split()}


def usual_verb(noun: str) -> str:
    """What one does with an item of this name: "watch" for a film, "have" if nothing else is known."""
    words = noun.lower().split()
    return _VERB_OF.get("-".join(words)) or _VERB_OF.get(words[-1] if words else "", "have")
