"""Facts about large files, kept in a cache folder until the file changes."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rather.caching import Cache
from rather.caching.whole_files import written_whole

OnProgress = Callable[[str, int, int], None]
"""Called while a large file is processed: what is being done, how much of it is done, and how much there is."""

# Pages that are compared besides size and time: a file that was replaced without a new time is still noticed.
SAMPLED_PAGES = 64
PAGE = 4096


@dataclass(frozen=True)
class ReadOptions:
    """How vectors are read from files.

    Attributes:
        cache: Where facts about large files and converted files are kept. Without one, large files are scanned every
            time, and those that cannot be memory-mapped are read into memory.
        on_progress: Called while a large file is scanned or converted for the first time.
        large: Files of at least this many bytes are memory-mapped. Reading smaller ones takes no longer than looking up
            what is known about them.
        batch_rows: Rows that are converted or scanned at a time.
    """

    cache: Cache | None = None
    on_progress: OnProgress | None = None
    large: int = 16 * 2**20
    batch_rows: int = 16_384

    def is_large(self, path: Path) -> bool:
        """Whether a file is memory-mapped rather than read."""
        return path.stat().st_size >= self.large

    def facts(self, path: Path) -> FileFacts | None:
        """What is known about a file; None for small files and without a cache."""
        folder = None if self.cache is None else self.cache.subfolder("vectors")
        return None if folder is None or not self.is_large(path) else FileFacts(path, folder)


@dataclass(frozen=True)
class FileFacts:
    """What is known about one file in its present state.

    A file is identified by its path, and its state by its size, the time of its last change and 64 of its pages.

    Attributes:
        path: The file.
        root: Where the facts about all files are kept.
    """

    path: Path
    root: Path

    def __reduce__(self) -> tuple[type[FileFacts], tuple[Path, Path]]:
        """Another process looks at the state of the file itself."""
        return FileFacts, (self.path, self.root)

    @cached_property
    def folder(self) -> Path:
        """Holds everything known about this file, and nothing about another."""
        resolved = self.path.resolve()
        if self._is_converted:
            return resolved.parent
        name = hashlib.blake2b(str(resolved).encode(), digest_size=8).hexdigest()
        return self.root / f"{resolved.stem}-{name}"

    @cached_property
    def state(self) -> str:
        """A hash that changes when the file does."""
        if self._is_converted:
            return self.path.stem
        status = self.path.stat()
        digest = hashlib.blake2b(f"{status.st_size} {status.st_mtime_ns}".encode(), digest_size=8)
        with self.path.open("rb") as file:
            for page in np.linspace(0, max(0, status.st_size - PAGE), SAMPLED_PAGES, dtype=np.int64).tolist():
                file.seek(page)
                digest.update(file.read(PAGE))
        return digest.hexdigest()

    @property
    def _is_converted(self) -> bool:
        """Whether the file was itself written here: it is named after the state of its source and never changes."""
        return self.path.resolve().parent.parent == self.root.resolve()

    def file(self, ending: str) -> Path:
        """The path for something about the file in its present state."""
        return self.folder / f"{self.state}{ending}"

    def load(self) -> dict[str, Any]:
        """The facts that were added so far."""
        try:
            known = json.loads(self.file(".json").read_text(encoding="utf8"))
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}

    def add(self, **facts: Any) -> None:
        """Add facts. If the folder cannot be written, they are found again next time."""
        text = json.dumps({**self.load(), **facts})
        with contextlib.suppress(OSError):
            self.write(".json", lambda draft: draft.write_text(text, encoding="utf8"))

    def load_array(self, ending: str, length: int) -> NDArray[np.float32] | None:
        """A vector of this length that was added, memory-mapped."""
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

        with contextlib.suppress(OSError):
            self.write(ending, write)

    def write(self, ending: str, write: Callable[[Path], object]) -> Path:
        """Write a file about the present state, all of it or nothing, and delete those about earlier states."""
        target = self.file(ending)
        self.folder.mkdir(parents=True, exist_ok=True)
        with written_whole(target) as draft:
            write(draft)
        for old in self.folder.iterdir():
            if not old.name.startswith((self.state, ".")):
                old.unlink(missing_ok=True)
        return target
