"""A strategy as it is listed and made by name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Made = TypeVar("Made", covariant=True)


@dataclass(frozen=True)
class Named(Generic[Made]):
    """A strategy under its name.

    Attributes:
        paper: The paper's name for it, or "" where it is ours.
        summary: What it does, in a line.
        scans: Looks at the whole catalogue for one question, in words.
        make: Builds it with default settings, or others by keyword.
    """

    paper: str
    summary: str
    scans: str
    make: Callable[..., Made]
