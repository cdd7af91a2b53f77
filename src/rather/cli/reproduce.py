"""`rather reproduce`: the paper's experiments by name."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rather.cli.options import From, Ray, Workers

if TYPE_CHECKING:
    from rather.research.experiments import Spec
    from rather.research.experiments.summary import Summary

OUT = Path("results")


def reproduce(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="An experiment (`rather reproduce list` shows them), a spec of your own (.toml), `all`, `list`, "
            "or `report` to write docs/results.md from what was kept.",
        ),
    ],
    trials: Annotated[int | None, typer.Option(min=1, help="Other than the paper's number of trials.")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A few seconds' worth of it, to see that it works; numbers mean nothing.")
    ] = False,
    workers: Workers = 1,
    ray: Ray = None,
    out: Annotated[Path, typer.Option(help="Folder of results; the same folder resumes.")] = OUT,
    fresh: Annotated[bool, typer.Option("--fresh", help="Do everything again instead of resuming.")] = False,
    source: From = None,
    docs: Annotated[Path, typer.Option(help="For `report`: where results.md and the kept results are.")] = Path("docs"),
) -> None:
    """Run an experiment of the paper, or beyond it, and show our numbers beside the paper's.

    Results are lines of JSON with seed, versions and commit. A run that was interrupted goes on where it ended, and
    the number of workers, or a cluster, changes nothing but the time.

    Examples:
        rather reproduce synthetic --workers 2
        rather reproduce movielens --trials 10
        rather reproduce movielens --ray 10.0.0.1:6379
        rather reproduce my-experiment.toml
        rather reproduce all --quick
    """
    from rather.research.experiments import load_spec, spec_names

    if name == "list":
        _list()
        return
    if name == "report":
        _report(out, docs)
        return
    for each in spec_names() if name == "all" else [name]:
        _run(load_spec(each, quick=quick).with_trials(trials), each, trials, quick, workers, ray, out, fresh, source)


def _list() -> None:
    from rich.table import Table
    from rich.text import Text

    from rather.cli.console import plain_console
    from rather.research.experiments import load_spec, spec_names

    table = Table("name", "in the paper", "what", "trials")
    for name in spec_names():
        spec = load_spec(name)
        table.add_row(Text(name, style="bold"), spec.figure or "–", spec.title, str(spec.trials))
    plain_console().print(table)


def _run(
    spec: "Spec",
    name: str,
    trials: int | None,
    quick: bool,
    workers: int,
    ray: str | None,
    out: Path,
    fresh: bool,
    source: Path | None,
) -> None:
    import sys

    from rather.cli.progress import counted_progress
    from rather.research.experiments.run import reproduce as run

    command = f"rather reproduce {name}" + (f" --trials {trials}" if trials else "") + (" --quick" if quick else "")
    try:
        with counted_progress(spec.name) as (start, advance):
            summary = run(
                spec,
                out,
                workers=workers,
                ray=ray,
                folder=source,
                quick=quick,
                fresh=fresh,
                command=command,
                on_progress=lambda text: print(text, file=sys.stderr),
                on_start=start,
                on_done=lambda job: advance(),
            )
    except KeyboardInterrupt:
        print(f"Interrupted. What is done is in {out}; the same command goes on from there.", file=sys.stderr)
        raise typer.Exit(130) from None
    _show(spec, summary, out / (f"{spec.name}-quick" if quick else spec.name))


def _show(spec: "Spec", summary: "Summary", place: Path) -> None:
    from rich.text import Text

    from rather.cli.console import plain_console
    from rather.research.experiments.tables import tables

    console = plain_console()
    if not console.is_terminal:
        console = plain_console(width=160)  # a file has no edge to wrap at
    figure = f" ({spec.figure} of the paper)" if spec.figure else ""
    console.print(Text.assemble((f"\n{spec.title}", "bold"), figure))
    if summary.quick:
        console.print("A quick run: it shows that everything works, and no number means anything.", style="yellow")
    for table in tables(spec, summary):
        console.print()
        console.print(table.rich())
    for row in summary.rows:
        if "text" in row.kept:
            console.print(f"\n{row.variant}: {row.method}", style="bold")
            console.print(row.kept["text"], soft_wrap=True)
            (place / f"{row.variant}-{row.method}.svg".lower()).write_text(row.kept["svg"], encoding="utf8")
    console.print(f"\nresults: {place}/trials.jsonl", style="dim")


def _report(out: Path, docs: Path) -> None:
    from rather.research.experiments.report import write_report

    print(f"wrote {write_report(out, docs)}")
