"""Files and frames of every kind give the same columns; bad ones say what, where and what to do."""

import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rather import RatherError
from rather.formats.tables import encode_table
from rather.formats.tables.reading import read_table

TABLE = {
    "name": ["a", "b", "c", "d"],
    "price": [1.5, 2.0, None, 4.25],
    "doors": [2, 4, 4, 2],
    "fast": [True, False, False, True],
    "tags": [["x", "y"], ["y"], [], ["x"]],
}
CSV = "name,price,doors,fast,tags\na,1.5,2,true,x|y\nb,2,4,false,y\nc,,4,false,\nd,4.25,2,true,x\n"


def rejection(path, **options):
    with pytest.raises(RatherError) as raised:
        encode_table(path, **options)
    return str(raised.value)


def columns(raw):
    return {name: column.to_pylist() for name, column in raw.columns.items()}


def test_arrow_pandas_polars_parquet_and_json_lines_hold_the_same_columns(write, tmp_path):
    frame = {name: values for name, values in TABLE.items() if name != "tags"}
    expected = columns(read_table(pa.table(TABLE)))
    assert expected == TABLE
    pq.write_table(pa.table(TABLE), tmp_path / "t.parquet")
    lines = "\n".join(json.dumps(dict(zip(TABLE, row, strict=True))) for row in zip(*TABLE.values(), strict=True))
    assert columns(read_table(tmp_path / "t.parquet")) == expected
    assert columns(read_table(write("t.jsonl", lines))) == expected
    assert columns(read_table(write("t.json", f"[{lines.replace(chr(10), ',')}]"))) == expected
    assert columns(read_table(pl.DataFrame(TABLE))) == expected
    assert columns(read_table(TABLE)) == expected
    plain = {name: values for name, values in expected.items() if name != "tags"}
    assert columns(read_table(pd.DataFrame(frame))) == plain


def test_every_format_gives_the_same_catalogue(write, tmp_path):
    table = {**TABLE, "tags": [["x", "y"], ["y"], None, ["x"]]}
    pq.write_table(pa.table(table), tmp_path / "t.parquet")
    hashes = {
        encode_table(source).catalog.content_hash
        for source in (
            write("t.csv", CSV),
            write("t.tsv", CSV.replace(",", "\t")),
            write("semicolon.csv", CSV.replace(",", ";")),
            write("bar.csv", CSV.replace("|", "+").replace(",", "|").replace("+", ";")),
            write("bom.csv", "\ufeff" + CSV),
            write("windows.csv", CSV.replace("\n", "\r\n")),
            write("wide.csv", CSV.encode("utf-16")),
            tmp_path / "t.parquet",
            pl.DataFrame(table),
            pd.DataFrame(table),
            table,
        )
    }
    assert len(hashes) == 1


def test_a_pandas_index_is_a_column_and_objects_of_mixed_type_become_text():
    frame = pd.DataFrame({"x": [1, "two", None]}, index=pd.Index(["a", "b", "c"], name="key"))
    assert columns(read_table(frame)) == {"key": ["a", "b", "c"], "x": ["1", "two", None]}


def test_structs_and_json_objects_become_dotted_columns(write):
    raw = read_table(write("t.jsonl", '{"a": {"b": 1, "c": {"d": 2}}}\n{"a": {"b": 3}}\n'))
    assert columns(raw) == {"a.b": [1, 3], "a.c.d": [2, None]}
    assert columns(read_table(pa.table({"a": [{"b": 1}, {"b": 2}]}))) == {"a.b": [1, 2]}


def test_columns_that_cannot_be_held_are_named_with_the_reason():
    raw = read_table(pa.table({"x": [1, 2], "blob": [b"\x00", b"\x01"]}))
    assert list(raw.columns) == ["x"]
    assert "binary" in raw.skipped["blob"]


def test_quoted_line_breaks_and_delimiters_stay_in_their_cell(write):
    raw = read_table(write("t.csv", 'a,b\n"x, y\nz",1\n"he said ""no""",2\n'))
    assert columns(raw) == {"a": ["x, y\nz", 'he said "no"'], "b": ["1", "2"]}


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("", ["t.csv is empty"]),
        (" \n\n", ["t.csv is empty"]),
        ("a,b\n", ["only a header", "at least two"]),
        ("a,b\n1,2\n", ["only one row", "at least two"]),
        ("a,b,a\n1,2,3\n4,5,6\n", ["Columns 1 and 3", "'a'"]),
        ("a,b\n1,2\n3,4,5\n6,7\n", ["Row 3", "3 fields", "header has 2", "'3,4,5'", "double quotes"]),
        ("a,b\n1,2\n3\n", ["Row 3", "1 fields"]),
        ("1,2\n3,4\n5,6\n", ["first row", "columns' names"]),
        (b"name,x\nok,1\ncaf\xe9,2\n", ["Line 3", "'name'", "0xe9", "cp1252"]),
        (b"\x00\x01\x02\x03" * 50, ["binary"]),
        (b"PK\x03\x04rest", ["spreadsheet", "CSV"]),
        (b"\x1f\x8brest", ["gzip"]),
        (b"PAR1rest", [".parquet"]),
    ],
)
def test_a_bad_csv_says_what_where_and_what_to_do(content, parts, write):
    message = rejection(write("t.csv", content), strict=True)
    assert all(part in message for part in parts), message


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ('{"a": 1}\n{"a": \n', ["Line 2", "not JSON"]),
        ('{"a": 1}\n[1, 2]\n', ["object 2", "must hold an object"]),
        ("", ["empty"]),
        (b'{"a": "caf\xe9"}\n', ["Line 1", "0xe9"]),
        ("[" * 100_000, ["Line 1"]),
    ],
)
def test_bad_json_lines_say_what_and_where(content, parts, write):
    message = rejection(write("t.jsonl", content), strict=True)
    assert all(part in message for part in parts), message


ENCODED = {
    "cp1252": "Größe;Preis\nfür Straße;5 €\nweiß;1.299,00 €\n",
    "latin-1": "Año;Descripción\n2020;Niño pequeño\n2021;sí\n",
    "iso8859-15": "Modèle;Prix\nVélo élégant;5 €\nTrès léger;7 €\n",
    "cp1250": "Název;Cena\nŽlutý kůň;5 Kč\nPříliš žluťoučký;7 Kč\n",
    "cp1251": "Название;Цена\nСтол деревянный;1500\nСтул красный;700\n",
    "shift_jis": "名前;価格\n青い自転車;15000円\n赤い椅子;7000円\n",
    "utf-8": "Größe;Preis\nfür Straße;5 €\nweiß;1.299,00 €\n",
}


@pytest.mark.parametrize("encoding", ENCODED)
def test_the_encoding_of_a_file_is_found_and_stated(encoding, write):
    text = ENCODED[encoding]
    raw = read_table(write("t.csv", text.encode(encoding)))
    assert [*raw.columns] == text.splitlines()[0].split(";")
    assert [column[1].as_py() for column in raw.columns.values()] == text.splitlines()[2].split(";")
    assert bool(raw.repairs) == (encoding != "utf-8")


def test_the_encoding_of_json_lines_is_found_and_stated(write):
    raw = read_table(write("t.jsonl", '{"a": "café"}\n{"a": "thé"}\n'.encode("cp1252")))
    assert raw.columns["a"].to_pylist() == ["café", "thé"]
    assert raw.repairs


def test_a_given_encoding_and_delimiter_are_used(write):
    path = write("t.csv", "name#x\ncafé#1\nthé#2\n".encode("cp1252"))
    raw = read_table(path, delimiter="#", encoding="cp1252")
    assert columns(raw) == {"name": ["café", "thé"], "x": ["1", "2"]}


def test_a_wrong_delimiter_or_encoding_is_named(write):
    path = write("t.csv", "a;b\n1;2\n3;4\n")
    assert "holds a semicolon" in rejection(path, settings={"table": {"delimiter": ","}})
    assert "single character" in rejection(path, settings={"table": {"delimiter": "ab"}})
    assert "'nope' does not exist" in rejection(path, settings={"table": {"encoding": "nope"}})


def test_a_file_that_is_too_large_is_rejected_with_a_way_out(write):
    path = write("t.csv", CSV)
    message = rejection(path, most_megabytes=10 / 1e6)
    assert "more than the limit of 0 MB" in message
    assert "most_megabytes = 1" in message
    assert "t.toml" in message
    assert "Parquet" in message
    write("t.toml", "[table]\nmost_megabytes = 0.00001\n")
    assert "more than the limit of 0 MB" in rejection(path)
    assert len(encode_table(path, most_megabytes=1).catalog) == 4
    write("t.toml", "[table]\nmost_megabytes = 1\n")
    assert len(encode_table(path).catalog) == 4


def test_parquet_is_measured_unpacked(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": pa.array(range(100_000)), "y": pa.array([0.5] * 100_000)}), path, compression="zstd")
    assert "more than the limit" in rejection(path, most_megabytes=path.stat().st_size / 1e6 * 1.01)


def test_what_is_no_table_is_rejected(tmp_path, write):
    assert "There is no file" in rejection(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    assert "is a folder" in rejection(tmp_path / "folder.csv")
    assert "must end in the format of a table: .csv" in rejection(write("t.xlsx", "x"))
    assert "not a Parquet file" in rejection(write("t.parquet", "x"))
    assert "damaged" in rejection(write("u.parquet", b"PAR1" + b"\x07" * 100 + b"PAR1"))
    assert "got int" in rejection(3)
    assert "collect()" in rejection(pl.LazyFrame({"a": [1, 2]}))
    assert "must have the same length" in rejection({"a": [1, 2], "b": [1]})
