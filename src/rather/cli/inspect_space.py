"""`rather inspect bike.toml`: what can be chosen, how many configurations are valid, and what the rules exclude."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rather.cli.json_output import print_json
from rather.nouns import counted, large_number

if TYPE_CHECKING:
    from rather.formats.spaces.encoding import EncodedSpace
    from rather.formats.spaces.inspection import InspectedColumn

# Values that are listed in full: texts, and numbers, which have an order.
LISTED_TEXTS, LISTED_NUMBERS = 8, 4


def inspect_space(path: Path, json_output: bool) -> None:
    """Print what a product space amounts to."""
    from rather.cli.progress import spinner
    from rather.formats.spaces.encoding import encode_space
    from rather.formats.spaces.space_files import BUNDLED_SPACES, bundled_space, read_space

    with spinner(f"compiling {path}"):
        space = bundled_space(str(path)) if str(path) in BUNDLED_SPACES else read_space(path)
        report = space_report(encode_space(space))
    if json_output:
        print_json(report)
    else:
        _show(report)


def space_report(encoded: "EncodedSpace") -> dict[str, Any]:
    """What was found, as plain data."""
    from rather.formats.spaces.inspection import inspected_columns, inspected_rules

    space, diagram = encoded.space, encoded.valid.compiled.diagram
    return {
        "space": space.source,
        "name": space.name,
        "configurations": diagram.count,
        "combinations": space.combinations,
        "columns": [_column_report(column) for column in inspected_columns(encoded)],
        "rules": [
            {"rule": each.rule, "line": each.line, "excludes": each.excludes} for each in inspected_rules(encoded)
        ],
        "interactions": [list(pair) for pair in space.interactions],
        "dimensions": encoded.table.catalog.dimensions,
        "diagram": {"layers": len(diagram.layers), "edges": diagram.edges, "widest": diagram.width},
        "notes": list(encoded.table.catalog.notes),
    }


def _column_report(inspected: "InspectedColumn") -> dict[str, Any]:
    column = inspected.column
    return {
        "column": column.name,
        "kind": column.kind.value,
        "role": column.role.value,
        "used": _usage(inspected),
        "name": column.display_name,
        "unit": column.unit,
        "direction": column.direction.value,
        "values": list(inspected.values),
        "never": list(inspected.never),
        "adds": {total: list(amounts) for total, amounts in inspected.adds.items()},
        "bounds": None if inspected.bounds is None else list(inspected.bounds),
    }


def _usage(inspected: "InspectedColumn") -> str:
    from rather.cli.inspect import learned
    from rather.formats.tables.column_kinds import Role

    column = inspected.column
    return column.role.value if column.role is not Role.USE or column.problem else learned(column)


def _show(report: dict[str, Any]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from rather.cli.console import plain_console

    console = plain_console()
    valid, combinations = report["configurations"], report["combinations"]
    console.print(Text(f"{report['space']}: {large_number(valid)} valid configurations", style="bold"))
    console.print(f"of {large_number(combinations)} combinations of values")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("column", "kind", "used"):
        table.add_column(name)
    table.add_column("values", overflow="fold", ratio=1)
    table.add_column("adds", overflow="fold")
    for column in report["columns"]:
        values = Text(_values(column))
        if column["never"]:
            values.append(f"\nnever in a valid configuration: {', '.join(column['never'])}", style="yellow")
        adds = "\n".join(f"{total} {_range(amounts)}" for total, amounts in column["adds"].items())
        style = "dim" if column["role"] == "ignore" else ""
        table.add_row(Text(column["column"], style="bold"), column["kind"], column["used"], values, adds, style=style)
    console.print(table)
    if report["rules"]:
        rules = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        rules.add_column("line", justify="right")
        rules.add_column("rule", overflow="fold", ratio=1)
        rules.add_column("excludes", justify="right")
        for each in report["rules"]:
            line = "" if each["line"] is None else str(each["line"])
            rules.add_row(line, each["rule"], _excluded(each["excludes"]), style="" if each["excludes"] != 0 else "dim")
        console.print(rules)
        if any(each["excludes"] == 0 for each in report["rules"]):
            console.print("A rule that excludes nothing can go, unless it does not say what was meant.")
    for first, second in report["interactions"]:
        console.print(f"Joint worth: {first} and {second}.")
    for note in report["notes"]:
        console.print(Text(note, style="yellow"))
    diagram = report["diagram"]
    console.print(
        f"{counted(report['dimensions'], 'parameter')} are learned. The decision diagram has "
        f"{counted(diagram['edges'], 'edge')} in {counted(diagram['layers'], 'layer')}.",
        style="dim",
    )


def _values(column: dict[str, Any]) -> str:
    """All values of a decision, or the first and the last of many; the bounds of a total."""
    if column["bounds"] is not None:
        low, high = (f"{bound:,.10g}" for bound in column["bounds"])
        return " ".join(filter(None, (low, "to", high, column["unit"])))
    values = column["values"]
    if column["kind"] == "number" and len(values) > LISTED_NUMBERS:
        return f"{values[0]} to {values[-1]} ({len(values):,} values)"
    if len(values) > LISTED_TEXTS:
        return f"{' · '.join(values[: LISTED_TEXTS - 1])} · … ({len(values):,} values)"
    return " · ".join(values)


def _range(amounts: list[float]) -> str:
    """What the values of a decision add: "0 to 900", "-0.5 to 1.2"; of an extra "60"."""
    low, high = min(amounts), max(amounts)
    if len(amounts) == 2 and amounts[0] == 0:
        return f"{amounts[1]:+,.10g}"
    return f"{low:+,.10g} to {high:+,.10g}"


def _excluded(count: int | None) -> str:
    if count is None:
        return "not counted"
    return large_number(count).split(" (")[0] if count else "nothing"
