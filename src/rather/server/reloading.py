"""The files that catalogues were opened from: noticing that one has changed, and serving what it holds now."""

import hashlib
import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rather.caching.storage import user_cache
from rather.errors import InvalidInputError, RatherError
from rather.formats.opening import files_of, open
from rather.formats.vectors.memory_mapped_items import MemoryMappedItems
from rather.model.catalog_changes import CatalogChanges
from rather.server.computing.priors import Priors
from rather.server.conversations import Conversations
from rather.server.problems import ProblemError

logger = logging.getLogger("rather.server")

# How often files are looked at. One that has changed is opened when it looks the same the next time.
POLL_SECONDS = 2.0

# A larger file counts as changed when its time has: hashing all of it would take as long as opening it.
MOST_HASHED_BYTES = 64 * 2**20


@dataclass(frozen=True)
class Reloaded:
    """What came of looking at the file of a catalogue.

    Attributes:
        catalog: The name of the catalogue.
        outcome: "unchanged"; "switched" to what the file holds now; or "kept" as it was, because that cannot be served.
        text: The same in words, and why it was kept.
        changes: What the switch changed.
    """

    catalog: str
    outcome: Literal["unchanged", "switched", "kept"]
    text: str
    changes: CatalogChanges | None = None


@dataclass(frozen=True)
class _FileStates:
    """How files look from outside: their paths, each with its inode, size and time of change, or None if missing."""

    files: tuple[tuple[Path, tuple[int, int, int] | None], ...]

    @classmethod
    def of(cls, path: Path) -> "_FileStates":
        return cls(tuple((file, _state(file)) for file in files_of(path)))

    def contents(self) -> str:
        """A hash that differs when the contents do."""
        digest = hashlib.blake2b(digest_size=16)
        for path, state in self.files:
            digest.update(f"{path.name} {state is None} ".encode())
            if state is not None and state[1] > MOST_HASHED_BYTES:
                digest.update(repr(state).encode())
            elif state is not None:
                digest.update(path.read_bytes())
        return digest.hexdigest()


def _state(file: Path) -> tuple[int, int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


class _Watched:
    """The file or folder of one catalogue.

    Attributes:
        name: Of the catalogue.
        path: The file or folder.
        served: The contents that are served, as a hash.
        opened: How it looked when it was last opened, or could not be.
        seen: How it looked last.
        problem: Why what it holds now is not served.
    """

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.path = path
        self.opened = self.seen = _FileStates.of(path)
        self.served = self.opened.contents()
        self.problem: str | None = None


class Reloading:
    """Serves what the files of catalogues hold, also after they have changed.

    Args:
        conversations: Where new versions are served.
        files: The file or folder that a catalogue was opened from, by the name of the catalogue.
        priors: The learnt priors that conversations start from.
    """

    def __init__(
        self, conversations: Conversations, files: Mapping[str, str | Path], priors: Priors | None = None
    ) -> None:
        self._conversations = conversations
        self._priors = priors or Priors()
        if unknown := sorted(set(files) - {served.name for served in conversations.catalogs}):
            raise InvalidInputError(f"`files` must name catalogues that are served, got {', '.join(unknown)}.")
        self._watched = [_Watched(name, Path(path)) for name, path in files.items()]
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.switches = 0

    @property
    def problems(self) -> dict[str, str | None]:
        """By name of the catalogue, why what its file holds now is not served; None when it is."""
        return {watched.name: watched.problem for watched in self._watched}

    def start(self) -> None:
        """Look at the files every few seconds from now on."""
        if self._watched:
            self._thread = threading.Thread(target=self._poll_repeatedly, name="reloading", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Look no more. What is being opened is not switched to."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(1.0)

    def poll(self) -> list[Reloaded]:
        """Look at every file once. Those that have changed, and look as they did the last time, are opened."""
        with self._lock:
            return [found for watched in self._watched if (found := self._look(watched)) is not None]

    def reload(self) -> list[Reloaded]:
        """Open every file now that does not hold what is served; for each catalogue what came of it."""
        with self._lock:
            done = {watched.name: self._reload(watched) for watched in self._watched}
        text = "It was not opened from a file."
        return [done.get(each.name, Reloaded(each.name, "unchanged", text)) for each in self._conversations.catalogs]

    def _poll_repeatedly(self) -> None:
        while not self._stop.wait(POLL_SECONDS):
            try:
                self.poll()
            except Exception:
                logger.exception("looking for changed files failed")

    def _look(self, watched: _Watched) -> Reloaded | None:
        before, watched.seen = watched.seen, _FileStates.of(watched.path)
        if watched.seen == watched.opened:
            return None
        if watched.seen != before:  # perhaps it is still being written
            self._warn_if_overwritten(watched)
            return None
        return self._open(watched)

    def _reload(self, watched: _Watched) -> Reloaded:
        watched.seen = _FileStates.of(watched.path)
        text = f"{watched.path.name} is being written. Send the same request again in a moment."
        return self._open(watched) or Reloaded(watched.name, "kept", text)

    def _open(self, watched: _Watched) -> Reloaded | None:
        """Serve what a file holds now; None when it changes meanwhile."""
        start = time.perf_counter()
        try:
            contents = watched.seen.contents()
            if contents == watched.served:
                return self._unchanged(watched)
            opened = open(watched.path, strict=self._conversations.settings.strict, cache=user_cache())
            if self._stop.is_set() or _FileStates.of(watched.path) != watched.seen:
                return None
            with self._priors.switching:
                beliefs = self._priors.beliefs(watched.name, opened)
                changes = self._conversations.replace(watched.name, (opened.catalog, beliefs.current), beliefs.earlier)
                self._priors.serve(watched.name, opened)
        except Exception as error:
            return self._kept(watched, error) if _FileStates.of(watched.path) == watched.seen else None
        watched.opened, watched.served, watched.problem = watched.seen, contents, None
        self.switches += 1
        fields = {"catalog": watched.name, "items": len(opened.catalog), **vars(changes)}
        logger.info("switched", extra={"fields": fields | {"seconds": round(time.perf_counter() - start, 2)}})
        text = f"{watched.path.name} has changed: {changes.sentence(opened.catalog.name)}"
        return Reloaded(watched.name, "switched", text, changes)

    def _unchanged(self, watched: _Watched) -> Reloaded:
        if watched.problem is not None:
            logger.info("the file holds again what is served", extra={"fields": {"catalog": watched.name}})
        watched.opened, watched.problem = watched.seen, None
        return Reloaded(watched.name, "unchanged", f"{watched.path.name} holds what is served.")

    def _kept(self, watched: _Watched, error: Exception) -> Reloaded:
        watched.opened, watched.problem = watched.seen, _reason(watched, error)
        fields = {"catalog": watched.name, "reason": watched.problem}
        expected = isinstance(error, RatherError | ProblemError | OSError | MemoryError)
        logger.warning("kept the earlier version", extra={"fields": fields}, exc_info=None if expected else error)
        return Reloaded(watched.name, "kept", f"{watched.problem} The earlier version is still served.")

    def _warn_if_overwritten(self, watched: _Watched) -> None:
        """Say so when the memory that is served from has changed with the file."""
        storage = self._conversations.catalogs.find(watched.name).catalog.storage
        if not isinstance(storage, MemoryMappedItems):
            return
        path = storage.matrix.path
        now, then = (dict(states.files).get(path) for states in (watched.seen, watched.opened))
        if now is not None and then is not None and now != then and now[0] == then[0]:
            text = (
                f"{path.name} was overwritten in place while it was memory-mapped. Until it has been opened again, "
                "what is served may be wrong. Write a new file and rename it to this name instead."
            )
            logger.warning("overwritten in place", extra={"fields": {"catalog": watched.name, "reason": text}})


def _reason(watched: _Watched, error: Exception) -> str:
    if isinstance(error, ProblemError):
        return error.detail
    if isinstance(error, OSError):
        return f"{watched.path.name} cannot be read: {error.strerror or error}."
    if isinstance(error, MemoryError):
        return f"There is too little memory to open {watched.path.name} beside the earlier version."
    if isinstance(error, RatherError):
        return str(error)
    return f"{watched.path.name} cannot be opened ({type(error).__name__}: {error}); the log has the traceback."
