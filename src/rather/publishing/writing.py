"""Published files on the disk: written whole, and replacing only what was published before."""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path

from rather.caching.whole_files import written_whole
from rather.errors import InvalidInputError

# Lists what was published, so that the next time it can be replaced and nothing else is touched.
MANIFEST = "published.json"


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a page into a folder that is new, empty or holds an earlier page."""
    try:
        before = _published(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            with written_whole(path) as draft:
                draft.write_bytes(content)
        (folder / MANIFEST).write_text(json.dumps({"files": sorted(files)}, indent=1), encoding="utf-8")
        for name in before - set(files):
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise InvalidInputError(f"Cannot write {folder}: {error.strerror}.") from None


def write_file(path: Path, content: bytes) -> None:
    """Write a page that is one file."""
    try:
        with written_whole(path) as draft:
            draft.write_bytes(content)
    except OSError as error:
        raise InvalidInputError(f"Cannot write {path}: {error.strerror}.") from None


def compressed_size(name: str, content: bytes) -> int:
    """Bytes that travel where a host compresses texts; fonts and the catalogue are compressed already."""
    return len(content) if name.endswith((".woff2", ".bin")) else len(gzip.compress(content, 9))


def _published(folder: Path) -> set[str]:
    """Names of the files that were published into a folder before."""
    if folder.is_file():
        raise InvalidInputError(f"{folder} is a file, not a folder. For a page that is one file, use `--single-file`.")
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return set()
    try:
        names = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
        return {name for name in names if (folder / name).resolve().is_relative_to(folder.resolve())}
    except (OSError, ValueError, KeyError, TypeError):
        raise InvalidInputError(
            f"{folder} holds files that `rather publish` has not written. Name a new or empty folder."
        ) from None
