"""The picture of the terminal shows what the terminal shows."""

import html
import re
import sys

from page_blocks import ROOT

IMAGES = ROOT / "docs" / "images"


def words(picture):
    """The text of a drawing without numbers and bars, which rounding on another machine may change."""
    text = html.unescape(" ".join(re.findall(r"<text[^>]*>([^<]*)</text>", picture)))
    return re.sub(r"[\d.,%±█░\s]+", " ", text)


def test_the_terminal_is_drawn_as_committed(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(IMAGES))
    import draw_terminal

    draw_terminal.draw(tmp_path / "terminal.svg")
    drawn, committed = ((folder / "terminal.svg").read_text(encoding="utf-8") for folder in (tmp_path, IMAGES))
    assert words(drawn) == words(committed), "run docs/images/draw_terminal.py"
    assert "http" not in re.sub(r"http://www\.w3\.org/\S*|https://www\.textualize\.io", "", committed)
    del sys.modules["draw_terminal"]
