"""`rather inspect`, and commands pointed at a table."""

import io
import json
import subprocess
import sys

import pytest

from cars import CARS
from rather.__main__ import main
from rather.formats.tables import encode_table


@pytest.fixture
def rather(monkeypatch, capsys):
    """Runs a command in this process; returns what it printed."""

    def run(*arguments, stdin="", expect=0):
        monkeypatch.setenv("COLUMNS", "140")
        monkeypatch.setattr(sys, "argv", ["rather", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        try:
            code = main() or 0
        except SystemExit as ended:
            code = ended.code or 0
        printed = capsys.readouterr()
        assert code == expect, printed.err
        return printed

    return run


def test_it_shows_every_column_and_writes_the_settings(rather, write):
    path = write("cars.csv", CARS)
    out = rather("inspect", path).out
    assert "10 rows, 10 columns" in out
    for part in ("price_usd", "18,000 USD", "50%", "learn (3 values)", "names the rows", "image", "Written: cars.toml"):
        assert part in out
    settings = path.with_suffix(".toml").read_text()
    assert settings.startswith("# How `rather` reads cars.csv.")
    assert '[columns."price_usd"]\nrole = "use"\nkind = "price"\nname = "price"\nunit = "USD"\n' in settings


def test_the_settings_it_writes_change_nothing(rather, write):
    path = write("cars.csv", CARS)
    before = encode_table(path)
    rather("inspect", path)
    after = encode_table(path)
    assert after.catalog.content_hash == before.catalog.content_hash
    assert list(after.catalog.facts) == list(before.catalog.facts)
    assert after.settings == before.settings


def test_settings_that_are_there_are_followed_and_kept_unless_forced(rather, write):
    path = write("cars.csv", CARS)
    mine = '[columns.price_usd]\nname = "cost"\n'
    settings = write("cars.toml", mine)
    out = rather("inspect", path, "--json").out
    assert json.loads(out)["settings_written"] is False
    assert settings.read_text() == mine
    assert {column["column"]: column["name"] for column in json.loads(out)["columns"]}["price_usd"] == "cost"
    rather("inspect", path, "--force")
    assert 'name = "price"' in settings.read_text()


def test_json_holds_what_was_found_and_no_write_leaves_no_file(rather, write):
    path = write("cars.csv", CARS)
    report = json.loads(rather("inspect", path, "--json", "--no-write").out)
    assert not path.with_suffix(".toml").exists()
    assert (report["rows"], report["id"], report["label"], report["settings"]) == (10, "id", "model", None)
    columns = {column["column"]: column for column in report["columns"]}
    assert columns["range_km"] == {
        "column": "range_km",
        "kind": "number",
        "role": "use",
        "used": f"learn ({len(columns['range_km']['buckets']) + 1} ranges)",
        "name": "range",
        "unit": "km",
        "direction": "depends",
        "buckets": columns["range_km"]["buckets"],
        "missing": 0.5,
        "different": 5,
        "examples": ["320 km", "210 km", "480 km"],
        "note": "",
        "repairs": [],
        "problem": "",
    }
    assert columns["extras"]["kind"] == "tags"
    assert columns["photo"]["kind"] == "image"


def test_pairs_whose_worth_is_joint_are_shown_and_those_that_are_left_out_named(rather, write):
    path = write("laptops.csv", "id,weight,use,note\nL1,1.0,gaming,a\nL2,1.5,office,b\nL3,2.0,gaming,c\n")
    pairs = 'interactions = [["weight", "use"], ["weight", "note"]]'
    path.with_suffix(".toml").write_text(f'[table]\n{pairs}\n[columns.note]\nrole = "show"\n')
    sentence = "weight and note: their interaction is left out, because 'note' is not learned from."
    found = json.loads(rather("inspect", path, "--json").out)
    assert (found["interactions"], found["interactions_left_out"]) == ([["weight", "use"]], [sentence])
    out = rather("inspect", path).out
    assert "Joint worth: weight × use.\n" in out
    assert sentence in out


def test_an_odd_value_is_reported_and_with_strict_a_problem(rather, write):
    rows = "".join(f"{index},{index % 4},n{index}\n" for index in range(20))
    path = write("t.csv", f"size,doors,name\n{rows}large,3,n\n")
    report = json.loads(rather("inspect", path, "--json", "--force").out)
    size = next(column for column in report["columns"] if column["column"] == "size")
    assert size["repairs"] == ["1 value is not a number and counts as missing: 'large'"]
    assert size["problem"] == ""
    assert "# 1 value is not a number and counts as missing: 'large'" in path.with_suffix(".toml").read_text()
    assert "1 value is not a number" in rather("inspect", path).out
    report = json.loads(rather("inspect", path, "--json", "--force", "--strict").out)
    size = next(column for column in report["columns"] if column["column"] == "size")
    assert "row 21 below the header" in size["problem"]
    assert size["used"] == "cannot be used"
    assert "# row 21 below the header" in path.with_suffix(".toml").read_text()
    assert len(encode_table(path, strict=True).catalog) == 21  # the next run works


def test_mistakes_end_in_one_line(rather, write, tmp_path):
    assert rather("inspect", tmp_path / "none.csv", expect=2).err.startswith("Error: There is no file")
    assert "Traceback" not in rather("inspect", write("t.csv", "a,b\n"), expect=2).err


def test_it_needs_no_torch(write):
    script = "import sys; sys.argv = ['rather', 'inspect', sys.argv[1], '--json']\nfrom rather.cli import app\n"
    script += "try:\n    app()\nexcept SystemExit:\n    pass\nprint('torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script, write("cars.csv", CARS)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip().endswith("False")


def test_ask_takes_a_table_with_filter_expressions(rather, write):
    path = write("cars.csv", CARS)
    out = rather(
        "ask", path, "--json", "--where", "drive == 'AWD'", "--strategy", "greedy", stdin='{"choice": 0}\n'
    ).out
    first = json.loads(out.splitlines()[0])
    assert {option["id"] for option in first["options"]} <= {2, 3, 8, 10}
    end = json.loads(out.splitlines()[-1])
    assert {item["id"] for item in end["recommendations"]} == {2, 3, 8, 10}


@pytest.mark.parametrize(
    ("expression", "part"),
    [
        ("price_usd > 1e9", "none satisfies"),
        ("price_usd > 50000", "1 satisfies"),
        ("prize > 3", "did you mean 'price'"),
    ],
)
def test_filter_expressions_that_leave_nothing_to_ask_are_rejected(expression, part, rather, write):
    error = rather("ask", write("cars.csv", CARS), "--json", "--where", expression, expect=2).err
    assert part in error
