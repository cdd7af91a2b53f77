"""`rather research first-questions`: what the first question about attributes is worth, strategy by strategy."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rather.cli.json_output import print_json
from rather.cli.options import CatalogName, Json, PriorOption, Seed, Strict, Temperature
from rather.errors import InvalidInputError
from rather.nouns import counted

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from rather.formats.opening import Opened
    from rather.research.first_questions import FirstQuestion
    from rather.strategies import Strategy


def first_questions(
    catalog: CatalogName = "films",
    k: Annotated[str, typer.Option("--k", help="Options of a question: 3, or 2..6, or 2,4.")] = "2..6",
    p: Annotated[str, typer.Option("--p", help="Attributes of each option: 1, or 1..3, or 1,3.")] = "1..3",
    strategy: Annotated[
        list[str] | None,
        typer.Option(help="A strategy for attributes; repeat it to compare.", show_default="all"),
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="Average over this many seeds.")] = 1,
    most_slates: Annotated[
        int, typer.Option(min=1, help="Skip exhaustive search if there are more slates than this.")
    ] = 2_000_000,
    temperature: Temperature = None,
    prior: PriorOption = None,
    seed: Seed = 0,
    json_output: Json = False,
    strict: Strict = False,
) -> None:
    """Compare strategies for questions about attributes by the EVOI of their first question.

    A question about attributes compares k options of p attributes each that are otherwise equal. A dash means that
    there are too many slates for an exhaustive search.

    Examples:
        rather research first-questions films
        rather research first-questions films --k 2..4 --p 1 --json
    """
    from rather.cli.progress import open_with_progress, progress_bar
    from rather.conversation.policy_settings import everyday_response
    from rather.research.first_questions import first_questions as compute
    from rather.strategies import ATTRIBUTE_STRATEGIES

    sizes = [(slate_size, count) for count in _numbers(p, "--p", 1) for slate_size in _numbers(k, "--k", 2)]
    strategies = {name: _strategy(name, most_slates) for name in strategy or ATTRIBUTE_STRATEGIES}
    source = open_with_progress(catalog, strict=strict, prior=prior)
    response = everyday_response(source.catalog, source.belief, temperature)
    with progress_bar("questions", len(sizes) * len(strategies), json_output) as advance:
        questions = compute(
            source.catalog, source.belief, response, strategies, sizes, seed=seed, trials=trials, on_done=advance
        )
    if json_output:
        print_json(_report(catalog, source, str(response), seed, trials, questions))
    else:
        _print_tables(questions)


def _strategy(text: str, most_slates: int) -> "Strategy":
    from rather.cli.strategy_argument import strategy_of
    from rather.strategies import strategy_named

    if text == "exhaustive-search":
        return strategy_named(text, "attributes", most_slates=most_slates)
    found = strategy_of(text, "attributes")
    return strategy_named(found, "attributes") if isinstance(found, str) else found


def _numbers(text: str, option: str, least: int) -> list[int]:
    """The numbers that "2..6", "2,4" or "3" stand for."""
    first, dots, last = text.partition("..")
    try:
        numbers = [*range(int(first), int(last) + 1)] if dots else [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < least:
        raise InvalidInputError(f"`{option}` must be a number from {least}, or like 2..6 or 2,4; got {text!r}.")
    return list(dict.fromkeys(numbers))


def _report(
    catalog: str, source: "Opened", response: str, seed: int, trials: int, questions: Sequence["FirstQuestion"]
) -> dict[str, object]:
    from dataclasses import asdict

    return {
        "catalog": catalog,
        "items": len(source.catalog),
        "attributes": len(source.catalog.attributes),
        "particles": len(source.belief),
        "response": response,
        "seed": seed,
        "trials": trials,
        "questions": [asdict(question) for question in questions],
    }


def _print_tables(questions: Sequence["FirstQuestion"]) -> None:
    from rather.cli.console import plain_console

    console = plain_console()
    for p in dict.fromkeys(question.p for question in questions):
        here = [question for question in questions if question.p == p]
        title = f"EVOI of the first question, {counted(p, 'attribute')} per option"
        console.print(_table(title, here, _evoi), _table("Seconds", here, _seconds))


def _table(
    title: str, questions: Sequence["FirstQuestion"], shown: "Callable[[FirstQuestion, float], str | Text]"
) -> "Table":
    """A row for each strategy, a column for each k, and how many slates there are."""
    from rich.table import Table

    names = list(dict.fromkeys(question.strategy for question in questions))
    columns: dict[int, list[FirstQuestion]] = {}
    for question in questions:
        columns.setdefault(question.k, []).append(question)
    best = {k: max(question.evoi or 0.0 for question in column) for k, column in columns.items()}
    table = Table(title=title)
    table.add_column("strategy", no_wrap=True, min_width=max(map(len, names)))
    for k in columns:
        table.add_column(f"k = {k}", justify="right")
    for row, name in enumerate(names):
        table.add_row(name, *(shown(column[row], best[k]) for k, column in columns.items()))
    table.add_section()
    table.add_row("slates", *(_count(column[0].slates) for column in columns.values()), style="dim")
    return table


def _evoi(question: "FirstQuestion", best: float) -> "Text":
    """Bold if none is better; the same question found by two strategies may differ by rounding."""
    from rich.text import Text

    if question.evoi is None:
        return Text("–")
    return Text(f"{question.evoi:.4f}", style="bold" if question.evoi >= best * (1 - 1e-5) else "")


def _seconds(question: "FirstQuestion", best: float) -> str:
    return "–" if question.seconds is None else f"{question.seconds:.2f}"


def _count(number: int) -> str:
    return f"{number:,}" if number < 10_000_000 else f"{number:.1e}"
