"""Settings as TOML with comments, for people to edit."""

import json
from collections.abc import Mapping

from rather.formats.tables.column_kinds import DIRECTED, ColumnKind, Direction, Role
from rather.formats.tables.settings import ColumnSettings, TableSettings

HEAD = """\
# How `rather` reads {table}. Edit it and run again; what you delete is inferred again.
#
# role       use: learn from it and show it · show: show it only · ignore
# kind       {kinds}
# name, unit what people read
# direction  more / less is better for everybody, or it depends on the person
# buckets    numbers that divide the values into ranges: [10, 20] means under 10, 10 to 20, 20 or more
# missing    texts that mean a missing value
# separator  what separates tags
# worth      of a number: "curve", which may bend, or "line"
# phrase     how a question says a value: "made by {{value}}", "with {{value}} of memory"; "" for the value alone
"""


def settings_text(settings: TableSettings, table: str, comments: dict[str, str] | None = None) -> str:
    """The settings as TOML.

    Args:
        settings: What to write; settings that are None are left out.
        table: Name of the table's file.
        comments: For some columns a comment to put above its section.
    """
    lines = [
        HEAD.format(table=_one_line(table), kinds=" · ".join(kind.value for kind in ColumnKind)),
        "[table]",
    ]
    for key in ("name", "verb", "id", "label", "missing", "delimiter", "encoding", "most_megabytes", "interactions"):
        if (value := getattr(settings, key)) is not None:
            lines.append(f"{key} = {toml_value(value)}")
    for name, column in settings.columns.items():
        lines += ["", *_section(name, column, (comments or {}).get(name, ""))]
    return "\n".join(lines) + "\n"


def _section(name: str, column: ColumnSettings, comment: str) -> list[str]:
    lines = [f"# {_one_line(comment)}"] if comment else []
    lines.append(f"[columns.{_text(name)}]")
    unused = column.role is not Role.USE
    for key in ("role", "kind", "name", "unit", "direction", "buckets", "missing", "separator", "phrase", "worth"):
        value = getattr(column, key)
        if value is None or (key == "unit" and not value):
            continue
        if key == "direction" and (column.kind not in DIRECTED or (unused and value is Direction.DEPENDS)):
            continue
        lines.append(f"{key} = {toml_value(value)}")
    return lines


def toml_value(value: object) -> str:
    """A setting as TOML: a tuple is an array, a mapping an inline table."""
    if isinstance(value, tuple):
        return f"[{', '.join(toml_value(part) for part in value)}]"
    if isinstance(value, float):
        return repr(int(value)) if value == round(value) and abs(value) < 1e15 else repr(value)
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {toml_value(part)}' for key, part in value.items())} }}"
    return _text(str(value))


def _text(value: str) -> str:
    # A basic string of TOML is a string of JSON, except for the character DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _one_line(text: str) -> str:
    return "".join(character if character.isprintable() else " " for character in text)
