"""What programs read: JSON on standard output."""

import codecs
import json
import math
import sys
from typing import Any

from rather.controls import escaped_json


def print_json(document: Any, indent: int | None = 1) -> None:
    """Print a document: non-ASCII text as it is if the encoding allows, otherwise escaped; NaN and infinity as null.

    Args:
        document: Anything that JSON can hold.
        indent: Of nested values; None prints one line.
    """
    unicode = codecs.lookup(sys.stdout.encoding or "utf-8").name.startswith("utf")
    text = json.dumps(_finite(document), indent=indent, ensure_ascii=not unicode, allow_nan=False)
    print(escaped_json(text), flush=True)


def _finite(value: Any) -> Any:
    """The same document with None for every number that JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return value
