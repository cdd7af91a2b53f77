"""The settings beside a table: read, followed, written, and complained about with the line."""

import pytest
from written_tables import write_out

from cars import CARS
from rather import RatherError
from rather.formats.tables import ColumnKind, Direction, Role, TableSettings, encode_table
from rather.formats.tables.settings import ColumnSettings, read_settings
from rather.formats.tables.settings_writing import settings_text

SETTINGS = """\
[table]
name = "car"
label = "{make} / {model}"

[columns.price_usd]
name = "asking price"
unit = "$"
direction = "less"
buckets = [20000, 30000]

[columns."range_km"]
role = "show"

[columns.extras]
role = "ignore"
"""


def rejection(write, settings):
    write("cars.toml", settings)
    with pytest.raises(RatherError) as raised:
        encode_table(write("cars.csv", CARS))
    return str(raised.value)


def test_settings_beside_the_table_are_picked_up(write):
    write("cars.toml", SETTINGS)
    table = encode_table(write("cars.csv", CARS))
    catalog = table.catalog
    assert catalog.name == "car"
    assert catalog.labels[0] == "Aro / One"
    facts = catalog.facts_of(0)
    assert facts["asking price"] == "$18,000"
    assert facts["range"] == "unknown"
    assert "extras" not in facts
    assert not [feature for feature in catalog.features if feature.startswith(("range", "extras"))]
    price = table.column("price_usd")
    assert price.direction is Direction.LESS
    texts = [attribute.text for attribute in catalog.attributes if attribute.column == "price_usd"]
    assert texts == ["asking price under $20,000", "asking price $20,000 to $30,000", "asking price $30,000 or more"]


def test_settings_given_as_path_mapping_or_object_are_the_same(write, tmp_path):
    path = write("cars.csv", CARS)
    other = write("other.toml", SETTINGS)
    mapping = {
        "table": {"name": "car", "label": "{make} / {model}"},
        "columns": {
            "price_usd": {"name": "asking price", "unit": "$", "direction": "less", "buckets": [20000, 30000]},
            "range_km": {"role": "show"},
            "extras": {"role": "ignore"},
        },
    }
    hashes = {
        encode_table(path, spec).catalog.content_hash for spec in (other, str(other), mapping, read_settings(other))
    }
    assert len(hashes) == 1
    assert encode_table(path).catalog.content_hash not in hashes


@pytest.mark.parametrize(
    ("settings", "parts"),
    [
        ("[table\n", ["cars.toml is not valid TOML", "line 1"]),
        (f"table = {'9' * 5_000}", ["cars.toml is not valid TOML"]),
        ("[tabel]\nname = 'car'\n", ["cars.toml, line 1", "'tabel'; did you mean 'table'?"]),
        ("[table]\nnam = 'car'\n", ["cars.toml, line 2", "'nam'; did you mean 'name'?"]),
        ("[columns.prise_usd]\n", ["cars.toml, line 1", "'prise_usd'; did you mean 'price_usd'?"]),
        ("[columns.price_usd]\nrol = 'use'\n", ["line 2", "'price_usd'", "did you mean 'role'?"]),
        ("[columns.price_usd]\nrole = 'learn'\n", ["line 2", "use, show, ignore", "'learn'"]),
        ("[columns.price_usd]\nkind = 'money'\n", ["line 2", "number", "'money'"]),
        ("[columns.price_usd]\ndirection = 'up'\n", ["line 2", "more, less, depends"]),
        ("[columns.price_usd]\nbuckets = [3, 2]\n", ["line 2", "ascending", "[3, 2]"]),
        ("[columns.price_usd]\nbuckets = ['a']\n", ["line 2", "ascending"]),
        ("[columns.price_usd]\nunit = 3\n", ["line 2", "`unit` must be a text"]),
        ("[columns.price_usd]\nmissing = 'x'\n", ["line 2", "list of texts"]),
        ("[columns.drive]\ndirection = 'more'\n", ["line 2", "'drive' holds category"]),
        ("[columns.drive]\nbuckets = [1]\n", ["line 2", "only numbers and dates"]),
        ("[columns.photo]\nrole = 'use'\n", ["line 2", "image", "not learned from"]),
        ("[columns.price_usd]\nname = 'drive'\n", ["line 2", "another column is called 'drive'"]),
        ("[table]\nid = 'nope'\n", ["line 2", "no column 'nope'"]),
        ("[table]\nid = 'make'\n", ["line 2", "row 2 below the header", "holds 'Aro' again"]),
        ("[table]\nid = 'range_km'\n", ["line 2", "row 1 below the header", "is empty"]),
        ("[table]\nlabel = '{maker} {model}'\n", ["line 2", "'maker'; did you mean 'make'?"]),
        ("[table]\nmost_megabytes = 0\n", ["line 2", "above 0"]),
        ("columns = 3\n", ["line 1", "must be a section"]),
        ("[columns]\nmake = 3\n", ["line 2", "must have settings"]),
        ("[columns.make]\nkind = 'number'\n", ["'Aro', which is not a number", "row 1 below the header"]),
        ("[columns.electric]\nkind = 'date'\n", ["'no', which is not a date"]),
    ],
)
def test_wrong_settings_say_line_and_way_out(settings, parts, write):
    message = rejection(write, settings)
    assert all(part in message for part in parts), message


def test_settings_written_by_hand_come_back_as_they_were(write):
    spec = TableSettings(
        name='a "car"\n',
        id="id",
        label="{a} {b}",
        missing=("-1", "ü\x7f"),
        delimiter="\t",
        most_megabytes=12.5,
        columns={
            'odd "name".\\ [x]': ColumnSettings(
                Role.USE, ColumnKind.NUMBER, "n", "km", Direction.MORE, (1.0, 2.5), ("x",)
            ),
            "tags": ColumnSettings(Role.USE, ColumnKind.TAGS, separator=";"),
            "": ColumnSettings(Role.IGNORE),
        },
    )
    path = write("t.toml", settings_text(spec, "t\n.csv", {"tags": "two\nlines"}))
    assert read_settings(path) == spec
    assert read_settings(path).lines[("columns", 'odd "name".\\ [x]', "buckets")] > 10


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet"])
def test_a_table_written_out_and_read_back_is_the_same_catalogue(ending, write, tmp_path):
    write("cars.toml", SETTINGS)
    table = encode_table(write("cars.csv", CARS), ignore=["electric"])
    catalog, path = table.catalog, tmp_path / f"again{ending}"
    write_out(table, path)
    again = encode_table(path).catalog
    assert again.content_hash == catalog.content_hash
    assert again.labels == catalog.labels
    assert list(again.facts) == list(catalog.facts)
    assert [s.text for s in again.attributes] == [s.text for s in catalog.attributes]
    assert encode_table(path, TableSettings()).catalog.content_hash != catalog.content_hash


def test_unknown_columns_to_ignore_are_rejected_with_the_nearest(write):
    with pytest.raises(RatherError, match=r"`ignore`: cars\.csv has no column 'price'; did you mean 'price_usd'\?"):
        encode_table(write("cars.csv", CARS), ignore=["price"])
