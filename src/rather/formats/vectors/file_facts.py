"""Small facts about large files, kept in the user's cache directory until the file changes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rather.caching.folder import user_cache_folder

OnProgress = Callable[[str, int, int], None]
"""Called as work on a large file goes on: what is done, how far it is, and how far it goes."""

# Smaller files are looked at in the time it takes to remember them, and leave nothing behind.
LARGE = 16 * 2**20

# Pages that are compared besides size and time: a file that was replaced without a new time is still noticed.
SAMPLED_PAGES = 64
PAGE = 4096


def cache_directory() -> Path:
    """Where what can be computed again is kept: the environment variable `RATHER_CACHE`, or the user's cache.

    Large files have to lie somewhere when they are converted, also while `RATHER_CACHE` is off.
    """
    return user_cache_folder()


def is_large(path: Path) -> bool:
    """Whether a file is worth remembering something about."""
    return path.stat().st_size >= LARGE


@dataclass(frozen=True)
class FileFacts:
    """What is known of one file as it is now.

    A file is told apart by its path, and as it is now by its size, the time of its last change and 64 of its pages.
    """

    path: Path

    @cached_property
    def folder(self) -> Path:
        """Holds everything known of the file, and nothing of another."""
        resolved = self.path.resolve()
        if self._is_in_cache:
            return resolved.parent
        name = hashlib.blake2b(str(resolved).encode(), digest_size=8).hexdigest()
        return cache_directory() / "vectors" / f"{resolved.stem}-{name}"

    @cached_property
    def stamp(self) -> str:
        """Another one as soon as the file is another one."""
        if self._is_in_cache:
            return self.path.stem
        state = self.path.stat()
        digest = hashlib.blake2b(f"{state.st_size} {state.st_mtime_ns}".encode(), digest_size=8)
        with self.path.open("rb") as file:
            for page in np.linspace(0, max(0, state.st_size - PAGE), SAMPLED_PAGES, dtype=np.int64).tolist():
                file.seek(page)
                digest.update(file.read(PAGE))
        return digest.hexdigest()

    @property
    def _is_in_cache(self) -> bool:
        """Whether the file itself was written here: it bears the stamp of what it was made from and never changes."""
        return self.path.resolve().parent.parent == (cache_directory() / "vectors").resolve()

    def file(self, ending: str) -> Path:
        """Where something about the file as it is now may lie."""
        return self.folder / f"{self.stamp}{ending}"

    def load(self) -> dict[str, Any]:
        """What was remembered: nothing at first."""
        try:
            known = json.loads(self.file(".json").read_text(encoding="utf8"))
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}

    def add(self, **facts: Any) -> None:
        """Add facts. Where the cache cannot be written they are found again next time."""
        text = json.dumps({**self.load(), **facts})
        self._keep(".json", lambda draft: draft.write_text(text, encoding="utf8"))

    def array(self, ending: str, length: int) -> NDArray[np.float32] | None:
        """A remembered vector of this length, mapped."""
        try:
            found = np.load(self.file(ending), mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError):
            return None
        return found if found.shape == (length,) and found.dtype == np.float32 else None

    def add_array(self, ending: str, values: NDArray[np.float32]) -> None:
        """Add a vector."""

        def write(draft: Path) -> None:
            with draft.open("wb") as file:
                np.save(file, values)

        self._keep(ending, write)

    def _keep(self, ending: str, write: Callable[[Path], object]) -> None:
        with contextlib.suppress(OSError):
            self.write(ending, write)

    def write(self, ending: str, write: Callable[[Path], object]) -> Path:
        """Write something about the file as it is now, whole or not at all; forgets what was known of it before."""
        target = self.file(ending)
        draft = self.folder / f".{target.name}.{os.getpid()}.new"
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            write(draft)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
        for old in self.folder.iterdir():
            if not old.name.startswith((self.stamp, ".")):
                old.unlink(missing_ok=True)
        return target
