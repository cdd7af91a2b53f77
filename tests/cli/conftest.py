"""A command run in this process."""

import io
import sys

import pytest

from rather.__main__ import main


@pytest.fixture
def rather(monkeypatch, capsys):
    """Runs a command in this process, away from any terminal; returns what it printed."""

    def run(*arguments, stdin="", expect=0):
        monkeypatch.setenv("COLUMNS", "100")
        monkeypatch.setattr(sys, "argv", ["rather", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        try:
            code = main() or 0
        except SystemExit as ended:
            code = ended.code or 0
        printed = capsys.readouterr()
        assert code == expect, printed.err
        return printed

    return run
