"""JSON lines: one object on each line. A file that holds one array of objects is read as well."""

import json
from pathlib import Path
from typing import Any

from rather.errors import InvalidInputError
from rather.formats.tables.delimited import bom_encoding, reject_binary
from rather.formats.tables.encodings import encoding_text, find_encoding
from rather.formats.tables.raw import RawTable, column_of

ROW_NOUN = "object {} (counted from 1)"


def read_json(path: Path, encoding: str | None, *, strict: bool = False) -> RawTable:
    """Read JSON lines. Objects inside an object become columns named with a dot: `engine.power`.

    Args:
        path: The file.
        encoding: Its encoding, by default detected.
        strict: Whether a file that is not UTF-8 is rejected when no encoding is given.
    """
    data = path.read_bytes()
    reject_binary(path, data[:4096], encoding)
    repairs = []
    try:
        try:
            text = data.decode(encoding or bom_encoding(data) or "utf-8")
        except UnicodeDecodeError:
            if strict or encoding is not None:
                raise
            found = find_encoding(data)
            text = data.decode(found)
            repairs.append(encoding_text(found))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInputError(
            f"Line {line} of {path.name} holds a byte (0x{data[error.start]:02x}) that is not {error.encoding}. "
            f"Save the file as UTF-8, or put `encoding` under [table] in {path.with_suffix('.toml').name}."
        ) from None
    except (LookupError, UnicodeError):
        raise InvalidInputError(f"`encoding` {encoding!r} cannot be used to read {path.name}.") from None
    objects = [
        _flat(item, f"object {number} of {path.name}") for number, item in enumerate(_items(path, text), start=1)
    ]
    names = list(dict.fromkeys(name for item in objects for name in item))
    if not names:
        raise InvalidInputError(f"{path.name} is empty: it holds no objects with values.")
    columns = {name: column_of([item.get(name) for item in objects]) for name in names}
    return RawTable(path.name, columns, path, row_noun=ROW_NOUN, repairs=tuple(repairs))


def _items(path: Path, text: str) -> list[Any]:
    if text.lstrip().startswith("["):
        whole = _parsed(text, path, 0)
        return whole if isinstance(whole, list) else [whole]
    lines = enumerate(text.split("\n"), start=1)
    return [_parsed(line, path, number) for number, line in lines if line.strip()]


def _parsed(text: str, path: Path, line: int) -> Any:
    try:
        return json.loads(text, parse_constant=lambda constant: None)
    except json.JSONDecodeError as error:
        raise InvalidInputError(
            f"Line {line or error.lineno} of {path.name} is not JSON (character {error.colno}: {error.msg}). "
            "Each line must hold one whole object."
        ) from None
    except (RecursionError, ValueError) as error:  # very deep nesting, an integer of thousands of digits
        raise InvalidInputError(f"Line {line or 1} of {path.name} cannot be read: {error}.") from None


def _flat(item: Any, location: str, prefix: str = "") -> dict[str, Any]:
    if not isinstance(item, dict):
        raise InvalidInputError(f'Each line must hold an object such as {{"name": "x"}}; {location} is {item!r:.60}.')
    flat: dict[str, Any] = {}
    for key, value in item.items():
        name = prefix + (key.strip() or "column")
        if isinstance(value, dict):
            flat.update(_flat(value, location, name + "."))
        elif isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
            flat[name] = json.dumps(value, ensure_ascii=False)
        else:
            flat[name] = value
    return flat
