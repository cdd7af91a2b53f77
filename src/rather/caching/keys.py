"""Keys of what is cached, by content: equal settings have equal keys, in whichever process."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import types
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rather

if TYPE_CHECKING:
    from torch import Tensor

HOME = Path(rather.__file__).parent


@cache
def versions() -> tuple[str, str, str]:
    """Of this package, of torch and of this package's code: other ones may compute other numbers."""
    import torch

    return rather.__version__, torch.__version__, code_hash()


def code_hash(home: Path = HOME) -> str:
    """A hash of every module under a folder.

    Of all of them: a list of those that decide a question would miss the next one that moves. Hashing the 200 of this
    package takes 8 ms, once in a process.
    """
    digest = hashlib.blake2b(digest_size=16)
    for file in sorted(home.rglob("*.py")):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(home).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


class UnidentifiableError(Exception):
    """Something whose content cannot be seen, so that nothing about it may be cached."""


def digest(*parts: object) -> str:
    """A hash of plain data."""
    try:
        text = json.dumps(parts, sort_keys=True)
    except TypeError as error:  # a number of another library, say
        raise UnidentifiableError(str(error)) from None
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def plain(setting: Any) -> Any:
    """A setting of this package as plain data that identifies it.

    Functions and classes become their names, dataclasses their fields. Raises `UnidentifiableError` for anything from
    outside this package: its code may change under the same name.
    """
    if setting is None or isinstance(setting, bool | int | float | str):
        return setting
    if isinstance(setting, Enum):
        return [type(setting).__qualname__, setting.name]
    if isinstance(setting, tuple | list):
        return [plain(part) for part in setting]
    if isinstance(setting, types.FunctionType):
        return _named(setting)
    if dataclasses.is_dataclass(setting) and not isinstance(setting, type):
        fields = {field.name: plain(getattr(setting, field.name)) for field in dataclasses.fields(setting)}
        return [_named(type(setting)), fields]
    raise UnidentifiableError(repr(type(setting)))


def _named(made: Any) -> str:
    if not made.__module__.startswith("rather.") or "<" in made.__qualname__:
        raise UnidentifiableError(made.__qualname__)
    return f"{made.__module__}.{made.__qualname__}"


def tensor_hash(tensor: Tensor | None) -> str | None:
    """A hash of a tensor's numbers."""
    if tensor is None:
        return None
    return hashlib.blake2b(tensor.contiguous().numpy().tobytes(), digest_size=16).hexdigest()
