"""Getting a data set: from its publisher, resuming what was begun and rejecting what is damaged, or from a folder."""

import gzip
import hashlib
import http.client
import json
import shutil
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from rather.errors import CorruptDownloadError, InvalidInputError, MissingDataError, RatherError
from rather.research.datasets.folders import data_directory, find_dataset
from rather.research.datasets.registry import Dataset, Download

BLOCK = 1 << 20
TERMS_FILE = "TERMS.txt"

OnBytes = Callable[[str, int, int | None], None]
"""Called with a file's name, how many of its bytes are here, and how many there will be (None if unknown)."""


def get_dataset(
    dataset: Dataset, source: Path | None = None, on_bytes: OnBytes | None = None, *, directory: Path | None = None
) -> Path:
    """The folder of a data set in the user's data directory, filled if it was not complete; its terms beside it.

    Args:
        dataset: Which.
        source: Take it from this folder, which holds its files or its archive, instead of the publisher.
        on_bytes: For a progress bar.
        directory: The user's data directory, by default `data_directory()`.
    """
    folder = (directory or data_directory()) / dataset.name
    if dataset.is_in(folder):
        return folder
    if source is None and not dataset.downloads:
        raise MissingDataError(
            f"{dataset.name} is not offered for download any more ({dataset.homepage}). "
            f"Take it from a folder that has it: rather data get {dataset.name} --from DIR"
        )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / TERMS_FILE).write_text(terms(dataset), encoding="utf8")
    if source is not None:
        _take(dataset, source, folder)
    else:
        for download in dataset.downloads:
            archive = fetch(download, folder, on_bytes)
            if archive.suffix == ".zip":
                _unpack(archive, folder)
                archive.unlink()
    if not dataset.is_in(folder):
        raise CorruptDownloadError(f"{folder} is still not complete; it must hold {dataset.files[0]}.")
    return folder


def terms(dataset: Dataset) -> str:
    """What to know before use, as text."""
    return f"{dataset.title}\n{dataset.homepage}\n\nTerms: {dataset.licence}\n\nPlease cite:\n{dataset.citation}\n"


def fetch(download: Download, folder: Path, on_bytes: OnBytes | None = None) -> Path:
    """The downloaded file, checked. A transfer that broke off resumes where it ended."""
    part = folder / f"{download.file}.part"
    try:
        _transfer(download, part, on_bytes)
    except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", None) or error
        raise RatherError(
            f"Could not download {download.url}: {reason}. What arrived is kept; the same command resumes. "
            "Without a connection, use --from with a folder that has it."
        ) from None
    try:
        _check(download, part)
    except CorruptDownloadError:
        part.unlink()
        raise
    finally:
        _version_file(part).unlink(missing_ok=True)
    return part.replace(folder / download.file)


def _transfer(download: Download, part: Path, on_bytes: OnBytes | None) -> None:
    if not download.url.startswith(("https://", "http://")):
        raise InvalidInputError(f"A download must have an http address, got {download.url!r}.")
    here = part.stat().st_size if part.exists() else 0
    version = _version_file(part)
    headers = {"User-Agent": "rather"}
    if here and version.exists():
        # If-Range: when the publisher's file has changed since, the answer is the whole new file, not its tail.
        headers |= {"Range": f"bytes={here}-", "If-Range": json.loads(version.read_text())["version"]}
    else:
        here = 0
    try:
        with urllib.request.urlopen(urllib.request.Request(download.url, headers=headers), timeout=60) as answer:
            here = here if answer.status == http.client.PARTIAL_CONTENT else 0
            stamp = answer.headers.get("ETag") or answer.headers.get("Last-Modified")
            if stamp and not stamp.startswith("W/"):  # a weak stamp cannot vouch for bytes
                version.write_text(json.dumps({"version": stamp}))
            length = answer.headers.get("Content-Length")
            total = here + int(length) if length else download.size
            with part.open("ab" if here else "wb") as file:
                came = _copy(answer, file, lambda done: on_bytes and on_bytes(download.file, here + done, total))
    except urllib.error.HTTPError as error:
        if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE and here:
            return  # everything had arrived already
        raise
    if length and came != int(length):
        raise http.client.IncompleteRead(b"", int(length) - came)


def _copy(source: BinaryIO, target: BinaryIO, on_done: Callable[[int], object]) -> int:
    done = 0
    while block := source.read(BLOCK):
        target.write(block)
        done += len(block)
        on_done(done)
    return done


def _version_file(part: Path) -> Path:
    return part.with_name(f"{part.name}.version")


def _check(download: Download, path: Path) -> None:
    """Reject a file that is not what was published."""
    if download.checksum:
        kind, expected = download.checksum.split(":")
        with path.open("rb") as file:
            got = hashlib.file_digest(file, kind).hexdigest()
        if got != expected:
            raise CorruptDownloadError(
                f"{download.file} from {download.url} is damaged or has changed: its {kind} is {got}, "
                f"published is {expected}. It was deleted; try again."
            )
    elif not _intact(path, download.file):
        raise CorruptDownloadError(f"{download.file} from {download.url} is damaged. It was deleted; try again.")


def _intact(path: Path, name: str) -> bool:
    """Whether an archive agrees with the checksums inside it; other files carry none."""
    try:
        if name.endswith(".zip"):
            with zipfile.ZipFile(path) as archive:
                return archive.testzip() is None
        if name.endswith(".gz"):
            with gzip.open(path) as stream:
                while stream.read(BLOCK):
                    pass
    except (zipfile.BadZipFile, gzip.BadGzipFile, EOFError, zlib.error):
        return False
    return True


def _unpack(archive: Path, folder: Path) -> None:
    """All files of a zip archive, directly into the folder whatever directories it has inside."""
    with zipfile.ZipFile(archive) as contents:
        for member in contents.infolist():
            name = Path(member.filename).name
            if member.is_dir() or not name or "__MACOSX" in member.filename:
                continue
            with contents.open(member) as source, (folder / name).open("wb") as target:
                shutil.copyfileobj(source, target, BLOCK)


def _take(dataset: Dataset, source: Path, folder: Path) -> None:
    """From a folder: its archives, checked like a download, or its files."""
    archives = [(download, source / download.file) for download in dataset.downloads]
    if archives and all(path.exists() and path.suffix == ".zip" for _, path in archives):
        for download, path in archives:
            _check_taken(download, path)
            _unpack(path, folder)
        return
    found = find_dataset(dataset.name, source)
    for path in sorted(found.iterdir()):
        if path.is_file():
            shutil.copyfile(path, folder / path.name)


def _check_taken(download: Download, path: Path) -> None:
    try:
        _check(download, path)
    except CorruptDownloadError:
        raise CorruptDownloadError(f"{path} is damaged: it is not the {download.file} that was published.") from None
