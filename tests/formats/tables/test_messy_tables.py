"""Tables messier than most: what people do to them, and what becomes of it."""

import pyarrow as pa
import pytest

from rather import RatherError
from rather.formats.tables import ColumnKind, encode_table
from rather.formats.tables.amounts import parse_amount
from rather.formats.tables.cells import Cells
from rather.formats.tables.column_kinds import Role

ROWS = "".join(f"Lamp {number},{5 * number + 9},{'ABC'[number % 3]}\n" for number in range(12))


def test_lines_before_the_header_are_skipped(write):
    path = write("lamps.csv", "Export of 2026-01-03\nShop: Lumen\n\nProduct,Price,Class\n" + ROWS)
    table = encode_table(path)
    assert [column.name for column in table.columns] == ["Product", "Price", "Class"]
    assert table.catalog.label(0) == "Lamp 0"
    assert len(table.catalog) == 12
    assert table.catalog.notes == (
        "lamps.csv: the lines before the header are not part of the table and were skipped.",
    )
    with pytest.raises(RatherError, match="where the header has 1"):
        encode_table(path, strict=True)


def test_columns_of_one_name_are_numbered(write):
    path = write("lamps.csv", "Name,Price,Price\n" + ROWS)
    table = encode_table(path)
    assert [column.name for column in table.columns] == ["Name", "Price", "Price (2)"]
    assert "several columns are called 'Price'" in table.catalog.notes[0]
    with pytest.raises(RatherError, match="both called 'Price'"):
        encode_table(path, strict=True)


@pytest.mark.parametrize("marks", [("✓", "✗"), ("x", None), ("●", "○"), ("✔", None)])
def test_marks_are_yes_and_no(marks):
    table = encode_table({"name": [f"Tent {n}" for n in range(8)], "Footprint": [*marks] * 4})
    column = table.column("Footprint")
    assert column.kind is ColumnKind.YES_NO
    assert column.numbers.tolist() == [1, 0] * 4
    assert [column.text(row) for row in (0, 1)] == ["yes", "no"]


def test_prices_have_remarks():
    texts = ["1.299,- EUR VB", "899 € VB", "VB 750 €", "150.-", "700,00 EUR inkl. MwSt.", "99 € p.P.", "gratis", "5 €"]
    column = encode_table({"Preis": texts, "x": [1, 2] * 4}).column("Preis")
    assert column.kind is ColumnKind.PRICE
    assert column.numbers.tolist() == [1299, 899, 750, 150, 700, 99, 0, 5]
    assert column.unit == "€"


def test_prices_in_two_currencies_are_prices():
    texts = ["1299 €", "899 €", "750 €", "CHF 200", "CHF 300", "5 €"] * 4
    column = encode_table({"Preis": texts, "x": [1, 2, 3, 1] * 6}).column("Preis")
    assert (column.kind, column.unit) == (ColumnKind.PRICE, "€")
    assert column.present.tolist() == [True, True, True, False, False, True] * 4


def test_errors_of_spreadsheets_are_missing_values():
    column = encode_table({"price": ["#REF!", "12.5", "#DIV/0!", "13", "k.A.", "tbd"], "x": [1, 2] * 3}).column("price")
    assert column.kind is ColumnKind.PRICE
    assert column.present.tolist() == [False, True, False, True, False, False]
    assert not column.repairs


def test_a_column_that_no_longer_differs_is_left_out_on_that_day():
    settings = {"columns": {"colour": {"role": "use", "kind": "category"}}}
    lamps = {"price": [1, 2, 3, 4], "colour": ["blue", "blue", "red", "red"], "stock": [1, 1, 0, 0]}
    table = encode_table(lamps, settings)
    assert table.column("colour").note == "the same in all rows (blue)"
    assert len(table.catalog) == 2


@pytest.mark.parametrize(
    ("texts", "values", "unit"),
    [
        (["90/100", "4 / 100", "85.5/100", "90"], [90, 4, 85.5, 90], "/100"),
        (["4,5/5", "3/5 Sternen", "4 von 5", "5/5 stars"], [4.5, 3, 4, 5], "/5"),
        (["2 years", "1 year 6 months", "6 months old", "approx 3 yrs"], [2, 1.5, 0.5, 3], "years"),
        (["1 h 30 min", "2 h", "45 min", "1 h and 15 min"], [1.5, 2, 0.75, 1.25], "h"),
        (["1 bis 3 kg", "4 kg", "2 to 4 kg", "5 kg", "6 kg"], [2, 4, 3, 5, 6], "kg"),
        (["€5", "€7", "waived", "€6"], [5, 7, 0, 6], "€"),
    ],
)
def test_amounts_that_take_more_than_a_number_and_a_unit(texts, values, unit):
    cells = Cells(pa.array(texts))
    assert cells.numbers.values.tolist() == values
    assert cells.numbers.unit.lower() in (unit, unit[0])


@pytest.mark.parametrize("text", ["3/7", "12/2024", "1 year 6 kg", "6 months 1 year", "2 bedrooms 1 bath"])
def test_what_looks_like_two_numbers_is_not_one(text):
    assert parse_amount(text) is None


def test_other_currencies_are_not_called_words():
    texts = ["5,00 €", "6,00 €", "7,00 €", "$8.00", "CHF 9", "on request"] * 4
    column = encode_table({"Preis": texts, "x": [1, 2, 3, 1] * 6}).column("Preis")
    assert column.repairs == (
        "8 values are in a currency other than € and count as missing: '$8.00', 'CHF 9'; "
        "4 values are not numbers and count as missing: 'on request'",
    )


def test_sentences_are_shown_and_not_learned_from():
    notes = ["Lovely with lamb.", "Crisp, floral and long.", "Black fruit, leather, a hint of smoke."] * 8
    column = encode_table({"Notes": notes, "x": [1, 2, 3, 1] * 6}).column("Notes")
    assert (column.kind, column.role) == (ColumnKind.TEXT, Role.SHOW)
