"""The terminal that commands print to."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def plain_console(*, stderr: bool = False, width: int | None = None, force_terminal: bool | None = None) -> "Console":
    """A console that prints text as it is: "[final cut]" is no markup and ":smile:" no emoji. Styles come by `Text`.

    Args:
        stderr: Print to standard error.
        width: In characters; by default that of the terminal.
        force_terminal: Behave as at a terminal, or as elsewhere; by default as it is.
    """
    from rich.console import Console

    return Console(
        stderr=stderr, width=width, force_terminal=force_terminal, markup=False, emoji=False, highlight=False
    )
