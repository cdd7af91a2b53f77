"""Colours as `#rrggbb`, and how well one can be read upon another.

Contrast and relative luminance are those of WCAG 2.2 (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio).
"""

import re
from collections.abc import Sequence
from colorsys import hls_to_rgb, rgb_to_hls

HEX = re.compile(r"#(?:[0-9a-f]{3}|[0-9a-f]{6})", re.IGNORECASE)

WHITE, BLACK, NIGHT = "#ffffff", "#000000", "#10131f"


def normalised(color: str) -> str:
    """A colour as `#rrggbb` in small letters, from `#rgb` or `#rrggbb`."""
    digits = color.lower().removeprefix("#")
    return f"#{digits if len(digits) == 6 else ''.join(2 * digit for digit in digits)}"


def channels(color: str) -> tuple[float, float, float]:
    """Red, green and blue of `#rrggbb`, each 0..1."""
    red, green, blue = (int(color[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue


def luminance(color: str) -> float:
    """Relative luminance: 0.2126 R + 0.7152 G + 0.0722 B of the linear channels, 0 for black and 1 for white."""
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels(color)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """(L1 + 0.05) / (L2 + 0.05) with the lighter colour first: 1 for the same colour, 21 for black on white."""
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def mixed(first: str, second: str, share: float) -> str:
    """So much of the first colour, and the rest of the second."""
    parts = (share * one + (1 - share) * other for one, other in zip(channels(first), channels(second), strict=True))
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


def legible(color: str, grounds: Sequence[str], need: float) -> str | None:
    """The colour, or the nearest of the same hue that has the contrast on all grounds; None if none has."""
    for step in range(101):
        for end in (0.0, 1.0):
            shade = lit(color, end, step / 100)
            if all(contrast(shade, ground) >= need for ground in grounds):
                return shade
    return None


def lit(color: str, end: float, share: float) -> str:
    """The colour with its lightness moved this share of the way to an end: 0 is black, 1 is white."""
    if share == 0:
        return color
    hue, lightness, saturation = rgb_to_hls(*channels(color))
    moved = hls_to_rgb(hue, lightness + share * (end - lightness), saturation)
    return "#" + "".join(f"{round(255 * part):02x}" for part in moved)
