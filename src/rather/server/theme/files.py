"""The files that a theme names: pictures and fonts. What they are is read from their first bytes, not their names."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from rather.errors import InvalidInputError

MOST_BYTES = 1_000_000

SVG = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<!DOCTYPE svg[^>[]*>\s*)?<svg[\s>]", re.DOTALL)


@dataclass(frozen=True)
class ThemeFile:
    """A file of a theme, as it is served.

    Attributes:
        name: Under `/theme/`: a digest of its content and its usual suffix.
        media_type: What it is.
        content: Its bytes.
    """

    name: str
    media_type: str
    content: bytes

    @property
    def address(self) -> str:
        """Where the page finds it."""
        return f"/theme/{self.name}"

    @classmethod
    def of(cls, content: bytes, suffix: str, media_type: str) -> "ThemeFile":
        """A file under the name that its content gives it, so that a browser may keep it for ever."""
        return cls(f"{hashlib.sha256(content).hexdigest()[:16]}.{suffix}", media_type, content)


def picture(path: Path, setting: str) -> ThemeFile:
    """A picture: SVG, PNG, JPEG, WebP or GIF."""
    content = _read(path, setting)
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return ThemeFile.of(content, "png", "image/png")
    if content.startswith(b"\xff\xd8\xff"):
        return ThemeFile.of(content, "jpg", "image/jpeg")
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return ThemeFile.of(content, "webp", "image/webp")
    if content[:6] in (b"GIF87a", b"GIF89a"):
        return ThemeFile.of(content, "gif", "image/gif")
    if SVG.match(content.removeprefix(b"\xef\xbb\xbf")):
        return ThemeFile.of(content, "svg", "image/svg+xml")
    raise InvalidInputError(f"`{setting}` must be an SVG, PNG, JPEG, WebP or GIF picture, which {path} is not.")


def font(path: Path, setting: str) -> ThemeFile:
    """A font in the format WOFF2."""
    content = _read(path, setting)
    if not content.startswith(b"wOF2"):
        raise InvalidInputError(f"`{setting}` must be a font in the format WOFF2, which {path} is not.")
    return ThemeFile.of(content, "woff2", "font/woff2")


def stylesheet(path: Path, setting: str) -> str:
    """A stylesheet of the shop's own, as text."""
    try:
        return _read(path, setting).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInputError(f"`{setting}` must be a stylesheet in UTF-8, which {path} is not.") from None


def _read(path: Path, setting: str) -> bytes:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InvalidInputError(f"`{setting}` must have at most {MOST_BYTES:,} bytes, which {path} exceeds.")
        return path.read_bytes()
    except OSError as error:
        raise InvalidInputError(f"`{setting}` cannot be read: {path}: {error.strerror}.") from None
