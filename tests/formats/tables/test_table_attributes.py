"""Phrases about columns: understandable alone, and the difference that they make."""

import numpy as np
import torch

from rather.formats.tables import encode_table
from rather.formats.tables.table_attributes import implied_attributes


def texts(catalog, column):
    return [attribute.text for attribute in catalog.attributes if attribute.column.startswith(column)]


def vector(catalog, text):
    return next(attribute.vector for attribute in catalog.attributes if attribute.text == text)


def test_every_kind_has_its_phrases(cars):
    assert texts(cars, "make") == ["Cor", "Aro", "Bex"]
    assert texts(cars, "drive") == ["FWD", "AWD", "RWD"]
    assert texts(cars, "electric") == ["electric"]
    assert texts(cars, "extras") == ["radio", "roof", "heated seats"]
    assert texts(cars, "range_km")[0].startswith("range under ")
    assert texts(cars, "price")[0].startswith("price under ")
    assert texts(cars, "price")[-1].endswith(" USD or more")
    assert texts(cars, "built")[0].startswith("built before ")
    assert texts(cars, "built")[-1].endswith(" or later")


def test_a_category_is_compared_with_an_average_item(table, cars):
    awd = torch.tensor([table.column("drive").text(row) == "AWD" for row in range(10)])
    others = [index for index, name in enumerate(cars.features) if not name.startswith("drive")]
    expected = cars.items[awd].mean(dim=0)
    expected[others] = 0
    torch.testing.assert_close(vector(cars, "AWD"), expected)


def test_a_range_is_the_average_of_the_rows_in_it(table, cars):
    low, high = table.column("price_usd").grid.edges[:2]
    prices = torch.tensor(table.column("price_usd").numbers)
    inside = (prices >= low) & (prices < high)
    expected = cars.items[inside].mean(dim=0)
    expected[[index for index, name in enumerate(cars.features) if not name.startswith("price")]] = 0
    torch.testing.assert_close(vector(cars, f"price {low:,.0f} to {high:,.0f} USD"), expected)


def test_what_an_item_has_or_has_not_is_compared_with_not_having_it(table, cars):
    yes, no = (torch.tensor(table.column("electric").numbers) == value for value in (1, 0))
    own = list(cars.features).index("electric")
    difference = cars.items[yes][0] - cars.items[no][0]
    assert vector(cars, "electric")[own] == difference[own]
    assert vector(cars, "electric").count_nonzero() == 1
    roof = list(cars.features).index("extras: roof")
    assert vector(cars, "roof")[roof] == np.float32(table.scale)


def test_attributes_of_one_column_contradict_each_other_but_tags_do_not(cars):
    by_text = {attribute.text: attribute for attribute in cars.attributes}
    assert by_text["AWD"].column == by_text["FWD"].column
    assert by_text["AWD"].column != by_text["electric"].column
    assert by_text["roof"].column != by_text["radio"].column
    assert by_text["roof"].column == by_text["roof"].column


def test_phrases_that_two_columns_share_or_that_say_nothing_alone_get_the_column_s_name():
    table = {
        "fuel": ["Diesel", "Petrol"] * 3,
        "type": ["Diesel", "Hybrid", "Hybrid"] * 2,
        "class": ["A", "B", "A", "B", "B", "A"],
        "hybrid": ["yes", "no", "yes", "no", "no", "no"],
        "hp": [100, 200, 300, 100, 200, 300],
        "doors": [2, 4, 4, 2, 2, 4],
    }
    found = [attribute.text for attribute in encode_table(table).catalog.attributes]
    assert found == [
        "fuel Diesel", "Petrol", "type Hybrid", "type Diesel", "class A", "class B", "hybrid",
        "100 hp", "200 hp", "300 hp", "2 doors", "4 doors",
    ]  # fmt: skip
    assert len(set(found)) == len(found)


def test_a_degree_is_called_by_its_name_and_meant_at_full_strength():
    table = encode_table({"funny": [0.0, 0.0, 0.0, 0.5], "slow": [0, 0.4, 0.2, 1.0], "x": [1, 2, 5, 1]})
    catalog = table.catalog
    assert texts(catalog, "funny") == ["funny"]
    assert vector(catalog, "funny")[0] == np.float32(table.scale)
    assert 2 * (catalog.items[3, 0] - catalog.items[0, 0]) == vector(catalog, "funny")[0]


def electric_cars(n=200):
    """One car in four is electric; those emit nothing, and half of them are red as are half of the others."""
    electric = [row % 4 == 0 for row in range(n)]
    return {
        "electric": ["yes" if own else "no" for own in electric],
        "fuel": ["Electricity" if own else ("Petrol", "Diesel")[row % 2] for row, own in enumerate(electric)],
        "colour": [("red", "blue")[row // 4 % 2] for row in range(n)],
        "funny": [1.0 if own else (row % 3) / 10 for row, own in enumerate(electric)],
    }


# Without it, `electric` says the same as `fuel = Electricity` and is only shown.
BOTH = {"columns": {"electric": {"role": "use"}}}


def test_an_attribute_implies_what_holds_wherever_it_does_and_nothing_else():
    table = encode_table(electric_cars(), BOTH)
    catalog = table.catalog
    names = [attribute.text for attribute in catalog.attributes]
    brought = implied_attributes(table.blocks)
    pairs = {(names[i], names[j]) for i, j in zip(*brought.nonzero(), strict=True)}
    assert pairs == {("electric", "Electricity"), ("Electricity", "electric")}
    own = vector(catalog, "electric")
    torch.testing.assert_close(own, vector(catalog, "Electricity"))
    about = [name for name, worth in zip(catalog.features, own.tolist(), strict=True) if worth]
    assert {name.split(":")[0] for name in about} == {"electric", "fuel"}


def test_attributes_that_imply_each_other_are_not_combined():
    catalog = encode_table(electric_cars(), BOTH).catalog
    index = {attribute.text: index for index, attribute in enumerate(catalog.attributes)}
    together = catalog.together
    assert not together[index["electric"], index["Electricity"]]
    assert not together[index["Petrol"], index["electric"]]
    assert together[index["electric"], index["red"]]
    assert together.diagonal().all()


def test_few_rows_that_are_alike_by_chance_imply_nothing():
    table = {"electric": ["yes"] * 3 + ["no"] * 9, "fuel": ["Electricity"] * 3 + ["Petrol", "Diesel", "Gas"] * 3}
    assert not implied_attributes(encode_table(table).blocks).any()
