"""What a call can fail with: what is wrong, and what the assistant should do next."""

from collections.abc import Iterator
from contextlib import contextmanager

from mcp.server.mcpserver.exceptions import ToolError

from rather.errors import RatherError


class ProblemError(ToolError):
    """Ends a call; the assistant reads its text.

    Args:
        detail: What is wrong.
        action: What to do next.
    """

    def __init__(self, detail: str, action: str) -> None:
        super().__init__(f"{detail} {action}")


@contextmanager
def advising(action: str) -> Iterator[None]:
    """Turn an error of the library into a problem that also says what to do next."""
    try:
        yield
    except RatherError as error:
        raise ProblemError(str(error), action) from None
