"""The results on one page that a reader can finish: what each experiment shows, and the few numbers that matter."""

from collections.abc import Sequence

from rather.research.experiments.real_people.tables import is_papers
from rather.research.experiments.result_tables import NOT_THE_PAPERS
from rather.research.experiments.spec import KIND_NAMES, REFERENCE, ExperimentSpec
from rather.research.experiments.summary import ExperimentSummary, MethodSummary, compare, paper_numbers
from rather.research.experiments.table import number

HEAD = """# Results

Every number on these pages was printed by the command named beside it. `rather reproduce report` writes the pages from
the summaries in `docs/results/`; only the explanations are written by hand, in the specs of the experiments
(`src/rather/research/experiments/specs/`).

Regret is what the recommended item loses against the user's true best item: lower is better, and 0 is perfect. "±" is a
standard error over trials. A number of the paper is reproduced when ours differs by no more than two standard errors of
the difference between two runs like ours (the paper states no errors), or when both are the same number of questions.
"""

SHOWN = (1, 3, 5, 10)
"""Questions after which the overview states the regret."""

COMPARED = 5
"""The question after which methods are compared: a conversation that people put up with."""


def overview(experiments: Sequence[tuple[ExperimentSpec, ExperimentSummary]]) -> str:
    """The page as Markdown."""
    parts = [HEAD, _findings(experiments)]
    by_kind = {kind: [each for each in experiments if each[0].kind == kind] for kind in KIND_NAMES}
    if regrets := [
        line
        for kind in ("conversations", "spaces")
        for spec, summary in by_kind[kind]
        for line in _regret_lines(spec, summary)
    ]:
        parts.append(_regret(regrets))
    if people := [line for spec, summary in by_kind["real-people"] for line in _people_lines(spec, summary)]:
        parts.append(_people(people))
    parts += [_times(spec, summary) for spec, summary in by_kind["wallclock"]]
    if values := [line for spec, summary in by_kind["first-questions"] for line in _evoi_lines(spec, summary)]:
        parts.append(_attributes(values))
    return "\n".join(parts)


def _findings(experiments: Sequence[tuple[ExperimentSpec, ExperimentSummary]]) -> str:
    lines = [
        [f"[{spec.title}]({_link(spec)})", spec.figure, " ".join(spec.finding.split()), _reproduced(spec, summary)]
        for spec, summary in experiments
    ]
    head = ["experiment", "in the paper", "what it shows", "the paper's numbers reproduced"]
    return "## What the experiments show\n\n" + _markdown(head, lines)


def _reproduced(spec: ExperimentSpec, summary: ExperimentSummary) -> str:
    """How many of the paper's numbers are ours too, of those that can be compared."""
    compared = [comparison for comparison in compare(spec, summary) if comparison.ours is not None]
    verdicts = [
        each.ours == each.paper.value if each.paper.measure == "questions" else each.within_noise for each in compared
    ]
    known = [verdict for verdict in verdicts if verdict is not None]
    return f"{sum(known)} of {len(known)}" if known else ""


def _regret(lines: Sequence[Sequence[str]]) -> str:
    head = [
        "data",
        *(f"`{REFERENCE}`, after {question}" for question in SHOWN),
        f"best of the paper's methods, after {COMPARED}",
        f"random, after {COMPARED}",
        "command",
    ]
    text = (
        "## How fast regret falls\n\nMean regret that is left after some questions, in percent of the regret before "
        "the first one. The best of the paper's methods is the one with the lowest regret after "
        f"{COMPARED} questions, known only afterwards.\n\n"
    )
    return text + _markdown(head, lines)


def _regret_lines(spec: ExperimentSpec, summary: ExperimentSummary) -> list[list[str]]:
    """A line for each variant in which `auto` meets methods of the paper for long enough."""
    lines = []
    for variant in spec.variants:
        rows = {row.method: row for row in summary.of(variant.label) if len(row.mean["regret"]) > max(SHOWN)}
        papers = [row for name, row in rows.items() if name.partition(",")[0] not in (*NOT_THE_PAPERS, "random")]
        if REFERENCE not in rows or not papers:
            continue
        best = min(papers, key=lambda row: row.mean["regret"][COMPARED])
        label = f"[{spec.title}]({_link(spec)})" + (f", {variant.label}" if variant.label else "")
        lines.append(
            [
                label,
                *(_left(rows[REFERENCE], question) for question in SHOWN),
                f"{_left(best, COMPARED)} ({best.method})",
                _left(rows["random"], COMPARED) if "random" in rows else "",
                f"`{summary.command}`",
            ]
        )
    return lines


def _left(row: MethodSummary, question: int) -> str:
    """The regret after a question in percent of that at the start, with its standard error."""
    start, left, error = row.mean["regret"][0], row.mean["regret"][question], row.error["regret"][question]
    return f"{100 * left / start:.1f} ±{100 * error / start:.1f}"


def _people(lines: Sequence[Sequence[str]]) -> str:
    text = (
        "## What real people save\n\nMean stars that the recommended item loses against the best that the person "
        "rated, when recorded ratings of people nothing was learnt from answer. In the end is after the last question; "
        "the best of the paper's strategies is known only afterwards.\n\n"
    )
    head = ["data", "people", "no questions", *(f"`{REFERENCE}`, {when}" for when in ("after 2", "in the end"))]
    head += ["best of the paper's, in the end", "random questions, after 2", "most rated", "command"]
    return text + _markdown(head, lines)


def _people_lines(spec: ExperimentSpec, summary: ExperimentSummary) -> list[list[str]]:
    """A line for each data set."""
    lines = []
    for variant in spec.variants:
        rows = {row.method: row for row in summary.of(variant.label)}
        if not {REFERENCE, "random", "popularity"} <= rows.keys():  # settings are compared, not methods
            continue
        reference = rows[REFERENCE]
        best = min((row for name, row in rows.items() if is_papers(name)), key=lambda row: row.mean["regret"][-1])
        stars = [(reference, 0), (reference, 2), (reference, -1), (best, -1), (rows["random"], 2)]
        cells = [_stars(row, question) for row, question in [*stars, (rows["popularity"], 0)]]
        cells[3] += f" ({best.method})"
        lines.append(
            [f"[{variant.label}]({_link(spec)})", str(reference.trials), *cells, f"`{summary.command}`"],
        )
    return lines


def _stars(row: MethodSummary, question: int) -> str:
    return f"{row.mean['regret'][question]:.2f} ±{row.error['regret'][question]:.2f}"


def _times(spec: ExperimentSpec, summary: ExperimentSummary) -> str:
    papers = {(paper.variant, paper.method): paper.value for paper in paper_numbers(spec, summary)}
    variants = [variant.label for variant in spec.variants]
    lines = []
    for method in dict.fromkeys(row.method for row in summary.rows):
        cells = []
        for variant in variants:
            row = summary.row(variant, method)
            cell = "" if row is None else number(row.mean["seconds:mean"][0], 2)
            paper = papers.get((variant, method))
            cells.append(cell if paper is None else f"{cell} ({paper:g})")
        lines.append([method, *cells])
    text = (
        f"## How long a question takes\n\nSeconds, and in brackets the paper's, for n items, m particles and k options "
        f"([all]({_link(spec)}); `{summary.command}`). [A million items, and more](ideas/scale.md) has what a question "
        "costs with a shortlist, which this experiment does not use.\n\n"
    )
    return text + _markdown(["n, m, k", *variants], lines)


def _attributes(lines: Sequence[tuple[str, dict[str, float], str]]) -> str:
    methods = list(dict.fromkeys(method for _, found, _ in lines for method in found))
    rows = [
        [label, *(f"{found[method]:.3f}" if method in found else "" for method in methods), f"`{command}`"]
        for label, found, command in lines
    ]
    text = "## Questions about attributes\n\nEVOI of the first question with the most options that were tried.\n\n"
    return text + _markdown(["data", *methods, "command"], rows)


def _evoi_lines(spec: ExperimentSpec, summary: ExperimentSummary) -> list[tuple[str, dict[str, float], str]]:
    """For each variant the EVOI of every method at the largest slate size."""
    lines = []
    for variant in spec.variants:
        rows = summary.of(variant.label)
        largest = max(size for row in rows for size in row.mean["sizes"])
        found = {row.method: dict(zip(row.mean["sizes"], row.mean["evoi"], strict=True)) for row in rows}
        at_largest = {method: sizes[largest] for method, sizes in found.items() if largest in sizes}
        label = f"[{variant.label}]({_link(spec)}), {largest:.0f} options"
        lines.append((label, at_largest, summary.command))
    return lines


def _link(spec: ExperimentSpec) -> str:
    return f"results/{spec.name}.md"


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table with numbers to the right and everything else to the left."""
    columns = list(zip(*rows, strict=True))
    align = ["--:" if all(not cell or cell[0].isdigit() for cell in column) else ":--" for column in columns]
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, align, *rows)) + "\n"
