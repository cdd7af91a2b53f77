"""`rather inspect cars.csv`: how the columns of a table are understood, and the settings to change that.

A product space (`rather inspect bike.toml`) is in `inspect_space`.
"""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rather.caching.whole_files import written_whole
from rather.cli.json_output import print_json
from rather.cli.options import Json, PriorOption, Strict
from rather.errors import InvalidInputError
from rather.languages import ENGLISH, validated_language

if TYPE_CHECKING:
    from rather.formats.tables.table_columns import InspectedTable, TableColumn

EXAMPLES = 3


def inspect(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE",
            help="A CSV, TSV, Parquet or JSON lines file; or a product space: bike.toml, or 'bicycle' or 'laptop' "
            "(bundled).",
            show_default=False,
        ),
    ],
    json_output: Json = False,
    write: Annotated[
        bool, typer.Option("--write/--no-write", help="Write a settings file next to the table if there is none.")
    ] = True,
    force: Annotated[bool, typer.Option("--force", help="Ignore the settings file and replace it.")] = False,
    most_megabytes: Annotated[
        float | None, typer.Option(min=0, help="Largest file to read.", show_default="512")
    ] = None,
    strict: Strict = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Take the guesses; ask nothing.")] = False,
    questions: Annotated[
        bool,
        typer.Option("--questions", help="Print twenty questions and the reasons for recommendations, nothing else."),
    ] = False,
    prior: PriorOption = None,
    language: Annotated[
        str, typer.Option(help="The language of the twenty questions and reasons: en, de, fr or es.")
    ] = ENGLISH,
) -> None:
    """Show what each column of a table is and how it will be used, and write a settings file to change that.

    Every command that reads the table follows the settings (cars.toml for cars.csv). At a terminal it first asks about
    columns that are doubtful, unless there are settings already.

    Of a product space it shows what can be chosen, how many valid configurations there are, what each rule excludes,
    and which values no valid configuration has. Nothing is written.

    Examples:
        rather inspect cars.csv
        rather inspect cars.csv --questions
        rather inspect cars.csv --questions --language de
        rather inspect cars.csv --questions --prior population.npz
        rather inspect cars.csv --json --no-write
        rather inspect bicycle
    """
    from rather.cli.progress import spinner
    from rather.formats.spaces.space_files import names_space
    from rather.formats.tables.inspection import inspect_table
    from rather.formats.tables.settings import settings_path

    if is_space := names_space(path):
        for option, given in (("--force", force), ("--strict", strict), ("--most-megabytes", most_megabytes)):
            if given:
                raise InvalidInputError(f"`{option}` must be left out: it has no meaning for a product space.")
    if questions:
        validated_language(language, "--language")
        _preview(path, {} if force else None, json_output, most_megabytes, strict, prior, language)
        return
    if language != ENGLISH:
        raise InvalidInputError("`--language` is that of the questions: use it with --questions.")
    if prior is not None:
        raise InvalidInputError("`--prior` changes questions, not columns: use it with --questions.")
    if is_space:
        from rather.cli.inspect_space import inspect_space

        inspect_space(path, json_output)
        return
    settings = settings_path(path)
    with spinner(f"reading {path}"):
        inspected = inspect_table(path, {} if force else None, most_megabytes=most_megabytes, strict=strict)
    written = write and (force or not settings.exists())
    if written and not yes and not json_output and sys.stdin.isatty() and sys.stdout.isatty():
        inspected = _after_dialog(inspected, strict)
    if written:
        _write(inspected, settings)
    report = table_report(inspected)
    report |= {"settings": settings.name if settings.exists() else None, "settings_written": written}
    if json_output:
        print_json(report)
    else:
        _show(report)


def _preview(
    path: Path,
    settings: Any,
    json_output: bool,
    most_megabytes: float | None,
    strict: bool,
    prior: Path | None,
    language: str,
) -> None:
    from rather.cli.inspect_questions import questions_report, show_questions
    from rather.cli.progress import spinner
    from rather.formats.opened import Opened
    from rather.formats.opening import open
    from rather.formats.prior_files import load_prior
    from rather.formats.spaces.space_files import names_space
    from rather.formats.tables.encoded_table import encode_table

    with spinner(f"asking about {path}"):
        if names_space(path):
            opened = open(str(path))
        else:
            table = encode_table(path, settings, most_megabytes=most_megabytes, strict=strict)
            opened = Opened(table.catalog, table.belief())
        if prior is not None:
            opened = load_prior(prior).applied(opened)
        report = questions_report(*opened, path.name, language)
    if json_output:
        print_json(report)
    else:
        show_questions(report)


def _after_dialog(inspected: "InspectedTable", strict: bool) -> "InspectedTable":
    """The table as it is after its owner has been asked about doubtful columns."""
    from rather.cli.console import say
    from rather.cli.inspect_dialog import decided
    from rather.formats.tables.inspection import inspect_table

    def prompt(text: str, default: str) -> str:
        answer: str = typer.prompt(text, default=default)
        return answer

    settings = decided(inspected, prompt, say)
    return inspected if settings == inspected.given else inspect_table(inspected.raw.path, settings, strict=strict)


def table_report(inspected: "InspectedTable") -> dict[str, Any]:
    """What was found, as plain data."""
    from rather.formats.tables.interactions import left_out

    raw, unused = inspected.raw, left_out(inspected)
    return {
        "table": raw.source,
        "rows": len(inspected) + inspected.out_of_stock,
        "out_of_stock": inspected.out_of_stock,
        "name": inspected.name,
        "id": inspected.id,
        "label": inspected.label,
        "columns": [_column_report(column, inspected) for column in inspected.columns],
        "interactions": [list(pair) for pair in inspected.given.interactions or () if pair not in unused],
        "interactions_left_out": list(unused.values()),
        "skipped": dict(raw.skipped),
        "repairs": list(raw.repairs),
    }


def _column_report(column: "TableColumn", inspected: "InspectedTable") -> dict[str, Any]:
    return {
        "column": column.name,
        "kind": column.kind.value,
        "role": column.role.value,
        "used": _usage(column, inspected),
        "name": column.display_name,
        "unit": column.unit,
        "direction": column.direction.value,
        "buckets": list(column.grid.edges) if column.has_grid else [],
        "missing": round(1 - float(column.present.mean()), 4),
        "different": len(column.cells.distinct),
        "examples": _examples(column),
        "note": column.note,
        "repairs": list(column.repairs),
        "problem": column.problem,
    }


def _usage(column: "TableColumn", inspected: "InspectedTable") -> str:
    """How a column will be used, in a few words."""
    from rather.formats.tables.column_kinds import Role
    from rather.formats.tables.table_columns import label_columns

    names_rows = ["names the rows"] * (column.name == inspected.id)
    names_rows += ["label"] * (column.name in label_columns(inspected.label, inspected.raw.columns))
    if column.role is not Role.USE or column.problem:
        return ", ".join(names_rows) or ("cannot be used" if column.problem else column.role.value)
    return ", ".join([learned(column), *names_rows])


def learned(column: "TableColumn") -> str:
    """How a column is learned from, in a few words."""
    from rather.formats.tables.blocks import build_block
    from rather.formats.tables.column_kinds import ColumnKind, Direction

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
        text += f" ({count} {noun if count != 1 else noun.removesuffix('s')})"
    if column.direction is not Direction.DEPENDS:
        text += f", {column.direction.value} is better"
    return text


def _examples(column: "TableColumn") -> list[str]:
    """The first few different values, as they are shown."""
    examples: dict[str, None] = {}
    for row in column.present.nonzero()[0].tolist():
        text = column.text(row)
        examples[text if len(text) <= 30 else text[:29] + "…"] = None
        if len(examples) == EXAMPLES:
            break
    return list(examples)


def _write(inspected: "InspectedTable", settings: Path) -> None:
    from rather.formats.tables.column_kinds import Role
    from rather.formats.tables.settings import ColumnSettings
    from rather.formats.tables.settings_writing import settings_text

    settings_found = inspected.settings()
    remarks = {
        column.name: column.problem or "; ".join(filter(None, (column.note, *column.repairs)))
        for column in inspected.columns
    }
    # A column that cannot be used is written as ignored: the next run works, and the remark says what to fix.
    columns = {
        column.name: ColumnSettings(role=Role.IGNORE) if column.problem else settings_found.columns[column.name]
        for column in inspected.columns
    }
    text = settings_text(replace(settings_found, columns=columns), inspected.raw.source, remarks)
    try:
        with written_whole(settings) as draft:
            draft.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(
            f"The settings {settings} cannot be written: {error.strerror}. Use --no-write to only look."
        ) from None


def _show(report: dict[str, Any]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from rather.cli.console import plain_console

    console = plain_console()
    gone = f" ({report['out_of_stock']:,} out of stock)" if report["out_of_stock"] else ""
    heading = f"{report['table']}: {report['rows']:,} rows{gone}, {len(report['columns'])} columns"
    console.print(Text(heading, style="bold"))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("column", "kind", "used"):
        table.add_column(name)
    table.add_column("missing", justify="right")
    table.add_column("examples", overflow="fold", ratio=1)
    for column in report["columns"]:
        remark = column["problem"] or "\n".join(filter(None, (column["note"], *column["repairs"])))
        examples = Text(" · ".join(column["examples"]))
        if remark:
            examples.append(f"\n{remark}", style="red" if column["problem"] else "yellow")
        style = "dim" if column["role"] == "ignore" else ""
        missing = f"{column['missing']:.0%}" if column["missing"] else ""
        table.add_row(
            Text(column["column"], style="bold"), column["kind"], column["used"], missing, examples, style=style
        )
    console.print(table)
    if report["interactions"]:
        console.print(f"Joint worth: {', '.join(' × '.join(pair) for pair in report['interactions'])}.", markup=False)
    for sentence in report["interactions_left_out"]:
        console.print(Text(sentence, style="yellow"))
    for repair in report["repairs"]:
        console.print(Text(f"{report['table']}: {repair}.", style="yellow"))
    for name, reason in report["skipped"].items():
        console.print(Text(f"{name} {reason}; it is left out.", style="yellow"))
    if report["settings_written"]:
        console.print(Text(f"Written: {report['settings']}. Edit it to change how a column is used.", style="green"))
    elif report["settings"]:
        console.print(f"The settings in {report['settings']} were applied; --force ignores and replaces them.")
