"""The user's cache folder, which may be emptied at any time."""

import os
import stat
from pathlib import Path

# Names another folder, or switches the user's cache off.
SWITCH = "RATHER_CACHE"

WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH

OFF = ("off", "no", "false", "0")


def switch_off() -> None:
    """Switch the user's cache off, for the rest of this process and the processes it starts."""
    os.environ[SWITCH] = "off"


def is_private(folder: Path) -> bool:
    """Whether a folder, if it exists, belongs to this user; others may then no longer write to it.

    What is in a cache is trusted: who writes there decides what is asked and recommended.
    """
    if os.name == "nt":
        return True
    try:
        found = folder.stat()
        if found.st_uid != os.geteuid():
            return False
        if found.st_mode & WRITABLE_BY_OTHERS:
            folder.chmod(stat.S_IMODE(found.st_mode) & ~WRITABLE_BY_OTHERS)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


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
