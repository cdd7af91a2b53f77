"""What docs/guides/tables.md shows is what the code takes."""

import re
import tomllib
from pathlib import Path

import pytest

from rather.formats.tables import encode_table
from rather.formats.tables.column_kinds import SAME_RANKING, ColumnKind
from rather.formats.tables.reading import MOST_MEGABYTES
from rather.formats.tables.settings import COLUMN_KEYS, TABLE_KEYS, load_settings

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "guides" / "tables.md").read_text(encoding="utf-8")


def block(language):
    return re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[1]


def test_the_settings_shown_are_settings_and_none_of_the_table_is_left_out():
    spec = load_settings(tomllib.loads(block("toml")))
    assert spec.columns["price_usd"].buckets == (20000, 30000, 45000)
    assert all(f"{key} = " in block("toml") for key in TABLE_KEYS)
    assert set(COLUMN_KEYS) - {"missing", "separator"} <= set(re.findall(r"^(\w+) =", block("toml"), re.MULTILINE))


def test_every_kind_is_explained_and_the_limits_are_the_code_s():
    assert re.findall(r"^\| `([a-z/]+)` \|", PAGE, re.MULTILINE) == [kind.value for kind in ColumnKind]
    assert f"more than {MOST_MEGABYTES} MB" in PAGE
    assert f"{SAME_RANKING} or more" in PAGE


@pytest.mark.parametrize(
    "expression",
    [
        part
        for line in re.search(r"## Must-haves.*?```text\n(.*?)```", PAGE, re.DOTALL)[1].splitlines()
        for part in re.split(r"\s{3,}", line)
        if re.search(r"[<>=]\s|\bin\b|missing$|\band\b", part)
        and not re.search(r"<,|missing value|a year|spaces", part)
    ],
)
def test_every_expression_shown_is_understood(expression):
    table = {
        "price": [12, 19, 30, 15],
        "drive": ["AWD", "4WD", "FWD", "AWD"],
        "genres": ["comedy|drama", "drama", "comedy", "drama|crime"],
        "model": ["turbo 1", "turbo 2", "plain 1", "plain 2"],
        "electric": ["yes", "no", "no", "yes"],
        "hybrid": ["no", "yes", "no", "no"],
        "built": ["2020-01-01", "2023-01-01", "2022-07-01", "2021-01-01"],
        "top speed": [150, 210, 250, 180],
        "range": [100, None, 300, 200],
    }
    catalog = encode_table(table, {"columns": {"drive": {"kind": "category"}, "genres": {"kind": "tags"}}}).catalog
    assert 0 < int(catalog.where(expression).sum()) <= 4
