"""The sources of the page pass their own tests, and the committed files are what they build."""

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from rather.server.http.pages import STATIC

WEB = Path(__file__).parents[2] / "web"
HINT = "The page was not rebuilt after a change: make page"

pytestmark = pytest.mark.skipif(not WEB.is_dir(), reason="The sources of the page are not part of this distribution.")


def built_files(folder):
    """What the build makes, by name."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_build_is_made_from_these_sources():
    paths = [path for folder in ("src", "public") for path in (WEB / folder).rglob("*") if path.is_file()]
    single = ("cut-fonts.js", "index.html", "not-allowed.html", "not-found.html", "package-lock.json", "vite.config.ts")
    paths += [WEB / name for name in single]
    names = sorted(path.relative_to(WEB).as_posix() for path in paths)
    digest = hashlib.sha256()
    for name in names:
        digest.update(name.encode() + b"\0" + (WEB / name).read_bytes() + b"\0")
    assert (STATIC / "built-from.txt").read_text(encoding="ascii").strip() == digest.hexdigest(), HINT


@pytest.fixture
def npm_run():
    """Run a script of web/package.json."""
    npm = shutil.which("npm")
    if npm is None or not (WEB / "node_modules").is_dir():
        pytest.skip("The sources of the page were not tested: that needs Node (cd web && npm ci)")

    def run(*arguments):
        command = [npm, "run", "--silent", *arguments]
        result = subprocess.run(command, cwd=WEB, capture_output=True, text=True, timeout=600)
        assert result.returncode == 0, result.stdout + result.stderr

    return run


def test_a_build_gives_the_committed_files(npm_run, tmp_path):
    npm_run("build", "--", "--outDir", str(tmp_path))
    assert built_files(tmp_path) == built_files(STATIC), HINT


def test_the_unit_tests_of_the_page_pass(npm_run):
    npm_run("test")


def test_scripts_are_small():
    """With the texts of four languages, and what adjusts a configuration; only published pages load the engine."""
    sizes = {path.name.partition("-")[0]: path.stat().st_size for path in (STATIC / "assets").glob("*.js")}
    assert sizes.keys() == {"index", "engine"}
    assert sizes["index"] < 100_000
    assert sizes["engine"] < 70_000


def test_the_built_files_name_no_other_host():
    for name, content in built_files(STATIC).items():
        if name.endswith((".html", ".js", ".css")):
            hosts = set(re.findall(rb"https?://([\w.-]+)", content))
            assert hosts <= {b"www.w3.org", b"HOST"}, (name, hosts)


def test_licences_of_what_is_shipped_are_shipped():
    text = (STATIC / "third-party.txt").read_text(encoding="utf-8")
    for name, version in json.loads((WEB / "package.json").read_text(encoding="utf-8"))["dependencies"].items():
        assert f"{name} {version}" in text
    assert text.count("SIL OPEN FONT LICENSE Version 1.1") == 2
    assert "Permission is hereby granted, free of charge" in text
