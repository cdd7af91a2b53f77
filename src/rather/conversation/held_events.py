"""What of a log still holds."""

from collections.abc import Sequence
from typing import Any

from rather.conversation.records import damaged


def held_events(events: Sequence[Any]) -> list[dict[str, Any]]:
    """The answers and hints among these events that were not taken back, oldest first."""
    held: list[dict[str, Any]] = []
    for event in events:
        if not isinstance(event, dict) or ("undo" in event and not held):
            raise damaged(event)
        if "undo" in event:
            held.pop()
        else:
            held.append(event)
    return held
