"""The results pages: `docs/results.md` for a reader, and behind it a page for each experiment in `docs/results/`."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from rather.errors import InvalidInputError
from rather.extras import require_extra
from rather.research.experiments.figures import DRAWINGS, draw_figures, drawing_name
from rather.research.experiments.overview import overview
from rather.research.experiments.result_tables import paper_table, result_tables
from rather.research.experiments.spec import ExperimentSpec, load_spec, spec_names
from rather.research.experiments.summary import ExperimentSummary, compare, read_summary

Experiment = tuple[ExperimentSpec, ExperimentSummary]


def write_report(results: Path, docs: Path) -> Path:
    """Copy finished summaries, draw the figures and write the pages; returns the overview.

    Args:
        results: Folder of `rather reproduce`; its summaries replace those kept so far.
        docs: Holds `results.md` and `results/`.
    """
    require_extra("plots", "Drawing the figures")
    kept = docs / "results"
    kept.mkdir(parents=True, exist_ok=True)
    for name in spec_names():
        fresh = results / name / "summary.jsonl"
        if fresh.exists():
            shutil.copyfile(fresh, kept / f"{name}.jsonl")
    experiments = kept_experiments(kept)
    if not experiments:
        raise InvalidInputError(f"There are no summaries in {results} or {kept}. Run `rather reproduce all` first.")
    for spec, summary in experiments:
        draw_figures(spec, summary, kept)
    for path, text in report_pages(experiments).items():
        (docs / path).write_text(text, encoding="utf8")
    return docs / "results.md"


def kept_experiments(kept: Path) -> list[Experiment]:
    """The experiments whose summaries lie in a folder, in the order of the paper."""
    paths = {name: kept / f"{name}.jsonl" for name in spec_names()}
    return [(load_spec(name), read_summary(path)) for name, path in paths.items() if path.exists()]


def report_pages(experiments: Sequence[Experiment]) -> dict[str, str]:
    """Every page by its path in the folder of the documentation."""
    pages = {f"results/{spec.name}.md": _page(spec, summary) for spec, summary in experiments}
    return {"results.md": overview(experiments), **pages}


def _page(spec: ExperimentSpec, summary: ExperimentSummary) -> str:
    """All that is known of one experiment."""
    lines = [f"# {spec.heading}", ""]
    if summary.quick:
        lines += ["**A quick run, whose numbers mean nothing.**", ""]
    lines += [spec.about.strip(), "", f"`{summary.command}`: {_settings(summary)}.", ""]
    if spec.kind in DRAWINGS:
        lines += [f"![{spec.title}]({spec.name}.svg)", ""]
    lines += _drawings(summary)
    if comparisons := compare(spec, summary):
        lines += [paper_table(comparisons).markdown()]
    if spec.differences:
        lines += ["**Where we differ.** " + spec.differences.strip(), ""]
    lines += [table.markdown() for table in result_tables(spec, summary)]
    return "\n".join(lines)


def _drawings(summary: ExperimentSummary) -> list[str]:
    """What a method left as text or as a drawing, such as an elicitation tree."""
    lines = []
    for row in summary.rows:
        if "svg" in row.kept:
            lines += [f"{row.variant}, {row.method}:", "", f"![{row.variant}]({drawing_name(summary, row)})", ""]
        if "text" in row.kept:
            lines += [f"<details><summary>{row.variant}, {row.method}, as text</summary>", ""]
            lines += ["```text", row.kept["text"], "```", "", "</details>", ""]
    return lines


def _settings(summary: ExperimentSummary) -> str:
    """Seed, trials, versions and commits in a line."""
    commits = sorted({stamp["commit"] for stamp in summary.provenance if stamp.get("commit")})
    first = summary.provenance[0]
    versions = f"rather {first['rather']}, torch {first['torch']}, Python {first['python']}"
    trials = f"{summary.trials} trial{'s' * (summary.trials != 1)}"
    plural = "s" * (len(commits) > 1)
    return f"{trials}, seed {summary.seed}, {versions}, commit{plural} {', '.join(commits) or 'unknown'}"
