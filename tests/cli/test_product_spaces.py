"""Commands that are pointed at a product space."""

import json

import pytest

DESK = """\
[space]
name = "desk"
verb = "work at"
rules = [
    "width > 160 implies frame != 'crank'",
    "frame != 'swinging'",
    "price <= 5000",
]
interactions = [["top", "width"]]

[options.top]
values = { laminate = {}, bamboo = { price = 80 }, oak = { price = 260 } }

[options.frame]
values = { fixed = {}, crank = { price = 150 }, electric = { price = 280 }, swinging = { price = 9 } }

[ranges.width]
from = 120
to = 200
step = 20
unit = "cm"
adds = { price = 2 }

[extras.lamp]
adds = { price = 40 }

[totals.price]
base = 150
unit = "EUR"
direction = "less"
"""


@pytest.fixture
def desk(tmp_path):
    path = tmp_path / "desk.toml"
    path.write_text(DESK, encoding="utf-8")
    return path


def test_inspect_shows_columns_counts_and_rules(rather, desk):
    # 3 tops, 2 lamps; fixed and electric in 5 widths, crank in 3.
    words = " ".join(rather("inspect", desk).out.split())
    assert "desk.toml: 78 valid configurations of 120 combinations of values" in words
    assert "390 to 1,130 EUR" in words
    assert "120 cm to 200 cm (5 values) price +240 to +400" in words
    assert "never in a valid configuration: swinging" in words
    assert "5 width > 160 implies frame != 'crank' 12" in words
    assert "6 frame != 'swinging' 30" in words
    assert "7 price <= 5000 nothing" in words
    assert "Joint worth: top and width." in words


def test_inspect_tells_programs_the_same(rather, desk):
    report = json.loads(rather("inspect", desk, "--json").out)
    assert (report["configurations"], report["combinations"]) == (78, 120)
    assert [(each["line"], each["excludes"]) for each in report["rules"]] == [(5, 12), (6, 30), (7, 0)]
    columns = {column["column"]: column for column in report["columns"]}
    assert list(columns) == ["top", "frame", "width", "lamp", "price"]
    assert columns["frame"]["never"] == ["swinging"]
    assert columns["lamp"]["values"] == ["no", "yes"]
    assert columns["lamp"]["adds"] == {"price": [0, 40]}
    assert columns["price"]["bounds"] == [390, 1130]
    assert report["diagram"]["layers"] == 4


def test_inspect_previews_questions(rather, desk):
    out = rather("inspect", desk, "--questions").out
    assert "What a simulated user was asked about desk.toml" in out
    assert "15. Would you rather work at a desk" in out


def test_a_bundled_space_has_a_readable_number_of_configurations(rather):
    assert "1.1 trillion (1,087,369,280,520) valid configurations" in rather("inspect", "laptop").out


@pytest.mark.parametrize("option", [("--force",), ("--strict",), ("--most-megabytes", "3")])
def test_inspect_rejects_what_has_no_meaning(rather, desk, option):
    assert f"`{option[0]}` must be left out" in rather("inspect", desk, *option, expect=2).err


def test_must_haves_are_rules(rather, desk):
    out = rather("ask", desk, "--json", "--where", "top == 'oak' and not lamp", stdin='{"choice": 0}\n').out
    lines = [json.loads(line) for line in out.splitlines()]
    shown = [option["id"] for line in lines for option in line.get("options", line.get("recommendations", []))]
    assert shown
    assert all(id.startswith("oak/") and id.endswith("/no") for id in shown)


def test_a_small_space_is_published_with_what_it_can_be_filtered_by(rather, desk, tmp_path):
    report = json.loads(rather("publish", desk, tmp_path / "site", "--json").out)
    assert report["items"] == 78


def test_a_large_one_is_not(rather, tmp_path):
    error = rather("publish", "bicycle", tmp_path / "site", expect=2).err
    assert "bicycle has 657,622,176 items, and a published page holds at most 20,000" in " ".join(error.split())


def test_commands_for_tables_say_that_it_is_none(rather, desk):
    error = rather("research", "holdout", desk, "--column", "price", expect=2).err
    assert "This needs a table; desk.toml is a product space or holds settings." in error
