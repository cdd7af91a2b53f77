"""How the help of a command is laid out."""

import inspect
from typing import Any

from rich.markup import escape
from typer.core import TyperCommand


class Command(TyperCommand):
    """A command whose help texts are plain text: brackets are not markup, and paragraphs fill the terminal."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.help = escape(unwrapped(self.help or ""))
        for parameter in self.params:
            parameter.help = escape(parameter.help or "")  # type: ignore[attr-defined]  # options and arguments have it


def unwrapped(text: str) -> str:
    """A docstring with one line for each paragraph; indented lines, such as examples, stay as they are."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(_unwrapped_paragraph(paragraph) for paragraph in paragraphs)


def _unwrapped_paragraph(paragraph: str) -> str:
    lines: list[str] = []
    for line in paragraph.split("\n"):
        if lines and not line.startswith(" ") and not lines[-1].startswith(" "):
            lines[-1] += f" {line}"
        else:
            lines.append(line)
    return "\n".join(lines)
