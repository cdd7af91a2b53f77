"""`rather bench`: what things cost on this machine."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from rather.cli.options import Json, Seed, SlateSize
from rather.errors import InvalidInputError

if TYPE_CHECKING:
    from rather.server.load import ServeReport


def bench(
    serve: Annotated[bool, typer.Option("--serve", help="The service under a crowd of simulated people.")] = False,
    catalog: Annotated[str, typer.Option(help="What they are asked about: anything `rather serve` takes.")] = "films",
    people: Annotated[int, typer.Option(min=1, help="Simulated people at the same time.")] = 200,
    seconds: Annotated[float, typer.Option(min=1, help="How long they answer.")] = 60,
    think_seconds: Annotated[float, typer.Option(min=0, help="Mean time a person reads before answering.")] = 10,
    k: SlateSize = 2,
    seed: Seed = 0,
    apart: Annotated[
        bool, typer.Option("--apart", help="Nobody shares what was computed for others: a seed for each person.")
    ] = False,
    json_output: Json = False,
) -> None:
    """Measure the service: answers per second, latency, errors, and the latency relative to the library's own time.

    A server of its own is started on this machine with an empty database, and stopped at the end.

    Examples:
        rather bench --serve

        rather bench --serve --catalog vectors.npz --people 50 --seconds 20 --json
    """
    if not serve:
        raise InvalidInputError("Say what to measure: --serve.")
    from rather.cli.progress import progress_bar
    from rather.server.load import serve_bench

    steps = round(seconds)
    with progress_bar("seconds of load", steps, json_output) as advance:
        done = 0

        def show(share: float) -> None:
            nonlocal done
            while done < round(share * steps):
                done += 1
                advance()

        report = serve_bench(
            people, seconds, catalog, think_seconds=think_seconds, k=k, seed=seed, apart=apart, on_progress=show
        )
    if json_output:
        print(json.dumps(asdict(report), indent=1))
    else:
        _print_report(report)


def _print_report(report: "ServeReport") -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(
        "measure", "value", title=f"{report.people} people for {report.seconds:.0f} s, {report.items:,} items"
    )
    table.add_row("answers per second", f"{report.questions_per_second:.1f}")
    for name, times in (("answer to next question", report.latency), ("opening to first question", report.opening)):
        spelled = ", ".join(f"{percentile} {value:.1f}" for percentile, value in times.items())
        table.add_row(f"{name}, ms", spelled)
    table.add_row("next question at hand", f"{report.at_hand:.0%}")
    table.add_row("library: tell and ask, ms", f"{report.library_turn:.1f}")
    table.add_row("library: ask alone, ms", f"{report.library_ask:.1f}")
    table.add_row("latency over tell and ask", f"median {report.ratio:.2f}, p99 {report.ratio_p99:.2f}")
    table.add_row("latency over ask alone", f"p99 {report.ratio_p99_ask:.2f}")
    table.add_row("errors", ", ".join(f"{kind}: {count}" for kind, count in report.errors.items()) or "none")
    Console(highlight=False).print(table)
