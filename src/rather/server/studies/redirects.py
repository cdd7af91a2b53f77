"""Addresses of the owner that respondents are sent to, with what was noted of them filled in."""

import re
from collections.abc import Mapping
from urllib.parse import quote, urlsplit

from rather.errors import InvalidInputError

PLACEHOLDERS = ("respondent", "campaign", "arm", "source")

_PLACEHOLDER = re.compile(r"\{(\w*)\}")

LONGEST = 1_000


def validated_redirect(template: object, name: str) -> str:
    """An address to send respondents to, or an error that names the setting.

    What is filled in comes from a link that anybody may write. So it stands behind the `?`, where it cannot change
    which site or which page is opened.

    Args:
        template: Such as `https://panel.example.org/done?id={respondent}`.
        name: Of the setting.
    """
    example = "such as https://panel.example.org/done?id={respondent}"
    if not isinstance(template, str) or not template.isascii() or not template.isprintable() or len(template) > LONGEST:
        raise InvalidInputError(f"`{name}` must be an address {example}, got {template!r:.80}.")
    if any(sign in template for sign in " \\\"'<>`"):
        raise InvalidInputError(f"`{name}` must be an address without spaces, quotes and brackets, got {template!r}.")
    try:
        parts = urlsplit(template)
        _ = parts.port
    except ValueError:
        raise InvalidInputError(f"`{name}` must be an address {example}, got {template!r}.") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise InvalidInputError(f"`{name}` must start with https:// (or http://) and a host, got {template!r}.")
    if any(sign in f"{parts.netloc}{parts.path}" for sign in "{}"):
        raise InvalidInputError(f"`{name}` may have braces only behind its ?, got {template!r}.")
    unknown = [each for each in _PLACEHOLDER.findall(template) if each not in PLACEHOLDERS]
    if unknown or re.search(r"[{}]", _PLACEHOLDER.sub("", template)):
        known = ", ".join(f"{{{each}}}" for each in PLACEHOLDERS)
        raise InvalidInputError(f"`{name}` can have {known} filled in and nothing else in braces, got {template!r}.")
    return template


def filled(template: str, notes: Mapping[str, str]) -> str:
    """An address with its placeholders filled in, percent-encoded; with nothing for what was not noted."""
    return _PLACEHOLDER.sub(lambda found: quote(notes.get(found[1], ""), safe=""), template)
