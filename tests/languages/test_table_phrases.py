"""What is said of a table's values in other languages than English."""

import pytest

import rather
from rather.conversation.policy import Policy
from rather.conversation.wording import markdown, question_in
from rather.errors import InvalidInputError

LAPTOPS = {
    "model": [f"L{number}" for number in range(24)],
    "brand": ["Lenovo", "Apple", "HP", "Acer"] * 6,
    "price": [f"€{400 + 97 * number}.50" for number in range(24)],
    "RAM_GB": [4, 8, 16, 32] * 6,
    "weight_kg": [1.1 + 0.3 * (number % 7) for number in range(24)],
    "battery_hours": [4 + number % 9 for number in range(24)],
    "touchscreen": ["yes", "no"] * 12,
    "released": [f"20{10 + number // 2}-0{1 + number % 9}-15" for number in range(24)],
}


@pytest.fixture(scope="module")
def opened():
    return rather.open(LAPTOPS)


def phrases(catalog, column, language):
    found = [each.said(language).phrase.replace("\xa0", " ") for each in catalog.attributes if each.column == column]
    return [phrase.replace("\u202f", " ") for phrase in found]


@pytest.mark.parametrize(
    ("language", "brand", "price", "memory", "weight"),
    [
        ("de", "von **Apple**", "für **unter 800 €**", "mit **8 GB** RAM", "mit **1,4 kg** Gewicht"),
        (
            "fr",
            "de la marque **Apple**",
            "pour **moins de 800 €**",
            "avec **8 Go** de RAM",
            "avec un poids de **1,4 kg**",
        ),
        ("es", "de **Apple**", "por **menos de 800 €**", "con **8 GB** de RAM", "con un peso de **1,4 kg**"),
    ],
)
def test_values_are_said_without_the_gender_of_the_item(opened, language, brand, price, memory, weight):
    catalog = opened.catalog
    assert brand in phrases(catalog, "brand", language)
    assert price in phrases(catalog, "price", language)
    assert memory in phrases(catalog, "RAM_GB", language)
    assert weight in phrases(catalog, "weight_kg", language)


def test_a_column_that_nothing_is_known_about_is_named(opened):
    assert all(phrase.startswith("Akku: **") for phrase in phrases(opened.catalog, "battery_hours", "de"))


def test_a_question_is_said_in_another_language_and_stays_the_same_question(opened):
    policy = Policy(*opened, ask="attributes", seed=3)
    question = policy.question(opened.belief, [])
    german = question_in(question, opened.catalog, "de")
    assert question_in(question, opened.catalog, "en") is question
    assert markdown(german.words).startswith("Was wäre dir lieber, ")
    assert (german.number, german.attributes, german.evoi) == (question.number, question.attributes, question.evoi)
    assert [len(option.attributes) for option in german.options] == [1, 1]


def test_what_the_catalogue_no_longer_says_stays_as_it_was_asked(opened):
    policy = Policy(*opened, ask="attributes", seed=3)
    question = policy.question(opened.belief, [])
    other = rather.open({"colour": ["red", "blue", "red"]}).catalog
    assert question_in(question, other, "de") is question


def test_facts_are_written_as_the_language_writes_them(opened):
    facts = opened.catalog.facts_of(0, "de")
    assert facts["Preis"] == "400,50\xa0€"
    assert facts["Touchscreen"] == "ja"
    assert facts["released"] == "15.01.2010"
    assert opened.catalog.facts_of(0)["price"] == "€400.50"


def test_an_owner_says_it_in_each_language():
    phrase = {"en": "built by {value}", "de": "gebaut von {value}"}
    catalog = rather.open(LAPTOPS, settings={"columns": {"brand": {"phrase": phrase}}}).catalog
    assert "gebaut von **Apple**" in phrases(catalog, "brand", "de")
    assert "built by **Apple**" in phrases(catalog, "brand", "en")
    assert "de la marque **Apple**" in phrases(catalog, "brand", "fr")


def test_one_phrase_of_the_owner_is_for_all_languages():
    settings = {"columns": {"brand": {"phrase": "gebaut von {value}"}}}
    catalog = rather.open(LAPTOPS, settings=settings).catalog
    assert "gebaut von **Apple**" in phrases(catalog, "brand", "es")


def test_a_phrase_for_a_language_that_we_do_not_speak_is_rejected():
    with pytest.raises(InvalidInputError, match="en, de, fr, es, got 'it'"):
        rather.open(LAPTOPS, settings={"columns": {"brand": {"phrase": {"it": "di {value}"}}}})


def test_reasons_are_said_in_each_language(opened):
    session = rather.Session(Policy(*opened, seed=1))
    for _ in range(4):
        session.tell(session.ask(), 0)
    items = session.recommend(5)
    english = [reason.kind for found in session.reasons(items) for reason in found]
    for language in ("de", "fr", "es"):
        found = session.reasons(items, "you", language)
        assert [reason.kind for reasons in found for reason in reasons] == english
        assert not [reason.text for reasons in found for reason in reasons if " than " in reason.text]


def test_films_are_asked_about_in_german():
    catalog = rather.open("films").catalog
    texts = [attribute.said("de").text for attribute in catalog.attributes]
    assert texts[:2] == ["lustig", "düster"]
    assert not set(texts) & {attribute.text for attribute in catalog.attributes} - {"musical"}
    assert [each.said("de") for each in catalog.comparatives_of(0)[:1]] == ["lustiger"]
    assert catalog.columns[0].compared("fr") == ("moins drôle", "plus drôle")
    assert list(catalog.facts_of(0, "es"))[:2] == ["año", "dirección"]


@pytest.mark.parametrize(
    ("language", "early", "late"),
    [
        ("de", "vor 1990", "von 2010 oder später"),
        ("es", "antes de 1990", "de 2010 o posterior"),
    ],
)
def test_a_year_has_one_preposition(language, early, late):
    settings = {"columns": {"Baujahr": {"buckets": [1990, 2010]}}}
    catalog = rather.open({"Baujahr": [*range(1980, 2020, 2)]}, settings=settings).catalog
    phrases = [each.said(language).phrase for each in catalog.attributes]
    assert phrases[0].replace("**", "") == early
    assert phrases[-1].replace("**", "") == late


@pytest.mark.parametrize(
    ("name", "four", "one"),
    [
        ("cylinders", "mit **4** Zylindern", "Zylinder: **1**"),
        ("seats", "mit **4** Sitzen", "Sitze: **1**"),
        ("doors", "mit **4** Türen", "Türen: **1**"),
        ("airbags", "mit **4** airbags", "airbags: **1**"),
    ],
)
def test_german_counts_have_the_case_that_with_asks_for(name, four, one):
    catalog = rather.open({name: [1, 2, 4] * 8}).catalog
    assert [each.said("de").phrase for each in catalog.attributes] == [one, four.replace("4", "2"), four]


@pytest.mark.parametrize(
    ("language", "one", "two"),
    [("de", "Türen: 1", "2 Türen"), ("fr", "portes\xa0: 1", "2 portes"), ("es", "puertas: 1", "2 puertas")],
)
def test_there_are_not_several_of_one_thing(language, one, two):
    said = [each.said(language) for each in rather.open({"doors": [1, 2, 4] * 8}).catalog.attributes]
    assert [each.text for each in said[:2]] == [one, two]
    assert said[0].phrase.replace("**", "") == one


@pytest.mark.parametrize(
    ("name", "less", "more"),
    [
        ("Schlafzimmer", "mit weniger Schlafzimmern", "mit mehr Schlafzimmern"),
        ("Türen", "mit weniger Türen", "mit mehr Türen"),
        ("Sitzplätze", "mit weniger Sitzplätzen", "mit mehr Sitzplätzen"),
        ("seats", "mit weniger Sitzen", "mit mehr Sitzen"),
        ("memory_gb", "mit weniger Arbeitsspeicher", "mit mehr Arbeitsspeicher"),
        ("Zimmergröße", "Zimmergröße: kleiner", "Zimmergröße: größer"),
    ],
)
def test_german_counts_are_fewer_and_not_smaller(name, less, more):
    column = rather.open({name: [1, 2, 4, 5] * 6}).catalog.columns[0]
    assert column.compared("de") == (less, more)
