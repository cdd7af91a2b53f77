"""`rather bench`: what things cost on this machine."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rather.cli.console import say
from rather.cli.json_output import print_json
from rather.cli.options import Json, Plot, Seed, SlateSize
from rather.errors import InvalidInputError
from rather.extras import require_extra

if TYPE_CHECKING:
    from rather.research.bench import BenchReport, BenchSettings
    from rather.research.bench.load import ServeReport
    from rather.research.bench.traffic import Traffic


def bench(
    size: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N,M,K",
            help="Items, particles and options per question, such as 1e6,500,2; repeat it for more.",
            show_default="those of the paper, 1e5 and 1e7 items on books, and 1e6 on films and N(0, I)",
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="The small sizes and few repeats: about a minute.")] = False,
    vectors: Annotated[
        Path | None,
        typer.Option(
            help="Draw items and users from this vectors file only.",
            show_default="books and films, learnt from ratings if those are here, and N(0, I)",
        ),
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(min=2, help="Turns of each method.", show_default="13; 5 with --quick"),
    ] = None,
    memory: Annotated[bool, typer.Option(help="Measure peak memory, in processes of their own.")] = True,
    plot: Plot = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Measure the service under many simulated users instead.")
    ] = False,
    catalog: Annotated[str, typer.Option(help="With --serve: anything that `rather serve` takes.")] = "films",
    users: Annotated[int, typer.Option(min=1, help="With --serve: simulated users at the same time.")] = 200,
    seconds: Annotated[float, typer.Option(min=1, help="With --serve: how long they answer.")] = 60,
    soak: Annotated[
        float | None,
        typer.Option(
            metavar="MINUTES", min=0.1, help="With --serve: disturb the server for this long, and check everything."
        ),
    ] = None,
    think_seconds: Annotated[float, typer.Option(min=0, help="With --serve: mean time to read.")] = 10,
    spaces: Annotated[
        bool, typer.Option("--spaces", help="Measure product spaces of 10^12 configurations instead.")
    ] = False,
    k: SlateSize = 2,
    seed: Seed = 0,
    own_seeds: Annotated[
        bool, typer.Option("--own-seeds", help="With --serve: a seed for each user, so that they share no questions.")
    ] = False,
    json_output: Json = False,
) -> None:
    """Measure what a question, an answer and a session cost, in seconds and in scans of the catalogue.

    A scan is one pass over all items for the k directions of a question: a blocked matrix product and the best item for
    each direction. All methods take turns, for the same beliefs; EVOI is computed over the whole catalogue, as a share
    of the best that any of them found. Vectors come from books, from films and from N(0, I); what the documentation
    aims at is compared with what was measured, for each of them.

    With --serve, a server is started on this machine with an empty database and an empty cache, and stopped at
    the end: answers per second, latency, errors, and the latency relative to the library's own time.

    With --serve --soak, they also undo, filter, export, import and delete, while the server is killed and started
    again, its table changes and its database is locked or slow. It exits with 1 if an acknowledged answer is lost or
    doubled, if memory or file descriptors grow, or if a quiet minute is twice as slow as the first.

    With --spaces, questions about product spaces take turns with questions about an enumerated table; searches are
    compared with looking at all configurations, questions with query iteration, and regret and memory are measured.
    The whole takes about half an hour, with --quick a minute or two.

    Examples:
        rather bench
        rather bench --quick
        rather bench --spaces --json
        rather bench --size 1e6,500,2 --size 1e6,500,5 --plot times.png --json
        rather bench --vectors vectors.npz --size 1e6,200,3
        rather bench --serve --users 50 --seconds 20
        rather bench --serve --soak 60
    """
    if spaces:
        _spaces(quick, repeats, memory, plot, json_output)
        return
    if soak is not None:
        if not serve:
            raise InvalidInputError("`--soak` is for `rather bench --serve`: add --serve.")
        seconds = 60 * soak
    if serve:
        from rather.research.bench.traffic import Traffic

        require_extra("serve", "`rather bench --serve`")
        traffic = Traffic(users, seconds, catalog, think_seconds, seed)
        if soak is None:
            _serve(traffic, k, own_seeds, json_output)
        else:
            _soak(traffic, json_output)
        return
    report = _measure(_settings(size, quick, vectors, repeats, memory), json_output)
    if plot is not None:
        from rather.research.bench.figure import plot_report

        plot_report(report, plot)
    if json_output:
        print_json(asdict(report))
    else:
        from rather.cli.bench_table import print_report

        print_report(report)
        if plot is not None:
            say(f"plot: {plot}", stderr=True)


def _settings(
    sizes: list[str] | None, quick: bool, vectors: Path | None, repeats: int | None, memory: bool
) -> "BenchSettings":
    from rather.research.bench import BEYOND, ELSEWHERE, PAPER, QUICK, QUICK_ELSEWHERE, BenchSettings, Size

    usual, elsewhere = (QUICK, QUICK_ELSEWHERE) if quick else ((*PAPER, *BEYOND), ELSEWHERE)
    chosen = tuple(dict.fromkeys(Size.parse(text) for text in sizes or []))
    return BenchSettings(
        chosen or usual,
        vectors,
        repeats or (5 if quick else 13),
        most_seconds=1.0 if quick else 4.0,
        memory=memory,
        quick=quick,
        elsewhere=chosen or elsewhere,
    )


def _spaces(quick: bool, repeats: int | None, memory: bool, plot: Path | None, json_output: bool) -> None:
    from rather.cli.progress import progress_bar
    from rather.research.bench.spaces import SpacesSettings, bench_spaces

    settings = SpacesSettings.quick() if quick else SpacesSettings()
    settings = replace(settings, repeats=repeats or settings.repeats, memory=memory)
    _warn_if_busy()
    with progress_bar("steps", settings.steps, json_output) as advance:
        report = bench_spaces(settings, advance, lambda text: say(text, stderr=True))
    if plot is not None:
        from rather.research.bench.spaces.figure import plot_spaces

        plot_spaces(report, plot)
    if json_output:
        print_json(asdict(report))
    else:
        from rather.cli.bench_spaces import print_spaces

        print_spaces(report)
        if plot is not None:
            say(f"plot: {plot}", stderr=True)


def _warn_if_busy() -> None:
    from rather.research.bench.machine import BUSY, others_now

    busy = others_now()
    if busy > BUSY:
        say(
            f"This machine is busy: other programs use {busy:.0%} of its cores. Trust ratios more than times.",
            stderr=True,
        )


def _measure(settings: "BenchSettings", quiet: bool) -> "BenchReport":
    from rather.cli.progress import progress_bar
    from rather.research.bench import bench as run

    _warn_if_busy()
    with progress_bar("steps", settings.steps, quiet) as advance:
        return run(settings, advance, lambda text: say(text, stderr=True))


def _serve(traffic: "Traffic", k: int, own_seeds: bool, json_output: bool) -> None:
    from rather.research.bench.load import serve_bench

    with _seconds_bar("seconds of load", traffic.seconds, json_output) as show:
        report = serve_bench(traffic, k=k, own_seeds=own_seeds, on_progress=show)
    if json_output:
        print_json(asdict(report))
    else:
        _print_serve_report(report)


@contextmanager
def _seconds_bar(what: str, seconds: float, quiet: bool) -> Iterator[Callable[[float], None]]:
    """Yields a function to call with the share of the time that has passed."""
    from rather.cli.progress import progress_bar

    steps, done = round(seconds), 0
    with progress_bar(what, steps, quiet) as advance:

        def show(share: float) -> None:
            nonlocal done
            while done < round(share * steps):
                done += 1
                advance()

        yield show


def _soak(traffic: "Traffic", json_output: bool) -> None:
    from rather.research.bench.soak import soak

    with _seconds_bar("seconds of soak", traffic.seconds, json_output) as show:
        report = soak(traffic, on_progress=show)
    if json_output:
        print_json({**asdict(report), "passed": report.passed})
    else:
        from rather.cli.bench_table import print_soak

        print_soak(report)
    if not report.passed:
        raise typer.Exit(1)


def _print_serve_report(report: "ServeReport") -> None:
    from rich.table import Table

    from rather.cli.console import plain_console

    title = f"{report.users} simulated users for {report.seconds:.0f} s, {report.items:,} items"
    table = Table("measure", "value", title=title)
    table.add_row("answers per second", f"{report.questions_per_second:.1f}")
    for name, times in (("answer to next question", report.latency), ("opening to first question", report.opening)):
        spelled = ", ".join(f"{percentile} {value:.1f}" for percentile, value in times.items())
        table.add_row(f"{name}, ms", spelled)
    table.add_row("next question cached", f"{report.cached:.0%}")
    table.add_row("library: tell and ask, ms", f"{report.library_turn:.1f}")
    table.add_row("library: ask alone, ms", f"{report.library_ask:.1f}")
    table.add_row("latency over tell and ask", f"median {report.ratio:.2f}, p99 {report.ratio_p99:.2f}")
    table.add_row("latency over ask alone", f"p99 {report.ratio_p99_ask:.2f}")
    table.add_row("errors", ", ".join(f"{kind}: {count}" for kind, count in report.errors.items()) or "none")
    plain_console().print(table)
