"""Links, pictures and stock: what a row carries besides what is learned, and rows that cannot be had."""

import numpy as np
import pytest

import rather
from rather import Policy, RatherError, Session
from rather.conversation.log import as_data
from rather.formats.tables import encode_table
from rather.formats.tables.cells import Cells
from rather.formats.tables.raw import column_of
from rather.formats.tables.stock import out_of_stock

SHOP = {
    "name": [f"Lamp {letter}" for letter in "ABCDEFGH"],
    "price": [20, 35, 50, 20, 35, 50, 80, 80],
    "colour": ["red", "blue", "red", "green", "blue", "green", "red", "blue"],
    "page": [f"https://shop.example/{number}" for number in range(7)] + ["javascript:alert(1)"],
    "photos": ["https://x.example/1.jpg; https://x.example/1b.jpg?w=1,2", None, *["https://x.example/2.jpg"] * 6],
    "stock": ["3", "0", "sold out", "5+", "", "in stock", "yes", "12 pcs"],
}


def test_a_row_carries_its_link_and_its_pictures():
    catalog = encode_table({**SHOP, "stock": ["yes"] * 8}).catalog
    assert catalog.link_of(0) == "https://shop.example/0"
    assert catalog.link_of(7) is None
    assert catalog.images_of(0) == ("https://x.example/1.jpg", "https://x.example/1b.jpg?w=1,2")
    assert catalog.images_of(1) == ()
    assert list(catalog.facts_of(0)) == ["price", "colour", "stock"]
    assert [note for note in catalog.notes if "page" in note] == [
        "page: 1 value is not an http or https address: 'javascript:alert(1)'."
    ]


def test_pictures_of_several_columns_are_put_together():
    more = {"image 2": ["https://x.example/9.jpg"] * 4 + ["https://x.example/2.jpg"] * 4}
    catalog = encode_table({**SHOP, "stock": ["yes"] * 8, **more}).catalog
    assert catalog.images_of(1) == ("https://x.example/9.jpg",)
    assert catalog.images_of(2) == ("https://x.example/2.jpg", "https://x.example/9.jpg")
    assert catalog.images_of(5) == ("https://x.example/2.jpg",)


def test_questions_recommendations_and_logs_carry_them():
    catalog, belief = rather.open({**SHOP, "stock": ["yes"] * 8}, particles=100)
    session = Session(Policy(catalog, belief))
    question = session.ask()
    for row, option in zip(question.slate, question.options, strict=True):
        assert (option.link, option.images) == (catalog.link_of(row), catalog.images_of(row))
    session.tell(question, 0)
    best = session.recommend(1)[0]
    assert (best.link, best.images) == (catalog.link_of(best.row), catalog.images_of(best.row))
    loaded = Session.from_json(session.to_json(), catalog, belief)
    assert loaded.turns[0].question.options == question.options
    assert not loaded.carried_over
    assert "https://shop.example" in str(as_data(session))


def test_what_cannot_be_had_is_not_in_the_catalogue():
    catalog, _ = rather.open(SHOP, particles=10)
    assert [catalog.label(row) for row in range(len(catalog))] == [f"Lamp {letter}" for letter in "ADEFGH"]
    assert "stock: 2 of 8 rows are out of stock and left out." in catalog.notes
    assert not [feature for feature in catalog.features if "stock" in feature]


def test_row_numbers_stay_ids_when_rows_are_left_out():
    unnamed = {name: values for name, values in SHOP.items() if name != "name"}
    catalog, _ = rather.open(unnamed, particles=10)
    assert list(catalog.ids) == [0, 3, 4, 5, 6, 7]


def test_vectors_beside_a_table_lose_the_rows_too(tmp_path):
    vectors = np.arange(24, dtype=np.float32).reshape(8, 3)
    np.save(tmp_path / "items.npy", vectors)
    rows = zip(*SHOP.values(), strict=True)
    lines = [";".join(str(value or "").replace(";", "|") for value in row) for row in rows]
    (tmp_path / "items.csv").write_text("\n".join([";".join(SHOP), *lines]), encoding="utf-8")
    catalog, _ = rather.open(tmp_path)
    assert [catalog.label(row) for row in range(len(catalog))] == [f"Lamp {letter}" for letter in "ADEFGH"]
    assert catalog.items.tolist() == vectors[[0, 3, 4, 5, 6, 7]].tolist()
    assert catalog.link_of(1) == "https://shop.example/3"


def test_errors_name_the_row_of_the_file(tmp_path):
    odd = {**SHOP, "price": [20, 35, 50, "twenty", 35, 50, 80, 80]}
    with pytest.raises(RatherError, match=r"row 4 \(counted from 1\), column 'price'"):
        encode_table(odd, {"columns": {"price": {"kind": "price"}}}, strict=True)


def test_a_table_without_anything_in_stock_says_so():
    with pytest.raises(RatherError, match=r"at least two rows in stock .* column 'stock' it has none"):
        encode_table({**SHOP, "stock": [0] * 8})


def test_the_owner_decides_whether_a_column_is_stock():
    settings = {"columns": {"stock": {"kind": "category"}}}
    assert len(encode_table(SHOP, settings).catalog) == 8
    settings = {"columns": {"stock": {"role": "ignore"}}}
    assert len(encode_table(SHOP, settings).catalog) == 8
    here = {**SHOP, "here": ["yes"] * 6 + ["no"] * 2}
    assert len(encode_table(here).catalog) == 6
    assert len(encode_table(here, {"columns": {"here": {"kind": "stock"}}}).catalog) == 4


@pytest.mark.parametrize(
    ("texts", "gone"),
    [
        (["in stock", "Out of Stock", "out_of_stock", "preorder"], [False, True, True, False]),
        (["0", "3", "-1", "10+", "0 pcs", "0.0", "only 2 left"], [True, False, True, False, True, True, False]),
        (["ja", "nein"], [False, True]),
        (["Sofort lieferbar", "Derzeit nicht verfügbar", "ausverkauft!"], [False, True, True]),
        (["en stock", "rupture de stock", "épuisé"], [False, True, True]),
        (["disponible", "agotado", "no disponible"], [False, True, True]),
        (["0-2 days", "2-3 Wochen", None], [False, False, False]),
    ],
)
def test_what_is_out_of_stock(texts, gone):
    assert out_of_stock("stock", Cells(column_of(texts))).tolist() == gone


def test_sold_out_yes_is_out_of_stock():
    assert out_of_stock("sold out", Cells(column_of(["yes", "no"]))).tolist() == [True, False]
