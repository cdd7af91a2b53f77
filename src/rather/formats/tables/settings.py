"""Settings of a table, given by its owner: `cars.toml` beside `cars.csv`."""

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
from rather.formats.tables.column_kinds import ColumnKind, Direction, Role, Worth
from rather.languages import LANGUAGES


@dataclass(frozen=True)
class ColumnSettings:
    """Settings of one column; what is None is inferred.

    Attributes:
        role: "use" it to learn from, "show" it only, or "ignore" it.
        kind: What it holds.
        name: What to call it.
        unit: The unit of its numbers.
        direction: Whether "more" or "less" is better for everybody, or it "depends" on the person.
        buckets: Ascending numbers that divide its values into ranges (years for dates).
        missing: Texts that mean a missing value in this column, besides those of the table.
        separator: What separates its tags.
        phrase: How a question says a value of an item, with `{value}` for the value: "made by {value}", "with {value}
            of memory"; "" to say the value alone. For each language one of its own: {en = "made by {value}", de = "von
            {value}"}.
        worth: Of a number: a "curve", which may bend at every knot, or a "line".
    """

    role: Role | None = None
    kind: ColumnKind | None = None
    name: str | None = None
    unit: str | None = None
    direction: Direction | None = None
    buckets: tuple[float, ...] | None = None
    missing: tuple[str, ...] | None = None
    separator: str | None = None
    phrase: str | Mapping[str, str] | None = None
    worth: Worth | None = None


@dataclass(frozen=True)
class TableSettings:
    """Settings of a table; what is None is inferred.

    Attributes:
        name: What to call a row, in the singular ("car").
        verb: What one does with it ("drive"), for "would you rather drive …?".
        id: The column that identifies rows.
        label: The column to show first, or a template with columns in braces: "{make} {model}".
        missing: Texts that mean a missing value.
        delimiter: The delimiter of a CSV file.
        encoding: The encoding of a text file.
        most_megabytes: Larger files are rejected.
        interactions: Pairs of columns whose worth is joint: (("weight", "use"),).
        columns: Settings of single columns.
        source: The settings file, for error messages.
        lines: The line of each setting in it, for error messages.
    """

    name: str | None = None
    verb: str | None = None
    id: str | None = None
    label: str | None = None
    missing: tuple[str, ...] | None = None
    delimiter: str | None = None
    encoding: str | None = None
    most_megabytes: float | None = None
    interactions: tuple[tuple[str, str], ...] | None = None
    columns: Mapping[str, ColumnSettings] = field(default_factory=dict)
    source: str = field(default="the settings", compare=False)
    lines: Mapping[tuple[str, ...], int] = field(default_factory=dict, compare=False, repr=False)

    def column(self, name: str) -> ColumnSettings:
        """The settings of a column, possibly none."""
        return self.columns.get(name, ColumnSettings())

    def ignoring(self, names: Sequence[str]) -> "TableSettings":
        """The same settings with these columns ignored."""
        ignored = {name: replace(self.column(name), role=Role.IGNORE) for name in names}
        return replace(self, columns={**self.columns, **ignored})

    def reject(self, path: tuple[str, ...], message: str) -> NoReturn:
        """Raise an error that says which line of the settings is wrong."""
        line = next((self.lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in self.lines), None)
        where = self.source if line is None else f"{self.source}, line {line}"
        raise InvalidInputError(f"{where}: {message}")


TABLE_KEYS = tuple(entry.name for entry in fields(TableSettings) if entry.name not in ("columns", "source", "lines"))
COLUMN_KEYS = tuple(entry.name for entry in fields(ColumnSettings))


def settings_path(table: Path) -> Path:
    """The settings file that belongs to a table's file."""
    return table.with_suffix(".toml")


def load_settings(
    given: TableSettings | Mapping[str, Any] | str | Path | None,
    table: Path | None = None,
    *,
    source: str = "`settings`",
    lines: Mapping[tuple[str, ...], int] | None = None,
) -> TableSettings:
    """The settings that were given, or those beside the table's file, or none.

    Args:
        given: Settings, a mapping shaped like the file, or the path of such a file.
        table: The table's file, if it is one.
        source: What messages call a mapping.
        lines: The line of each of its settings, for messages.
    """
    if isinstance(given, TableSettings):
        return given
    if isinstance(given, Mapping):
        return _parsed(given, source, lines or {})
    if given is not None:
        return read_settings(Path(given))
    if table is not None and settings_path(table).is_file():
        return read_settings(settings_path(table))
    return TableSettings()


def read_settings(path: Path) -> TableSettings:
    """Read a settings file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        content = tomllib.loads(text)
    except OSError as error:
        raise InvalidInputError(f"Cannot read the settings {str(path)!r}: {error.strerror or error}.") from None
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits
        raise InvalidInputError(
            f"{path.name} is not valid TOML: {error}. Correct that line, or delete the file and run `rather inspect`."
        ) from None
    return _parsed(content, path.name, setting_lines(text))


def _parsed(content: Mapping[str, Any], source: str, lines: Mapping[tuple[str, ...], int]) -> TableSettings:
    settings = TableSettings(source=source, lines=lines)
    if "space" in content:
        settings.reject(("space",), "it describes a product space and no table: open it by itself.")
    for key in content:
        if key not in ("table", "columns"):
            settings.reject((str(key),), f"unknown section {_known(str(key), ('table', 'columns'))}")
    table, columns = content.get("table", {}), content.get("columns", {})
    for name, section in (("table", table), ("columns", columns)):
        if not isinstance(section, Mapping):
            settings.reject((name,), f"`{name}` must be a section, got {section!r}.")
    for key in table:
        if key not in TABLE_KEYS:
            settings.reject(("table", str(key)), f"unknown setting {_known(str(key), TABLE_KEYS)}")
    values = {key: _validated(settings, ("table", key), key, value) for key, value in table.items()}
    parsed = {str(name): _parsed_column(settings, str(name), section) for name, section in columns.items()}
    return replace(settings, columns=parsed, **values)


def _parsed_column(settings: TableSettings, name: str, section: Any) -> ColumnSettings:
    if not isinstance(section, Mapping):
        settings.reject(("columns", name), f'column {name!r} must have settings such as role = "use", got {section!r}.')
    for key in section:
        if key not in COLUMN_KEYS:
            unknown = _known(str(key), COLUMN_KEYS)
            settings.reject(("columns", name, str(key)), f"unknown setting of column {name!r}: {unknown}")
    values = {key: _validated(settings, ("columns", name, key), key, value) for key, value in section.items()}
    return ColumnSettings(**values)


VALUE = "{value}"
MAY_BE_BLANK = ("delimiter", "separator")
CHOICES: dict[str, type[StrEnum]] = {"role": Role, "kind": ColumnKind, "direction": Direction, "worth": Worth}


def _validated(settings: TableSettings, path: tuple[str, ...], key: str, value: Any) -> Any:
    """The value of a setting, in the type it must have."""
    if key in CHOICES:
        choices = [choice.value for choice in CHOICES[key]]
        if value not in choices:
            settings.reject(path, f"`{key}` must be one of {', '.join(choices)}, got {value!r}.")
        return CHOICES[key](value)
    if key == "buckets":
        return _ascending(settings, path, value)
    if key == "missing":
        if not isinstance(value, list | tuple) or not all(isinstance(text, str | int | float) for text in value):
            settings.reject(path, f'`missing` must be a list of texts such as ["n/a", "-1"], got {value!r}.')
        return tuple(str(text) for text in value)
    if key == "most_megabytes":
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            settings.reject(path, f"`most_megabytes` must be a number above 0, got {value!r}.")
        return float(value)
    if key == "interactions":
        return _pairs(settings, path, value)
    if key == "phrase":
        return _phrase(settings, path, value)
    if not isinstance(value, str) or not (value.strip() or key == "unit" or (value and key in MAY_BE_BLANK)):
        settings.reject(path, f"`{key}` must be a text, got {value!r}.")
    return value


def _phrase(settings: TableSettings, path: tuple[str, ...], value: Any) -> str | dict[str, str]:
    if isinstance(value, Mapping):
        for language in value:
            if language not in LANGUAGES:
                settings.reject(path, f"`phrase` must be given for {', '.join(LANGUAGES)}, got {language!r}.")
        return {language: str(_phrase(settings, path, text)) for language, text in value.items()}
    if isinstance(value, str) and (not value or value.count(VALUE) == 1):
        return value
    return settings.reject(path, f'`phrase` must hold {VALUE} once, as in "made by {VALUE}", got {value!r}.')


def _pairs(settings: TableSettings, path: tuple[str, ...], value: Any) -> tuple[tuple[str, str], ...]:
    pairs = value if isinstance(value, list | tuple) else [value]
    for pair in pairs:
        names = isinstance(pair, list | tuple) and all(isinstance(name, str) for name in pair)
        if not names or len(set(pair)) != 2 or len(pair) != 2:
            settings.reject(
                path, f'`interactions` must be pairs of columns such as [["weight", "use"]], got {value!r}.'
            )
    distinct = {frozenset(pair): (pair[0], pair[1]) for pair in pairs}
    return tuple(distinct.values())


def _ascending(settings: TableSettings, path: tuple[str, ...], value: Any) -> tuple[float, ...]:
    numbers = isinstance(value, list | tuple) and all(
        isinstance(edge, int | float) and not isinstance(edge, bool) and abs(edge) < 1e101 for edge in value
    )
    if not numbers or not value or any(b <= a for a, b in pairwise(value)):
        settings.reject(path, f"`buckets` must be a list of ascending numbers such as [10, 20, 50], got {value!r}.")
    return tuple(float(edge) for edge in value)


def _known(name: str, names: Sequence[str]) -> str:
    return f"{name!r}{suggestion(name, names)} There are: {', '.join(names)}."


def suggestion(name: str, names: Sequence[str]) -> str:
    """`; did you mean 'price'?` if a known name is similar, else a full stop."""
    lower = {known.lower(): known for known in names}
    close = difflib.get_close_matches(name.lower(), lower, n=1)
    return f"; did you mean {lower[close[0]]!r}?" if close else "."


def setting_lines(text: str) -> dict[tuple[str, ...], int]:
    """The line of every section and setting, as far as can be told without a full parser."""
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
