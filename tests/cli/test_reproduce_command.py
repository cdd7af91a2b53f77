"""`rather reproduce` with a tiny experiment of one's own."""

import json
import sys

import pytest

from rather.research.experiments.spec import KIND_NAMES

TINY = """
title = "A tiny experiment"
figure = "Fig. 0"
kind = "conversations"
trials = 2
methods = ["greedy", "random"]
population = { source = "gaussian", items = 30, particles = 10, dimensions = 3 }
parameters = { k = 2, questions = 2, users = 3, temperature = 0.1 }

[[paper]]
measure = "regret"
question = 0
value = 1.0

[quick]
trials = 1
"""


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    return path


@pytest.fixture
def run(rather, spec, tmp_path):
    def reproduce(*options):
        return rather("reproduce", str(spec), "--out", str(tmp_path / "results"), *options)

    return reproduce


def test_the_figure_is_drawn_and_named(run, tmp_path):
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    printed = run().out
    figure = tmp_path / "results" / "tiny" / "tiny.svg"
    assert f"figures: {figure}" in printed
    assert "mean regret" in figure.read_text()
    assert f"results: {tmp_path / 'results' / 'tiny' / 'trials.jsonl'}" in printed
    assert "The paper's numbers beside ours" in printed


def test_without_matplotlib_one_line_says_which_extra_draws_it(run, monkeypatch):
    monkeypatch.setattr("rather.extras.find_spec", lambda module: None)
    printed = run()
    assert printed.err.splitlines() == ["Drawing a figure needs an extra: pip install 'rather[plots]'"]
    assert "figures:" not in printed.out
    assert "Mean regret after each question" in printed.out


def test_a_quick_run_is_not_compared_with_the_paper(run):
    assert "paper" in run().out.replace("of the paper)", "")
    quick = run("--quick")
    assert "its numbers mean nothing" in quick.out
    assert "paper" not in quick.out.replace("of the paper)", "")
    assert json.loads(run("--quick", "--json").out)["paper"] == []


def test_the_seed_changes_the_trials_and_stands_in_the_command(run):
    first, again, other = (json.loads(run("--json", *seed).out) for seed in ((), ("--seed", "0"), ("--seed", "1")))
    assert (first["seed"], again["seed"], other["seed"]) == (0, 0, 1)
    assert other["command"].endswith("tiny.toml --seed 1")
    assert [row["mean"]["regret"] for row in first["rows"]] == [row["mean"]["regret"] for row in again["rows"]]
    assert [row["mean"]["regret"] for row in first["rows"]] != [row["mean"]["regret"] for row in other["rows"]]


def test_json_holds_all_that_the_tables_show(run, tmp_path):
    report = json.loads(run("--json").out)
    assert (report["experiment"], report["title"], report["trials"]) == ("tiny", "A tiny experiment", 2)
    assert [row["method"] for row in report["rows"]] == ["greedy", "random"]
    [compared] = report["paper"]
    assert compared["paper"]["value"] == 1.0
    assert compared["ours"] == report["rows"][0]["mean"]["regret"][0]
    assert report["results"][0] == str(tmp_path / "results" / "tiny" / "trials.jsonl")


def test_the_list_of_experiments_as_json(rather):
    listed = json.loads(rather("reproduce", "list", "--json").out)
    assert listed[0]["name"] == "synthetic"
    assert {experiment["kind"] for experiment in listed} == set(KIND_NAMES)
    table = rather("reproduce", "list").out
    assert all(experiment["name"] in table for experiment in listed)


def test_the_plot_of_a_host_program_is_left_alone(run):
    mpl = pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    before = dict(mpl.rcParams)
    run()
    assert dict(mpl.rcParams) == before
    assert "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()
