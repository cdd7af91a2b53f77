"""What a question or a reason must not be. Each rule returns what is wrong with a sentence, "" if nothing is."""

import re
from collections.abc import Callable, Iterable, Sequence

# Said of an item, these need an article; what is said without one ("with parking") is not in the list.
COUNTABLE = (
    "balcony|garage|garden|pool|sauna|rack|towbar|sunroof|certificate|fireplace|dishwasher|rind|canteen|pension|bicycle|"
    "headphone jack|restaurant car|company car|cooling function|dual SIM|terrace|lift"
)

Rule = Callable[[str], str]


def no_underscore(sentence: str) -> str:
    """Raw names of columns have underscores; nothing that people read has."""
    found = re.search(r"\w*_\w*", sentence)
    return f"an underscore in {found[0]!r}" if found else ""


def no_near(sentence: str) -> str:
    """A knot of a curve is not a taste: "more unemployment near 3%"."""
    return "'near'" if re.search(r"\bnear\b", sentence, re.IGNORECASE) else ""


def no_unknown(sentence: str) -> str:
    """Nobody wants what is unknown."""
    found = re.search(r"\b(unknown|nan|None|null|any other)\b", sentence)
    return f"{found[0]!r}" if found else ""


def single_spaces(sentence: str) -> str:
    """No double spaces, and none before a comma or at the ends."""
    return "a space too many" if re.search(r"  | [,;?.]|^ | $", sentence) else ""


def no_word_twice(sentence: str) -> str:
    """ "that is is red" ."""
    found = re.search(r"\b([a-z]{2,}) \1\b", sentence)
    return f"{found[0]!r}" if found else ""


def articles_fit(sentence: str) -> str:
    """ "a e-bike", "an wine", and things that need an article and have none: "with balcony"."""
    bare = sentence.replace("**", "")
    found = re.search(r"\ba [aeio]\w*|\ban (?!hour|heir|honest|honou?r|[FHLMNRSX][A-Z])[^aeiouAEIOU\W]\w*", bare)
    if found and not re.match(r"a (one|eu|once)", found[0]):
        return f"the article of {found[0]!r}"
    found = re.search(rf"\b(with|and) (\*\*)?({COUNTABLE})(\*\*)?(?=[ ,?]|$)", sentence)
    return f"no article in {found[0]!r}" if found else ""


def singular_after_one(sentence: str) -> str:
    """ "1 hours", "**1** bedrooms"."""
    found = re.search(r"(?<![\d.,])1(\*\*)? [a-z]+[^su\W]s\b", sentence)
    return f"{found[0]!r}" if found else ""


def values_have_nouns(sentence: str) -> str:
    """What is stressed in a question about attributes follows words that say what it is."""
    if not re.search(r"rather .*?\b(a|an|one) ", sentence):
        return ""
    found = re.search(r"(\bone |rather [a-z]+ (?:in |at |to )?|, or |, |; | or |; or )\*\*", sentence)
    return f"a value without its noun after {found[1]!r}" if found else ""


SENTENCES: Sequence[Rule] = (
    no_underscore,
    no_near,
    no_unknown,
    single_spaces,
    no_word_twice,
    articles_fit,
    singular_after_one,
)


def is_question(sentence: str) -> str:
    """Would you rather … ?"""
    return "" if re.fullmatch(r"Would you rather [a-z].*[^ ?.]\?", sentence) else "not a question"


def no_statement_twice(sentence: str) -> str:
    """What both options share is left out, and no option says a thing twice."""
    phrases = re.findall(r"\b((?:with|in|from|by|that|whose|rated|made|of|at|on)\b[^*,?]*\*\*[^*]+\*\*)", sentence)
    twice = {each for each in phrases if phrases.count(each) > 1}
    return f"{sorted(twice)} twice" if twice else ""


QUESTIONS: Sequence[Rule] = (*SENTENCES, is_question, values_have_nouns, no_statement_twice)


def no_reason_twice(reasons: Iterable[str]) -> str:
    """One sentence is not repeated down the list of recommendations."""
    seen: set[str] = set()
    for reason in reasons:
        if reason in seen:
            return f"{reason!r} twice"
        seen.add(reason)
    return ""


def column_names_are_not_said(sentence: str, names: Iterable[str]) -> str:
    """The name of a column as a program writes it: `priceUsd`, `FRAME_SIZE`, `goats.milk`, `sugarpercent`."""
    raw = [name for name in names if re.search(r"_|[a-z][A-Z]|\w\.\w|[a-z]percent$|^[A-Z]{5,}$", name)]
    return next((f"the raw name {name!r}" for name in raw if re.search(rf"\b{re.escape(name)}\b", sentence)), "")
