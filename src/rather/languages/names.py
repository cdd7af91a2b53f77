"""What common columns and qualities are called in other languages than English."""

import re

from rather.languages.messages import ENGLISH, messages


def name_in(language: str, name: str) -> str:
    """The name of a column or quality in a language; as it is where it is not a common English one."""
    if language == ENGLISH:
        return name
    plain = re.sub(r"^an? ", "", name.lower().replace("-", " "))
    translation = messages(language).get(f"names.{plain}")
    return translation if isinstance(translation, str) else name


def counted_in(language: str, name: str) -> str:
    """The name of what is counted, a plural, after "with" in a language: German has "Sitze" but "mit 4 Sitzen"."""
    said = name_in(language, name)
    return f"{said}n" if language == "de" and re.fullmatch(r".*(e|el|er)", said) else said
