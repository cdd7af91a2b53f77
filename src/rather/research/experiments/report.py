"""`docs/results.md`: every experiment with its figure, the paper's numbers beside ours, its settings and command."""

import shutil
from pathlib import Path

from rather.errors import InvalidInputError
from rather.research.experiments.figures import draw_figure
from rather.research.experiments.spec import Spec, load_spec, spec_names
from rather.research.experiments.summary import Summary, compare, read_summary
from rather.research.experiments.tables import paper_table, tables

HEAD = """# Results

Every number here was printed by the command named beside it. This page is written by `rather reproduce report` from
the summaries in `results/`; nothing on it is typed by hand but the explanations, which stand in the specs
(`src/rather/experiments/specs/`).

"Within noise" means that ours and the paper's number differ by no more than two standard errors of the difference of
two runs like ours (the paper states no errors). "±" is a standard error over trials. Regret is what the recommended
item loses against the person's true best item, so lower is better and 0 is perfect.
"""


def write_report(results: Path, docs: Path) -> Path:
    """Take over finished summaries, draw the figures and write the page.

    Args:
        results: Folder of `rather reproduce`; its summaries replace those kept so far.
        docs: Holds `results.md` and `results/`.
    """
    kept = docs / "results"
    kept.mkdir(parents=True, exist_ok=True)
    sections = []
    for name in spec_names():
        fresh = results / name / "summary.jsonl"
        if fresh.exists():
            shutil.copyfile(fresh, kept / f"{name}.jsonl")
        if (kept / f"{name}.jsonl").exists():
            sections.append(_section(load_spec(name), read_summary(kept / f"{name}.jsonl"), kept))
    if not sections:
        raise InvalidInputError(f"There are no summaries in {results} or {kept}. Run `rather reproduce all` first.")
    page = docs / "results.md"
    page.write_text("\n".join([HEAD, *sections]), encoding="utf8")
    return page


def _section(spec: Spec, summary: Summary, kept: Path) -> str:
    lines = [f"## {spec.title}" + (f" ({spec.figure} of the paper)" if spec.figure else ""), ""]
    if summary.quick:
        lines += ["**A quick run, whose numbers mean nothing.**", ""]
    lines += [spec.about.strip(), "", f"`{summary.command}` — {_settings(spec, summary)}", ""]
    figure = draw_figure(spec, summary, kept / f"{spec.name}.svg")
    if figure is not None:
        lines += [f"![{spec.title}](results/{figure.name})", ""]
    lines += _texts(summary, kept)
    if spec.paper:
        lines += [paper_table(compare(spec, summary)).markdown()]
    if spec.differences:
        lines += ["**Where we differ.** " + spec.differences.strip(), ""]
    rest = [table for table in tables(spec, summary) if table.title != paper_table([]).title]
    if len(rest) > 2:
        lines += ["<details><summary>All tables</summary>", "", *(table.markdown() for table in rest), "</details>", ""]
    else:
        lines += [table.markdown() for table in rest]
    return "\n".join(lines)


def _texts(summary: Summary, kept: Path) -> list[str]:
    """What a method left as text or as a drawing, such as an elicitation tree."""
    lines = []
    for row in summary.rows:
        name = f"{summary.experiment}-{row.variant}-{row.method}".replace(" ", "-").lower()
        if "svg" in row.kept:
            (kept / f"{name}.svg").write_text(row.kept["svg"], encoding="utf8")
            lines += [f"{row.variant}, {row.method}:", "", f"![{row.variant}](results/{name}.svg)", ""]
        if "text" in row.kept:
            lines += [
                f"<details><summary>{row.variant}, {row.method}, as text</summary>",
                "",
                "```",
                row.kept["text"],
                "```",
                "",
            ]
            lines += ["</details>", ""]
    return lines


def _settings(spec: Spec, summary: Summary) -> str:
    """Seed, trials, versions and commits in a line."""
    commits = sorted({stamp["commit"] for stamp in summary.provenance if stamp.get("commit")})
    first = summary.provenance[0]
    versions = f"rather {first['rather']}, torch {first['torch']}, Python {first['python']}"
    plural = "s" * (len(commits) > 1)
    return f"{summary.trials} trials, seed {spec.seed}, {versions}, commit{plural} {', '.join(commits) or 'unknown'}"
