"""What columns are taken for, and what becomes of those that mix."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from rather import RatherError
from rather.formats.tables import encode_table
from rather.formats.tables.cells import Cells
from rather.formats.tables.column_kinds import ColumnKind, Role
from rather.formats.tables.inspection import inspect_columns
from rather.formats.tables.raw import column_of
from rather.formats.tables.reading import read_table

ROWS = 40


def found(name, values):
    values = [values[index % len(values)] for index in range(ROWS)] if len(values) < ROWS else values
    other = [f"item {index}" for index in range(len(values))]
    return inspect_columns(read_table({"name": other, name: values})).column(name)


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("price", ["1", "2.5", "-3", "1e3"], ColumnKind.PRICE),
        ("price", ["1,200", "3,400.50", "17"], ColumnKind.PRICE),
        ("price", ["1.200,50", "17,5", "3"], ColumnKind.PRICE),
        ("price", ["$5", "$1,000", "$7.50"], ColumnKind.PRICE),
        ("range", ["12 km", "7 km", "0"], ColumnKind.NUMBER),
        ("memory", ["8GB", "16GB", "4GB"], ColumnKind.NUMBER),
        ("drive", ["4WD", "2WD"], ColumnKind.CATEGORY),
        ("zip", ["01234", "99999", "00501"], ColumnKind.CATEGORY),
        ("version", ["1.2.3", "2.0.1"], ColumnKind.CATEGORY),
        ("electric", ["yes", "no", ""], ColumnKind.YES_NO),
        ("electric", ["TRUE", "False"], ColumnKind.YES_NO),
        ("electric", [0, 1, None], ColumnKind.YES_NO),
        ("electric", [True, False], ColumnKind.YES_NO),
        ("funny", [0.0, 0.0, 0.0, 0.8], ColumnKind.DEGREE),
        ("funny", [0.0, 0.4, 1.0], ColumnKind.DEGREE),
        ("sugar_percent", [0.0, 0.4, 1.0], ColumnKind.NUMBER),
        ("weight", [0.2, 0.4, 0.6], ColumnKind.NUMBER),
        ("colour", ["red", "green", "blue"], ColumnKind.CATEGORY),
        ("genres", ["a|b", "b", "a|c"], ColumnKind.TAGS),
        ("genres", ["Action, Drama", "Drama", "Action, Comedy"], ColumnKind.TAGS),
        ("genres", [["a", "b"], ["b"]], ColumnKind.TAGS),
        ("seen", ["2024-01-31", "1999-12-01"], ColumnKind.DATE),
        ("seen", ["31.1.2024", "1.12.1999"], ColumnKind.DATE),
        ("seen", ["01-Jan-1995", "22-Feb-1996"], ColumnKind.DATE),
        ("seen", ["May 3, 2020", "December 24, 2021"], ColumnKind.DATE),
        ("seen", ["13/1/2024", "1/2/2024"], ColumnKind.DATE),
        ("seen", ["3/1/2024", "1/2/2024"], ColumnKind.CATEGORY),
        ("photo", ["https://x.example/a.png?w=3", "https://x.example/b.jpg"], ColumnKind.IMAGE),
        ("link", ["https://x.example/a", "https://x.example/b"], ColumnKind.LINK),
        ("page", ["https://x.example/a", "https://x.example/b?c=1,2", "https://x.example/d", "soon"], ColumnKind.LINK),
        ("page", ["http://x.example/a", "soon", "later"], ColumnKind.CATEGORY),
        ("pics", ["https://x.example/a.jpg, https://x.example/b.jpg", "https://x.example/c.jpg"], ColumnKind.IMAGE),
        ("Bilder", ["https://x.example/a|https://x.example/b", "https://x.example/c"], ColumnKind.IMAGE),
        ("photos", [["https://x.example/a", "https://x.example/b"], ["https://x.example/c"]], ColumnKind.IMAGE),
        ("rent", ["900 €", "1200 €"], ColumnKind.PRICE),
        ("price_per_night", [90, 120, 150], ColumnKind.PRICE),
        ("Kaltmiete", ["900 €", "1200 €"], ColumnKind.PRICE),
        ("price_rating", [1, 2, 3], ColumnKind.NUMBER),
        ("gdp_usd", [1000, 2000, 3000], ColumnKind.NUMBER),
        ("salary", ["€30,000", "€40,000"], ColumnKind.NUMBER),
        ("Availability", ["in stock", "sold out"], ColumnKind.STOCK),
        ("in_stock", ["yes", "no"], ColumnKind.STOCK),
        ("stock", [0, 3, 12], ColumnKind.STOCK),
        ("Lieferzeit", ["Sofort lieferbar", "ausverkauft", "2-3 Wochen"], ColumnKind.STOCK),
        ("quantity", [1, 6, 12], ColumnKind.NUMBER),
        ("quantity", [0, 6, 12], ColumnKind.STOCK),
        ("availability", ["full-time", "part-time"], ColumnKind.CATEGORY),
        ("rifle stock", ["wood", "carbon"], ColumnKind.CATEGORY),
        ("ref_id", [f"r{index}" for index in range(ROWS)], ColumnKind.ID),
        ("ref_id", [7, 7, 9], ColumnKind.ID),
        ("n", list(range(ROWS)), ColumnKind.ID),
        ("about", [f"a sentence, number {index}; not a tag" for index in range(ROWS)], ColumnKind.TEXT),
    ],
)
def test_kind(name, values, kind):
    assert found(name, values).kind is kind


@pytest.mark.parametrize(
    ("ending", "by"), [("csv", "row"), ("parquet", "row"), ("parquet", "price"), ("frame", "row"), ("frame", "price")]
)
def test_the_index_of_a_data_frame_is_no_taste_and_no_id_beside_another(tmp_path, ending, by):
    frame = pd.DataFrame({"sku": [f"A{row}" for row in range(40)], "price": [(row * 7) % 40 + 5 for row in range(40)]})
    frame = frame[frame.index % 5 > 0].assign(row=lambda frame: frame.index).sort_values(by).drop(columns="row")
    path = tmp_path / f"items.{ending}"
    if ending != "frame":
        getattr(frame, f"to_{ending}")(path)
    catalog = encode_table(frame if ending == "frame" else path).catalog
    assert catalog.ids[0] == frame["sku"].iloc[0]
    assert {feature.split()[0].lower() for feature in catalog.features} == {"price"}


@pytest.mark.parametrize(
    ("texts", "numbers", "unit"),
    [
        (["1,200", "3.5"], [1200, 3.5], ""),
        (["1.200,5", "3,25", "7"], [1200.5, 3.25, 7], ""),
        (["€ 5", "€1,000"], [5, 1000], "€"),
        (["12 km", "7 km"], [12, 7], "km"),
        (["50%", "7.5%"], [50, 7.5], "%"),
        (["-$5", "+3", "−2"], [-5, 3, -2], "$"),
        (["1 234 567", "12"], [1234567, 12], ""),
        (["1,5", "2,5e3", "1e3"], [1.5, 2500, 1000], ""),
        (["1,234e2", "5"], [123400, 5], ""),
        ([".5", "5.", "1e-3"], [0.5, 5, 0.001], ""),
        (["€564.99", "564.99 EUR", "EUR 564", "1,299.00 €"], [564.99, 564.99, 564, 1299], "€"),
        (["1.299,00 €", "ab 899 €", "899,- €", "5,5"], [1299, 899, 899, 5.5], "€"),
        (["1.5 kg", "2 kg", "1860 g", "~3 kg", "1 lb"], [1.5, 2, 1.86, 3, 0.45359237], "kg"),
        (['14"', '13.3"', "16 inches", "15 Zoll"], [14, 13.3, 16, 15], '"'),
        (["7.2 h", "8 h", "up to 11 hours", "90 min"], [7.2, 8, 11, 1.5], "h"),
        (["1 TB", "512 GB", "256 GB"], [1000, 512, 256], "GB"),
        (["5", "3", "4-6", "4 to 7"], [5, 3, 5, 5.5], ""),
        (["20 °C", "30 °C", "68 °F"], [20, 30, 20], "°C"),
        (["9,4 kg", "15.5 kg", "1.250 kg", "7,25"], [9.4, 15.5, 1250, 7.25], "kg"),
    ],
)
def test_numbers_as_people_write_them(texts, numbers, unit):
    reading = Cells(column_of(texts)).numbers
    assert reading.unreadable is None
    assert reading.values.tolist() == numbers
    assert reading.unit == unit


@pytest.mark.parametrize("text", ["12 kg", "x", "1,2,3", "1e", "--5", "1 2", "٣", "infinity", "0x10", ""])
def test_what_is_no_number_among_miles_is_found(text):
    reading = Cells(column_of(["3 miles", text, "4 miles"])).numbers
    assert reading.unreadable == (1 if text else None)


def test_missing_texts_are_missing_and_none_is_a_value():
    cells = Cells(column_of(["a", "N/A", "", "?", "None", "nan", "unknown"]))
    assert cells.distinct == ["a", "None"]
    assert cells.present.tolist() == [True, False, False, False, True, False, False]
    assert Cells(column_of([1, -1, 3]), ["-1"]).present.tolist() == [True, False, True]


def test_a_mixed_column_is_rejected_with_row_column_and_ways_out_if_reading_is_strict(write):
    rows = "".join(f"{index},car {index}\n" for index in range(10, 20))
    path = write("t.csv", f"price,name\n{rows}cheap,car x\n")
    with pytest.raises(RatherError) as raised:
        encode_table(path, strict=True)
    message = str(raised.value)
    assert "row 11 below the header, column 'price' of t.csv holds 'cheap'" in message
    assert "t.toml" in message
    assert '[columns."price"]' in message
    table = encode_table(path, {"columns": {"price": {"missing": ["cheap"]}}})
    assert table.column("price").kind is ColumnKind.PRICE
    assert table.catalog.facts_of(10) == {"price": "unknown"}


@pytest.mark.parametrize("role", ["use", "show"])
def test_an_odd_value_counts_as_missing_is_shown_and_is_reported(write, role):
    rows = "".join(f"n{index},{index},{index % 3}\n" for index in range(10, 20))
    path = write("t.csv", f"name,size,x\n{rows}n,large,1\n")
    table = encode_table(path, {"columns": {"size": {"role": role}}})
    size = table.column("size")
    assert size.kind is ColumnKind.NUMBER
    assert size.present.tolist() == [True] * 10 + [False]
    assert table.catalog.facts_of(10)["size"] == "large"
    assert table.catalog.notes == ("size: 1 value is not a number and counts as missing: 'large'.",)
    assert not table.catalog.where("size > 0")[10]


def test_currencies_are_not_converted():
    reading = Cells(column_of(["€5", "€7", "$6"])).numbers
    assert reading.values[:2].tolist() == [5, 7]
    assert reading.unreadable == 2


def test_ranges_that_are_classes_are_no_numbers():
    assert found("age", ["18-25", "26-35", "36-45"] * 10).kind is ColumnKind.CATEGORY


def test_what_is_shown_is_what_the_file_says():
    prices = ["€564.99", "€1,299.00", "EUR 564", "up to 600 €", "564.999 EUR", "n/a"]
    table = encode_table({"price": prices, "ratio": [0.1, 1 / 3, 2, 1e-7, 1234567.25, None], "x": [1, 2, 3, 1, 2, 3]})
    facts = [table.catalog.facts_of(row) for row in range(6)]
    assert [fact["price"] for fact in facts] == ["€564.99", "€1,299.00", "€564", "up to 600 €", "€564.999", "unknown"]
    assert [fact["ratio"] for fact in facts] == [
        "0.1",
        "0.3333333333333333",
        "2",
        "1e-07",
        "1,234,567.25",
        "unknown",
    ]


def test_a_number_of_single_precision_is_shown_as_it_was_written():
    table = encode_table(pa.table({"x": pa.array([0.1, 0.2, 0.7], pa.float32())}))
    assert [table.catalog.facts_of(row)["x"] for row in range(3)] == ["0.1", "0.2", "0.7"]


def test_spellings_of_one_value_are_merged_and_reported():
    brands = ["Lenovo", "Lenovo", "LENOVO", "HP", "hp", "HP"] * 5
    tags = ["Light, Fast", "light", "fast , heavy", "fast", "light", "light"] * 5
    table = encode_table({"brand": brands, "tags": tags, "price": [*range(5, 35)]})
    assert sorted(set(table.column("brand").cells.distinct)) == ["HP", "Lenovo"]
    assert {tag for row in table.column("tags").tags for tag in row} == {"light", "fast", "heavy"}
    assert "brand: 2 values have several spellings, read as one: 'Lenovo' (also 'LENOVO')" in table.catalog.notes[0]
    assert table.catalog.where("brand == 'LENOVO'").sum() == 15


def test_ids_that_differ_in_case_stay_apart():
    table = encode_table({"id": ["a", "A", "b"], "x": [3, 1, 2]})
    assert table.catalog.ids == ["a", "A", "b"]


def test_two_columns_that_say_the_same_are_learned_once():
    drive = ["All-Wheel Drive", "Front", "Rear", "Front"] * 10
    code = [{"All-Wheel Drive": "A", "Front": "F", "Rear": "R"}[each] for each in drive]
    table = encode_table(
        {
            "awd": [int(each[0] == "A") for each in drive],
            "drive": drive,
            "code letter": code,
            "turbo": [0, 0, 1, 1] * 10,
        }
    )
    roles = {column.name: column.role for column in table.columns}
    assert roles == {"awd": Role.SHOW, "drive": Role.USE, "code letter": Role.SHOW, "turbo": Role.USE}
    assert table.column("awd").note == "says the same as drive = All-Wheel Drive, so it is only shown"
    assert table.column("code letter").note == "says the same as drive, so it is only shown"


@pytest.mark.parametrize("values", [["1e200", "1", "2", "3", "4", "5"], [float("inf"), 1.0, 2.0, 1.0, 1.0, 3.0]])
def test_numbers_that_cannot_be_computed_with_count_as_missing(values):
    table = {"x": values * 10, "y": [1, 2, 3] * 20}
    with pytest.raises(RatherError, match=r"row 1 .*column 'x' .*, which is not a number up to 1e\+100"):
        encode_table(table, strict=True)
    assert not encode_table(table).column("x").present[0]


def test_constant_and_empty_columns_are_ignored_with_the_reason():
    table = inspect_columns(read_table({"x": [1, 2, 3], "same": ["a"] * 3, "none": [None] * 3}))
    assert table.column("same").role is Role.IGNORE
    assert "same in all rows" in table.column("same").note
    assert table.column("none").role is Role.IGNORE
    assert "no values" in table.column("none").note


@pytest.mark.parametrize(
    "table",
    [{"a": ["x", "x", "x"]}, {"name": [f"n{index}" for index in range(30)]}, {"a": [None, None], "b": ["", "-"]}],
)
def test_a_table_without_anything_to_learn_from_is_rejected_with_the_reasons(table):
    with pytest.raises(RatherError, match=r"No column of the table can be learned from: '(a|name)'"):
        encode_table(table)


def test_ten_thousand_different_categories_are_text_and_cannot_be_set_to_a_category():
    table = {"note": [f"v{index}" for index in range(10_000)], "x": [index % 5 for index in range(10_000)]}
    table["title"] = [f"t{index}" for index in range(10_000)]
    column = inspect_columns(read_table(table)).column("note")
    assert column.kind is ColumnKind.TEXT
    assert "10,000 distinct values" in column.note
    with pytest.raises(RatherError, match=r"10,000 different values, none of them twice.*kind = \"text\""):
        encode_table(table, {"columns": {"note": {"kind": "category"}}})


def test_rare_categories_count_as_other():
    values = ["common"] * 60 + ["usual"] * 30 + [f"rare {index}" for index in range(10)]
    catalog = encode_table({"x": values, "name": [f"n{index}" for index in range(100)]}).catalog
    assert list(catalog.features) == ["x: common", "x: usual", "x: any other"]
    assert [attribute.text for attribute in catalog.attributes] == ["common", "usual"]


def test_the_id_is_the_unique_identifier_and_labels_add_the_maker_where_models_repeat():
    table = {
        "make": ["A", "A", "B", "B"],
        "model": ["one", "two", "one", "three"],
        "year": [2001, 2002, 2003, 2004],
        "code": ["p", "q", "r", "s"],
    }
    catalog = encode_table(table).catalog
    assert list(catalog.ids) == ["p", "q", "r", "s"]
    assert list(catalog.labels) == ["A one", "A two", "B one", "B three"]
    again = encode_table({**table, "make": ["A", "A", "A", "A"], "model": ["one", "one", "two", "three"]}).catalog
    assert list(again.labels) == ["A one (2001)", "A one (2002)", "A two (2003)", "A three (2004)"]


def test_without_an_id_unique_labels_are_the_ids_else_rows_are_counted():
    assert list(encode_table({"name": ["a", "b"], "x": [1, 2]}).catalog.ids) == ["a", "b"]
    assert list(encode_table({"x": [1, 5, 2]}).catalog.ids) == [0, 1, 2]


def test_numbers_that_order_the_rows_alike_are_learned_from_once():
    rng = np.random.default_rng(0)
    miles = rng.uniform(10, 60, 50)
    table = {"miles": miles, "litres": 235 / miles, "price": rng.uniform(1, 2, 50)}
    inspected = inspect_columns(read_table({name: list(map(float, values)) for name, values in table.items()}))
    assert [column.role for column in inspected.columns] == [Role.USE, Role.SHOW, Role.USE]
    assert "ranks the rows as 'miles' does (rank correlation -1.00)" in inspected.column("litres").note


def test_two_columns_that_share_a_spike_are_not_the_same():
    rng = np.random.default_rng(1)
    has = np.arange(100) >= 75
    table = {"range": np.where(has, rng.uniform(100, 400, 100), 0), "hours": np.where(has, rng.uniform(2, 9, 100), 0)}
    inspected = inspect_columns(read_table({name: values.tolist() for name, values in table.items()}))
    assert [column.role for column in inspected.columns] == [Role.USE, Role.USE]


def test_an_ignored_column_is_no_label():
    table = {"secret": ["a", "b", "c"], "x": [1, 5, 2]}
    assert list(encode_table(table, ignore=["secret"]).catalog.labels) == []
    assert encode_table(table, ignore=["secret"]).catalog.facts_of(0) == {"x": "1"}


def test_integers_beyond_double_precision_are_read():
    big = [2**53 + 1, 2**60, 2**63 - 1, -(2**62), 5]
    assert encode_table({"x": big}).column("x").numbers.tolist() == [float(value) for value in big]
    assert list(map(int, encode_table({"id": big, "x": [1, 5, 2, 4, 4]}).catalog.ids)) == big


@pytest.mark.parametrize("values", [[None, None, None], ["a", "a", "a"]])
def test_a_column_with_nothing_to_learn_from_cannot_be_set_to_learned_from(values):
    spec = {"columns": {"x": {"kind": "category", "role": "use"}}}
    table = {"x": values, "y": [1, 5, 2]}
    assert encode_table(table, spec).column("x").role is Role.IGNORE
    with pytest.raises(RatherError, match="there is nothing to learn from it"):
        encode_table(table, spec, strict=True)
