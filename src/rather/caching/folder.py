"""Where what was computed is kept between runs: the user's cache directory, which may be emptied at any time."""

import os
from pathlib import Path

# Names another folder, or says "off": then no question and no shortlist is kept or looked for.
SWITCH = "RATHER_CACHE"

OFF = ("off", "no", "false", "0")


def switch_off() -> None:
    """Keep nothing and look for nothing, for the rest of this process and in those that it starts."""
    os.environ[SWITCH] = "off"


def is_off() -> bool:
    """Whether the user wants everything computed."""
    return os.environ.get(SWITCH, "").lower() in OFF


def user_cache_folder() -> Path:
    """The user's cache directory, or the folder that the user named; it may not exist yet.

    `XDG_CACHE_HOME` is honoured where that is the custom.
    """
    named = os.environ.get(SWITCH)
    if named and not is_off():
        return Path(named)
    import platformdirs

    return Path(platformdirs.user_cache_dir("rather", appauthor=False))


def cache_directory(*names: str) -> Path | None:
    """The folder of these names in the user's cache directory, or None when the user switched it off."""
    return None if is_off() else user_cache_folder().joinpath(*names)
