"""The fenced blocks and inline code of the documentation's pages.

A comment right before a block says what a test does with it:

    <!-- file: cars.csv -->         write it to this file; later blocks of the page may use it
    <!-- uses: docs/x.md -->        write the files of another page first
    <!-- not run: needs Ray -->     only compile it, for this reason
    <!-- run -->                    run its commands (else they are only parsed)
    <!-- prints -->                 it is what the block before it printed, `...` standing for anything
"""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
TITLE_PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md")
PAGES = [*TITLE_PAGES, *sorted(path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts)]

COMMENT = re.compile(r"<!-- (file|uses|not run|run|prints)(?:: (.+?))? -->\s*")


def page_name(path):
    return str(path.relative_to(ROOT))


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, text, the line it starts at, and what the comment before it says."""

    language: str
    text: str
    line: int
    note: str = ""
    detail: str = ""


def blocks(path):
    """The fenced blocks of a page."""
    found, comment = [], None
    for token in MarkdownIt().parse(path.read_text(encoding="utf-8")):
        if token.type == "fence":
            note, detail = (comment[1], comment[2] or "") if comment else ("", "")
            found.append(Block(token.info.strip(), token.content, token.map[0] + 2, note, detail))
        comment = COMMENT.fullmatch(token.content) if token.type == "html_block" else None
    return found


def inline_code(path):
    """What stands in backticks within the text of a page."""
    tokens = MarkdownIt().enable("table").parse(path.read_text(encoding="utf-8"))
    children = (child for token in tokens if token.type == "inline" for child in token.children)
    return [child.content for child in children if child.type == "code_inline"]


@dataclass(frozen=True)
class Command:
    """A `rather` command of a shell block: its arguments, and what is piped into it."""

    arguments: tuple[str, ...]
    stdin: str = ""


def commands(text):
    """The `rather` commands of a shell block."""
    found = []
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        piped = words[1 : words.index("|")] if words[:1] == ["echo"] and "|" in words else []
        words = words[words.index("|") + 1 :] if "|" in words else words
        if words[:1] == ["rather"]:
            arguments = words[1 : words.index("&")] if "&" in words else words[1:]
            found.append(Command(tuple(arguments), " ".join(piped) + "\n" if piped else ""))
    return found
