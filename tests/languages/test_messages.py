import re
from pathlib import Path

import pytest

from rather.formats.films import film_catalog
from rather.formats.tables import comparatives, phrase_templates
from rather.languages import (
    ENGLISH,
    LANGUAGES,
    chosen_language,
    conjunction,
    joined,
    localized,
    message,
    percent,
    with_currency,
)
from rather.languages.messages import messages

SOURCES = Path(__file__).parents[2] / "src" / "rather"
OTHERS = [language for language in LANGUAGES if language != ENGLISH]
# Values that a language may do without: English nouns, and what they are part of.
OPTIONAL = {"noun", "nouns", "verb", "lead", "start", "items", "number", "error", "a"}
LEFT_OUT = {"carried.attributes_gone": {"name"}}


def names(template):
    texts = [template] if isinstance(template, str) else template.values()
    return {name for text in texts for name in re.findall(r"\{(\w*)\}", text)}


def film_words():
    catalog = film_catalog()
    words = {text for column in catalog.columns for text in (column.less, column.more) if text}
    return words | {each.text for row in range(len(catalog)) for each in catalog.comparatives_of(row)}


# Templates whose English is in the code, where it is chosen by what a table holds.
IN_CODE = {
    **{f"phrases.number.{template}": template for template in phrase_templates.OF_NUMBERS.values()},
    **{f"phrases.category.{template}": template for template in phrase_templates.OF_CATEGORIES.values()},
    **{f"phrases.tags.{template}": template for template in phrase_templates.OF_TAGS.values()},
    **{
        f"phrases.{section}.{template}": template
        for section, templates in phrase_templates.OTHERS.items()
        for template in templates
    },
    **{f"comparatives.{words}": words for both in comparatives.all_words() for words in both},
    **{f"comparatives.{words}": words for words in film_words()},
}


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_the_messages_of_english_and_no_others(language):
    names = {key for key in messages("de") if key.startswith("names.")}  # of columns that are common in tables
    assert messages(language).keys() == messages(ENGLISH).keys() | IN_CODE.keys() | names


@pytest.mark.parametrize("language", OTHERS)
def test_messages_have_the_same_values_in_every_language(language):
    for key, template in (messages(ENGLISH) | IN_CODE).items():
        translated = messages(language)[key]
        assert names(translated) - OPTIONAL == names(template) - OPTIONAL - LEFT_OUT.get(key, set()), key
        assert isinstance(translated, str) == isinstance(template, str), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_plurals_have_the_form_that_fits_all_other_numbers(language):
    plurals = [template for template in messages(language).values() if not isinstance(template, str)]
    assert plurals
    assert all("other" in forms for forms in plurals)


@pytest.mark.parametrize("language", OTHERS)
def test_sentences_are_translated(language):
    english = messages(ENGLISH) | IN_CODE
    same = {key for key, text in messages(language).items() if text == english.get(key) and " " in str(text).strip()}
    assert not {key for key in same if re.search(r"[a-z]{3,} [a-z]{3,}", str(english[key]))}


def test_every_message_that_the_code_names_exists():
    code = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.py"))
    pages = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES.rglob("static/*.html"))
    named = set(re.findall(r'message\([\w.]+, "([\w.]+)"', code)) | set(re.findall(r"\{\{([\w.]+)\}\}", pages))
    assert named
    assert named <= messages(ENGLISH).keys()


def test_numbers_are_written_as_the_language_writes_them():
    assert [localized("12,499.50", language) for language in LANGUAGES] == [
        "12,499.50",
        "12.499,50",
        "12\u202f499,50",
        "12.499,50",
    ]
    assert localized("1,299", "es") == "1299"
    assert localized("1,299 to 12,500", "es") == "1299 to 12.500"


def test_currencies_stand_where_the_language_has_them():
    assert [with_currency("5", "€", language) for language in LANGUAGES] == ["€5", "5\xa0€", "5\xa0€", "5\xa0€"]
    assert percent(0.56, "en") == "56%"
    assert percent(0.56, "de") == "56\xa0%"


def test_plural_forms_are_those_of_the_language():
    assert message("en", "stop.questions", count=1) == "1 question answered"
    assert message("en", "stop.questions", count=1200) == "1,200 questions answered"
    assert message("de", "stop.questions", count=0) == "0 Fragen sind beantwortet"
    assert message("fr", "stop.questions", count=0) == "0 question a reçu une réponse"
    assert message("es", "stop.questions", count=1_000_000) == "1.000.000 preguntas respondidas"


def test_values_are_taken_as_they_are():
    assert message("en", "range.under", value="{value} 5%") == "under {value} 5%"


def test_lists_end_in_the_word_of_the_language():
    assert joined([], "en") == ""
    assert joined(["a"], "de") == "a"
    assert joined(["a", "b", "c"], "de") == "a, b und c"
    assert joined(["a", "b"], "fr", "or") == "a ou b"


def test_spanish_changes_the_word_before_its_own_vowel():
    assert conjunction("es", "and", "Inés") == " e "
    assert conjunction("es", "and", "hierro") == " y "
    assert conjunction("es", "or", "otro") == " u "
    assert conjunction("es", "or", "uno") == " o "


@pytest.mark.parametrize(
    ("wishes", "expected"),
    [
        ((), "en"),
        ((None, ""), "en"),
        (("de",), "de"),
        (("de-AT",), "de"),
        (("pt-BR, it;q=0.9",), "en"),
        (("en;q=0.5, fr-CH, de;q=0.8",), "fr"),
        (("fr;q=0, es",), "es"),
        (("nl, *;q=0.5",), "en"),
        ((None, "xx", "es", "de"), "es"),
        (("'; drop", "de"), "de"),
    ],
)
def test_the_first_wish_that_can_be_met_decides(wishes, expected):
    assert chosen_language(*wishes) == expected


@pytest.mark.parametrize("language", OTHERS)
def test_two_columns_never_get_the_same_name(language):
    names = [text for key, text in messages(language).items() if key.startswith("names.") and key != "names.color"]
    assert len(set(names)) == len(names)
