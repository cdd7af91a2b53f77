"""`rather research`: studies of one's own catalogue."""

import json
import sys

import pytest

OWN = """
def first(problem):
    return problem.rows[: problem.k][None]


def blind(problem):
    return problem.random_slates(1)
"""


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    (tmp_path / "own_ways.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    sys.modules.pop("own_ways", None)


@pytest.fixture
def sweets(tmp_path):
    rows = [f"sweet {row},{row % 2},{row % 3},{10 * (row % 2) + row % 3}" for row in range(30)]
    path = tmp_path / "sweets.csv"
    path.write_text("\n".join(["name,nutty,sour,wins", *rows]))
    return path


def test_a_held_out_column_is_ranked_after_each_question(rather, sweets):
    options = ("--column", "wins", "--questions", "3", "--conversations", "4")
    report = json.loads(rather("research", "holdout", str(sweets), *options, "--json").out)
    assert report["column"] == "wins"
    assert [row["question"] for row in report["questions"]] == [0, 1, 2, 3]
    assert report["questions"][-1]["beaten"] > report["questions"][0]["beaten"]
    assert "4 conversations" in rather("research", "holdout", str(sweets), *options).out


@pytest.mark.usefixtures("own_module")
def test_a_strategy_of_ones_own_is_studied_as_well(rather, sweets):
    options = ("--column", "wins", "--questions", "1", "--conversations", "1", "--strategy", "own_ways:first")
    assert len(json.loads(rather("research", "holdout", str(sweets), *options, "--json").out)["questions"]) == 2
    names = ("--strategy", "own_ways:blind", "--strategy", "greedy")
    report = json.loads(rather("research", "first-questions", "films", "--k", "2", "--p", "1", *names, "--json").out)
    blind, greedy = report["questions"]
    assert blind["strategy"] == "own_ways:blind"
    assert 0 <= blind["evoi"] <= greedy["evoi"]


def test_a_column_that_does_not_exist_is_named(rather, sweets):
    assert "wims" in rather("research", "holdout", str(sweets), "--column", "wims", expect=2).err


def test_utilities_are_compared_on_people_held_out(rather, tmp_path):
    lines = [f"{user},{item},{5 - abs(item % 7 - user % 7)}" for user in range(24) for item in range(20)]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(["user_id,item_id,rating", *lines]))
    options = ("--people", "4", "--questions", "2", "--least", "3", "--most", "20")
    report = json.loads(rather("research", "utilities", str(path), *options, "--json").out)
    assert report["ratings"] == 20 * 20
    assert [each["method"] for each in report["utilities"]] == ["linear", "ideal-point", "network"]
    assert all(len(each["regret"]) == 3 and min(each["regret"]) >= 0 for each in report["utilities"])
    shown = rather("research", "utilities", str(path), *options).out
    assert "regret after 2" in shown
    assert "4 people. Regret: a person's highest rating" in shown
