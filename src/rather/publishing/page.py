"""The HTML of a published page: beside its files in a folder, or with all of them inside."""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from rather.languages import ENGLISH
from rather.server.http.html_files import STATIC, HtmlFiles
from rather.server.theme import Theme

DATA = "catalog.bin"

# What a page in a folder refers to by absolute addresses, in HTML, in a stylesheet or inside an attribute.
ABSOLUTE = re.compile(r'(["(;])/(assets|theme)/')
STYLE_LINK = re.compile(r'<link rel="stylesheet"[^>]* href="/(assets|theme)/([^"]+)"[^>]*>')
SCRIPT = re.compile(r'<script type="module"[^>]* src="/assets/([^"]+)"></script>')
PRELOAD = re.compile(r'\s*<link rel="preload"[^>]*>')
ADDRESS = re.compile(r"/(assets|theme)/([\w.-]+)")
MEDIA = {"svg": "image/svg+xml", "woff2": "font/woff2"}


@dataclass(frozen=True)
class PublishedPage:
    """How the page around the engine looks, and whom it may talk to.

    Attributes:
        languages: Those that there are texts in.
        theme: Its look; None for that of `rather`.
        language: The only language; None for that of each browser.
        image_hosts: Where pictures may come from.
        collect: The address that finished conversations are sent to; None sends nothing.
    """

    languages: tuple[str, ...]
    theme: Theme | None = None
    language: str | None = None
    image_hosts: tuple[str, ...] = ()
    collect: str | None = None

    def folder(self, data: bytes) -> dict[str, bytes]:
        """The files of a page in a folder, by name."""
        files = {f"assets/{path.name}": path.read_bytes() for path in sorted((STATIC / "assets").iterdir())}
        for name, content in self._theme_files().items():
            files[f"theme/{name}"] = content
        for name in [name for name in files if name.endswith(".css")]:
            files[name] = ABSOLUTE.sub(r"\1../\2/", files[name].decode()).encode()
        settings = self._settings(f"assets/{engine_name()}", DATA)
        html = ABSOLUTE.sub(r"\1\2/", self._html())
        policy = self._policy("'self'", "'self'", "'self'", "'self'", "'self'")
        files["index.html"] = _with_head(html, policy, settings).encode()
        files["embed.js"] = _embed_script()
        files["third-party.txt"] = (STATIC / "third-party.txt").read_bytes()
        files[DATA] = data
        return files

    def single_file(self, data: bytes) -> bytes:
        """The page with everything inside, which opens by a double click."""
        html = PRELOAD.sub("", self._html())
        styles = [_inlined(self._file(folder, name).decode(), self) for folder, name in STYLE_LINK.findall(html)]
        scripts = [_safe_script(self._file("assets", name).decode()) for name in SCRIPT.findall(html)]
        html = STYLE_LINK.sub("", SCRIPT.sub("", html))
        html = _inlined(html, self)
        blocks = {"rather-engine": self._file("assets", engine_name()), "rather-data": data}
        parts = [f'<script type="text/plain" id="{name}">{_base64(part)}</script>' for name, part in blocks.items()]
        parts += [f'<script type="module">{script}</script>' for script in scripts]
        html = html.replace("</head>", "".join(f"<style>{style}</style>" for style in styles) + "</head>", 1)
        html = html.replace("</body>", "".join(parts) + "</body>", 1)
        policy = self._policy(_hashes(scripts), _hashes(styles), "data:", "'none'", "blob:")
        return _with_head(html, policy, self._settings(None, None)).encode()

    def _html(self) -> str:
        return HtmlFiles(self.theme).page("index.html", self.language or ENGLISH)

    def _settings(self, engine: str | None, data: str | None) -> dict[str, Any]:
        about = {"language": self.language, "languages": list(self.languages), "collect": self.collect}
        return {"engine": engine, "data": data, **about}

    def _policy(self, scripts: str, styles: str, files: str, connect: str, workers: str) -> str:
        """The Content-Security-Policy: nothing from elsewhere but pictures of the allowed hosts."""
        allowed = [connect]
        if self.collect is not None:
            allowed = [*([] if connect == "'none'" else [connect]), self.collect.partition("?")[0]]
        return "; ".join(
            (
                "default-src 'none'",
                f"script-src {scripts}",
                f"style-src {styles}",
                " ".join((f"img-src {files}", *self.image_hosts)),
                f"font-src {files}",
                f"connect-src {' '.join(allowed)}",
                f"worker-src {workers}",
                "base-uri 'none'",
                "form-action 'none'",
            )
        )

    def _theme_files(self) -> Mapping[str, bytes]:
        if self.theme is None:
            return {}
        style = self.theme.stylesheet()
        return {name: file.content for name, file in {**self.theme.files(), style.name: style}.items()}

    def _file(self, folder: str, name: str) -> bytes:
        return self._theme_files()[name] if folder == "theme" else (STATIC / folder / name).read_bytes()

    def inline_address(self, folder: str, name: str) -> str:
        """A file as an address that holds it; the address as it is where it only stands in a text of the theme."""
        try:
            content = self._file(folder, name)
        except (KeyError, OSError):
            return f"/{folder}/{name}"
        suffix = name.rpartition(".")[2]
        media = MEDIA.get(suffix, f"image/{'jpeg' if suffix == 'jpg' else suffix}")
        return f"data:{media};base64,{_base64(content)}"


def engine_name() -> str:
    """The script of the engine, among the files of the build."""
    return next((STATIC / "assets").glob("engine-*.js")).name


def _inlined(text: str, page: PublishedPage) -> str:
    """A page or stylesheet with the files that it refers to inside."""
    return ADDRESS.sub(lambda found: page.inline_address(found[1], found[2]), text)


def _with_head(html: str, policy: str, settings: Mapping[str, Any]) -> str:
    """The page with its policy, before anything that the policy is about, and its settings."""
    head = f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}" />'
    head += f'<meta name="rather-published" content="{escape(json.dumps(settings))}" />'
    return html.replace('<meta charset="utf-8" />', f'<meta charset="utf-8" />{head}', 1)


def _embed_script() -> bytes:
    """The script for other sites, which finds the page beside itself."""
    script = (STATIC / "embed.js").read_text(encoding="utf-8")
    assert script.count('new URL("/embed", script.src)') == 1, "embed.js has changed"
    return script.replace('new URL("/embed", script.src)', 'new URL("index.html", script.src)').encode()


def _safe_script(script: str) -> str:
    """A script that does not end the element it stands in."""
    return script.replace("</script", "<\\/script")


def _hashes(parts: list[str]) -> str:
    return " ".join(f"'sha256-{_base64(hashlib.sha256(part.encode()).digest())}'" for part in parts)


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
