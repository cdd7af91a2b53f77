"""A strategy as it is listed and made by name."""

from collections.abc import Callable
from dataclasses import dataclass

from rather.strategies.problem import Strategy


@dataclass(frozen=True)
class Named:
    """A strategy under its name.

    Attributes:
        paper: The paper's name for it, or "" where it is ours.
        summary: What it does, in a line.
        scans: Scans of the whole catalogue for one question, in words.
        make: Builds it with default settings, or others by keyword.
    """

    paper: str
    summary: str
    scans: str
    make: Callable[..., Strategy]
