"""The look of the page: what a theme's file may say, which colours follow, and what cannot be read."""

import re
from dataclasses import asdict
from pathlib import Path

import pytest

from rather.errors import InvalidInputError
from rather.server import Theme
from rather.server.theme.colors import contrast, legible, luminance, mixed, normalised
from rather.server.theme.palette import COLORS, DARK, LIGHT, completed, weak_pairs

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "guides" / "themes"
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def theme(tmp_path):
    """Read a theme from this text, with these files beside it."""

    def read(text, **beside):
        for name, content in beside.items():
            (tmp_path / name).write_bytes(content)
        path = tmp_path / "shop.toml"
        path.write_text(text, encoding="utf-8")
        return Theme.from_file(path)

    return read


@pytest.mark.parametrize(
    ("first", "second", "ratio"),
    [
        ("#000000", "#ffffff", 21.0),
        ("#ffffff", "#ffffff", 1.0),
        ("#777777", "#ffffff", 4.48),  # the best known pair that just fails
        ("#767676", "#ffffff", 4.54),
        ("#ff0000", "#ffffff", 4.00),
        ("#0000ff", "#ffffff", 8.59),
    ],
)
def test_contrast_is_that_of_wcag(first, second, ratio):
    assert contrast(first, second) == contrast(second, first) == pytest.approx(ratio, abs=0.005)


def test_luminance_of_a_channel():
    assert luminance("#00ff00") == pytest.approx(0.7152)


def test_short_colours():
    assert normalised("#F0a") == "#ff00aa"


def test_mixed_goes_from_one_to_the_other():
    assert [mixed("#ff0000", "#0000ff", share) for share in (0, 0.5, 1)] == ["#0000ff", "#800080", "#ff0000"]


def test_legible_leaves_what_can_be_read_and_finds_the_nearest_that_can():
    assert legible("#000000", ["#ffffff"], 4.5) == "#000000"
    found = legible("#ff8800", ["#ffffff"], 4.5)
    assert 4.5 <= contrast(found, "#ffffff") < 4.7
    assert legible("#ff8800", ["#ffffff", "#000000"], 4.6) is None  # no colour is that far from both


def test_the_page_has_these_colours():
    css = (ROOT / "web" / "src" / "style" / "tokens.css").read_text(encoding="utf-8")
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\);", css)
    assert {name.replace("-", "_"): light for name, light, _ in pairs} == asdict(LIGHT)
    assert {name.replace("-", "_"): dark for name, _, dark in pairs} == asdict(DARK)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_the_page_can_be_read(palette):
    assert weak_pairs(palette) == []


@pytest.mark.parametrize("accent", ["#000000", "#0b5d4b", "#b3001b", "#7a5c00", "#4b0082", "#005f8a"])
def test_one_dark_colour_is_enough_for_a_theme(theme, accent):
    read = theme(f'[colors]\naccent = "{accent}"')
    assert read.light.accent == accent
    assert read.warnings == ()
    assert read.light.wash != LIGHT.wash
    assert contrast(read.dark.accent, read.dark.paper) >= 4.5


def test_colours_that_are_given_stay():
    given = dict.fromkeys(COLORS, "#123456")
    assert asdict(completed(given, LIGHT)) == given


def test_a_pair_that_cannot_be_read_is_named_with_its_ratio_and_a_colour_that_would_do(theme):
    text = '[colors]\naccent = "#ff8800"\npaper = "#ffffff"\nwash = "#ffffff"'
    with pytest.raises(InvalidInputError) as raised:
        theme(text)
    message = str(raised.value)
    assert "shop.toml: `colors.accent` (#ff8800) on `colors.paper` (#ffffff) has a contrast of 2.39" in message
    assert "needs 4.5 (WCAG 2.2 AA)" in message
    better = re.search(r"(#\w{6}) would do for `accent`", message)[1]
    assert theme(text.replace("#ff8800", better)).light.accent == better


def test_who_insists_is_warned(theme):
    read = theme('contrast = "warn"\n[colors]\naccent = "#ff8800"')
    assert any("`colors.accent` (#ff8800)" in warning for warning in read.warnings)


def test_colours_of_a_mode_that_is_not_used_are_not_checked(theme):
    assert theme('mode = "dark"\n[colors]\naccent = "#ffb454"').warnings == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("colour = 1", "`colour` is not a setting"),
        ("[colors]\nblue = '#00f'", "`colors.blue` is not a setting"),
        ("[colors]\naccent = 'red; } body { display: none'", "`colors.accent` must be a colour such as #2a36c8"),
        ("[fonts]\ntitles = 'a; } *{'", "`fonts.titles` must be font families"),
        ("[fonts]\ntext = 'url(https://evil.example)'", "`fonts.text` must be font families"),
        ("mode = 'night'", "`mode` must be one of auto, light, dark"),
        ("powered_by = 'no'", "`powered_by` must be true or false"),
        ("title = ''", "`title` must be a line of 1 to 60 characters"),
        ("title = {EN = 'Shop'}", "`title` must have languages such as en or de as keys"),
        ('logo = "\\u0000"', "`logo` must be the path of a file"),
        ("logo = 'missing.svg'", "`logo` cannot be read"),
        ("logo = 'page.html'", "`logo` must be an SVG, PNG, JPEG, WebP or GIF picture"),
        ("logo_dark = 'ok.png'", "`logo_dark` needs `logo`"),
        ("colors = 3", "`colors` must be a section"),
        ("[fonts]\nfiles = [{family = 'A', file = 'ok.png'}]", "must be a font in the format WOFF2"),
        ("[fonts]\nfiles = [{family = 'A\"', file = 'ok.png'}]", "`fonts.files.family` must be a name"),
        ("title = ", "is not valid TOML"),
        (f"title = {'9' * 5_000}", "is not valid TOML"),
    ],
)
def test_what_is_wrong_is_said(theme, text, said):
    with pytest.raises(InvalidInputError) as raised:
        theme(text, **{"ok.png": PNG, "page.html": b"<!doctype html><script>1</script>"})
    assert "shop.toml" in str(raised.value) or "`logo`" in str(raised.value) or "`fonts.files" in str(raised.value)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"RIFF1234WEBPVP8 ", "image/webp"),
        (b"GIF89a", "image/gif"),
        (b'<?xml version="1.0"?>\n<!-- a logo -->\n<svg xmlns="x">', "image/svg+xml"),
    ],
)
def test_the_content_says_what_a_picture_is(theme, content, media_type):
    assert theme('logo = "logo.bin"', **{"logo.bin": content}).logo.media_type == media_type


def test_the_stylesheet_has_every_colour_and_font(theme):
    font = b"wOF2 and more"
    text = """
    [colors]
    accent = "#0b5d4b"
    [fonts]
    titles = "Brand, Georgia, serif"
    files = [{family = "Brand", file = "brand.woff2", weight = "400 700"}]
    """
    read = theme(text, **{"brand.woff2": font})
    css = read.stylesheet().content.decode()
    for name, color in read.light.properties():
        assert f"{name}:{color};" in css
    assert "--title-font:Brand, Georgia, serif;" in css
    assert f'@font-face{{font-family:"Brand";src:url("{read.fonts[0].file.address}")' in css
    assert "--text-font" not in css


def test_an_own_stylesheet_is_appended_and_colours_in_it_are_mentioned(theme):
    own = b":root { --accent: #0b5d4b; }\n.slate { border-radius: 0 }"
    read = theme('css = "own.css"', **{"own.css": own})
    assert read.stylesheet().content.endswith(own)
    assert read.warnings == ("The contrast of --accent is not checked: `css` sets them, not `colors`.",)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_the_examples_of_the_documentation_can_be_read(path):
    assert Theme.from_file(path).warnings == ()
