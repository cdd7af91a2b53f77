"""Public tables, if RATHER_DATA names a folder that has them: kinds, labels and phrases are what a person expects."""

import os
from pathlib import Path

import numpy as np
import pytest

from rather.formats.tables import ColumnKind, Role, TableSettings, encode_table

FOLDER = Path(os.environ.get("RATHER_DATA", "no such folder"))


def read(name, **options):
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"needs {name} in RATHER_DATA")
    return encode_table(path, TableSettings(), **options)


def kinds(table):
    return {column.name: column.kind for column in table.columns}


def texts(catalog, column):
    return [attribute.text for attribute in catalog.attributes if attribute.column == column]


def test_sweets():
    table = read("candy/candy-data.csv", ignore=["winpercent"])
    found, catalog = kinds(table), table.catalog
    assert found.pop("competitorname") is ColumnKind.LABEL
    assert {name for name, kind in found.items() if kind is ColumnKind.NUMBER} == {
        "sugarpercent",
        "pricepercent",
        "winpercent",
    }
    assert {kind for name, kind in found.items() if "percent" not in name} == {ColumnKind.YES_NO}
    assert catalog.label(0) == "100 Grand"
    assert catalog.facts_of(0) == {
        "sugar percent": "0.732",
        "price percent": "0.86",
        "qualities": "chocolate, caramel, crispedricewafer, bar",
    }
    assert texts(catalog, "chocolate") == ["chocolate"]
    assert not [feature for feature in catalog.features if feature.startswith("win")]


def test_cars():
    table = read("epa-vehicles/cars_2025_2026.csv")
    found, catalog = kinds(table), table.catalog
    assert {name for name, kind in found.items() if kind is ColumnKind.CATEGORY} == {
        "make", "size_class", "fuel", "alt_type", "drive", "transmission"
    }  # fmt: skip
    assert {name for name, kind in found.items() if kind is ColumnKind.YES_NO} == {
        "electric", "hybrid", "plug_in_hybrid", "awd"
    }  # fmt: skip
    assert found["epa_id"] is ColumnKind.ID
    assert catalog.label(0) == "BMW Z4 sDrive30i (2025)"
    assert catalog.ids[0] == 47695
    assert catalog.facts_of(0)["annual fuel cost"] == "2,150 USD"
    assert catalog.facts_of(0)["CO2"] == "312 g per mile"
    assert table.column("mpg_combined").role is Role.SHOW
    assert texts(catalog, "electric_range_miles")[0] == "electric range 0 miles"
    assert "All-Wheel Drive" in texts(catalog, "drive")
    assert "4 cylinders" in texts(catalog, "cylinders")
    electric = catalog.where("electric")
    assert 400 < int(electric.sum()) < 700
    assert catalog.where("cylinders is missing and not electric").sum() < 5


def test_countries():
    table = read("factbook-countries/countries_core.csv")
    found, catalog = kinds(table), table.catalog
    assert (found["code"], found["country"], found["region"], found["climate"]) == (
        ColumnKind.ID, ColumnKind.LABEL, ColumnKind.CATEGORY, ColumnKind.TEXT,
    )  # fmt: skip
    assert {kind for name, kind in found.items() if name not in ("code", "country", "region", "climate")} == {
        ColumnKind.NUMBER
    }
    facts = catalog.facts_of(catalog.row("ag"))
    assert facts["gini"] == "unknown"
    assert facts["health spend"] == "5.5% of GDP"
    assert "gini unknown" in catalog.features


def test_books():
    table = read("goodbooks-10k/derived_book_attributes.parquet")
    found, catalog = kinds(table), table.catalog
    assert found.pop("book_id") is ColumnKind.ID
    assert set(found.values()) == {ColumnKind.DEGREE}
    assert catalog.dimensions == len(catalog.attributes) == 117
    assert catalog.facts_of(0)["qualities"].startswith("young-adult, dystopia")


def test_laptops_as_a_shop_writes_them():
    table = read("messy-shop/laptops.csv")
    units = {column.name: column.unit for column in table.columns if column.kind is ColumnKind.NUMBER}
    assert units == {
        "Weight": "kg", "Screen": '"', "RAM": "GB", "SSD": "GB", "Battery life": "h", "Rating": ""
    }  # fmt: skip
    assert table.catalog.facts_of(0)["Price"] == "€564.99"
    assert (table.column("Price").kind, table.column("Price").unit) == (ColumnKind.PRICE, "€")
    assert sorted(table.column("Availability").cells.distinct) == ["2-3 days", "in stock"]
    assert table.inspected.out_of_stock == 74  # counted with grep
    assert table.catalog.link_of(0) == "https://shop.example/p/10000"
    assert table.catalog.images_of(0) == ("https://cdn.shop.example/img/10000.jpg",)
    weights = table.column("Weight").numbers
    assert 0.5 < np.nanmin(weights) < np.nanmax(weights) < 5


def test_german_bicycles_in_an_older_encoding():
    table = read("messy-shop/fahrraeder.csv")
    assert "Größen" in [column.name for column in table.columns]
    price, weight = table.column("Preis inkl. MwSt."), table.column("Gewicht")
    assert (price.kind, price.unit, weight.unit) == (ColumnKind.PRICE, "€", "kg")
    assert "R-1000" not in table.catalog.ids  # "ausverkauft"
    assert price.numbers[0] == 1757  # "ab 1757 €"
    assert 5 < np.nanmin(weight.numbers) < np.nanmax(weight.numbers) < 40
    assert table.column("E-Bike").kind is ColumnKind.YES_NO
    notes = "\n".join(table.catalog.notes)
    assert "was read as cp1252" in notes
    assert "3 values are not numbers and count as missing: 'auf Anfrage'" in notes
