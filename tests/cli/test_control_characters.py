"""Text from a file commands no terminal: whatever a table holds, control characters are shown and not sent."""

import json
import unicodedata

import pytest

from rather.cli.console import plain_console, say

CLEAR, TITLE, CSI = "\x1b[2J", "\x1b]0;owned\x07", "\x9b31m"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "films.csv"
    rows = [f"{CLEAR}Film {number},{number % 3},{TITLE}{CSI}{number % 2}" for number in range(6)]
    path.write_text("\n".join([f"title,price{CSI},{TITLE}kind", *rows]) + "\n", encoding="utf-8")
    return path


def controls(text):
    return {sign for sign in text if unicodedata.category(sign) == "Cc" and sign != "\n"}


def test_a_conversation_shows_control_characters_and_sends_none(at_the_keyboard, table):
    out = at_the_keyboard("ask", table, keys="12q").out
    assert controls(out) == set()
    assert "␛[2JFilm" in out


def test_inspect_shows_control_characters_and_sends_none(rather, table):
    for _ in range(2):  # the second time with the settings that the first has written
        printed = rather("inspect", table)
        assert controls(printed.out + printed.err) == set()
        assert "␛]0;owned" in printed.out


@pytest.mark.parametrize("command", ["ask", "inspect"])
def test_json_says_what_the_table_says_in_escapes(rather, table, command):
    out = rather(command, table, "--json", stdin='{"quit": true}\n').out
    assert controls(out) == set()
    assert "\\u009b31m" in out
    documents = out.splitlines() if command == "ask" else [out]
    assert CSI in json.dumps([json.loads(document) for document in documents], ensure_ascii=False)


def test_an_error_shows_control_characters_and_sends_none(rather, tmp_path):
    path = tmp_path / f"no{CLEAR}.npz"
    path.write_bytes(b"garbage")
    err = rather("serve", path, "--check", expect=2).err
    assert controls(err) == set()
    assert "␛[2J" in err


def test_styles_are_still_sent(capsys):
    from rich.panel import Panel
    from rich.text import Text

    plain_console(force_terminal=True, width=20).print(Panel(Text(f"a{CLEAR}b", style="bold red")))
    out = capsys.readouterr().out
    assert "\x1b[1;31ma␛[2Jb" in out
    assert CLEAR not in out


def test_what_is_said_has_no_control_characters(capsys):
    say(f"name{TITLE}")
    assert capsys.readouterr().out == "name␛]0;owned␇\n"
