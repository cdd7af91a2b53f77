"""Control characters, which could command a terminal or break a log, made visible."""

import re

# C0 but for the line feed, delete and C1; line and paragraph separators, at which some readers of logs end a line.
_CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_IN_JSON = re.compile("[\x7f-\x9f\u2028\u2029]")


def visible(text: str) -> str:
    r"""The text with a visible character in place of each control character; line feeds stay.

    >>> visible("a\x1b[2Jb")
    'a␛[2Jb'
    """
    return _CONTROLS.sub(lambda found: _picture(ord(found[0])), text)


def visible_line(text: str) -> str:
    """The same on one line."""
    return visible(text).replace("\n", "␊")


def escaped_json(text: str) -> str:
    """JSON text with those control characters escaped that JSON itself leaves as they are."""
    return _IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _picture(code: int) -> str:
    """One character wide, so that tables stay aligned."""
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else "\N{REPLACEMENT CHARACTER}"
