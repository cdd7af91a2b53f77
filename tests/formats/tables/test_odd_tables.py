"""Whatever is in a table, it becomes a catalogue or is rejected for a reason that applies; never anything else."""

import datetime
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from table_rejections import assert_file_justified, assert_justified
from written_tables import write_out

from rather import RatherError
from rather.formats.tables import encode_table
from rather.formats.tables.inspection import inspect_table
from rather.formats.tables.settings import read_settings
from rather.formats.tables.settings_writing import settings_text

words = st.text(st.characters(codec="utf-8"), max_size=12)
odd_texts = st.sampled_from(
    ["", "NA", "1", "0", "1.0", "-1", "1,5", "1.234,5", "$3", "12 km", "7 mi", "yes", "No", "2024-02-30", "2024-02-29",
     "3/4/2024", "a|b", "|", "a;b", "x, y", "http://x.example/a.png", "inf", "nan", "1e400", "007", "None", "\x00", "'"]
)  # fmt: skip
cells = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.dates()
    | words
    | odd_texts
    | st.lists(words | odd_texts, max_size=3)
)
columns = (
    st.lists(cells, min_size=0, max_size=12)
    | st.lists(st.floats(allow_nan=False), min_size=0, max_size=12)
    | st.lists(odd_texts, min_size=0, max_size=12)
    | st.lists(st.sampled_from([0, 1, 0.5, 7, None]), min_size=0, max_size=12)
    | st.lists(st.sampled_from(["a", "b", "c", None]), min_size=0, max_size=12)
)
names = words | st.sampled_from(
    ["id", "name", "price_usd", "make", "model", "year", "x.y", "{", "}", "photo", "unknown"]
)
roles = st.sampled_from(["use", "show", "ignore"])
kinds = st.sampled_from(
    ["id", "label", "number", "degree", "yes/no", "category", "tags", "date", "text", "image", "link", "price", "stock"]
)
directions = st.sampled_from(["more", "less", "depends"])
column_settings = st.fixed_dictionaries(
    {},
    optional={
        "role": roles,
        "kind": kinds,
        "direction": directions,
        "name": words,
        "unit": words,
        "buckets": st.lists(st.floats(-10, 10), max_size=3),
        "separator": words,
    },
)


@st.composite
def tables(draw, names=names, columns=columns):
    table = draw(st.dictionaries(names, columns, min_size=1, max_size=5))
    rows = draw(st.integers(0, 12))
    return {name: (values * (rows // max(1, len(values)) + 1))[:rows] for name, values in table.items() if values}


def claim(table):
    """What holds of every catalogue of a table."""
    catalog = table.catalog
    assert torch.isfinite(catalog.items).all()
    assert len(catalog.features) == catalog.dimensions == sum(block.size for block in table.blocks)
    assert catalog.items.mean(dim=0).abs().max() < 1e-3 * max(1.0, catalog.largest_norm)
    texts = [attribute.text for attribute in catalog.attributes]
    assert all(texts)
    assert all(attribute.vector.shape == (catalog.dimensions,) for attribute in catalog.attributes)
    assert all(torch.isfinite(attribute.vector).all() for attribute in catalog.attributes)
    assert all(isinstance(text, str) for facts in catalog.facts for text in facts.values())
    spread = (catalog.items @ table.belief(particles=8).particles.T).square().mean()
    assert math.isfinite(float(spread))


@settings(max_examples=150)
@given(tables(), st.booleans())
def test_any_columns(table, strict):
    try:
        encoded = encode_table(table, strict=strict)
    except RatherError as error:
        assert_justified(error, table)
        return
    claim(encoded)


@settings(max_examples=150)
@given(tables(), st.data(), st.booleans())
def test_any_columns_with_any_settings(table, data, strict):
    given = data.draw(st.dictionaries(st.sampled_from(sorted(table) or ["x"]), column_settings, max_size=3))
    try:
        encoded = encode_table(table, {"columns": given}, strict=strict)
    except RatherError as error:
        assert_justified(error, table, given)
        return
    claim(encoded)


LETTERS = [f"name {row}" for row in range(6)]


@pytest.mark.parametrize(
    ("table", "kinds"),
    [
        ({"x": [1, 2, 4]}, {"x": "number"}),
        ({"x": [1, None, 3]}, {"x": "number"}),
        ({"x": ["1", "2", "", "NA"]}, {"x": "number"}),
        ({"x": [True, False]}, {"x": "yes/no"}),
        ({"x": ["yes", "No", "NO"]}, {"x": "yes/no"}),
        ({"x": [[], ["a"], ["a", "b"]]}, {"x": "tags"}),
        ({"x": ["a|b", "|", "a"] * 4}, {"x": "tags"}),
        ({"x": [datetime.date(2020, 1, 1), None, datetime.date(2021, 5, 5)]}, {"x": "date"}),
        ({"x": ["2024-02-29", "2023-01-01"]}, {"x": "date"}),
        ({"x": ["3/4/2024", "13/4/2024"]}, {"x": "date"}),
        ({"x": [2**70, 1, 2]}, {"x": "number"}),
        ({"x": ["$3", "$1,000"]}, {"x": "number"}),
        ({"x": ["007", "008", "007", "008"]}, {"x": "category"}),
        ({"{": LETTERS, "x": [1, 2, 3, 1, 2, 3]}, {"{": "label", "x": "number"}),
        ({"a{b}": LETTERS, "x": [1, 2, 3, 1, 2, 3]}, {"a{b}": "label", "x": "number"}),
        ({" x ": [1, 2, 4], "": [3, 1, 2]}, {"x": "number", "column 2": "number"}),
        ({"x": ["a", "b", None] * 4, "y": [None] * 12}, {"x": "category", "y": "text"}),
    ],
    ids=str,
)
def test_odd_columns_that_can_be_learned_from(table, kinds):
    encoded = encode_table(table)
    assert {column.name: column.kind.value for column in encoded.columns} == kinds
    claim(encoded)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "the table has no columns that can be read"),
        ({"x": []}, "must have at least two rows to choose from; it has only a header"),
        ({"x": [1]}, "must have at least two rows to choose from; it has only one row"),
        ({"x": [1, 2], " x": [3, 4]}, "Columns 1 and 2 of the table are both called 'x'"),
        ({"x": [1, 2], "y": [1]}, "must have the same length, got {'x': 2, 'y': 1}"),
        ({"x": [7, 7, 7]}, r"'x' is number, the same in all rows \(7\)"),
        ({"x": [1, 2, 3]}, "'x' is id"),
        ({"x": [None, "NA", "-"]}, "'x' is text, no values at all"),
        ({"x": LETTERS}, "No column of the table can be learned from: 'x' is label"),
        ({"id": [3, 1, 2]}, "'id' is id"),
        (
            {"x": [1.0, 2.0, float("inf")]},
            r"row 3 \(counted from 1\), column 'x' of the table holds 'inf', which",
        ),
        (
            {"x": [1, -1e101, 2]},
            r"row 2 .*column 'x' of the table holds '-1e\+101', which is not a number up to",
        ),
        ({"x": [*map(str, range(9)), "many"]}, "row 10 .*column 'x' of the table holds 'many', which is not a number"),
        ({"x": ["2020-01-01"] * 4 + ["2021-01-01"] * 4 + ["soon"]}, "row 9 .*holds 'soon', which is not a date"),
    ],
    ids=str,
)
def test_odd_columns_that_are_rejected_if_reading_is_strict(table, message):
    with pytest.raises(RatherError, match=message):
        encode_table(table, strict=True)


# CSV cannot hold control characters, nor tell a header of numbers or of delimiters from a file without one.
plain_texts = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=12) | odd_texts.filter(
    lambda text: text.isprintable()
)
plain_names = st.text("abc äöü_-XYZ'{}", min_size=1, max_size=8).filter(str.strip)
plain_columns = columns.map(lambda column: [cell for cell in column if not isinstance(cell, str | list)]) | st.lists(
    plain_texts | st.none(), max_size=12
)


@settings(max_examples=60)
@given(tables(plain_names, plain_columns), st.sampled_from([".csv", ".tsv", ".parquet"]))
def test_any_table_written_out_and_read_back_is_the_same_catalogue(tmp_path_factory, table, ending):
    try:
        encoded = encode_table(table)
    except RatherError as error:
        assert_justified(error, table)
        return
    path = tmp_path_factory.mktemp("odd") / f"t{ending}"
    write_out(encoded, path)
    assert encode_table(path).catalog.content_hash == encoded.catalog.content_hash


@settings(max_examples=60)
@given(tables())
def test_the_settings_found_for_any_table_are_settings_again(tmp_path_factory, table):
    try:
        inspected = inspect_table(table)
    except RatherError as error:
        assert_justified(error, table)
        return
    path = tmp_path_factory.mktemp("odd") / "t.toml"
    spec = inspected.settings()
    path.write_text(settings_text(spec, "t.csv"), encoding="utf-8")
    again = read_settings(path)
    assert {name: column.kind for name, column in again.columns.items()} == {
        name: column.kind for name, column in spec.columns.items()
    }


@settings(max_examples=150)
@given(
    st.text(max_size=200)
    | st.text(alphabet='ab1;,|\t\n\r" .', max_size=200)
    | st.lists(st.lists(odd_texts, min_size=1, max_size=4), max_size=8).map(
        lambda rows: "\n".join(map(",".join, rows))
    ),
    st.sampled_from([".csv", ".tsv", ".jsonl", ".json"]),
)
def test_any_text_in_a_file(tmp_path_factory, text, ending):
    path = tmp_path_factory.mktemp("odd") / f"t{ending}"
    content = text.encode(errors="surrogatepass")
    path.write_bytes(content)
    try:
        encoded = encode_table(path)
    except RatherError as error:
        assert_file_justified(error, content, ending)
        return
    claim(encoded)


@given(st.binary(max_size=200), st.sampled_from([".csv", ".tsv", ".jsonl", ".parquet"]))
def test_any_bytes_in_a_file(tmp_path_factory, data, ending):
    path = tmp_path_factory.mktemp("odd") / f"t{ending}"
    path.write_bytes(data)
    try:
        encoded = encode_table(path)
    except RatherError as error:
        assert_file_justified(error, data, ending)
        return
    claim(encoded)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "t.csv is empty: it has neither a header nor rows"),
        ("t.csv", b"\n\t,\n", "t.csv has no header: its first 2 rows are blank"),
        ("t.csv", b"a,b", "it has only a header and no rows"),
        ("t.csv", b"a,b\n1,2", "it has only one row"),
        ("t.csv", b"1,2\n3,4\n", r"The first row of t\.csv holds numbers \(1, 2\); it must hold the columns' names"),
        ("t.csv", b"a,b\n1,2\n3\n", r"Row 3 of t\.csv .* has 1 fields where the header has 2"),
        ("t.csv", b"a,b\n\xff,2\n", "Line 2 of t.csv, column 'a', holds a byte .0xff. that is not UTF-8"),
        ("t.csv", b"a\0b\n", "t.csv is a binary file .byte 1 is zero."),
        ("t.jsonl", b'{"a": 1}\n{\n', r"Line 2 of t\.jsonl is not JSON"),
        ("t.jsonl", b"1\n2\n", "Each line must hold an object"),
        ("t.parquet", b"a,b\n1,2\n", "t.parquet is not a Parquet file"),
        ("t.parquet", b"PAR1" * 9, "t.parquet is damaged"),
    ],
)
def test_malformed_files_are_rejected(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(RatherError, match=message):
        encode_table(tmp_path / name, strict=True)
