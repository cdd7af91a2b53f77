"""`rather research utilities`: does a utility that is not linear predict and ask better?"""

from typing import TYPE_CHECKING, Annotated

import typer

from rather.cli.json_output import print_json
from rather.cli.options import From, Json, Seed

if TYPE_CHECKING:
    from rather.research.utilities import ComparedUtility


def utilities(
    ratings: Annotated[
        str, typer.Argument(metavar="RATINGS", help="A CSV, TSV or Parquet of ratings, or a data set's name.")
    ],
    people: Annotated[int, typer.Option(min=1, help="People who are held out, to hold conversations with.")] = 200,
    most: Annotated[
        int | None, typer.Option(min=4, help="Use the ratings of this many people, drawn at random.")
    ] = None,
    questions: Annotated[int, typer.Option(min=1, help="Questions in each conversation.")] = 8,
    least: Annotated[int, typer.Option(min=1, help="Ratings that a person must have given, and an item got.")] = 40,
    smooth: Annotated[
        bool | None,
        typer.Option(
            help="Let new people be blends of those learnt from, instead of one of them.",
            show_default="where the utilities have a low rank",
        ),
    ] = None,
    seed: Seed = 0,
    source: From = None,
    json_output: Json = False,
) -> None:
    """Compare linear utilities, ideal points and a network on people who are held out.

    They answer by their own ratings, and are asked about and recommended what they have rated: no simulated tastes.

    Example: rather research utilities ml-100k
    """
    from rather.cli.learn_ratings import read_named_ratings
    from rather.cli.progress import progress_bar
    from rather.learn.utility_models import METHODS
    from rather.research.utilities import compare_utilities

    table = read_named_ratings(ratings, None, None, None, source)
    if most is not None:
        table = table.of_people(most, seed)
    with progress_bar("conversations", len(METHODS) * people, json_output) as advance:
        found = compare_utilities(
            table,
            tuple(METHODS),
            people=people,
            questions=questions,
            least=least,
            smooth=smooth,
            seed=seed,
            on_done=advance,
        )
    if json_output:
        print_json({"ratings": len(table), "utilities": [_report(each) for each in found]})
    else:
        _print_table(found)


def _report(found: "ComparedUtility") -> dict[str, object]:
    return {
        "method": found.method,
        "rmse": found.rmse,
        "regret": found.regrets.mean(axis=0).tolist(),
        "regret_error": (found.regrets.std(axis=0) / len(found.regrets) ** 0.5).tolist(),
    }


def _print_table(found: "list[ComparedUtility]") -> None:
    from rich.table import Table

    from rather.cli.console import plain_console

    numbers = sorted({0, 1, 2, 4, found[0].regrets.shape[1] - 1} & set(range(found[0].regrets.shape[1])))
    table = Table("utility", "held-out RMSE", *(f"regret after {number}" for number in numbers))
    for each in found:
        means, errors = each.regrets.mean(axis=0), each.regrets.std(axis=0) / len(each.regrets) ** 0.5
        cells = [f"{means[number]:.2f} ±{errors[number]:.2f}" for number in numbers]
        table.add_row(each.method, f"{each.rmse:.4f}", *cells)
    console = plain_console()
    console.print(table)
    console.print(
        f"{len(found[0].regrets)} people. Regret: a person's highest rating minus that of the first recommendation.",
        style="dim",
    )
