"""Single keys from a terminal, without Enter; whole lines where there is none."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

BACKSPACE = "backspace"
END_OF_INPUT = "\x04"


def read_key(console: Console, *, whole_lines: bool = False) -> str:
    """The next key, or without a terminal the next line, in lower case; raises EOFError at the end of the input.

    Args:
        console: Where lines are asked for.
        whole_lines: Read lines anyway, for answers of several characters.
    """
    if whole_lines or not sys.stdin.isatty():
        return console.input(Text("> ", style="bold")).strip().lower()
    key = _pressed()
    if key == END_OF_INPUT:
        raise EOFError
    return BACKSPACE if key in ("\x7f", "\x08") else key.lower()


if sys.platform == "win32":
    import msvcrt

    @contextmanager
    def single_keys() -> Iterator[None]:
        """Keys are read as they are pressed anyway."""
        yield

    @contextmanager
    def whole_lines() -> Iterator[None]:
        """Lines are typed in sight anyway."""
        yield

    def _pressed() -> str:
        key = msvcrt.getwch()
        if key == "\x03":
            raise KeyboardInterrupt
        if key in ("\x00", "\xe0"):  # an arrow or a function key, of two characters
            msvcrt.getwch()
            return ""
        return key

else:
    import select
    import termios
    import tty

    @contextmanager
    def single_keys() -> Iterator[None]:
        """Let keys arrive one by one and unseen, also those pressed while a question is computed."""
        with _restored():
            if sys.stdin.isatty():
                tty.setcbreak(sys.stdin)
            yield

    @contextmanager
    def whole_lines() -> Iterator[None]:
        """Within `single_keys`, let lines be typed in sight and end with Enter."""
        with _restored():
            if sys.stdin.isatty():
                settings = termios.tcgetattr(sys.stdin)
                settings[3] |= termios.ECHO | termios.ICANON
                termios.tcsetattr(sys.stdin, termios.TCSADRAIN, settings)
            yield

    @contextmanager
    def _restored() -> Iterator[None]:
        """Leave the terminal, if there is one, as it was found."""
        before = termios.tcgetattr(sys.stdin) if sys.stdin.isatty() else None
        try:
            yield
        finally:
            if before is not None:
                termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)

    def _pressed() -> str:
        descriptor = sys.stdin.fileno()
        key = os.read(descriptor, 1)
        # What an arrow key or a letter of several bytes sends arrives at once.
        while key and (key[0] == 0x1B or key[0] >= 0x80) and select.select([descriptor], [], [], 0.01)[0]:
            key += os.read(descriptor, 1)
        return END_OF_INPUT if not key else "" if key[0] == 0x1B else key.decode("utf-8", "replace")
