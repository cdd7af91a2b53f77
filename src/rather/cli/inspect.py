"""`rather inspect cars.csv`: what a table's columns are taken for, and the settings to say otherwise."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rather.cli.json_output import print_json
from rather.cli.options import Json
from rather.errors import InvalidInputError

if TYPE_CHECKING:
    from rather.formats.tables.table_columns import Column, Examined

EXAMPLES = 3


def inspect(
    path: Annotated[
        Path, typer.Argument(metavar="TABLE", help="A CSV, TSV, Parquet or JSON lines file.", show_default=False)
    ],
    json_output: Json = False,
    write: Annotated[
        bool, typer.Option("--write/--no-write", help="Write the settings beside the table unless they are there.")
    ] = True,
    force: Annotated[bool, typer.Option("--force", help="Find everything anew and replace the settings.")] = False,
    most_megabytes: Annotated[
        float | None, typer.Option(min=0, help="Read files up to this size.  [default: 512]", show_default=False)
    ] = None,
) -> None:
    """Look at a table: what each column is, how it will be used, and the settings file to change that.

    The settings (cars.toml for cars.csv) are picked up by every command that takes the table.

    Examples:
        rather inspect cars.csv

        rather inspect cars.csv --json --no-write
    """
    from rather.formats.tables.inspection import read_examined
    from rather.formats.tables.settings import spec_beside

    settings = spec_beside(path)
    examined = read_examined(path, {} if force else None, most_megabytes=most_megabytes)
    written = write and (force or not settings.exists())
    if written:
        _write(examined, settings)
    report = table_report(examined)
    report |= {"settings": settings.name if settings.exists() else None, "settings_written": written}
    if json_output:
        print_json(report)
    else:
        _show(report)


def table_report(examined: "Examined") -> dict[str, Any]:
    """What was found, as plain data."""
    raw = examined.raw
    return {
        "table": raw.source,
        "rows": len(examined),
        "name": examined.name,
        "id": examined.id,
        "label": examined.label,
        "columns": [_column_report(column, examined) for column in examined.columns],
        "skipped": dict(raw.skipped),
    }


def _column_report(column: "Column", examined: "Examined") -> dict[str, Any]:
    return {
        "column": column.name,
        "kind": column.kind.value,
        "role": column.role.value,
        "used": _usage(column, examined),
        "name": column.pretty,
        "unit": column.unit,
        "direction": column.direction.value,
        "buckets": list(column.grid.edges) if column.has_grid else [],
        "missing": round(1 - float(column.present.mean()), 4),
        "different": len(column.cells.distinct),
        "examples": _examples(column),
        "note": column.note,
        "problem": column.problem,
    }


def _usage(column: "Column", examined: "Examined") -> str:
    """How a column will be used, in a few words."""
    from rather.formats.tables.blocks import build_block
    from rather.formats.tables.column_kinds import ColumnKind, Direction, Role
    from rather.formats.tables.table_columns import label_columns

    names_rows = ["names the rows"] * (column.name == examined.id)
    names_rows += ["label"] * (column.name in label_columns(examined.label, examined.raw.columns))
    if column.role is not Role.USE or column.problem:
        return ", ".join(names_rows) or ("cannot be used" if column.problem else column.role.value)
    text = "learn"
    if column.kind not in (ColumnKind.YES_NO, ColumnKind.DEGREE):
        count = len(build_block(column)[0].levels)
        noun = (
            "ranges"
            if column.has_grid and column.grid.edges
            else "tags"
            if column.kind is ColumnKind.TAGS
            else "values"
        )
        text += f" ({count} {noun})"
    if column.direction is not Direction.DEPENDS:
        text += f", {column.direction.value} is better"
    return ", ".join([text, *names_rows])


def _examples(column: "Column") -> list[str]:
    """The first few different values, as they are shown."""
    examples: dict[str, None] = {}
    for row in column.present.nonzero()[0].tolist():
        text = column.text(row)
        examples[text if len(text) <= 30 else text[:29] + "…"] = None
        if len(examples) == EXAMPLES:
            break
    return list(examples)


def _write(examined: "Examined", settings: Path) -> None:
    from rather.formats.tables.column_kinds import Role
    from rather.formats.tables.settings import ColumnSpec
    from rather.formats.tables.settings_writing import spec_text

    spec = examined.spec()
    remarks = {column.name: column.problem or column.note for column in examined.columns}
    # A column that cannot be used is written as ignored: the next run works, and the remark says what to mend.
    columns = {
        column.name: ColumnSpec(role=Role.IGNORE) if column.problem else spec.columns[column.name]
        for column in examined.columns
    }
    text = spec_text(replace(spec, columns=columns), examined.raw.source, remarks)
    try:
        settings.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(
            f"The settings {settings} cannot be written: {error.strerror}. Use --no-write to only look."
        ) from None


def _show(report: dict[str, Any]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text(f"{report['table']}: {report['rows']:,} rows, {len(report['columns'])} columns", style="bold"))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("column", "kind", "used"):
        table.add_column(name)
    table.add_column("missing", justify="right")
    table.add_column("examples", overflow="fold", ratio=1)
    for column in report["columns"]:
        remark = column["problem"] or column["note"]
        examples = Text(" · ".join(column["examples"]))
        if remark:
            examples.append(f"\n{remark}", style="red" if column["problem"] else "yellow")
        quiet = "dim" if column["role"] == "ignore" else ""
        missing = f"{column['missing']:.0%}" if column["missing"] else ""
        table.add_row(
            Text(column["column"], style="bold"), column["kind"], column["used"], missing, examples, style=quiet
        )
    console.print(table)
    for name, reason in report["skipped"].items():
        console.print(Text(f"{name} {reason}; it is left out.", style="yellow"))
    if report["settings_written"]:
        console.print(Text(f"Written: {report['settings']}. Edit it to change how a column is used.", style="green"))
    elif report["settings"]:
        console.print(f"The settings in {report['settings']} were followed; --force finds everything anew.")
