"""The terminal that commands print to."""

import sys
from typing import TYPE_CHECKING

from rather.controls import visible

if TYPE_CHECKING:
    from rich.console import Console


def plain_console(*, stderr: bool = False, width: int | None = None, force_terminal: bool | None = None) -> "Console":
    """A console that prints text as it is: "[final cut]" is no markup and ":smile:" no emoji. Styles come by `Text`.

    Control characters of a text are shown and not sent, see `rather.controls`.

    Args:
        stderr: Print to standard error.
        width: In characters; by default that of the terminal.
        force_terminal: Behave as at a terminal, or as elsewhere; by default as it is.
    """
    from rather.cli.visible_console import VisibleConsole

    return VisibleConsole(
        stderr=stderr, width=width, force_terminal=force_terminal, markup=False, emoji=False, highlight=False
    )


def say(text: str, *, stderr: bool = False) -> None:
    """Print a line, with control characters shown and not sent."""
    print(visible(text), file=sys.stderr if stderr else sys.stdout, flush=True)
