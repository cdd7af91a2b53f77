"""`rather plan`, and `--plan` of the commands that follow one."""

import json

import pytest
from typer.testing import CliRunner

import rather
from rather import Plan
from rather.cli import app
from rather.errors import InvalidInputError

run = CliRunner().invoke
SMALL = ["--questions", "2", "--people", "300", "--least-share", "0.05"]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("plans") / "plan.json"
    result = run(app, ["plan", "films", *SMALL, "--out", str(path)], catch_exceptions=False)
    assert result.exit_code == 0
    assert "Expected regret" in result.stdout
    return path


def test_the_report_is_that_of_the_plan(file):
    result = run(app, ["plan", "films", *SMALL, "--json"], catch_exceptions=False)
    made = Plan.load(file)
    report = json.loads(result.stdout)
    assert report["key"] == made.key
    assert report["regret"]["planned_fresh"] == list(made.regret.planned_fresh)


def test_a_plan_may_end_early(file):
    result = run(app, ["plan", "films", *SMALL, "--least-gain", "100", "--json"], catch_exceptions=False)
    assert json.loads(result.stdout)["nodes"] == 0 < sum(bool(node.items) for node in Plan.load(file).root.walk())


def test_an_empty_plan_says_so():
    result = run(app, ["plan", "films", *SMALL, "--least-gain", "100"], catch_exceptions=False)
    assert "No question is worth planning for 300 people: the plan is empty." in " ".join(result.stdout.split())
    assert "-0.0" not in result.stdout


def test_a_plan_that_changes_nothing_says_so(tmp_path):
    few = tmp_path / "few.csv"
    few.write_text("name,price\nA,10\nB,20\nC,30\n", encoding="utf-8")
    result = run(app, ["plan", str(few), "--questions", "1", "--people", "150"], catch_exceptions=False)
    assert "the ones that would be chosen one by one" in " ".join(result.stdout.split())


def test_a_plan_may_ask_about_attributes(tmp_path):
    path, tree = tmp_path / "plan.json", tmp_path / "tree.html"
    given = ["films", *SMALL, "--ask", "attributes", "--out", str(path), "--tree", str(tree)]
    printed = run(app, ["plan", *given], catch_exceptions=False).stdout
    attributes = rather.open("films")[0].attributes
    first, second = (attributes[index].text for index in Plan.load(path).root.attributes)
    assert f"The first: {first} or {second}?" in printed
    assert f"{first} <em>or</em> {second}?" in tree.read_text(encoding="utf-8")
    asking = ["ask", "films", "--json", "--ask", "attributes", "--plan", str(path)]
    asked = json.loads(run(app, asking, input='{"quit": true}\n', catch_exceptions=False).stdout.splitlines()[0])
    assert [option["label"] for option in asked["options"]] == [first, second]
    with pytest.raises(InvalidInputError, match="add `--ask attributes`"):
        run(app, ["simulate", "films", "--plan", str(path)], catch_exceptions=False)


def test_trees_are_drawn(tmp_path):
    files = [tmp_path / "tree.svg", tmp_path / "tree.html"]
    trees = [part for path in files for part in ("--tree", str(path))]
    run(app, ["plan", "films", *SMALL, *trees, "--json"], catch_exceptions=False)
    assert files[0].read_text(encoding="utf-8").startswith("<svg")
    assert files[1].read_text(encoding="utf-8").startswith("<!doctype html>")


def test_ask_follows_the_plan(file):
    asked = run(app, ["ask", "films", "--json", "--plan", str(file)], input='{"quit": true}\n', catch_exceptions=False)
    first = json.loads(asked.stdout.splitlines()[0])
    assert [option["id"] for option in first["options"]] == list(Plan.load(file).root.items)


def test_simulate_compares_with_and_without(file):
    options = ["--plan", str(file), "--users", "4", "--questions", "2", "--json"]
    result = run(app, ["simulate", "films", *options], catch_exceptions=False)
    assert [each["policy"] for each in json.loads(result.stdout)["policies"]] == ["auto", "auto, planned first"]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--tree", "tree.png"], "--tree"),
        (["--leaving", "soon"], "--leaving"),
        (["--leaving", "9", "--questions", "3"], "`leaving`"),
        (["--out", "nowhere/plan.json"], "nowhere"),
    ],
)
def test_wrong_options_are_named(options, named):
    with pytest.raises(InvalidInputError, match=named):
        run(app, ["plan", "films", *options], catch_exceptions=False)


def test_a_plan_for_something_else_is_rejected(file):
    with pytest.raises(InvalidInputError, match="questions of 2 options"):
        run(app, ["simulate", "films", "--k", "3", "--plan", str(file)], catch_exceptions=False)
