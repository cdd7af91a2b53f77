"""The directive `command-reference`: every command of the command line with its options, from the code."""

import inspect
import re
from collections.abc import Iterator
from typing import Any

import typer
from docutils.nodes import Node
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from rather.cli import app


class CommandReference(SphinxDirective):
    """A section for each command."""

    def run(self) -> list[Node]:
        """The sections, parsed from Markdown."""
        text = "\n\n".join(_section(name, command) for name, command in _commands(typer.main.get_command(app)))
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("command-reference", CommandReference)
    return {"parallel_read_safe": True}


def _commands(group: Any, prefix: str = "rather") -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


def _section(name: str, command: Any) -> str:
    description, _, examples = inspect.cleandoc(command.help or "").partition("Examples:")
    lines = [f"## {name}", "", _marked(description.strip()), ""]
    if examples:
        lines += ["```sh", *(line.strip() for line in examples.splitlines() if line.strip()), "```", ""]
    lines += ["| option | |", "| --- | --- |"]
    lines += [f"| {_names(parameter)} | {_help(parameter)} |" for parameter in command.params]
    return "\n".join(lines)


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or parameter.name.upper()}`"
    return ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))


def _help(parameter: Any) -> str:
    text = " ".join((parameter.help or "").split()).replace("|", r"\|").replace("\\[", "[")
    text = _marked(text)
    shown = parameter.default is not None and parameter.default is not False and "[default" not in text
    return f"{text} Default: `{getattr(parameter.default, 'value', parameter.default)}`." if shown else text


def _marked(text: str) -> str:
    """Options as code, so that no dash is turned into another."""
    return re.sub(r"(?<![\w`-])(--[a-z][a-z-]*)", r"`\1`", text)
