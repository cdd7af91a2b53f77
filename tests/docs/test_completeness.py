"""What `make docs` cannot see: the pages outside docs/, and what the documentation leaves out."""

import re

import pytest
import typer
from page_blocks import ROOT, TITLE_PAGES, page_name

import rather
from rather.cli import app


@pytest.mark.parametrize("path", TITLE_PAGES, ids=page_name)
def test_links_of_the_title_pages_lead_somewhere(path):
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    for link in links:
        assert "://" in link or (path.parent / link).exists(), link


def test_every_public_name_is_in_the_reference():
    pages = (ROOT / "docs" / "reference").glob("*.md")
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    missing = [name for name in rather.__all__ if not re.search(rf"\brather\.{name}$", text, re.MULTILINE)]
    assert missing == ["__version__"]


def test_every_command_is_in_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = typer.main.get_command(app).commands
    assert [name for name in commands if f"`rather {name}" not in readme] == []
