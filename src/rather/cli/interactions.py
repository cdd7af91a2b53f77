"""`rather research interactions`: which pairs of a table's columns have a joint worth?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rather.cli.json_output import print_json
from rather.cli.options import From, Json, Seed

if TYPE_CHECKING:
    from rather.learn import SuggestedInteraction


def interactions(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="A table of items, with its settings beside it.")],
    ratings: Annotated[
        str,
        typer.Argument(
            metavar="RATINGS", help="A CSV, TSV or Parquet of ratings of the table's ids, or a data set's name."
        ),
    ],
    user: Annotated[str | None, typer.Option(help="The column of users, if its name is unusual.")] = None,
    item: Annotated[str | None, typer.Option(help="The column of items.")] = None,
    rating: Annotated[str | None, typer.Option(help="The column of ratings.")] = None,
    held_out: Annotated[float, typer.Option(min=0.01, max=0.9, help="Share of the ratings to measure on.")] = 0.2,
    top: Annotated[int, typer.Option(min=1, help="Pairs to show.")] = 10,
    seed: Seed = 0,
    source: From = None,
    json_output: Json = False,
) -> None:
    """Rank pairs of columns by how much of the error on held-out ratings a joint worth would remove.

    "A light laptop, unless it is for gaming": the worth of weight and use is joint. A pair is worth declaring if its
    gain is more than two standard errors; the lines to put into the settings are printed.

    Examples:
        rather research interactions laptops.csv ratings.csv
        rather research interactions laptops.csv ratings.csv --held-out 0.3 --json
    """
    from rather.cli.learn_ratings import read_named_ratings
    from rather.cli.progress import byte_progress
    from rather.formats.tables.settings import load_settings
    from rather.learn import suggest_interactions

    rated = read_named_ratings(ratings, user, item, rating, source)
    declared = load_settings(None, table).interactions or ()
    with byte_progress(of_bytes=False) as show:
        found = suggest_interactions(
            str(table), rated, held_out=held_out, seed=seed, on_progress=lambda done, total: show("pairs", done, total)
        )
    lines = _settings([*declared, *(each.columns for each in found if each.is_clear)], len(declared))
    if json_output:
        print_json({"pairs": [_report(each) for each in found], "settings": lines or None})
    else:
        _print_table(found[:top], len(found), lines, table)


def _report(found: "SuggestedInteraction") -> dict[str, object]:
    return {
        "columns": list(found.columns),
        "gain": found.gain,
        "gain_error": found.error,
        "worth_declaring": found.is_clear,
    }


def _settings(pairs: list[tuple[str, str]], declared: int) -> str:
    """The lines that declare these pairs, in place of those declared so far; none if there are no further ones."""
    from rather.formats.tables.settings_writing import toml_value

    return f"[table]\ninteractions = {toml_value(tuple(pairs))}" if len(pairs) > declared else ""


def _print_table(shown: "list[SuggestedInteraction]", count: int, lines: str, table: Path) -> None:
    from rich.table import Table

    from rather.cli.console import plain_console, say

    columns = Table("columns", "error removed ± standard error", "worth declaring?")
    for each in shown:
        gain = f"{each.gain:.1%} ±{each.error:.1%}"
        columns.add_row(" × ".join(each.columns), gain, "yes" if each.is_clear else "no")
    console = plain_console()
    console.print(columns)
    console.print(f"{count} pairs, measured on held-out ratings.", style="dim")
    if lines:
        settings = table.with_suffix(".toml").name
        say(f"To declare what is worth it, put this into {settings} (each pair costs questions):\n")
        say(lines)
    else:
        say("No pair removes clearly more than chance would: there is nothing to declare.")
