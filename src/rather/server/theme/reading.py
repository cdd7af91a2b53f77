"""Reads a theme from its TOML file. What is unknown, unsafe or hard to read is rejected with how to correct it."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from rather.errors import InvalidInputError
from rather.server.theme import files
from rather.server.theme.colors import HEX, normalised
from rather.server.theme.palette import COLORS, DARK, LIGHT, NEED, Palette, Weak, brightened, completed, weak_pairs
from rather.server.theme.theme import ANY_LANGUAGE, FontFace, Texts, Theme

SETTINGS = ("title", "greeting", "logo", "logo_dark", "icon", "mode", "powered_by", "contrast", "css")
SECTIONS = ("buttons", "colors", "fonts")
BUTTONS = ("link", "action", "action_done")
FONTS = ("titles", "text", "files")
FACE = ("family", "file", "weight", "style")

LONGEST = {"title": 60, "greeting": 300, "link": 40, "action": 40, "action_done": 40}

# Anything else could end the declaration and begin another one.
FAMILY = re.compile(r"[\w -]+")
QUOTED = re.compile(r"""[\w -]+|"[\w -]+"|'[\w -]+'""")
WEIGHT = re.compile(r"[1-9]\d{0,2}0?( [1-9]\d{0,2}0?)?")
LANGUAGE = re.compile(r"[a-z]{2,3}")


def read_theme(path: Path) -> Theme:
    """The theme in a TOML file."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InvalidInputError(f"Cannot read the theme {str(path)!r}: {error.strerror or error}.") from None
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits
        raise InvalidInputError(f"{path.name} is not valid TOML: {error}. Correct that line.") from None
    return _Reader(path).theme(content)


class _Reader:
    """Reads the settings of one file, whose name and folder it knows."""

    def __init__(self, path: Path) -> None:
        self.source = path.name
        self.folder = path.parent

    def reject(self, text: str) -> NoReturn:
        raise InvalidInputError(f"{self.source}: {text}")

    def theme(self, content: Mapping[str, Any]) -> Theme:
        self.check_names(content, (*SETTINGS, *SECTIONS), "")
        buttons, colors, fonts = (self.section(content, name) for name in SECTIONS)
        self.check_names(buttons, BUTTONS, "buttons.")
        self.check_names(fonts, FONTS, "fonts.")
        logo = self.picture(content, "logo")
        theme = Theme(
            title=self.texts(content, "title"),
            greeting=self.texts(content, "greeting"),
            link=self.texts(buttons, "link", "buttons."),
            action=self.texts(buttons, "action", "buttons."),
            action_done=self.texts(buttons, "action_done", "buttons."),
            logo=logo,
            logo_dark=self.picture(content, "logo_dark"),
            icon=self.picture(content, "icon") or logo,
            mode=self.one_of(content, "mode", ("auto", "light", "dark")),
            powered_by=self.switch(content, "powered_by"),
            title_font=self.families(fonts, "titles"),
            text_font=self.families(fonts, "text"),
            fonts=self.faces(fonts),
        )
        if theme.logo_dark is not None and logo is None:
            self.reject("`logo_dark` needs `logo`, which is shown in the light.")
        light, dark = self.palettes(colors)
        css, unchecked = self.css(content)
        weak = self.weak(light, dark, theme.mode)
        if weak and self.one_of(content, "contrast", ("check", "warn")) == "check":
            self.reject(" ".join([*weak, 'To use these colours all the same, set `contrast = "warn"`.']))
        return replace(theme, light=light, dark=dark, css=css, warnings=(*weak, *unchecked))

    def check_names(self, section: Mapping[str, Any], known: Sequence[str], prefix: str) -> None:
        for name in section:
            if name not in known:
                self.reject(
                    f"`{prefix}{name}` is not a setting; there are {', '.join(prefix + each for each in known)}."
                )

    def section(self, content: Mapping[str, Any], name: str, prefix: str = "") -> Mapping[str, Any]:
        section = content.get(name, {})
        if not isinstance(section, Mapping):
            self.reject(f"`{prefix}{name}` must be a section, got {section!r}.")
        return section

    def texts(self, section: Mapping[str, Any], name: str, prefix: str = "") -> Texts:
        """A text, or one for each language: `title = "Shop"` or `title = {en = "Shop", de = "Laden"}`."""
        given = section.get(name)
        if given is None:
            return {}
        texts = given if isinstance(given, Mapping) else {ANY_LANGUAGE: given}
        for language, text in texts.items():
            if language != ANY_LANGUAGE and not LANGUAGE.fullmatch(language):
                self.reject(f"`{prefix}{name}` must have languages such as en or de as keys, got {language!r}.")
            if not isinstance(text, str) or not text.strip() or not text.isprintable() or len(text) > LONGEST[name]:
                self.reject(f"`{prefix}{name}` must be a line of 1 to {LONGEST[name]} characters, got {text!r:.80}.")
        return {language: text.strip() for language, text in texts.items()}

    def one_of(self, section: Mapping[str, Any], name: str, choices: tuple[Any, ...]) -> Any:
        given = section.get(name, choices[0])
        if given not in choices:
            self.reject(f"`{name}` must be one of {', '.join(choices)}, got {given!r}.")
        return given

    def switch(self, section: Mapping[str, Any], name: str) -> bool:
        given = section.get(name, True)
        if not isinstance(given, bool):
            self.reject(f"`{name}` must be true or false, got {given!r}.")
        return given

    def path(self, given: object, name: str) -> Path:
        if not isinstance(given, str) or not given or not given.isprintable():
            self.reject(f"`{name}` must be the path of a file, got {given!r}.")
        return self.folder / given

    def picture(self, section: Mapping[str, Any], name: str) -> files.ThemeFile | None:
        return files.picture(self.path(section[name], name), name) if name in section else None

    def families(self, fonts: Mapping[str, Any], name: str) -> str | None:
        given = fonts.get(name)
        if given is None:
            return None
        if not isinstance(given, str) or not all(QUOTED.fullmatch(part.strip()) for part in given.split(",")):
            self.reject(f"`fonts.{name}` must be font families such as 'Inter, sans-serif', got {given!r}.")
        return given

    def faces(self, fonts: Mapping[str, Any]) -> tuple[FontFace, ...]:
        given = fonts.get("files", [])
        if not isinstance(given, list) or not all(isinstance(face, Mapping) for face in given):
            self.reject("`fonts.files` must be a list such as [{family = 'Inter', file = 'inter.woff2'}].")
        return tuple(self.face(face) for face in given)

    def face(self, face: Mapping[str, Any]) -> FontFace:
        self.check_names(face, FACE, "fonts.files.")
        family, weight = face.get("family"), str(face.get("weight", "400"))
        if not isinstance(family, str) or not FAMILY.fullmatch(family):
            self.reject(f"`fonts.files.family` must be a name such as Inter, got {family!r}.")
        if not WEIGHT.fullmatch(weight):
            self.reject(f"`fonts.files.weight` must be such as 400 or '100 900', got {weight!r}.")
        style = self.one_of(face, "style", ("normal", "italic"))
        file = files.font(self.path(face.get("file"), "fonts.files.file"), "fonts.files.file")
        return FontFace(family, file, weight, style)

    def palettes(self, colors: Mapping[str, Any]) -> tuple[Palette, Palette]:
        """The colours in the light and in the dark; those that are not given follow from the accent of the other."""
        self.check_names(colors, (*COLORS, "dark"), "colors.")
        dark = self.section(colors, "dark", "colors.")
        self.check_names(dark, COLORS, "colors.dark.")
        in_light = self.colors({name: color for name, color in colors.items() if name != "dark"}, "colors.")
        in_dark = self.colors(dark, "colors.dark.")
        if "accent" in in_light and "accent" not in in_dark:
            in_dark["accent"] = brightened(in_light["accent"], replace(DARK, **in_dark))
        return completed(in_light, LIGHT), completed(in_dark, DARK)

    def colors(self, given: Mapping[str, Any], prefix: str) -> dict[str, str]:
        for name, color in given.items():
            if not isinstance(color, str) or not HEX.fullmatch(color):
                self.reject(f"`{prefix}{name}` must be a colour such as #2a36c8, got {color!r}.")
        return {name: normalised(color) for name, color in given.items()}

    def weak(self, light: Palette, dark: Palette, mode: str) -> list[str]:
        """What is hard to read in the modes that are used, in sentences."""
        used = {"colors.": light, "colors.dark.": dark}
        skipped = {"light": "colors.dark.", "dark": "colors."}.get(mode)
        return [
            _said(weak, prefix, palette)
            for prefix, palette in used.items()
            if prefix != skipped
            for weak in weak_pairs(palette)
        ]

    def css(self, content: Mapping[str, Any]) -> tuple[str, list[str]]:
        """The stylesheet of the owner, and which colours it sets that nobody has checked."""
        if "css" not in content:
            return "", []
        css = files.stylesheet(self.path(content["css"], "css"), "css")
        set_there = [name for name, _ in LIGHT.properties() if re.search(rf"{name}\s*:", css)]
        if not set_there:
            return css, []
        return css, [f"The contrast of {', '.join(set_there)} is not checked: `css` sets them, not `colors`."]


def _said(weak: Weak, prefix: str, palette: Palette) -> str:
    text, ground = getattr(palette, weak.text), getattr(palette, weak.ground)
    pair = f"`{prefix}{weak.text}` ({text}) on `{prefix}{weak.ground}` ({ground})"
    hint = (
        f" {weak.better} would do for `{weak.text}`." if weak.better else " Choose a ground that is lighter or darker."
    )
    return f"{pair} has a contrast of {weak.ratio:.2f} and needs {NEED} (WCAG 2.2 AA).{hint}"
