"""A command run in this process."""

import io
import sys

import pytest

from rather.__main__ import main


class Terminal(io.StringIO):
    """A standard input that says it is a person's."""

    def isatty(self):
        return True


@pytest.fixture
def rather(monkeypatch, capsys):
    """Runs a command in this process, away from any terminal unless told otherwise; returns what it printed."""

    def run(*arguments, stdin="", expect=0, terminal=False, columns=100):
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(sys, "argv", ["rather", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", Terminal(stdin) if terminal else io.StringIO(stdin))
        try:
            code = main() or 0
        except SystemExit as ended:
            code = ended.code or 0
        printed = capsys.readouterr()
        assert code == expect, printed.err
        return printed

    return run
