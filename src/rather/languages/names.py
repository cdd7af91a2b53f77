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
