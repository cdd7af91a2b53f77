"""Whatever is in a table, it becomes a catalogue or an error meant for people; never anything else."""

import math

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
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
kinds = st.sampled_from(["id", "label", "number", "degree", "yes/no", "category", "tags", "date", "text", "image"])
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
@given(tables())
def test_any_columns(table):
    try:
        encoded = encode_table(table)
    except RatherError:
        return
    claim(encoded)


@settings(max_examples=100)
@given(tables(), st.data())
def test_any_columns_with_any_settings(table, data):
    told = data.draw(st.dictionaries(st.sampled_from(sorted(table) or ["x"]), column_settings, max_size=3))
    try:
        encoded = encode_table(table, {"columns": told})
    except RatherError:
        return
    claim(encoded)


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
    except RatherError:
        return
    path = tmp_path_factory.mktemp("odd") / f"t{ending}"
    write_out(encoded, path)
    assert encode_table(path).catalog.content_hash == encoded.catalog.content_hash


@settings(max_examples=60)
@given(tables())
def test_the_settings_found_for_any_table_are_settings_again(tmp_path_factory, table):
    try:
        inspected = inspect_table(table)
    except RatherError:
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
    path.write_bytes(text.encode(errors="surrogatepass"))
    try:
        encoded = encode_table(path)
    except RatherError:
        return
    claim(encoded)


@given(st.binary(max_size=200), st.sampled_from([".csv", ".tsv", ".jsonl", ".parquet"]))
def test_any_bytes_in_a_file(tmp_path_factory, data, ending):
    path = tmp_path_factory.mktemp("odd") / f"t{ending}"
    path.write_bytes(data)
    try:
        claim(encode_table(path))
    except RatherError:
        return
