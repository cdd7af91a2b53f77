"""The attributes of a table, in the words of a question."""

import pytest

from rather import Policy, Session
from rather.conversation.wording import markdown
from rather.errors import InvalidInputError
from rather.formats.tables import encode_table

ROWS = [
    # name, drive, seats, electric, price, extras
    ("Alpha", "all-wheel drive", 5, "yes", 52_000, "sunroof|towbar"),
    ("Beta", "all-wheel drive", 5, "yes", 48_000, "sunroof"),
    ("Gamma", "front-wheel drive", 5, "no", 21_000, "towbar"),
    ("Delta", "front-wheel drive", 7, "no", 24_000, "towbar|roof rack"),
    ("Epsilon", "front-wheel drive", 4, "yes", 19_000, "roof rack"),
    ("Zeta", "rear-wheel drive", 4, "no", 61_000, "sunroof"),
    ("Eta", "rear-wheel drive", 4, "no", 70_000, "sunroof|roof rack"),
    ("Theta", "all-wheel drive", 7, "no", 44_000, "towbar|sunroof"),
]
NAMES = ("name", "drive", "seats", "electric", "price", "extras")
TABLE = {name: list(values) for name, values in zip(NAMES, zip(*ROWS, strict=True), strict=True)}


def cars(**columns):
    return encode_table(TABLE, {"table": {"name": "car"}, "columns": columns})


def index_of(catalog, text):
    return next(number for number, attribute in enumerate(catalog.attributes) if attribute.text == text)


def test_attributes_hold_together_where_a_row_says_so():
    catalog = cars().catalog
    texts = [attribute.text for attribute in catalog.attributes]
    assert {"all-wheel drive", "rear-wheel drive", "electric", "sunroof", "towbar"} <= set(texts)
    electric = index_of(catalog, "electric")
    assert catalog.together[electric, index_of(catalog, "all-wheel drive")]
    assert not catalog.together[electric, index_of(catalog, "rear-wheel drive")]
    assert catalog.together[index_of(catalog, "sunroof"), index_of(catalog, "towbar")]
    assert catalog.together.equal(catalog.together.T)
    assert bool(catalog.together.diagonal().all())


def test_an_option_describes_a_car_that_there_is():
    table = cars()
    catalog = table.catalog
    session = Session(Policy(catalog, table.belief(), k=3, p=2, ask="attributes", attribute_strategy="greedy"))
    for _ in range(8):
        question = session.ask()
        for first, second in question.attributes:
            assert catalog.together[first, second]
            assert catalog.attributes[first].column != catalog.attributes[second].column
        session.tell(question, 0)


def test_columns_are_said_as_their_names_suggest():
    table = cars()
    phrases = {attribute.text: attribute.phrase for attribute in table.catalog.attributes}
    assert phrases["all-wheel drive"] == "with **all-wheel drive**"
    assert phrases["electric"] == "that is **electric**"
    assert phrases["sunroof"] == "with a **sunroof**"
    assert phrases["5 seats"] == "with **5** seats"
    assert {text.split()[0] for text in phrases.values()} <= {"with", "that"}
    assert any(text.startswith("that costs **") for text in phrases.values())
    drive, electric, sunroof = (index_of(table.catalog, text) for text in ("all-wheel drive", "electric", "sunroof"))
    question = Policy(table.catalog, table.belief(), p=2).attribute_question(
        1, [[drive, electric], [electric, sunroof]]
    )
    assert markdown(question.words) == "Would you rather have a car with **all-wheel drive** or one with a **sunroof**?"


def test_the_settings_say_how_a_column_reads():
    table = cars(drive={"phrase": "driven by {value}"}, seats={"phrase": ""}, extras={"phrase": "that has a {value}"})
    phrases = {attribute.text: attribute.phrase for attribute in table.catalog.attributes}
    assert phrases["all-wheel drive"] == "driven by **all-wheel drive**"
    assert phrases["5 seats"] == ""
    assert phrases["sunroof"] == "that has a **sunroof**"
    again = encode_table(TABLE, table.settings).catalog
    assert {attribute.text: attribute.phrase for attribute in again.attributes} == phrases


def test_the_settings_say_what_one_does_with_a_row():
    table = encode_table(TABLE, {"table": {"name": "car", "verb": "drive"}})
    assert (
        Policy(table.catalog, table.belief()).item_question(1, [0, 1]).text == "Would you rather drive Alpha or Beta?"
    )


def test_a_phrase_without_its_value_is_rejected():
    with pytest.raises(InvalidInputError, match=r"`phrase` must hold {value} once"):
        cars(drive={"phrase": "with"})


@pytest.mark.parametrize(
    ("name", "values", "phrases"),
    [
        ("Brand", ["Acer", "HP"], ["made by **Acer**", "made by **HP**"]),
        ("Price", ["€5", "€7"], ["that costs **€5**", "that costs **€7**"]),
        ("weight_kg", [1, 2], ["that weighs **1 kg**", "that weighs **2 kg**"]),
        ("RAM", ["8 GB", "16 GB"], ["with **8 GB** of RAM", "with **16 GB** of RAM"]),
        ("model_year", [2024, 2025], ["from **2024**", "from **2025**"]),
        ("Battery life", ["7 h", "9 h"], ["whose battery lasts **7 h**", "whose battery lasts **9 h**"]),
        ("OS", ["Linux", "macOS"], ["that runs **Linux**", "that runs **macOS**"]),
        ("colour", ["red", "blue"], ["that is **red**", "that is **blue**"]),
        (
            "transmission",
            ["manual", "automatic"],
            ["whose transmission is **manual**", "whose transmission is **automatic**"],
        ),
        ("tags", ["light|fast", "light"], ["tagged **light**", "tagged **fast**"]),
        ("has_wifi", ["yes", "no"], ["that **has wifi**"]),
        ("waterproof", ["yes", "no"], ["that is **waterproof**"]),
        ("towbar", ["yes", "no"], ["with a **towbar**"]),
        ("Balcony", ["yes", "no"], ["with a **balcony**"]),
        ("has_garage", ["yes", "no"], ["that **has a garage**"]),
        ("parking", ["yes", "no"], ["with **parking**"]),
        ("caramel", ["yes", "no"], ["with **caramel**"]),
        ("nuts", ["yes", "no"], ["with **nuts**"]),
        ("AWD", ["yes", "no"], ["with **AWD**"]),
        ("bar", ["yes", "no"], ["that is a **bar**"]),
        ("SUV", ["yes", "no"], ["that is an **SUV**"]),
        ("pets_allowed", ["yes", "no"], ["with **pets allowed**"]),
        ("usb_c_port", ["yes", "no"], ["with a **USB c port**"]),
        ("urban_pct", [40, 60], ["that is **40%** urban", "that is **60%** urban"]),
        ("cotton_pct", [40, 60], ["with **40%** cotton", "with **60%** cotton"]),
        ("sugarpercent", [0.1, 0.6], ["whose sugar percent is **0.1**", "whose sugar percent is **0.6**"]),
        (
            "charge_hours_240v",
            [1, 9],
            ["whose charge time at 240 V is **1 hour**", "whose charge time at 240 V is **9 hours**"],
        ),
        ("mpg_city", [20, 30], ["whose city mpg is **20**", "whose city mpg is **30**"]),
        ("num-of-doors", [2, 4], ["with **2** doors", "with **4** doors"]),
        ("door_count", [1, 2], ["with **1** door", "with **2** doors"]),
        ("bedrooms", [0, 1, 2], ["with **no** bedrooms", "with **1** bedroom", "with **2** bedrooms"]),
        ("PRICE", [20, 30], ["that costs **20**", "that costs **30**"]),
        ("price_per_night", ["€20", "€30"], ["that costs **€20** per night", "that costs **€30** per night"]),
        ("ENGINE_SIZE", [20, 30], ["whose engine size is **20**", "whose engine size is **30**"]),
        (
            "co2_g_per_km",
            [20, 30],
            ["whose CO2 emissions are **20 g per km**", "whose CO2 emissions are **30 g per km**"],
        ),
        ("doctors_per_1000", [2, 3], ["with **2** doctors per 1000", "with **3** doctors per 1000"]),
        (
            "mobile_per_100",
            [90, 140],
            ["with **90** mobile subscriptions per 100", "with **140** mobile subscriptions per 100"],
        ),
        ("kind", ["cabin", "villa"], ["of the kind **cabin**", "of the kind **villa**"]),
        (
            "contract type",
            ["FFV", "permanent"],
            ["whose contract type is **FFV**", "whose contract type is **permanent**"],
        ),
        ("vintage", [2015, 2018], ["from **2015**", "from **2018**"]),
        ("distance_to_beach_m", [100, 300], ["that is **100 m** from the beach", "that is **300 m** from the beach"]),
        ("arrived", ["2024-03-01", "2025-06-01"], ["that arrived in **Mar 2024**", "that arrived in **Jun 2025**"]),
        ("Organic?", ["yes", "no"], ["that is **organic**"]),
        (
            "good with kids",
            ["yes", "no", "older kids only"],
            [
                "that is **good with kids**",
                "that is not **good with kids**",
                "that is good with kids (**older kids only**)",
            ],
        ),
        (
            "house trained",
            ["yes", "mostly", "not yet"],
            ["that is **house trained**", "that is **mostly** house trained", "that is **not yet** house trained"],
        ),
        (
            "age",
            ["8 months", "1 year 6 months", "2 yrs", "approx 4 years"],
            [f"that is **{age}** old" for age in ("8 months", "1.5 years", "2 years", "4 years")],
        ),
        ("Rating", ["90/100", "94/100", "92"], [f"rated **{n}/100**" for n in (90, 92, 94)]),
        (
            "Region",
            ["Rioja, Spain", "Sicily, Italy", "Rioja, Spain"],
            [f"whose region includes **{place}**" for place in ("Rioja", "Spain", "Sicily", "Italy")],
        ),
        ("size", ["small", "medium", "XL"], ["that is **small**", "of **medium** size", "in size **XL**"]),
        ("sex", ["M", "F", "neutered"], ["whose sex is **M**", "whose sex is **F**", "that is **neutered**"]),
        ("gender", ["Male", "Female"], ["that is **male**", "that is **female**"]),
        ("Colour", ["Red", "BLUE", "Dark green"], ["that is **red**", "that is **blue**", "that is **dark green**"]),
        ("Size", ["Small", "Medium", "XL"], ["that is **small**", "of **medium** size", "in size **XL**"]),
        ("condition", ["Good", "Like New"], ["in **good** condition", "in **like new** condition"]),
        ("Brand", ["Apple", "HP"], ["made by **Apple**", "made by **HP**"]),
        ("cuisine", ["Polish", "Thai"], ["whose cuisine is **Polish**", "whose cuisine is **Thai**"]),
        ("sweetness", ["dry", "sweet"], ["that is **dry**", "that is **sweet**"]),
        ("Grapes", ["Merlot; Syrah", "Syrah"], ["made from **Merlot**", "made from **Syrah**"]),
        ("Condition", ["good", "fair"], ["in **good** condition", "in **fair** condition"]),
        (
            "parking",
            ["yes", "no", "street"],
            ["with **parking**", "without **parking**", "whose parking is **street**"],
        ),
        (
            "oven",
            ["yes", "none", "steam"],
            ["with an **oven**", "without an **oven**", "whose oven is **steam**"],
        ),
        ("body_style", ["full_face", "half"], ["whose body style is **full face**", "whose body style is **half**"]),
        (
            "amenities",
            ["pool|parking", "pool|waterproof"],
            ["with a **pool**", "with **parking**", "that is **waterproof**"],
        ),
    ],
)
def test_phrases(name, values, phrases):
    table = encode_table({name: (values * 12)[:12], "x": [1.5, 2.25, 3.5] * 4})
    found = [each.phrase for each in table.catalog.attributes if each.column.split(":")[0] == name]
    assert sorted(found) == sorted(phrases)


@pytest.mark.parametrize(
    ("noun", "region", "german"),
    [
        ("wine", "from **Bordeaux**", "aus **Bordeaux**"),
        ("goat cheese", "from **Bordeaux**", "aus **Bordeaux**"),
        ("product", "from **Bordeaux**", "aus **Bordeaux**"),
        ("flat", "in **Bordeaux**", "in **Bordeaux**"),
        ("hotel", "in **Bordeaux**", "in **Bordeaux**"),
        ("course", "in **Bordeaux**", "in **Bordeaux**"),
        ("festival", "in **Bordeaux**", "in **Bordeaux**"),
    ],
)
def test_what_is_made_comes_from_a_place(noun, region, german):
    table = encode_table({"region": ["Bordeaux", "Alsace"] * 6, "x": [1.5, 2.25, 3.5] * 4}, {"table": {"name": noun}})
    said = next(each for each in table.catalog.attributes if each.text == "Bordeaux")
    assert (said.phrase, said.said("de").phrase) == (region, german)


def test_ages_and_years_are_ranges_that_one_would_say():
    ages = [f"{months} months" for months in range(2, 12)] + [f"{years} years" for years in range(1, 15)]
    built = [1900 + 35 * row % 120 for row in range(24)]
    catalog = encode_table({"age": ages, "year built": built, "name": [f"N{row}" for row in range(24)]}).catalog
    phrases = [each.phrase for each in catalog.attributes]
    assert "that is **under 6 months** old" in phrases
    assert "that is **6 months to 1 year** old" in phrases
    assert "that is **10 years or older**" in phrases
    assert "built **before 1920**" in phrases
    assert any(each.startswith("built from **1920 to 19") for each in phrases)


def test_what_an_item_lacks_comes_after_what_it_has():
    table = encode_table(
        {"parking": ["yes", "no", "street"] * 8, "balcony": ["yes", "no"] * 12}, {"table": {"name": "flat"}}
    )
    index = [
        next(n for n, each in enumerate(table.catalog.attributes) if each.phrase == phrase)
        for phrase in ("without **parking**", "with a **balcony**", "with **parking**")
    ]
    question = Policy(table.catalog, table.belief(), p=2).attribute_question(1, [index[:2], index[2:]])
    assert markdown(question.words) == (
        "Would you rather live in a flat with a **balcony** but without **parking**, or one with **parking**?"
    )
