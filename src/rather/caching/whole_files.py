"""Files that are written whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written_whole(target: Path) -> Iterator[Path]:
    """A draft to write, which takes the place of the target at the end and is deleted if anything fails.

    A crash or a full disk leaves the old file as it was.
    """
    draft = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        yield draft
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
