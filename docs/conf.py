"""How Sphinx builds this documentation: `make docs`. Nothing is fetched from the network."""

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils.nodes import Element, TextElement
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import rather

project = html_title = "rather"
release = version = rather.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode", "command_reference"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_show_copyright = False
html_show_sphinx = False
smartquotes_action = "D"  # dashes alone; quotes stay as they are

# Links to headings are checked like links to pages.
myst_heading_anchors = 3

# Docstrings are in Google style. What stands in single backticks is code, and a link if it names something documented.
default_role = "py:obj"
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
maximum_signature_line_length = 100  # longer ones get a line for each parameter
suppress_warnings = ["ref.python"]  # two classes may share a name; the link then goes to one of them


def setup(app: Sphinx) -> None:
    """Register the hooks below; those for docstrings come before napoleon, which has priority 500."""
    app.connect("autodoc-process-docstring", keep_first_line, priority=400)
    app.connect("autodoc-process-docstring", convert_fences, priority=400)
    app.connect("autodoc-process-docstring", quote_code, priority=400)
    app.connect("missing-reference", resolve_reference)


def keep_first_line(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Stop napoleon from reading "A hash of all answers: …" of a property as a type and its description."""
    if what in ("attribute", "property"):
        lines.insert(0, "")


def convert_fences(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Turn fenced code blocks of Markdown into those of reStructuredText."""
    converted: list[str] = []
    inside = False
    for line in lines:
        if line.lstrip().startswith("```"):
            language = line.strip().removeprefix("```")
            converted += [] if inside else [line[: len(line) - len(line.lstrip())] + f".. code-block:: {language}"]
            converted.append("")
            inside = not inside
        else:
            converted.append(f"    {line}" if inside else line)
    lines[:] = converted


def quote_code(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Keep what cannot be a name from being looked up: "`.npz`" would lose its dot."""
    for number, line in enumerate(lines):
        lines[number] = re.sub(
            r"(?<![`:])`([^`]+)`(?!`)",
            lambda found: found[0] if re.fullmatch(r"[A-Za-z_][\w.]*(\(.*\))?", found[1]) else f"``{found[1]}``",
            line,
        )


def resolve_reference(
    app: Sphinx, environment: BuildEnvironment, node: pending_xref, content: TextElement
) -> Element | None:
    """Decide what becomes of a reference that the Python domain could not resolve.

    A public name becomes a link to it in `rather`. Types of other packages, existing names that have no page, and code
    that is no name at all stay plain text. A name of ours that does not exist stays unresolved, which fails the build.
    """
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    first, _, rest = target.removeprefix("~").partition(".")
    if first in rather.__all__:
        domain: Any = environment.domains["py"]
        public = domain.resolve_xref(
            environment, node["refdoc"], app.builder, "obj", f"rather.{first}.{rest}".rstrip("."), node, content
        )
        if public is not None:
            return public
    return content if first != "rather" or _exists(target) else None


def _exists(path: str) -> bool:
    """Whether a dotted path, perhaps with a call at its end, leads to a module of ours or to something in one."""
    parts = path.partition("(")[0].split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: Any = import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for part in parts[length:]:
            if part not in getattr(found, "__annotations__", {}) and not hasattr(found, part):
                return False
            found = getattr(found, part, None)
        return True
    return False
