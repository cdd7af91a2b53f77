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


def test_the_settings_say_how_a_column_reads():
    table = cars(drive={"form": "with"}, electric={"form": "is"}, extras={"form": "with"})
    catalog = table.catalog
    forms = {attribute.text: attribute.form for attribute in catalog.attributes}
    assert forms["all-wheel drive"] == "with"
    assert forms["electric"] == "is"
    assert set(forms.values()) == {"with", "is", ""}
    policy = Policy(catalog, table.belief(), p=2, ask="attributes")
    drive, electric, sunroof = (index_of(catalog, text) for text in ("all-wheel drive", "electric", "sunroof"))
    question = policy.attribute_question(1, [[drive, electric], [drive, sunroof]])
    assert markdown(question.words) == (
        "Would you rather a car with **all-wheel drive** that is **electric**, "
        "or one with **all-wheel drive** and **sunroof**?"
    )
    again = encode_table(TABLE, table.settings).catalog
    assert [attribute.form for attribute in again.attributes] == [attribute.form for attribute in catalog.attributes]


def test_a_form_that_does_not_exist_is_rejected():
    with pytest.raises(InvalidInputError, match="`form` must be one of is, with, that, alone, got 'has'"):
        cars(drive={"form": "has"})
