"""What a person says about a table: the settings in `cars.toml` beside `cars.csv`."""

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

from rather.errors import InvalidInputError
from rather.formats.tables.column_kinds import ColumnKind, Direction, Form, Role


@dataclass(frozen=True)
class ColumnSpec:
    """What is said about one column; None leaves it to be found.

    Attributes:
        role: "use" it to learn from, "show" it only, or "ignore" it.
        kind: What it holds.
        name: What to call it.
        unit: Of its numbers.
        direction: Whether "more" or "less" is better for everybody, or it "depends" on the person.
        buckets: Rising numbers at which its values fall into another range (years for dates).
        missing: Texts that stand for a missing value in this column, besides the table's.
        separator: Between tags.
        form: How its values join a noun in a question: a car that "is" red, "with" all-wheel drive, "that" seats five;
            by default they stand "alone".
    """

    role: Role | None = None
    kind: ColumnKind | None = None
    name: str | None = None
    unit: str | None = None
    direction: Direction | None = None
    buckets: tuple[float, ...] | None = None
    missing: tuple[str, ...] | None = None
    separator: str | None = None
    form: Form | None = None


@dataclass(frozen=True)
class Spec:
    """What is said about a table; None leaves it to be found.

    Attributes:
        name: What one calls a row, in the singular ("car").
        id: The column that names rows.
        label: The column to show first, or a text with columns in braces: "{make} {model}".
        missing: Texts that stand for a missing value.
        delimiter: Of a CSV.
        encoding: Of a text file.
        most_megabytes: Larger files are refused.
        columns: What is said about single columns.
        source: The settings file, for messages.
        lines: Where each setting stands in it, for messages.
    """

    name: str | None = None
    id: str | None = None
    label: str | None = None
    missing: tuple[str, ...] | None = None
    delimiter: str | None = None
    encoding: str | None = None
    most_megabytes: float | None = None
    columns: Mapping[str, ColumnSpec] = field(default_factory=dict)
    source: str = field(default="the settings", compare=False)
    lines: Mapping[tuple[str, ...], int] = field(default_factory=dict, compare=False, repr=False)

    def column(self, name: str) -> ColumnSpec:
        """What is said about a column, possibly nothing."""
        return self.columns.get(name, ColumnSpec())

    def ignoring(self, names: Sequence[str]) -> "Spec":
        """The same, with these columns ignored."""
        ignored = {name: replace(self.column(name), role=Role.IGNORE) for name in names}
        return replace(self, columns={**self.columns, **ignored})

    def refuse(self, path: tuple[str, ...], message: str) -> NoReturn:
        """Raise, saying where in the settings it is wrong."""
        line = next((self.lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in self.lines), None)
        place = self.source if line is None else f"{self.source}, line {line}"
        raise InvalidInputError(f"{place}: {message}")


TABLE_KEYS = tuple(entry.name for entry in fields(Spec) if entry.name not in ("columns", "source", "lines"))
COLUMN_KEYS = tuple(entry.name for entry in fields(ColumnSpec))


def spec_beside(path: Path) -> Path:
    """Where the settings of a table's file lie."""
    return path.with_suffix(".toml")


def load_spec(told: "Spec | Mapping[str, Any] | str | Path | None", beside: Path | None = None) -> Spec:
    """The settings a person gave, or those that lie beside the table's file, or none.

    Args:
        told: A `Spec`, a mapping shaped like the file, or the path of such a file.
        beside: The table's file, whose settings are used when nothing is told.
    """
    if isinstance(told, Spec):
        return told
    if isinstance(told, Mapping):
        return _spec(told, "`spec`", {})
    if told is not None:
        return read_spec(Path(told))
    if beside is not None and spec_beside(beside).is_file():
        return read_spec(spec_beside(beside))
    return Spec()


def read_spec(path: Path) -> Spec:
    """Read a settings file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        content = tomllib.loads(text)
    except OSError as error:
        raise InvalidInputError(f"The settings {str(path)!r} cannot be read: {error.strerror or error}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInputError(
            f"{path.name} is not valid TOML: {error}. Mend that line, or delete the file to have it written anew."
        ) from None
    return _spec(content, path.name, _lines(text))


def _spec(content: Mapping[str, Any], source: str, lines: Mapping[tuple[str, ...], int]) -> Spec:
    spec = Spec(source=source, lines=lines)
    for key in content:
        if key not in ("table", "columns"):
            spec.refuse((str(key),), f"unknown section {_known(str(key), ('table', 'columns'))}")
    table, columns = content.get("table", {}), content.get("columns", {})
    for name, section in (("table", table), ("columns", columns)):
        if not isinstance(section, Mapping):
            spec.refuse((name,), f"`{name}` must be a section, got {section!r}.")
    for key in table:
        if key not in TABLE_KEYS:
            spec.refuse(("table", str(key)), f"unknown setting {_known(str(key), TABLE_KEYS)}")
    values = {key: _checked(spec, ("table", key), key, value) for key, value in table.items()}
    told = {str(name): _column_spec(spec, str(name), settings) for name, settings in columns.items()}
    return replace(spec, columns=told, **values)


def _column_spec(spec: Spec, name: str, settings: Any) -> ColumnSpec:
    if not isinstance(settings, Mapping):
        spec.refuse(("columns", name), f'column {name!r} must have settings such as role = "use", got {settings!r}.')
    for key in settings:
        if key not in COLUMN_KEYS:
            spec.refuse(
                ("columns", name, str(key)), f"unknown setting of column {name!r}: {_known(str(key), COLUMN_KEYS)}"
            )
    return ColumnSpec(**{key: _checked(spec, ("columns", name, key), key, value) for key, value in settings.items()})


SEPARATING = ("delimiter", "separator")  # these may be white space
CHOICES: dict[str, type[StrEnum]] = {"role": Role, "kind": ColumnKind, "direction": Direction, "form": Form}


def _checked(spec: Spec, path: tuple[str, ...], key: str, value: Any) -> Any:
    """A setting's value in the type it must have."""
    if key in CHOICES:
        choices = [choice.value for choice in CHOICES[key]]
        if value not in choices:
            spec.refuse(path, f"`{key}` must be one of {', '.join(choices)}, got {value!r}.")
        return CHOICES[key](value)
    if key == "buckets":
        return _rising(spec, path, value)
    if key == "missing":
        if not isinstance(value, list | tuple) or not all(isinstance(text, str | int | float) for text in value):
            spec.refuse(path, f'`missing` must be a list of texts such as ["n/a", "-1"], got {value!r}.')
        return tuple(str(text) for text in value)
    if key == "most_megabytes":
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            spec.refuse(path, f"`most_megabytes` must be a number above 0, got {value!r}.")
        return float(value)
    if not isinstance(value, str) or not (value.strip() or key == "unit" or (value and key in SEPARATING)):
        spec.refuse(path, f"`{key}` must be a text, got {value!r}.")
    return value


def _rising(spec: Spec, path: tuple[str, ...], value: Any) -> tuple[float, ...]:
    numbers = isinstance(value, list | tuple) and all(
        isinstance(edge, int | float) and not isinstance(edge, bool) and abs(edge) < 1e101 for edge in value
    )
    if not numbers or not value or any(b <= a for a, b in pairwise(value)):
        spec.refuse(path, f"`buckets` must be a list of rising numbers such as [10, 20, 50], got {value!r}.")
    return tuple(float(edge) for edge in value)


def _known(name: str, names: Sequence[str]) -> str:
    return f"{name!r}{suggestion(name, names)} There are: {', '.join(names)}."


def suggestion(name: str, names: Sequence[str]) -> str:
    """`; did you mean 'price'?` when a known name is close, else a full stop."""
    lower = {known.lower(): known for known in names}
    close = difflib.get_close_matches(name.lower(), lower, n=1)
    return f"; did you mean {lower[close[0]]!r}?" if close else "."


def _lines(text: str) -> dict[tuple[str, ...], int]:
    """The line of every section and setting, as far as a scan of the lines can tell."""
    lines: dict[tuple[str, ...], int] = {}
    section: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[([^\[\]]+|.*\".*\".*)\]\s*(#.*)?$", line):
            section = _key(header[1])
            lines.setdefault(section, number)
        elif setting := re.match(r"\s*([\w.-]+|\"(?:[^\"\\]|\\.)*\"|'[^']*')\s*=", line):
            lines.setdefault((*section, *_key(setting[1])), number)
    return lines


def _key(text: str) -> tuple[str, ...]:
    """The parts of a dotted key, read by the TOML parser itself."""
    try:
        node: Any = tomllib.loads(f"{text} = 0")
    except tomllib.TOMLDecodeError:
        return (text,)
    parts = []
    while isinstance(node, dict):
        name, node = next(iter(node.items()))
        parts.append(name)
    return tuple(parts)
