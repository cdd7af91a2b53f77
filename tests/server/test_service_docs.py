"""Every route, option and problem of the service is in its page of the documentation."""

import re
from pathlib import Path

import typer

from rather.cli import app
from rather.server.openapi import document

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guides" / "service.md").read_text(encoding="utf-8")


def test_every_route_is_in_the_documentation():
    for path, methods in document()["paths"].items():
        for method in methods:
            assert re.search(rf"`{method.upper()} {re.escape(path)}`", PAGE), f"{method.upper()} {path}"


def test_every_option_is_in_the_documentation():
    command = typer.main.get_command(app).commands["serve"]
    for parameter in command.params:
        for name in parameter.opts:
            if name.startswith("--") and name != "--help":
                assert f"`{name}`" in PAGE, name


def test_every_problem_is_in_the_documentation():
    sources = (ROOT / "src" / "rather" / "server").rglob("*.py")
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    raised = re.findall(r"(?:ProblemError\(\s*\d+,|_conflict\()\s*\"([a-z-]+)\"", text)
    later = re.findall(r"busy\(.*?, \"([a-z-]+)\"\)", text)
    codes = {*raised, *later, "busy", "not-found", "method-not-allowed"}
    assert len(codes) > 20
    for code in codes:
        assert f"`{code}`" in PAGE, code
