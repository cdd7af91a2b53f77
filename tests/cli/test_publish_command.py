"""`rather publish` writes a site, or one file."""

import base64
import hashlib
import json
import re

import pytest

from cars import CARS


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "cars.csv"
    path.write_text(CARS, encoding="utf-8")
    return path


def policy_of(html):
    found = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)"', html)[1].replace("&#x27;", "'")
    return dict(part.split(" ", 1) for part in found.split("; "))


def test_a_folder_has_all_that_the_page_refers_to(rather, table, tmp_path):
    site = tmp_path / "site"
    report = json.loads(rather("publish", table, site, "--json").out)
    written = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert written == {*report["files"], "published.json"}
    html = (site / "index.html").read_text(encoding="utf-8")
    assert not re.search(r'(?:src|href)="(?:/|https?:)', html)
    for address in re.findall(r'(?:src|href)="([^"]+)"', html):
        assert address in written
    for style in site.glob("assets/*.css"):
        for address in re.findall(r"url\(([^)]+)\)", style.read_text(encoding="utf-8")):
            assert (style.parent / address).is_file()
    policy = policy_of(html)
    assert policy["default-src"] == "'none'"
    assert policy["connect-src"] == policy["script-src"] == policy["worker-src"] == "'self'"


def test_films_are_at_most_400_kilobytes(rather, tmp_path):
    report = json.loads(rather("publish", "films", tmp_path / "site", "--json").out)
    assert report["compressed"] <= 400_000


def test_one_file_holds_everything_and_names_its_scripts_by_hash(rather, table, tmp_path):
    path = tmp_path / "quiz.html"
    rather("publish", table, "--single-file", path)
    html = path.read_text(encoding="utf-8")
    assert not re.search(r'(?:src|href)="(?!data:)', html)
    assert not re.search(r"url\((?!data:)", html)
    policy = policy_of(html)
    assert policy["connect-src"] == "'none'"
    for element, directive in (("script", "script-src"), ("style", "style-src")):
        opening = '<script type="module">' if element == "script" else "<style>"
        parts = re.findall(f"{re.escape(opening)}(.*?)</{element}>", html, re.DOTALL)
        hashes = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in parts]
        assert policy[directive].split() == [f"'sha256-{digest}'" for digest in hashes]


def test_publishing_again_replaces_what_was_published_and_nothing_else(rather, table, tmp_path):
    site = tmp_path / "site"
    rather("publish", table, site)
    (site / "own.txt").write_text("mine", encoding="utf-8")
    manifest = json.loads((site / "published.json").read_text(encoding="utf-8"))
    (site / "assets/old.js").write_text("", encoding="utf-8")
    manifest["files"].append("assets/old.js")
    (site / "published.json").write_text(json.dumps(manifest), encoding="utf-8")
    rather("publish", table, site)
    assert not (site / "assets/old.js").exists()
    assert (site / "own.txt").read_text(encoding="utf-8") == "mine"


def test_a_folder_of_somebody_else_is_left_alone(rather, table, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("mine", encoding="utf-8")
    assert "has not written" in rather("publish", table, site, expect=2).err
    assert (site / "index.html").read_text(encoding="utf-8") == "mine"


def test_a_file_in_place_of_a_folder_is_called_a_file(rather, table, tmp_path):
    said = rather("publish", table, table, expect=2).err
    assert "is a file, not a folder. For a page that is one file, use `--single-file`." in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Name a FOLDER to write"),
        (["site", "--single-file", "quiz.html"], "not both"),
        (["site", "--collect", "shop.example.org"], "`--collect` must be an address"),
        (["site", "--language", "xx"], "`language` must be one of"),
        (["site", "--image-host", "images"], "`image_hosts` must hold origins"),
    ],
)
def test_mistakes_are_told_in_a_line(rather, table, arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = rather("publish", table, *arguments, expect=2).err
    assert said in told
    assert "Traceback" not in told


def test_the_address_that_collects_is_the_only_other_one(rather, table, tmp_path):
    path = tmp_path / "quiz.html"
    rather("publish", table, "--single-file", path, "--collect", "https://shop.example.org/answers?from=quiz")
    html = path.read_text(encoding="utf-8")
    assert policy_of(html)["connect-src"] == "https://shop.example.org/answers"


def test_one_language_leaves_the_others_out(rather, table, tmp_path):
    rather("publish", table, tmp_path / "all")
    rather("publish", table, tmp_path / "one", "--language", "de")
    sizes = [(tmp_path / name / "catalog.bin").stat().st_size for name in ("all", "one")]
    assert sizes[1] < sizes[0]
    html = (tmp_path / "one/index.html").read_text(encoding="utf-8")
    assert '<html lang="de"' in html
