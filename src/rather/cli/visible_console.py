"""A console of Rich that sends a terminal no control characters but its own."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from rather.controls import visible


class VisibleConsole(Console):
    """Shows the control characters of what it prints; Rich would pass most of them on."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """See Rich."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)
