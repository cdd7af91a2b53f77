"""`rather research`: studies of one's own catalogue."""

import itertools
import json
import sys
import tomllib

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


LAPTOPS = list(itertools.product((1.0, 1.5, 2.0, 2.5), ("gaming", "office"), ("Ada", "Bel", "Cor")))


@pytest.fixture
def laptops(tmp_path):
    """A table, and ratings by which heavy laptops are better for gaming and light ones for the office."""
    rows = [f"L{row},{','.join(map(str, laptop))}" for row, laptop in enumerate(LAPTOPS)]
    (tmp_path / "laptops.csv").write_text("\n".join(["id,weight,use,maker", *rows]))
    lines = [
        f"{user},L{row},{3 + (1 if use == 'gaming' else -1) * (weight - 1.75) + 0.2 * ((7 * user + 3 * row) % 5 - 2)}"
        for user in range(30)
        for row, (weight, use, _) in enumerate(LAPTOPS)
        if (user + row) % 2
    ]
    (tmp_path / "ratings.csv").write_text("\n".join(["user_id,item_id,rating", *lines]))
    return tmp_path / "laptops.csv", tmp_path / "ratings.csv"


def test_a_joint_worth_is_found_and_its_settings_can_be_pasted(rather, laptops):
    table, ratings = map(str, laptops)
    report = json.loads(rather("research", "interactions", table, ratings, "--json").out)
    first, *others = report["pairs"]
    assert first["columns"] == ["use", "weight"]
    assert first["worth_declaring"]
    assert first["gain"] > 2 * first["gain_error"] > 0
    assert not any(pair["worth_declaring"] for pair in others)
    shown = rather("research", "interactions", table, ratings).out
    assert "use × weight" in shown
    assert report["settings"] in shown
    laptops[0].with_suffix(".toml").write_text(report["settings"])
    again = json.loads(rather("research", "interactions", table, ratings, "--json").out)
    assert ["use", "weight"] not in [pair["columns"] for pair in again["pairs"]]
    assert again["settings"] is None
    assert "nothing to declare" in rather("research", "interactions", table, ratings).out


def test_what_is_declared_stays_in_the_settings_to_paste(rather, laptops):
    table, ratings = map(str, laptops)
    laptops[0].with_suffix(".toml").write_text('[table]\ninteractions = [["maker", "use"]]')
    settings = json.loads(rather("research", "interactions", table, ratings, "--json").out)["settings"]
    assert tomllib.loads(settings) == {"table": {"interactions": [["maker", "use"], ["use", "weight"]]}}


def test_ratings_of_other_items_are_rejected_in_a_line(rather, laptops, sweets):
    error = rather("research", "interactions", str(sweets), str(laptops[1]), expect=2).err
    assert "`ratings` must be about items of the table: of 24 items it has 0." in error
    assert "Traceback" not in error
