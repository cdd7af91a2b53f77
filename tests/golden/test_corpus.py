"""Questions and reasons about many tables, reviewed line by line: `recorded/corpus` has those of the made-up ones.

After a change of words, run `python tests/golden/test_corpus.py` and read what it changed.
"""

import os
import sys
from functools import cache
from pathlib import Path

import corpus_rules as rules
import pytest
from corpus_tables import MADE_UP, made_up
from golden_files import ELSEWHERE, RECORDED, elsewhere

from rather.conversation.wording import attribute_sentence, markdown
from rather.formats.tables import TableSettings, encode_table
from rather.simulation.preview import preview

SHARED = {
    "laptop": "messy-shop/laptops.csv",
    "Fahrrad": "messy-shop/fahrraeder.csv",
    "candy": "candy/candy-data.csv",
    "country": "factbook-countries/countries_core.csv",
    "car": "epa-vehicles/cars_2025_2026.csv",
}
FOLDER = Path(os.environ.get("RATHER_DATA", "no such folder"))


@cache
def table(noun):
    if noun in MADE_UP:
        return encode_table(made_up(noun), {"table": {"name": noun}})
    if not (FOLDER / SHARED[noun]).exists():
        pytest.skip(f"needs {SHARED[noun]} in RATHER_DATA")
    return encode_table(FOLDER / SHARED[noun], TableSettings(name=noun))


@cache
def conversations(noun):
    encoded = table(noun)
    return preview(encoded.catalog, encoded.belief(particles=300))


def attribute_questions(noun):
    """A question about each attribute of a table and the next one."""
    catalog = table(noun).catalog
    attributes = catalog.attributes
    for one, other in zip(attributes, [*attributes[1:], attributes[0]], strict=True):
        yield markdown(attribute_sentence(catalog.name, [[one], [other]], catalog.verb))


def said(noun):
    """Questions with what is chosen between in bold, and the reasons for the recommendations."""
    for conversation in conversations(noun):
        yield from (markdown(question.words) for question in conversation.questions)
        for best, reasons in conversation.recommended:
            yield f"-> {best.label}: {'; '.join(reason.text for reason in reasons)}"


def broken(sentence, wanted):
    return [f"{found} in {sentence!r}" for rule in wanted if (found := rule(sentence))]


@pytest.mark.parametrize("noun", [*MADE_UP, *SHARED])
def test_questions_keep_the_rules(noun):
    names = [column.name for column in table(noun).columns]
    asked = [markdown(question.words) for each in conversations(noun) for question in each.questions]
    wrong = [each for sentence in (*asked, *attribute_questions(noun)) for each in broken(sentence, rules.QUESTIONS)]
    wrong += [
        f"{found} in {sentence!r}"
        for sentence in attribute_questions(noun)
        if (found := rules.column_names_are_not_said(sentence, names))
    ]
    assert not wrong


@pytest.mark.parametrize("noun", [*MADE_UP, *SHARED])
def test_reasons_keep_the_rules(noun):
    names = [column.name for column in table(noun).columns]
    for conversation in conversations(noun):
        texts = [reason.text for _, reasons in conversation.recommended for reason in reasons]
        assert not rules.no_reason_twice(texts)
        assert not [each for text in texts for each in broken(text, rules.SENTENCES)]
        assert not [text for text in texts if rules.column_names_are_not_said(text, names)]


@pytest.mark.parametrize("noun", MADE_UP)
def test_questions_and_reasons_are_as_reviewed(noun):
    recorded = (RECORDED / "corpus" / f"{noun}.txt").read_text(encoding="utf-8").splitlines()
    now = list(said(noun))
    if now != recorded and elsewhere():
        pytest.skip(ELSEWHERE)
    assert now == recorded


@pytest.mark.parametrize(
    ("rule", "good", "bad"),
    [
        (rules.no_underscore, "with **pets allowed**", "with **pets_allowed**"),
        (rules.no_near, "a flat nearby", "more unemployment near 3%"),
        (rules.no_unknown, "a country", "whose range is unknown"),
        (rules.single_spaces, "a car that is red", "a car  that is red"),
        (rules.single_spaces, "a car, or one", "a car , or one"),
        (rules.no_word_twice, "that is **red**", "that is is red"),
        (rules.articles_fit, "an e-bike, a USB port, an SUV, an hour", "a e-bike"),
        (rules.articles_fit, "a wine", "an wine"),
        (rules.articles_fit, "with a **balcony** and **parking**", "with **balcony**"),
        (rules.articles_fit, "with **parking** and a **pool**", "with **parking** and **pool**"),
        (rules.singular_after_one, "**1** bedroom, 1 hour, 21 hours, 0.1 hours", "that is **1 months** old"),
        (rules.singular_after_one, "with **1** gear", "with **1** gears"),
        (rules.is_question, "Would you rather eat **A** or **B**?", "Would you rather eat **A** or **B**."),
        (rules.is_question, "Would you rather eat **A** or **B**?", "Which one?"),
        (
            rules.values_have_nouns,
            "Would you rather have a car from **2024** or one that is **red**?",
            "Would you rather have a car from **2024** or **red**?",
        ),
        (
            rules.values_have_nouns,
            "Would you rather have a car made by **BMW**, or one with **4** doors?",
            "Would you rather have **4** or one made by **BMW**?",
        ),
        (
            rules.values_have_nouns,
            "Would you rather have a car made by **BMW**, or one with **4** doors?",
            "Would you rather have a car made by **BMW** or one **red**?",
        ),
        (
            rules.no_statement_twice,
            "Would you rather have a car from **2024** or one from **2025**?",
            "Would you rather have a car from **2024** or one with **4** doors from **2024**?",
        ),
    ],
)
def test_each_rule_can_be_broken(rule, good, bad):
    assert rule(good) == ""
    assert rule(bad) != ""


@pytest.mark.parametrize("name", ["price_usd", "priceUsd", "goats.milk", "sugarpercent", "WEIGHT"])
def test_raw_names_of_columns_are_found(name):
    assert rules.column_names_are_not_said(f"whose {name} is 3", [name])
    assert not rules.column_names_are_not_said("whose price is 3", [name, "price", "RAM"])


def test_a_reason_said_twice_is_found():
    assert rules.no_reason_twice(["cheaper", "lighter", "cheaper"])
    assert not rules.no_reason_twice(["cheaper", "lighter"])


if __name__ == "__main__":
    (RECORDED / "corpus").mkdir(exist_ok=True)
    for noun in sys.argv[1:] or MADE_UP:
        (RECORDED / "corpus" / f"{noun}.txt").write_text("\n".join(said(noun)) + "\n", encoding="utf-8")
