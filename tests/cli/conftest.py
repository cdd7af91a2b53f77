"""A command run in this process."""

import io
import os
import sys
import threading
import time
from contextlib import contextmanager

import pytest

from rather.__main__ import main


class Terminal(io.StringIO):
    """A standard input that says it is a person's."""

    def isatty(self):
        return True


@contextmanager
def keyboard(keys):
    """A pseudo-terminal as standard input: the keys once it takes them one by one, then the end of the input."""
    pty, termios = pytest.importorskip("pty"), pytest.importorskip("termios")
    master, slave = pty.openpty()
    ended = threading.Event()

    def takes_lines():
        return bool(termios.tcgetattr(slave)[3] & termios.ICANON)

    def press():
        while takes_lines() and not ended.is_set():
            time.sleep(0.005)
        os.write(master, keys.encode())
        while not ended.wait(0.05):
            if takes_lines():
                os.write(master, b"\x04")

    pressing = threading.Thread(target=press)
    pressing.start()
    try:
        with open(slave, encoding="utf-8", closefd=False) as stdin:
            yield stdin
    finally:
        ended.set()
        pressing.join()
        os.close(slave)
        os.close(master)


@pytest.fixture
def rather(monkeypatch, capsys):
    """Runs a command in this process, away from any terminal unless told otherwise; returns what it printed."""

    def run(*arguments, stdin="", expect=0, terminal=False, columns=100):
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(sys, "argv", ["rather", *map(str, arguments)])
        if isinstance(stdin, str):
            stdin = Terminal(stdin) if terminal else io.StringIO(stdin)
        monkeypatch.setattr(sys, "stdin", stdin)
        try:
            code = main() or 0
        except SystemExit as ended:
            code = ended.code or 0
        printed = capsys.readouterr()
        assert code == expect, printed.err
        return printed

    return run


@pytest.fixture
def at_the_keyboard(rather):
    """The same with single keys pressed at a terminal."""

    def run(*arguments, keys):
        with keyboard(keys) as stdin:
            return rather(*arguments, stdin=stdin)

    return run
