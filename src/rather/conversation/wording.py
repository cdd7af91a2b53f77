"""Questions in words: "Would you rather a film that is funny or one that is thought-provoking?"."""

from collections.abc import Iterable, Sequence

from rather.model.attributes import Attribute
from rather.model.questions import Words, plain

# Spelled with a vowel but spoken with a consonant, and the other way round.
SPOKEN_CONSONANT = ("eu", "ewe", "one", "once", "uni", "usa", "use", "usu", "uti", "ura")
SPOKEN_VOWEL = ("heir", "herb", "honest", "honor", "honour", "hour")


def markdown(words: Iterable[Words]) -> str:
    """The sentence with what is stressed between `**`."""
    return "".join(f"**{piece.text}**" if piece.stressed else piece.text for piece in words)


def item_sentence(labels: Sequence[str]) -> tuple[Words, ...]:
    """Would you rather **Alien** or **Casablanca**?"""
    return _question([[Words(label, True)] for label in labels])


def attribute_sentence(name: str, options: Sequence[Sequence[Attribute]]) -> tuple[Words, ...]:
    """Would you rather a film that is **funny** or one that is **dark**?

    Args:
        name: What one calls an item, in the singular ("film").
        options: The attributes of each option.
    """
    if any(attribute.form == "" for attributes in options for attribute in attributes):
        return _question([_listed(attributes) for attributes in options])
    noun = f"{article(name)} {name}"
    return _question([_described(noun if index == 0 else "one", said) for index, said in enumerate(options)])


def option_label(attributes: Sequence[Attribute]) -> str:
    """The attributes of one option, joined: "funny, dark and slow"."""
    return plain(_listed(attributes))


def article(name: str) -> str:
    """The indefinite article of a noun, as it is spoken."""
    word = name.lower()
    if word.startswith(SPOKEN_VOWEL):
        return "an"
    return "an" if word[:1] in set("aeiou") and not word.startswith(SPOKEN_CONSONANT) else "a"


def _question(options: Sequence[Sequence[Words]]) -> tuple[Words, ...]:
    between, last = ", ", " or "
    if any(sum(piece.stressed for piece in option) > 1 for option in options):
        # Options that are lists themselves need a stronger mark between them.
        between, last = ("; ", "; or ") if len(options) > 2 else (", ", ", or ")
    return (Words("Would you rather "), *_joined(options, last, between), Words("?"))


def _described(noun: str, attributes: Sequence[Attribute]) -> list[Words]:
    """A noun and what is said of it: a car with **all-wheel drive** that is **red** and **seats five**."""
    of_form = {form: [said for said in attributes if said.form == form] for form in ("with", "is", "that")}
    words = [Words(noun)]
    if of_form["with"]:
        words += [Words(" with "), *_listed(of_form["with"])]
    clauses: list[Sequence[Words]] = []
    if of_form["is"]:
        clauses.append([Words("is "), *_listed(of_form["is"])])
    clauses += [[Words(said.text, True)] for said in of_form["that"]]
    return words + ([Words(" that "), *_joined(clauses, " and ")] if clauses else [])


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
