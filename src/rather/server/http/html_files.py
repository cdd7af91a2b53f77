"""The HTML files of the build, with the name, logo, colours and texts of a theme filled in."""

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import Path

from rather.languages import ENGLISH, message
from rather.server.theme import Theme

STATIC = Path(__file__).parents[1] / "static"
MODES = ("light", "dark")

ICON = re.compile(r'<link rel="icon"[^>]*>')
FONT = re.compile(r'\s*<link rel="preload"[^>]*as="font"[^>]*>')
SCHEMES = re.compile(r'(<meta name="color-scheme" content=")[^"]*')
GROUND = re.compile(r'(<meta name="theme-color" content=")[^"]*(" media="\(prefers-color-scheme: (light|dark)\)")')
MESSAGE = re.compile(r"\{\{([\w.]+)\}\}")
MARK = '<p class="mark">rather</p>'


@dataclass(frozen=True)
class HtmlFiles:
    """The HTML files as a server with this theme sends them; without a theme, as they were built."""

    theme: Theme | None = None

    def page(self, name: str, language: str = ENGLISH, mode: str | None = None, **texts: str) -> str:
        """The file of this name.

        Args:
            name: In the folder of the build, such as "index.html".
            language: The language of its messages, which the file names in double braces: `{{not_found.title}}`.
            mode: "light" or "dark", instead of that of the theme; anything else is ignored.
            texts: What to put for `{name}` in the file.
        """
        wanted = mode if mode in MODES else self.theme.mode if self.theme else "auto"
        html = _translated(_filled(name, self.theme, wanted), language)
        for key, text in texts.items():
            html = html.replace("{" + key + "}", escape(text))
        return html


def _translated(html: str, language: str) -> str:
    html = html.replace('lang="en"', f'lang="{language}"', 1)
    return MESSAGE.sub(lambda found: escape(message(language, found[1], site="{site}")), html)


@lru_cache(maxsize=64)
def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def _filled(name: str, theme: Theme | None, mode: str) -> str:
    html = _read(name)
    if mode in MODES:
        html = html.replace("<html ", f'<html data-mode="{mode}" ', 1)
        html = SCHEMES.sub(rf"\g<1>{mode}", html)
    if theme is None:
        return html
    palettes = {"light": theme.light, "dark": theme.dark}
    html = GROUND.sub(lambda found: found[1] + palettes[mode if mode in MODES else found[3]].paper + found[2], html)
    html = html.replace("<title>rather", f"<title>{escape(theme.name)}", 1).replace(MARK, mark(theme), 1)
    if theme.icon is not None:
        html = ICON.sub(f'<link rel="icon" href="{theme.icon.address}" type="{theme.icon.media_type}">', html)
    if theme.title_font is not None:
        html = FONT.sub("", html)
    return html.replace("</head>", f"{_head(theme)}</head>", 1)


def _head(theme: Theme) -> str:
    style = f'<link rel="stylesheet" href="{theme.stylesheet().address}">'
    settings = escape(json.dumps(page_settings(theme), ensure_ascii=False))
    return f'{style}<meta name="rather-theme" content="{settings}">'


def page_settings(theme: Theme) -> dict[str, object]:
    """What the script of the page has to know of a theme. Each text is by language, "*" for any."""
    return {
        "title": theme.title,
        "greeting": theme.greeting,
        "link": theme.link,
        "action": theme.action,
        "actionDone": theme.action_done,
        "logo": theme.logo and theme.logo.address,
        "logoDark": theme.logo_dark and theme.logo_dark.address,
        "poweredBy": theme.powered_by,
    }


def mark(theme: Theme) -> str:
    """The logo or the name at the top of a page."""
    name = escape(theme.name)
    if theme.logo is None:
        return f'<p class="mark">{name}</p>'
    light = f'<img class="logo" src="{theme.logo.address}" alt="{name}">'
    if theme.logo_dark is None:
        return f'<p class="mark">{light}</p>'
    dark = f'<img class="logo" data-mode="dark" src="{theme.logo_dark.address}" alt="{name}">'
    return f'<p class="mark" data-both>{light}{dark}</p>'
