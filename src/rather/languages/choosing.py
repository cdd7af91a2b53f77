"""Which language somebody is spoken to in."""

import re

from rather.errors import InvalidInputError
from rather.languages.messages import ENGLISH, LANGUAGES


def validated_language(language: str | None, name: str = "language") -> str | None:
    """The language, if it is one of ours."""
    if language is not None and language not in LANGUAGES:
        raise InvalidInputError(f"`{name}` must be one of {', '.join(LANGUAGES)}, got {language!r}.")
    return language


def chosen_language(*wishes: str | None) -> str:
    """The first wish that can be met; English if none can.

    Args:
        wishes: Each a language tag (`de-AT`) or a list as a browser sends it (`fr-CH, fr;q=0.9, en;q=0.8`), the most
            important one first.
    """
    for wish in wishes:
        for tag in _tags(wish or ""):
            if tag in LANGUAGES:
                return tag
    return ENGLISH


def _tags(accepted: str) -> list[str]:
    """The languages of an `Accept-Language` header without regions, the most wanted first."""
    wanted: list[tuple[float, int, str]] = []
    for part in accepted[:500].split(","):
        found = re.fullmatch(r"\s*([A-Za-z]{1,8})(?:[-_]\w+)*\s*(?:;\s*q\s*=\s*(\d(?:\.\d{0,3})?))?\s*", part)
        if found is not None:
            quality = 1.0 if found[2] is None else float(found[2])
            wanted.append((-quality, len(wanted), found[1].lower()))
    return [tag for quality, _, tag in sorted(wanted) if quality < 0]
