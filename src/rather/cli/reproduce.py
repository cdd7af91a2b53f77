"""`rather reproduce`: the paper's experiments by name."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rather.cli.console import say
from rather.cli.json_output import print_json
from rather.cli.options import From, Json, Ray, Workers

if TYPE_CHECKING:
    from rather.research.experiments import ExperimentSpec
    from rather.research.experiments.summary import ExperimentSummary


def reproduce(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="An experiment (`rather reproduce list` shows them), a spec of your own (.toml), `all`, `list`, "
            "or `report` to write docs/results.md from the summaries kept there.",
        ),
    ],
    trials: Annotated[int | None, typer.Option(min=1, help="Number of trials.", show_default="the paper's")] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Of the trials; vectors are learnt with the seed of the spec.", show_default="of the spec"),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small version that takes seconds, to see that it works.")
    ] = False,
    workers: Workers = 1,
    ray: Ray = None,
    out: Annotated[Path, typer.Option(help="Folder of results; a run with the same folder resumes.")] = Path("results"),
    fresh: Annotated[bool, typer.Option("--fresh", help="Compute everything again instead of resuming.")] = False,
    source: From = None,
    docs: Annotated[Path, typer.Option(help="For `report`: the folder of results.md and results/.")] = Path("docs"),
    json_output: Json = False,
) -> None:
    """Run an experiment of the paper, or beyond it, show our numbers beside the paper's, and draw the figure.

    Results are lines of JSON with seed, versions and commit. A run that was interrupted resumes where it ended, and
    neither the number of workers nor a cluster changes the results.

    Examples:
        rather reproduce synthetic --workers 2
        rather reproduce movielens --trials 10 --seed 1
        rather reproduce movielens --ray 10.0.0.1:6379
        rather reproduce my-experiment.toml --json
        rather reproduce all --quick
    """
    from rather.research.experiments import load_spec, spec_names

    if name == "list":
        _list(json_output)
        return
    if name == "report":
        _report(out, docs)
        return
    documents = []
    for each in spec_names() if name == "all" else [name]:
        spec = load_spec(each, quick=quick).changed(trials, seed)
        changes = {"--trials": trials, "--seed": seed}
        typed = [f"{option} {value}" for option, value in changes.items() if value is not None]
        command = " ".join(["rather reproduce", each, *typed, *(["--quick"] if quick else [])])
        summary = _run(spec, command, quick, workers, ray, out, fresh, source)
        files = _files(spec, summary, out)
        if json_output:
            documents.append(_document(spec, summary, files))
        else:
            _show(spec, summary, files)
    if json_output:
        print_json(documents if name == "all" else documents[0])


def _list(json_output: bool) -> None:
    from rather.research.experiments import load_spec, spec_names

    specs = [load_spec(name) for name in spec_names()]
    if json_output:
        print_json(
            [
                {"name": spec.name, "paper": spec.figure, "title": spec.title, "kind": spec.kind, "trials": spec.trials}
                for spec in specs
            ]
        )
        return
    from rich.table import Table
    from rich.text import Text

    from rather.cli.console import plain_console

    table = Table("name", "in the paper", "title", "trials")
    for spec in specs:
        table.add_row(Text(spec.name, style="bold"), spec.figure or "–", spec.title, str(spec.trials))
    plain_console().print(table)


def _run(
    spec: "ExperimentSpec",
    command: str,
    quick: bool,
    workers: int,
    ray: str | None,
    out: Path,
    fresh: bool,
    source: Path | None,
) -> "ExperimentSummary":
    from rather.cli.progress import counted_progress
    from rather.research.experiments.run import reproduce as run

    try:
        with counted_progress(spec.name) as (start, advance):
            return run(
                spec,
                out,
                workers=workers,
                ray=ray,
                folder=source,
                quick=quick,
                fresh=fresh,
                command=command,
                on_progress=lambda text: say(text, stderr=True),
                on_start=start,
                on_done=lambda job: advance(),
            )
    except KeyboardInterrupt:
        say(f"Interrupted. What was computed is in {out}; the same command resumes.", stderr=True)
        raise typer.Exit(130) from None


def _files(spec: "ExperimentSpec", summary: "ExperimentSummary", out: Path) -> dict[str, list[str]]:
    """The files of results and figures."""
    from rather.errors import MissingExtraError
    from rather.research.experiments.figures import draw_figures
    from rather.research.experiments.run import results_folder

    folder = results_folder(spec, out, summary.quick)
    figures: list[Path] = []
    try:
        figures = draw_figures(spec, summary, folder)
    except MissingExtraError as error:
        say(str(error), stderr=True)
    return {
        "results": [str(folder / name) for name in ("trials.jsonl", "summary.jsonl")],
        "figures": [str(path) for path in figures],
    }


def _document(spec: "ExperimentSpec", summary: "ExperimentSummary", files: dict[str, list[str]]) -> dict[str, Any]:
    from rather.research.experiments.summary import compare

    compared = [{**asdict(each), "within_noise": each.within_noise} for each in compare(spec, summary)]
    return {**asdict(summary), "title": spec.title, "kind": spec.kind, "paper": compared, **files}


def _show(spec: "ExperimentSpec", summary: "ExperimentSummary", files: dict[str, list[str]]) -> None:
    from rich.text import Text

    from rather.cli.console import plain_console
    from rather.research.experiments.result_tables import paper_table, result_tables
    from rather.research.experiments.summary import compare

    console = plain_console()
    if not console.is_terminal:
        console = plain_console(width=160)  # a file has no edge to wrap at
    console.print()
    console.print(Text(spec.title, style="bold") + Text(f" ({spec.figure} of the paper)" if spec.figure else ""))
    if summary.quick:
        console.print("A quick run, to see that everything works: its numbers mean nothing.", style="yellow")
    comparisons = compare(spec, summary)
    for table in [*result_tables(spec, summary), *([paper_table(comparisons)] if comparisons else [])]:
        console.print()
        console.print(table.rich())
    for row in summary.rows:
        if "text" in row.kept:
            console.print()
            console.print(Text(f"{row.variant}: {row.method}", style="bold"))
            console.print(row.kept["text"], soft_wrap=True)
    console.print()
    for name, paths in files.items():
        for path in paths:
            console.print(f"{name}: {path}", style="dim", soft_wrap=True)


def _report(out: Path, docs: Path) -> None:
    from rather.research.experiments.results_pages import write_report

    say(f"wrote {write_report(out, docs)}")
