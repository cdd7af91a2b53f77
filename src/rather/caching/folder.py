"""The user's cache folder, which may be emptied at any time."""

import os
from pathlib import Path

# Names another folder, or switches the user's cache off.
SWITCH = "RATHER_CACHE"

OFF = ("off", "no", "false", "0")


def switch_off() -> None:
    """Switch the user's cache off, for the rest of this process and the processes it starts."""
    os.environ[SWITCH] = "off"


def user_cache_folder() -> Path | None:
    """The user's cache folder, which may not exist yet; None if the user switched it off.

    `XDG_CACHE_HOME` is honoured on the systems where that is the custom.
    """
    named = os.environ.get(SWITCH, "")
    if named.lower() in OFF:
        return None
    if named:
        return Path(named)
    import platformdirs

    return Path(platformdirs.user_cache_dir("rather", appauthor=False))
