"""A theme: everything about the look of the page that an owner can set."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from rather.server.theme.files import ThemeFile
from rather.server.theme.palette import DARK, LIGHT, Palette

Mode = Literal["auto", "light", "dark"]

# A text that is the same in every language has this key.
ANY_LANGUAGE = "*"

# A text by language ("de"), or under `ANY_LANGUAGE`.
Texts = dict[str, str]


@dataclass(frozen=True)
class FontFace:
    """A font of the shop's own.

    Attributes:
        family: Its name in `title_font` or `text_font`.
        file: The font.
        weight: The weights that it has, such as "400" or "100 900".
        style: "normal" or "italic".
    """

    family: str
    file: ThemeFile
    weight: str = "400"
    style: str = "normal"


@dataclass(frozen=True)
class Theme:
    """The look of the page. Without a theme it has that of `rather`.

    Attributes:
        title: The name in the tab and, without a logo, at the top.
        greeting: Said before the first answer.
        link: What the link to a product's page says.
        action: What the button says that reports an item to the page around; without it there is no such button.
        action_done: What the button says after it has been pressed.
        logo: Instead of the name at the top.
        logo_dark: The same in the dark.
        icon: In the tab; by default the logo.
        mode: Light, dark, or as the browser wants it.
        powered_by: Whether the page says what it is made with.
        light: The colours in the light.
        dark: The colours in the dark.
        title_font: Font families of titles, as in CSS.
        text_font: Font families of everything else.
        fonts: Fonts that come with the theme.
        css: A stylesheet that is appended.
        warnings: What an owner should know, in sentences.
    """

    title: Texts = field(default_factory=dict)
    greeting: Texts = field(default_factory=dict)
    link: Texts = field(default_factory=dict)
    action: Texts = field(default_factory=dict)
    action_done: Texts = field(default_factory=dict)
    logo: ThemeFile | None = None
    logo_dark: ThemeFile | None = None
    icon: ThemeFile | None = None
    mode: Mode = "auto"
    powered_by: bool = True
    light: Palette = LIGHT
    dark: Palette = DARK
    title_font: str | None = None
    text_font: str | None = None
    fonts: tuple[FontFace, ...] = ()
    css: str = ""
    warnings: tuple[str, ...] = ()

    @classmethod
    def from_file(cls, path: str | Path) -> "Theme":
        """Read a theme from a TOML file. The files that it names are looked for beside it."""
        from rather.server.theme.reading import read_theme

        return read_theme(Path(path))

    @property
    def name(self) -> str:
        """The title in any one language; "rather" without one."""
        return self.title.get(ANY_LANGUAGE) or self.title.get("en") or next(iter(self.title.values()), "rather")

    def files(self) -> dict[str, ThemeFile]:
        """The files that are served, by name."""
        pictures = (self.logo, self.logo_dark, self.icon)
        served = [*(file for file in pictures if file is not None), *(face.file for face in self.fonts)]
        return {file.name: file for file in served}

    def stylesheet(self) -> ThemeFile:
        """The colours and fonts as custom properties, and the stylesheet of the owner."""
        light, dark = _declarations(self.light), _declarations(self.dark)
        families = {"--title-font": self.title_font, "--text-font": self.text_font}
        fonts = "".join(f"{name}:{value};" for name, value in families.items() if value)
        rules = [
            *(_font_face(face) for face in self.fonts),
            f":root{{{light}{fonts}}}",
            f'@media (prefers-color-scheme:dark){{:root:not([data-mode="light"]){{{dark}}}}}',
            f':root[data-mode="dark"]{{{dark}}}',
            # On paper the light colours are the only ones that can be read.
            f'@media print{{:root,:root[data-mode="dark"],:root:not([data-mode="light"]){{{light}}}}}',
            self.css,
        ]
        return ThemeFile.of("\n".join(rules).encode(), "css", "text/css; charset=utf-8")


def _declarations(palette: Palette) -> str:
    return "".join(f"{name}:{color};" for name, color in palette.properties())


def _font_face(face: FontFace) -> str:
    source = f'url("{face.file.address}") format("woff2")'
    about = f"font-weight:{face.weight};font-style:{face.style};font-display:swap"
    return f'@font-face{{font-family:"{face.family}";src:{source};{about}}}'
