"""What a folder of files holds: item vectors, user vectors, a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rather.errors import InvalidInputError
from rather.formats.tables.reading import TABLE_ENDINGS
from rather.formats.vectors.vector_files import VECTOR_ENDINGS, is_vectors_file

# Tables in a folder are recognised by these endings alone: a README or a file of metadata is no table.
FOLDER_TABLES = tuple(ending for ending in TABLE_ENDINGS if ending not in (".txt", ".json"))


@dataclass(frozen=True)
class VectorFolder:
    """A folder of vectors.

    Attributes:
        items: The file of item vectors.
        users: The file of user vectors, if there is one.
        table: A table with a row for each item, if there is one.
    """

    items: Path
    users: Path | None = None
    table: Path | None = None


def find_in_folder(folder: Path) -> VectorFolder | Path:
    """The vectors in a folder with what belongs to them, or the path of its only table."""
    files = _files(folder)
    vectors = [file for file in files if is_vectors_file(file)]
    tables = [file for file in files if file.suffix.lower() in FOLDER_TABLES and file not in vectors]
    users = _one([file for file in vectors if file.stem == "users"], folder, "user vectors")
    items = [file for file in vectors if file.stem != "users"]
    items = [file for file in items if file.stem == "items"] or items
    if items:
        table = _one([file for file in tables if file.stem == "items"] or tables, folder, "table of the items")
        chosen = _one(items, folder, "file of item vectors (or one that is called `items`)")
        assert chosen is not None
        return VectorFolder(chosen, users, table)
    if users is not None:
        raise InvalidInputError(f"{str(folder)!r} holds {users.name}, but no item vectors such as items.npy.")
    only = _one(tables, folder, "table")
    if only is None:
        found = ", ".join(file.name for file in files[:8]) or "nothing"
        raise InvalidInputError(
            f"{str(folder)!r} must hold item vectors (items{', items'.join(VECTOR_ENDINGS)}) or a table "
            f"({', '.join(FOLDER_TABLES)}); it holds {found}{' and more' * (len(files) > 8)}."
        )
    return only


def readable_files(folder: Path) -> list[Path]:
    """Vectors, tables and settings in a folder, by their endings alone."""
    return [file for file in _files(folder) if file.suffix.lower() in (*VECTOR_ENDINGS, *FOLDER_TABLES, ".toml")]


def _files(folder: Path) -> list[Path]:
    return [entry for entry in sorted(folder.iterdir()) if entry.is_file() and not entry.name.startswith(".")]


def _one(files: Sequence[Path], folder: Path, what: str) -> Path | None:
    if len(files) > 1:
        names = ", ".join(file.name for file in files)
        raise InvalidInputError(f"{str(folder)!r} must hold one {what}, got {names}. Name the file instead.")
    return files[0] if files else None
