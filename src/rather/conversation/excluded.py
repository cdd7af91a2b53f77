"""Which items not to recommend."""

from collections.abc import Iterable
from typing import Any

from rather.errors import InvalidInputError


def excluded_ids(exclude: Any) -> list[Any]:
    """The ids that somebody excludes. A text is rejected: each of its letters would be taken for an id."""
    if isinstance(exclude, str) or not isinstance(exclude, Iterable):
        raise InvalidInputError(f"`exclude` must be a list of ids such as [{exclude!r}], got {exclude!r}.")
    return list(exclude)
