"""Questions in words: "Would you rather watch a film that is funny or one that is thought-provoking?"."""

from collections.abc import Iterable, Sequence

from rather.model.attributes import STRESS, Attribute
from rather.model.questions import Words, plain

USUAL_VERB = "have"

# Spelled with a vowel but spoken with a consonant, and the other way round.
SPOKEN_CONSONANT = ("eu", "ewe", "one", "once", "uni", "usa", "use", "usu", "uti", "ura")
SPOKEN_VOWEL = ("heir", "herb", "honest", "honor", "honour", "hour")


def markdown(words: Iterable[Words]) -> str:
    """The sentence with what is stressed between `**`."""
    return "".join(f"{STRESS}{piece.text}{STRESS}" if piece.stressed else piece.text for piece in words)


def item_sentence(labels: Sequence[str], verb: str = USUAL_VERB) -> tuple[Words, ...]:
    """Would you rather watch **Alien** or **Casablanca**?"""
    return _question([[Words(label, True)] for label in labels], verb)


def attribute_sentence(name: str, options: Sequence[Sequence[Attribute]], verb: str = USUAL_VERB) -> tuple[Words, ...]:
    """Would you rather watch a film that is **funny** or one that is **dark**?

    What all options have in common is left out.

    Args:
        name: What one calls an item, in the singular ("film").
        options: The attributes of each option.
        verb: What one does with an item.
    """
    options = _apart(options)
    if any(not attribute.phrase for attributes in options for attribute in attributes):
        return _question([_listed(attributes) for attributes in options], verb)
    noun = f"{article(name)} {name}"
    return _question([_described(noun if index == 0 else "one", said) for index, said in enumerate(options)], verb)


def option_label(attributes: Sequence[Attribute]) -> str:
    """The attributes of one option, joined: "funny, dark and slow"."""
    return plain(_listed(attributes))


def _apart(options: Sequence[Sequence[Attribute]]) -> Sequence[Sequence[Attribute]]:
    """The options without the attributes that all of them have, unless one would be left with none."""
    said = [{(each.column, each.text) for each in option} for option in options]
    shared = set.intersection(*said)
    if any(own == shared for own in said):
        return options
    return [[each for each in option if (each.column, each.text) not in shared] for option in options]


def article(name: str) -> str:
    """The indefinite article of a noun, as it is spoken."""
    word = name.lower()
    if word.startswith(SPOKEN_VOWEL):
        return "an"
    return "an" if word[:1] in set("aeiou") and not word.startswith(SPOKEN_CONSONANT) else "a"


def _question(options: Sequence[Sequence[Words]], verb: str) -> tuple[Words, ...]:
    between, last = ", ", " or "
    if any(sum(piece.stressed for piece in option) > 1 for option in options):
        # Options that are lists themselves need a stronger mark between them.
        between, last = ("; ", "; or ") if len(options) > 2 else (", ", ", or ")
    return (Words(f"Would you rather {verb} "), *_joined(options, last, between), Words("?"))


# How phrases begin that are joined behind one such beginning, in the order in which they follow a noun: "with A and B
# that is C and D". All others follow the noun one by one, before these.
BEGINNINGS = ("tagged ", "with ", "that is ", "that ", "whose ")


def _described(noun: str, attributes: Sequence[Attribute]) -> list[Words]:
    """A noun and what is said of it: a car made by **Audi** with **all-wheel drive** that is **red**."""
    phrases = [attribute.phrase for attribute in attributes]
    rest: dict[str, list[list[Words]]] = {beginning: [] for beginning in BEGINNINGS}
    words = [Words(noun)]
    for phrase in phrases:
        beginning = next((known for known in BEGINNINGS if phrase.startswith(known)), None)
        if beginning is None:
            words += [Words(" "), *_pieces(phrase)]
        else:
            rest[beginning].append(_pieces(phrase.removeprefix(beginning)))
    for beginning in ("tagged ", "with "):
        if rest[beginning]:
            words += [Words(f" {beginning}"), *_joined(rest[beginning], " and ")]
    clauses: list[Sequence[Words]] = []
    if rest["that is "]:
        clauses.append([Words("that is "), *_joined(rest["that is "], " and ")])
    clauses += [[Words("that " * (not clauses and index == 0)), *clause] for index, clause in enumerate(rest["that "])]
    clauses += [[Words("whose "), *clause] for clause in rest["whose "]]
    return words + ([Words(" "), *_joined(clauses, " and ")] if clauses else [])


def _pieces(phrase: str) -> list[Words]:
    """A phrase as words, those between the marks stressed."""
    parts = phrase.split(STRESS)
    return [Words(part, index == 1) for index, part in enumerate(parts) if part]


def _listed(attributes: Sequence[Attribute]) -> list[Words]:
    return _joined([[Words(attribute.text, True)] for attribute in attributes], " and ")


def _joined(parts: Sequence[Sequence[Words]], last: str, between: str = ", ") -> list[Words]:
    """The parts with `between` between them, and `last` before the last one."""
    words: list[Words] = []
    for index, part in enumerate(parts):
        if index:
            words.append(Words(last if index == len(parts) - 1 else between))
        words += part
    return words
