"""How two values of a column are compared in words."""

import pytest

from rather.formats.tables import encode_table
from rather.formats.tables.blocks import level_masks

NUMBERS = [1.0, 2.5, 4.0, 8.5, 16.0, 3.0]


def words(name, values=NUMBERS):
    table = encode_table({name: values, "other": ["a", "b", "a", "b", "a", "b"]})
    column = table.catalog.columns[0]
    return column.more, column.less


@pytest.mark.parametrize(
    ("name", "more", "less"),
    [
        ("price_eur", "dearer", "cheaper"),
        ("Weight (kg)", "heavier", "lighter"),
        ("ram_gb", "with more RAM", "with less RAM"),
        ("seats", "with more seats", "with fewer seats"),
        ("unemployment_pct", "with higher unemployment", "with lower unemployment"),
        ("clock_rate", "with a higher clock rate", "with a lower clock rate"),
        ("city mpg", "more economical", "less economical"),
        ("health_spend_pct_gdp", "with higher health spending", "with lower health spending"),
        ("mobile_per_100", "with more mobile subscriptions", "with fewer mobile subscriptions"),
        ("battery_hours", "with longer battery life", "with shorter battery life"),
        ("power supply (W)", "with a stronger power supply", "with a weaker power supply"),
    ],
)
def test_numbers(name, more, less):
    assert words(name) == (more, less)


def test_years_and_dates():
    assert words("year", [2001, 2002, 2005, 2009, 2011, 2003]) == ("newer", "older")
    dates = ["2001-01-05", "2002-01-05", "2005-01-05", "2009-01-05", "2011-01-05", "2003-01-05"]
    assert words("released", dates) == ("newer", "older")


def test_values_without_an_order_are_not_compared():
    assert words("brand", ["a", "b", "c", "a", "b", "c"]) == ("", "")


def test_what_can_be_said_of_a_row():
    table = encode_table(
        {
            "price_eur": [100, 250, None, 900, 1200, 400, 555, 150],
            "brand": ["A1", "A1", "B2", "B2", None, "A1", "B2", "A1"],
            "tags": ["big|red", "red", "", "big", "big|red", "red", "red", "big"],
            "touch": ["yes", "no", "yes", "no", "no", "yes", "yes", "no"],
        }
    )
    price, brand, tags, touch = table.catalog.columns
    assert price.share_below(2) is None
    assert price.attributes(2) == ()
    assert price.share_below(0) == 0
    assert price.share_below(4) == pytest.approx(6 / 7)
    assert [each.phrase for each in brand.attributes(0)] == ["made by **A1**"]
    assert brand.attributes(4) == ()
    assert {each.text for each in tags.attributes(0)} == {"big", "red"}
    assert [each.text for each in touch.attributes(0)] == ["touch"]
    assert touch.attributes(1) == []


def test_what_is_said_of_a_row_is_the_level_that_it_has():
    prices = [100 * (7 * row % 40) + 50 for row in range(40)]
    table = encode_table({"price_eur": prices, "seats": [2, 4, 5, 7] * 10, "brand": ["A1", "B2"] * 20})
    for column, block in zip(table.catalog.columns, table.blocks, strict=True):
        for level, mask in zip(block.levels, level_masks(block), strict=True):
            held = [row for row in range(40) if column.said[level.value] in column.attributes(row)]
            assert held == mask.nonzero()[0].tolist()
