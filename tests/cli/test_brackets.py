"""Square brackets, slashes and colons are text: in help, in labels, in names of files."""

import re

import pytest
import typer.main

from rather.cli import app
from rather.cli.console import plain_console
from rather.cli.progress import byte_progress

LABELS = ["Film 11 [final cut]", "[/red] herring", "[bold]ness", ":smile: at me", r"C:\[dir]\new"]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "films [new].csv"
    rows = [f"{label},{number % 3},{number * number % 5}" for number, label in enumerate(LABELS)]
    path.write_text("\n".join(["title,[price],[/size]", *rows]) + "\n")
    return path


def words(text):
    """Its words without the lines of a table around them."""
    return re.sub(r"[\s│]+", " ", text).strip()


def commands(group, path=()):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_shows_every_word_of_every_help_text(rather, path):
    shown = words(rather(*path, "--help", columns=500).out)
    for parameter in COMMANDS[path].params:
        assert words(parameter.help.replace("\\[", "[")) in shown
    assert words(COMMANDS[path].callback.__doc__) in shown


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_has_examples_and_nothing_is_cut_off_on_a_narrow_terminal(rather, path):
    shown = rather(*path, "--help", columns=80).out
    described = [COMMANDS[path].callback.__doc__, *(parameter.help for parameter in COMMANDS[path].params)]
    assert shown.count("…") == sum(text.count("…") for text in described)
    assert re.search(rf"^     rather {' '.join(path)}( |$)|Example: .*rather {' '.join(path)}", shown, re.MULTILINE)


def test_the_help_names_the_extra_of_the_approximate_retriever(rather):
    assert "rather[ann]" in words(rather("ask", "--help", columns=500).out)


def test_a_conversation_shows_labels_and_facts_as_they_are(at_the_keyboard, table):
    out = at_the_keyboard("ask", table, keys="121q").out
    assert all(label in out for label in LABELS)
    assert "[price]" in out
    assert "[/size]" in out


def test_inspect_shows_columns_and_files_as_they_are(rather, table):
    out = words(rather("inspect", table).out) + words(rather("inspect", table).out)
    for text in (*LABELS[:3], "films [new].csv: 5 rows", "[price]", "Written: films [new].toml", "in films [new].toml"):
        assert text in out


def test_a_progress_bar_shows_the_name_of_a_file_as_it_is(capsys):
    with byte_progress(console=plain_console(stderr=True, force_terminal=True)) as on_bytes:
        on_bytes("ratings[1].csv", 1, 2)
    assert "ratings[1].csv" in capsys.readouterr().err
