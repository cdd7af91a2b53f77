"""The command line as a user meets it."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rather import cli

ENVIRONMENT = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}


@pytest.fixture
def program(rather):
    """Plays `rather ask films --json` with a list of commands; returns what was said."""

    def play(*arguments, commands):
        lines = "".join(json.dumps(command) + "\n" for command in commands)
        return [json.loads(line) for line in rather("ask", "films", "--json", *arguments, stdin=lines).out.splitlines()]

    return play


def test_help_does_not_import_torch():
    script = "import sys; sys.argv = ['rather', '--help']\nfrom rather.cli import app\n"
    script += "try:\n    app()\nexcept SystemExit:\n    pass\nprint('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=ENVIRONMENT, check=True)
    assert done.stdout.strip().endswith("False")


@pytest.mark.parametrize("command", ["demo", "ask", "simulate", "research first-questions", "research holdout"])
def test_every_command_has_help_with_an_example(command, rather):
    assert f"rather {command}" in rather(*command.split(), "--help").out


def test_everyday_commands_come_before_those_for_research(rather):
    everyday, research = rather("--help").out.split("─ Research ─")
    listed = [line.split()[1] for line in everyday.split("─ Commands ─")[1].splitlines() if line.startswith("│ ")]
    assert [name for name in listed if name.isalpha() and name.islower()][:4] == ["demo", "ask", "serve", "inspect"]
    for name in ("simulate", "bench", "reproduce", "research", "data"):
        assert f"│ {name} " in research
    assert "holdout" not in everyday + research


def test_bench_measures_the_service_under_load(rather):
    pytest.importorskip("fastapi", reason="the extra `serve` is not installed")
    arguments = ("--users", "2", "--seconds", "3", "--think-seconds", "0.3", "--json")
    report = json.loads(rather("bench", "--serve", *arguments).out)
    assert report["answers"] > 0
    assert report["errors"] == {}


def test_strategies_lists_every_strategy(rather):
    from rather.strategies import ATTRIBUTE_STRATEGIES, STRATEGIES

    listed = json.loads(rather("strategies", "--json").out)
    expected = [(name, "items") for name in STRATEGIES] + [(name, "attributes") for name in ATTRIBUTE_STRATEGIES]
    assert [(row["name"], row["asks"]) for row in listed] == expected
    table = rather("strategies").out
    assert all(name in table for name, _ in expected)


def test_demo_without_a_terminal_plays_a_whole_conversation(rather):
    text = rather("demo").out
    assert "Question 1: would you rather" in text
    assert "Done after" in text


def test_ask_without_a_terminal_records_nothing_and_says_why(rather):
    assert "needs a person at a terminal" in rather("ask", "films", stdin="1\n1\n", expect=2).err


def test_a_program_can_answer(program):
    said = program(commands=[{"choice": 0}, {"choice": "skip"}, {"undo": True}, {"choice": "none"}, {"quit": True}])
    questions = [message for message in said if message["type"] == "question"]
    assert [question["number"] for question in questions] == [1, 2, 3, 2, 3]
    assert questions[1] == questions[3]
    assert said[-1]["type"] == "end"
    assert said[-1]["answers"] == 2


def test_a_program_can_give_hints(program):
    funny, unknown = ({"says": "want", "attribute": text} for text in ("funny", "purple"))
    said = program(commands=[{"hint": funny}, {"hint": unknown}, {"hint": "louder"}, {"undo": True}, {"quit": True}])
    assert [message["number"] for message in said if message["type"] == "question"] == [1] * 5
    assert sum(message["type"] == "error" for message in said) == 2
    assert said[-1]["answers"] == 0


def test_a_program_reads_what_was_wrong_and_is_asked_again(program):
    said = program(commands=[{"choice": 9}, {"chose": 1}, {"choice": 0, "number": 7}, {"undo": True}])
    errors = [message["message"] for message in said if message["type"] == "error"]
    assert len(errors) == 4
    assert "0..1" in errors[0]
    assert said[-1]["answers"] == 0


def test_a_saved_conversation_continues_where_it_stopped(tmp_path, program):
    kept = tmp_path / "evening.json"
    whole = program(commands=[{"choice": 0}, {"choice": 1}])
    program("--save", str(kept), commands=[{"choice": 0}])
    resumed = program("--resume", str(kept), commands=[{"choice": 1}])
    assert [m for m in resumed if m["type"] == "question"] == [m for m in whole if m["type"] == "question"][1:]
    assert len(json.loads(kept.read_text())["events"]) == 2


def test_a_saved_conversation_goes_on_when_the_table_has_changed(tmp_path, rather):
    table, kept = tmp_path / "pens.csv", tmp_path / "evening.json"
    lines = ["name,price,colour", *(f"pen {row},{10 + 3 * row},{('red', 'blue')[row % 2]}" for row in range(12))]
    table.write_text("\n".join(lines))
    rather("ask", table, "--json", "--save", kept, stdin='{"choice": 0}\n{"quit": true}\n')
    shown = [option["label"] for option in json.loads(kept.read_text())["events"][0]["shown"]["options"]]
    table.write_text("\n".join(line for line in lines if not line.startswith(f"{shown[0]},")))
    resumed = rather("ask", table, "--json", "--resume", kept, stdin='{"choice": 0}\n{"quit": true}\n')
    assert "The catalogue has changed since this conversation began" in resumed.err
    assert f"No longer there: {shown[0]}." in resumed.err
    assert len(json.loads(kept.read_text())["events"]) == 2
    table.write_text("\n".join(["name,colour", *(",".join(line.split(",")[::2]) for line in lines[1:])]))
    assert "the column 'price' is gone" in rather("ask", table, "--json", "--resume", kept, expect=2).err


def test_a_file_that_is_no_log_is_rejected(tmp_path, rather):
    other = tmp_path / "other.json"
    other.write_text("{}")
    assert "not a session log" in rather("ask", "--json", "--resume", str(other), expect=2).err
    assert "Cannot read" in rather("ask", "--json", "--resume", str(tmp_path / "none"), expect=2).err


def test_simulate_compares_strategies_on_the_same_users(rather):
    report = json.loads(
        rather(
            "simulate", "films", "--strategy", "random", "--strategy", "query-iteration", "--users", "3",
            "--questions", "2", "--json",
        ).out
    )  # fmt: skip
    first, second = report["policies"]
    assert first["regret"][0] == second["regret"][0]
    assert len(first["regret"]) == 3
    assert len(first["question_seconds"]) == len(first["answer_seconds"]) == 2


def test_simulate_writes_a_row_for_every_question(tmp_path, rather):
    path = tmp_path / "rows.csv"
    rather("simulate", "--strategy", "random", "--users", "2", "--questions", "3", "--csv", str(path))
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["policy"], row["user"], row["questions"]) for row in rows] == [
        ("random", user, number) for user in "01" for number in "0123"
    ]
    assert all(float(row["regret"]) >= 0 for row in rows)
    assert [row["evoi"] == "" for row in rows] == [True, False, False, False] * 2


def test_simulate_draws_a_plot(tmp_path, rather):
    pytest.importorskip("matplotlib")
    plot = tmp_path / "out.png"
    text = rather("simulate", "--strategy", "random", "--users", "2", "--questions", "2", "--plot", str(plot)).out
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert "Mean regret" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ask", "nofilms", "--json"), "nofilms"),
        (("simulate", "films", "--strategy", "wizard"), "wizard"),
        (("simulate", "films", "--k", "1"), "2"),
        (("simulate", "films", "--k", "5000", "--users", "1"), "`k` must be"),
        (("ask", "films", "--json", "--temperature", "-1"), "temperature"),
        (
            ("simulate", "films", "--plot", "out.gif", "--users", "1", "--questions", "1", "--strategy", "random"),
            ".png",
        ),
    ],
)
def test_a_mistake_ends_in_a_message_that_names_it(arguments, message, rather):
    assert message in rather(*arguments, expect=2).err


@pytest.mark.parametrize("kind", ["auto", "exact", "shortlist"])
def test_a_retriever_is_chosen_by_name(rather, kind):
    said = rather("ask", "films", "--json", "--retriever", kind, stdin='{"quit": true}\n').out.splitlines()
    assert json.loads(said[0])["type"] == "question"


def test_an_unknown_retriever_is_rejected_with_the_known_ones(rather):
    assert "There are: auto, exact, shortlist" in rather("ask", "films", "--json", "--retriever", "fast", expect=2).err
    assert "There are: auto, exact" in rather("simulate", "films", "--users", "1", "--retriever", "fast", expect=2).err


def test_a_cached_question_is_asked_again_unless_the_cache_is_off(rather, monkeypatch, tmp_path):
    from rather import Policy

    monkeypatch.setenv("RATHER_CACHE", str(tmp_path / "cache"))
    chosen, compute = [], Policy.question
    monkeypatch.setattr(Policy, "question", lambda *arguments: chosen.append(1) or compute(*arguments))
    quit = '{"quit": true}\n'
    first, second = (rather("ask", "films", "--json", stdin=quit).out for _ in range(2))
    assert first == second
    assert len(chosen) == 1
    assert rather("ask", "films", "--json", "--no-cache", stdin=quit).out == first
    assert len(chosen) == 2


def test_a_few_ratings_are_learnt_from_although_nothing_can_be_measured(rather, tmp_path):
    rows = [f"{user},{item},{1 + (user * item) % 5}\n" for user in range(40) for item in range(1, 6)]
    (tmp_path / "ratings.csv").write_text("user,item,rating\n" + "".join(rows))
    printed = rather("learn", "ratings", tmp_path / "ratings.csv", "--out", tmp_path / "v.npz", "--held-out", "0.5")
    assert "nothing is measured" in printed.out + printed.err
    assert "5 items, 40 users" in printed.out + printed.err


def test_examples_in_the_help_fit_a_terminal_of_80_columns():
    """A command that is wrapped cannot be copied."""
    files = Path(cli.__file__).parent.glob("*.py")
    examples = [line for file in files for line in file.read_text().splitlines() if line.startswith("        rather ")]
    assert len(examples) > 100
    assert not [line for line in examples if len(line) > 8 + 74]  # the help indents them by five and ends with a blank
