"""`rather research holdout`: does it find what ranks high in a column it does not see?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rather.cli.json_output import print_json
from rather.cli.options import Json, SlateSize

if TYPE_CHECKING:
    from rather.research.holdout import Holdout


def holdout(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="A table with a column of real outcomes.")],
    column: Annotated[str, typer.Option(help="The column to hold out: a simulated user prefers more of it.")],
    less: Annotated[bool, typer.Option("--less", help="The user prefers less of it.")] = False,
    questions: Annotated[int, typer.Option(min=1, help="Questions in each conversation.")] = 10,
    conversations: Annotated[int, typer.Option(min=1, help="Conversations, each with newly drawn particles.")] = 50,
    top: Annotated[int, typer.Option(min=1, help="Recommended items to rank.")] = 5,
    k: SlateSize = 2,
    strategy: Annotated[str, typer.Option(help="How to choose questions; see `rather strategies`.")] = "auto",
    json_output: Json = False,
) -> None:
    """Hide a column from the model, let a simulated user prefer more of it, and rank the recommended items in it.

    The column is neither learnt from nor shown: a test on real outcomes instead of on simulated tastes.

    Example: rather research holdout candy-data.csv --column winpercent
    """
    from rather.cli.progress import progress_bar
    from rather.cli.strategy_argument import strategy_of
    from rather.research.holdout import hold_out

    with progress_bar("conversations", conversations, json_output) as advance:
        found = hold_out(
            str(table),
            column,
            less=less,
            questions=questions,
            conversations=conversations,
            top=top,
            k=k,
            strategy=strategy_of(strategy, "items"),
            on_done=advance,
        )
    if json_output:
        report = {"column": column, "top_quarter_from": found.quarter, "questions": _rows(found)}
        print_json(report)
    else:
        _print_table(found, top)


def _rows(found: "Holdout") -> list[dict[str, float]]:
    errors = found.values.std(axis=0, ddof=1) / len(found.values) ** 0.5 if len(found.values) > 1 else None
    return [
        {
            "question": number,
            "value": float(found.values[:, number].mean()),
            "value_error": float(errors[number]) if errors is not None else float("nan"),
            "beaten": float(found.beaten[:, number].mean()),
        }
        for number in range(found.values.shape[1])
    ]


def _print_table(found: "Holdout", top: int) -> None:
    from rich.table import Table

    from rather.cli.console import plain_console

    console = plain_console()
    table = Table(
        "question", f"{found.column} ± error", "beats", title=f"The {top} items recommended after each question"
    )
    for row in _rows(found):
        table.add_row(f"{row['question']:.0f}", f"{row['value']:.2f} ±{row['value_error']:.2f}", f"{row['beaten']:.0%}")
    console.print(table)
    console.print(
        f"{len(found.values)} conversations. The top quarter of the table starts at {found.quarter:.2f}; "
        "'beats' is the share of the table with a lower value.",
        style="dim",
    )
