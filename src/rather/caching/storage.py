"""Bytes by key: in this process, and in files that all processes of the user share. Both of bounded size."""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
from collections import OrderedDict
from functools import cache
from pathlib import Path

from rather.caching.folder import is_private, user_cache_folder

# Default limits, in bytes.
MOST_IN_PROCESS = 64 * 2**20
MOST_IN_FILES = 256 * 2**20

# The subfolder of the files by key.
ENTRIES = "entries"

_CHECKSUM_BYTES = 16


class Cache:
    """Bytes by key, in this process and in files.

    A file is written under another name and then renamed, so that other processes see all of it or nothing. A damaged
    file is ignored, and replaced when its content has been computed again.

    Args:
        folder: For the files, created when the first is written; None keeps nothing on disk.
        most_in_process: Bytes kept in the process; what was used least recently goes first.
        most_in_files: Bytes kept in files; the oldest go first.
        prune_every: How many files are written before their total size is checked again.
    """

    def __init__(
        self,
        folder: Path | None = None,
        most_in_process: int = MOST_IN_PROCESS,
        most_in_files: int = MOST_IN_FILES,
        prune_every: int = 64,
    ) -> None:
        self.folder = folder
        self._most_in_process = most_in_process
        self._most_in_files = most_in_files
        self._prune_every = prune_every
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._written = 0
        self._lock = threading.Lock()

    def subfolder(self, name: str) -> Path | None:
        """A folder for files that are not read as a whole, such as indexes; None if nothing is kept on disk.

        It may not exist yet. Whoever writes into it bounds its size.
        """
        return None if self.folder is None else self.folder / name

    def __reduce__(self) -> tuple[type[Cache], tuple[Path | None, int, int, int]]:
        """Another process gets a cache on the same files."""
        return Cache, (self.folder, self._most_in_process, self._most_in_files, self._prune_every)

    def get(self, key: str) -> bytes | None:
        """What was put under this key, if it is still there."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        content = self._read(key)
        if content is not None:
            self._keep(key, content)
        return content

    def put(self, key: str, content: bytes, *, in_file: bool = True) -> None:
        """Keep it in the process, and in a file as well unless it is quicker to compute again."""
        self._keep(key, content)
        entries = self.subfolder(ENTRIES)
        if in_file and entries is not None:
            try:
                self._write(entries, key, content)
            except OSError:  # a full or read-only disk only costs the time to compute again
                return

    def _keep(self, key: str, content: bytes) -> None:
        with self._lock:
            self._bytes += len(content) - len(self._kept.pop(key, b""))
            self._kept[key] = content
            while self._bytes > self._most_in_process and len(self._kept) > 1:
                self._bytes -= len(self._kept.popitem(last=False)[1])

    def _read(self, key: str) -> bytes | None:
        entries = self.subfolder(ENTRIES)
        if entries is None:
            return None
        path = entries / key
        try:
            whole = path.read_bytes()
            os.utime(path)  # needed just now: not to be pruned before others
        except OSError:
            return None
        checksum, content = whole[:_CHECKSUM_BYTES], whole[_CHECKSUM_BYTES:]
        return content if checksum == _checksum(key, content) else None

    def _write(self, folder: Path, key: str, content: bytes) -> None:
        assert self.folder is not None
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=folder, prefix=".")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_checksum(key, content) + content)
            Path(draft).replace(folder / key)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
        self._written += 1
        if self._written % self._prune_every == 1:
            self._prune(folder)

    def _prune(self, folder: Path) -> None:
        """Delete the files that were not needed for longest, down to three quarters of what may be kept."""
        found = []
        for path in folder.iterdir():
            try:
                status = path.stat()
            except OSError:  # another process deleted it
                continue
            found.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in found)
        if total <= self._most_in_files:
            return
        for _, size, path in sorted(found):
            if total <= 0.75 * self._most_in_files:
                return
            path.unlink(missing_ok=True)
            total -= size


def user_cache() -> Cache | None:
    """The cache in the user's cache folder.

    None while the user has switched it off (`RATHER_CACHE=off`), or when the folder belongs to another user.
    """
    folder = user_cache_folder()
    return None if folder is None or not is_private(folder) else _cache_in(folder)


@cache
def _cache_in(folder: Path) -> Cache:
    return Cache(folder)


def _checksum(key: str, content: bytes) -> bytes:
    """The key is in it: a file under another's name is as bad as a damaged one."""
    return hashlib.blake2b(key.encode() + content, digest_size=_CHECKSUM_BYTES).digest()
