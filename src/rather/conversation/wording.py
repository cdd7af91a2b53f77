"""Questions in words: "Would you rather watch a film that is funny or one that is thought-provoking?".

English names what is asked about. In the other languages the articles and endings of a noun that nobody has told us
the gender of would be wrong half of the time, so that their questions do without it: "Was wäre dir lieber, mit 16 GB
RAM oder von Lenovo?".
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from rather.conversation.telling_apart import position_of, telling_apart
from rather.languages import ENGLISH, conjunction, has_message, message
from rather.model.attributes import STRESS, Attribute, Wording
from rather.model.catalog import Catalog
from rather.model.questions import Option, Question, Recommendation, Words, item_option, plain

USUAL_VERB = "have"

# Spelled with a vowel but spoken with a consonant, and the other way round.
SPOKEN_CONSONANT = ("eu", "ewe", "one", "once", "uni", "usa", "use", "usu", "uti", "ura")
SPOKEN_VOWEL = ("heir", "herb", "honest", "honor", "honour", "hour")

# Stands for the options of a question while the sentence around them is put together.
OPTIONS = "\0"


def markdown(words: Iterable[Words]) -> str:
    """The sentence with what is stressed between `**`."""
    return "".join(f"{STRESS}{piece.text}{STRESS}" if piece.stressed else piece.text for piece in words)


def question_in(question: Question, catalog: Catalog, language: str) -> Question:
    """A question in the words of a language; what the catalogue no longer has stays in the words it was asked in."""
    if language == ENGLISH:
        return question
    if question.kind == "items":
        options = _named_in(
            [_item_in(each, catalog, language) for each in question.options], question, catalog, language
        )
        words = item_sentence([option.named for option in options], catalog.verb, language)
        return replace(question, words=words, options=options)
    known = dict(enumerate(catalog.attributes))
    said = [[known[index] for index in option if index in known] for option in question.attributes]
    if [tuple(each.text for each in option) for option in said] != [option.attributes for option in question.options]:
        return question
    words = attribute_sentence(catalog.name, said, catalog.verb, language)
    return replace(question, words=words, options=tuple(attribute_option(each, language) for each in said))


def _named_in(options: Sequence[Option], question: Question, catalog: Catalog, language: str) -> tuple[Option, ...]:
    """Configurations with what they are called in a language, if they are still there."""
    rows = [catalog.find(each.id) for each in options if each.id is not None]
    known = [row for row in rows if row is not None]
    if catalog.configurator is None or len(known) < len(options):
        return tuple(options)
    names = item_names(catalog, known, language)
    return tuple(replace(each, **name._asdict()) for each, name in zip(options, names, strict=True))


def _item_in(option: Option, catalog: Catalog, language: str) -> Option:
    """An item with its facts as a language writes them, if they are still those of the catalogue."""
    row = None if option.id is None else catalog.find(option.id)
    if row is None or dict(catalog.facts_of(row)) != dict(option.facts):
        return option
    return replace(option, facts=catalog.facts_of(row, language))


class ItemName(NamedTuple):
    """What to call an item.

    Attributes:
        label: What to show first: "Steel city bike with rim brakes".
        phrase: How a sentence names it: "the steel city bike with rim brakes"; "" where the label does.
    """

    label: str
    phrase: str = ""


def item_names(catalog: Catalog, rows: Sequence[int], language: str = ENGLISH) -> list[ItemName]:
    """What to call the items in these rows beside each other. No two different configurations are called the same."""
    labels, configurator = [catalog.label(row) for row in rows], catalog.configurator
    if configurator is None:
        return [ItemName(label) for label in labels]
    names = []
    for row, label in zip(rows, labels, strict=True):
        alike = [other for other, text in zip(rows, labels, strict=True) if text == label]
        said = [
            configurator.wording(decision, position_of(decision, row, catalog), language)
            for decision in telling_apart(alike, catalog)
        ]
        text = _label_with(label, said, language)
        names.append(ItemName(text, f"the {_inside(text)}" if language == ENGLISH else text))
    return names


def item_options(catalog: Catalog, rows: Sequence[int]) -> tuple[Option, ...]:
    """The items in these rows of a catalogue as they are shown beside each other."""
    names = item_names(catalog, rows)
    return tuple(item_option(catalog, row, *name) for row, name in zip(rows, names, strict=True))


def recommendations_in(items: Sequence[Recommendation], catalog: Catalog, language: str) -> list[Recommendation]:
    """Recommended items with their facts, and what configurations are called, as a language writes them."""
    if language == ENGLISH:
        return list(items)
    names = item_names(catalog, [item.row for item in items], language)
    return [
        replace(item, facts=catalog.facts_of(item.row, language), **name._asdict())
        for item, name in zip(items, names, strict=True)
    ]


def _label_with(label: str, said: Sequence[Wording], language: str) -> str:
    """A label and what is said besides: "Steel city bike with rim brakes", "Steel city bike, brakes: rim"."""
    if not said:
        return label
    if language == ENGLISH and all(wording.phrase for wording in said):
        return plain(_described(label, said))
    return f"{label}, {plain(_enumerated(said, language))}"


def _inside(label: str) -> str:
    """A label inside a sentence: "steel city bike", but "OLED laptop"."""
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


def item_sentence(
    labels: Sequence[str], verb: str = USUAL_VERB, language: str = ENGLISH, noun: str = ""
) -> tuple[Words, ...]:
    """Would you rather watch **Alien** or **Casablanca**?

    Args:
        labels: How a sentence names the items.
        verb: What one does with an item.
        language: The language of the sentence.
        noun: What one calls an item that has no name: Which bicycle would you rather ride: **the steel one** or …?
    """
    if noun and language == ENGLISH:
        before, _, after = message(language, "question.which", noun=noun, verb=verb, options=OPTIONS).partition(OPTIONS)
        options = [[Words(label, True)] for label in labels]
        return (Words(before), *_joined(options, "or", language), Words(after))
    known = language == ENGLISH or has_message(language, _verb_key(verb))
    said = verb if language == ENGLISH else message(language, _verb_key(verb)) if known else ""
    return _question([[Words(label, True)] for label in labels], "items" if known else "unknown_verb", said, language)


def attribute_sentence(
    name: str, options: Sequence[Sequence[Attribute]], verb: str = USUAL_VERB, language: str = ENGLISH
) -> tuple[Words, ...]:
    """Would you rather watch a film that is **funny** or one that is **dark**?

    What all options have in common is left out.

    Args:
        name: What one calls an item, in the singular ("film").
        options: The attributes of each option.
        verb: What one does with an item.
        language: The language of the sentence.
    """
    said = [[attribute.said(language) for attribute in option] for option in _apart(options)]
    if language != ENGLISH:
        return _question([_enumerated(option, language) for option in said], "attributes", "", language)
    if any(not wording.phrase for option in said for wording in option):
        return _question([_listed(option, language) for option in said], "attributes", verb, language)
    noun = f"{article(name)} {name}"
    described = [_described(noun if index == 0 else "one", option) for index, option in enumerate(said)]
    return _question(described, "attributes", verb, language)


def attribute_option(attributes: Sequence[Attribute], language: str = ENGLISH) -> Option:
    """An option that is made of attributes."""
    said = [attribute.said(language) for attribute in attributes]
    described = language == ENGLISH and all(wording.phrase for wording in said)
    phrase = plain(_described("one", said)) if described else ""
    return Option(option_label(attributes, language), {}, None, tuple(each.text for each in said), phrase=phrase)


def described(name: str, attribute: Attribute, language: str = ENGLISH) -> str:
    """An item of which one thing is said: "a film that is funny"; in other languages than English that thing alone."""
    said = [attribute.said(language)]
    if language != ENGLISH:
        return plain(_enumerated(said, language))
    return plain(_described(f"{article(name)} {name}", said) if attribute.phrase else _listed(said, language))


def option_label(attributes: Sequence[Attribute], language: str = ENGLISH) -> str:
    """The attributes of one option, joined: "funny, dark and slow"."""
    return plain(_listed([attribute.said(language) for attribute in attributes], language))


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
    first = name.split()[0] if name.split() else ""
    if first.isupper() and first.isalpha() and len(first) > 1:  # spelled out: an SUV, a USB port
        return "an" if first[0] in "AEFHILMNORSX" else "a"
    if word.startswith(SPOKEN_VOWEL):
        return "an"
    return "an" if word[:1] in set("aeiou") and not word.startswith(SPOKEN_CONSONANT) else "a"


def _verb_key(verb: str) -> str:
    return f"verbs.{verb.replace(' ', '_')}"


def _question(options: Sequence[Sequence[Words]], kind: str, verb: str, language: str) -> tuple[Words, ...]:
    before, _, after = message(language, f"question.{kind}", verb=verb, options=OPTIONS).partition(OPTIONS)
    between, mark = ", ", ""
    if any(sum(piece.stressed for piece in option) > 1 for option in options):
        # Options that are lists themselves need a stronger mark between them.
        between, mark = ("; ", ";") if len(options) > 2 else (", ", ",")
    return (Words(before), *_joined(options, "or", language, between, mark), Words(after))


# How phrases begin that are joined behind one such beginning, in the order in which they follow a noun: "with A and B
# but without C that is D and E". All others follow the noun one by one, before these.
BEGINNINGS = ("made from ", "tagged ", "with ", "without ", "that is ", "that ", "whose ")


def _described(noun: str, said: Sequence[Wording]) -> list[Words]:
    """An English noun and what is said of it: a car made by **Audi** with **all-wheel drive** that is **red**."""
    rest: dict[str, list[list[Words]]] = {beginning: [] for beginning in BEGINNINGS}
    words = [Words(noun)]
    for _, phrase in said:
        beginning = next((known for known in BEGINNINGS if phrase.startswith(known)), None)
        if beginning is None:
            words += [Words(" "), *_pieces(phrase)]
        else:
            rest[beginning].append(_pieces(phrase.removeprefix(beginning)))
    for beginning in ("made from ", "tagged ", "with "):
        if rest[beginning]:
            words += [Words(f" {beginning}"), *_joined(rest[beginning], "and", ENGLISH)]
    if rest["without "]:
        words += [Words(" but without " if rest["with "] else " without "), *_joined(rest["without "], "or", ENGLISH)]
    clauses: list[Sequence[Words]] = []
    if rest["that is "]:
        clauses.append([Words("that is "), *_joined(rest["that is "], "and", ENGLISH)])
    clauses += [[Words("that " * (not clauses and index == 0)), *clause] for index, clause in enumerate(rest["that "])]
    clauses += [[Words("whose "), *clause] for clause in _gathered(rest["whose "])]
    return words + ([Words(" "), *_joined(clauses, "and", ENGLISH)] if clauses else [])


def _gathered(clauses: Sequence[Sequence[Words]]) -> list[list[Words]]:
    """Clauses with those that begin alike in one: region includes **Rioja** and **Spain**."""
    groups: dict[Words, list[Sequence[Words]]] = {}
    for first, *others in clauses:
        groups.setdefault(first, []).append(others)
    return [[first, *_joined(others, "and", ENGLISH)] for first, others in groups.items()]


def _enumerated(said: Sequence[Wording], language: str) -> list[Words]:
    """What is said of an option, one after the other: von **Lenovo**, mit **Kamera** und **Stift**."""
    groups: dict[tuple[str, str], list[list[Words]]] = {}
    for text, phrase in said:
        before, _, rest = (phrase or f"{STRESS}{text}{STRESS}").partition(STRESS)
        value, _, after = rest.partition(STRESS)
        alone = value if after or before.endswith(": ") else ""  # only "with A" and "with B" are "with A and B"
        groups.setdefault((before, alone), []).append([Words(value, True), *([Words(after)] if after else [])])
    parts = [
        [*([Words(before)] if before else []), *_joined(values, "and", language)]
        for (before, _), values in groups.items()
    ]
    return _joined(parts, "and", language)


def _pieces(phrase: str) -> list[Words]:
    """A phrase as words, those between the marks stressed."""
    parts = phrase.split(STRESS)
    return [Words(part, index == 1) for index, part in enumerate(parts) if part]


def _listed(said: Sequence[Wording], language: str) -> list[Words]:
    return _joined([[Words(wording.text, True)] for wording in said], "and", language)


def _joined(
    parts: Sequence[Sequence[Words]], last: str, language: str, between: str = ", ", mark: str = ""
) -> list[Words]:
    """The parts with `between` between them, and `mark` and the word `last` of the language before the last one."""
    words: list[Words] = []
    for index, part in enumerate(parts):
        if index:
            final = index == len(parts) - 1
            words.append(Words(mark + conjunction(language, last, plain(part)) if final else between))
        words += part
    return words
