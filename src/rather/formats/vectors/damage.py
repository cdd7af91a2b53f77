"""Errors that say what is wrong with a file, whichever library noticed it."""

import contextlib
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from rather.errors import InvalidInputError, RatherError

# What readers of files raise when bytes are missing or wrong, each library and each damage in its own way.
DAMAGE = (
    ArithmeticError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    pa.ArrowException,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


@contextlib.contextmanager
def damage_explained(source: Path) -> Iterator[None]:
    """Raise `InvalidInputError` where the file is not there, or cannot be read."""
    if not source.exists():
        raise InvalidInputError(f"There is no file {source}.")
    try:
        yield
    except RatherError:
        raise
    except MemoryError:
        raise InvalidInputError(
            f"Cannot read {source}: it is damaged or too large, for it announces more than fits into memory."
        ) from None
    except DAMAGE as error:
        raise InvalidInputError(f"Cannot read {source}: {damage(source, error)}.") from None


def damage(source: Path, error: BaseException) -> str:
    """What is wrong with a file, in words that need no knowledge of the library that noticed it."""
    said = str(error)
    if source.is_file() and source.stat().st_size == 0:
        return "the file is empty"
    # NumPy takes whatever it does not know for a pickle, and explains how to load one.
    if "pickle" in said or "Object arrays" in said:
        return "it is not a NumPy file, or it holds pickled objects, which are never loaded"
    return "it is not a NumPy file" if "magic string" in said else said.rstrip(".") or "it is damaged"
