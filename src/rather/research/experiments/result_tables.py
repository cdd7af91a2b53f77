"""The tables of an experiment."""

import math
from collections.abc import Sequence

from rather.research.experiments.learnt_priors.tables import prior_tables
from rather.research.experiments.personal_noise.tables import noise_tables
from rather.research.experiments.product_spaces.tables import published_table
from rather.research.experiments.real_people.tables import people_tables
from rather.research.experiments.spec import REFERENCE, ExperimentSpec
from rather.research.experiments.summary import (
    ExperimentSummary,
    MethodSummary,
    PaperComparison,
    panels,
)
from rather.research.experiments.table import ResultTable, number

# A smaller share of a number is no error but rounding.
ROUNDING = 1e-9

# Tables of more questions than this show only some of them; the data and the figure have all.
MOST_COLUMNS = 17

# Methods that are not the paper's: ours, other fields', and a bound.
NOT_THE_PAPERS = ("auto", "floor", "mutual-information", "thompson", "qeubo")


def result_tables(spec: ExperimentSpec, summary: ExperimentSummary) -> list[ResultTable]:
    """All tables of an experiment but that of the paper's numbers, see `paper_table`."""
    if spec.kind == "real-people":
        return people_tables(spec, summary)
    if spec.kind == "learnt-priors":
        return prior_tables(spec, summary)
    if spec.kind == "personal-noise":
        return noise_tables(spec, summary)
    are_spaces = spec.kind == "spaces"
    found = published_table(spec, summary) if are_spaces else []
    for title, rows in panels(summary, apart=are_spaces):
        # Among 10^12 configurations, hardly any of the ten best is ever recommended.
        found += _conversation_tables(title, rows)[: 2 if are_spaces else None]
    for variant in spec.variants:
        paired = [row for row in summary.of(variant.label) if row.ahead]
        labels = {method.label for method in variant.methods if method.name == "plan"}
        planned = [row for row in paired if row.method in labels]
        if planned:
            found.append(_planned_table(variant.label, planned))
        if len(paired) - len(planned) > 2 and not summary.quick:
            found.append(_against_best(variant.label, [row for row in paired if row.method not in labels]))
    if spec.kind == "wallclock":
        found += _time_tables(spec, summary)
    if spec.kind == "first-questions":
        found += [_size_table(variant.label, summary.of(variant.label)) for variant in spec.variants]
        found += [_asked_table(row) for row in summary.rows if row.method == "auto"]
    return found


def _conversation_tables(title: str, rows: Sequence[tuple[str, MethodSummary]]) -> list[ResultTable]:
    setting = f" ({title})" if title else ""
    length = max(len(row.mean["regret"]) for _, row in rows)
    decimals = _decimals(max(row.mean["regret"][0] for _, row in rows))
    shown = [question for question in (0, 1, 2, 3, 5, 10) if question < length]
    asking = [(label, row) for label, row in rows if "evoi" in row.mean]
    questions = max((len(row.mean["evoi"]) for _, row in asking), default=0)  # fewer where adjustments follow
    return [
        ResultTable(
            f"Mean regret after each question{setting}; ± is the largest standard error of the line",
            ["", *(_after(each, questions) for each in _shown(range(length))), "±"],
            [[label, *_cells(row, "regret", range(length), decimals)] for label, row in rows],
        ),
        ResultTable(
            f"Mean EVOI of each question{setting}; after the first, methods face different beliefs",
            ["", *map(str, _shown(range(1, questions + 1))), "±"],
            [[label, *_cells(row, "evoi", range(1, questions + 1), decimals)] for label, row in asking],
        ),
        ResultTable(
            f"The ten best recommendations{setting}: NDCG@10 / hit rate after some questions",
            ["", *(str(question) for question in shown)],
            [[label, *(_ranking(row, question) for question in shown)] for label, row in asking],
        ),
    ]


def _after(answers: int, questions: int) -> str:
    """What a column of regrets comes after: so many questions, and adjustments where fewer were asked."""
    return str(answers) if not questions or answers <= questions else f"{questions} + {answers - questions} adj."


def _shown(questions: range) -> list[int]:
    """The questions that a table shows: all, or where they are many, the first few and every fifth."""
    few = len(questions) <= MOST_COLUMNS
    return [each for each in questions if few or each < 5 or each % 5 == 0 or each == questions[-1]]


def _cells(row: MethodSummary, measure: str, questions: range, decimals: int) -> list[str]:
    """The means after the questions that are shown, and last the largest of all their standard errors."""
    means = dict(zip(questions, row.mean[measure], strict=False))  # a method may have been asked fewer
    cells = [f"{means[each]:.{decimals}f}" if each in means else "" for each in _shown(questions)]
    errors = [error for error in row.error[measure] if math.isfinite(error)]
    return [*cells, f"{max(errors):.{decimals}f}" if errors else "–"]


def _decimals(largest: float) -> int:
    """Decimals that show four digits of the largest number of a table."""
    return max(0, 3 - math.floor(math.log10(largest))) if largest > 0 else 2


def _ranking(row: MethodSummary, question: int) -> str:
    if question >= len(row.mean["ndcg"]):
        return ""
    return f"{row.mean['ndcg'][question]:.2f} / {row.mean['hit'][question]:.2f}"


def _against_best(variant: str, rows: Sequence[MethodSummary]) -> ResultTable:
    """After each question the best of the paper's methods beside `auto`, compared on the same draws."""
    reference = next(row for row in rows if row.method == REFERENCE)
    length = len(reference.mean["regret"])
    others = [row for row in rows if row.method.partition(",")[0] not in NOT_THE_PAPERS]
    decimals = _decimals(reference.mean["regret"][0])
    lines = []
    for question in range(1, length):
        measured = [row for row in others if question < len(row.ahead) and row.trials == reference.trials]
        if not measured:
            continue
        best = min(measured, key=lambda row: row.mean["regret"][question])
        difference, error = -best.ahead[question], best.ahead_error[question]
        lines.append(
            [
                str(question),
                f"{best.method} {best.mean['regret'][question]:.{decimals}f}",
                f"{reference.mean['regret'][question]:.{decimals}f}",
                f"{difference:+.{decimals}f} ±{error:.{decimals}f}",
                "yes" if difference > error else "no",
            ]
        )
    head = ["question", "best of the paper's methods", REFERENCE, "difference, paired", "behind by more than its error"]
    setting = f" ({variant})" if variant else ""
    return ResultTable(f"`{REFERENCE}` against the best of the paper's methods{setting}", head, lines)


def _planned_table(variant: str, rows: Sequence[MethodSummary]) -> ResultTable:
    """How much lower regret is with planned questions than with `auto`, on the same draws with the same noise."""

    def cell(row: MethodSummary, question: int) -> str:
        usual = row.mean["regret"][question] - row.ahead[question]
        error = row.ahead_error[question]
        if not usual > 0 or not math.isfinite(error):
            return "–"
        return f"{100 * row.ahead[question] / usual:+.1f} ±{100 * error / usual:.1f}"

    length = max(len(row.ahead) for row in rows)
    lines = [[row.method, *(cell(row, question) for question in range(1, len(row.ahead)))] for row in rows]
    setting = f" ({variant})" if variant else ""
    title = f"Regret of planned questions against `{REFERENCE}`, in percent, paired{setting}"
    return ResultTable(title, ["", *(str(question) for question in range(1, length))], lines)


def _size_table(variant: str, rows: Sequence[MethodSummary]) -> ResultTable:
    """EVOI against the slate size."""
    sizes = sorted({int(size) for row in rows for size in row.mean["sizes"]})
    lines = []
    for row in rows:
        found = dict(zip(row.mean["sizes"], row.mean["evoi"], strict=True))
        cells = [f"{found[size]:.4f}" if size in found else "" for size in sizes]
        lines.append([row.method, *cells, str(row.trials)])
    return ResultTable(f"EVOI of the first question by slate size ({variant})", ["", *map(str, sizes), "trials"], lines)


def _asked_table(row: MethodSummary) -> ResultTable:
    """The questions a method found, by slate size."""
    [asked] = row.kept["asked"]
    lines = [[f"{size:.0f}", text.replace(" | ", " · ")] for size, text in zip(row.mean["sizes"], asked, strict=True)]
    return ResultTable(f"What {row.method} asks first ({row.variant})", ["slate size", "options"], lines)


def _time_tables(spec: ExperimentSpec, summary: ExperimentSummary) -> list[ResultTable]:
    """Seconds for a question, and the same as ratios that other machines can be compared by."""
    variants = [variant.label for variant in spec.variants]
    methods = list(dict.fromkeys(row.method for row in summary.rows))

    def cell(method: str, variant: str, unit: str) -> str:
        row = summary.row(variant, method)
        if row is None:
            return ""
        mean = row.mean["seconds:mean"][0]
        if unit == "seconds":
            return f"{number(mean, 3)} ({number(row.mean['seconds:deviation'][0], 2)})"
        if unit == "scans":
            return number(mean / row.mean["seconds:scan"][0], 3)
        greedy = summary.row(variant, "greedy")
        return "" if greedy is None else number(mean / greedy.mean["seconds:mean"][0], 3)

    titles = {
        "seconds": "Seconds for a question, mean (standard deviation over questions)",
        "greedy": "The same as a multiple of Greedy's time in the same run",
        "scans": "The same as a multiple of one scan of the catalogue for k directions",
    }
    return [
        ResultTable(
            title, ["method", *variants], [[method, *(cell(method, v, unit) for v in variants)] for method in methods]
        )
        for unit, title in titles.items()
    ]


def paper_table(comparisons: Sequence[PaperComparison]) -> ResultTable:
    """The paper's numbers beside ours."""
    lines = []
    for comparison in comparisons:
        paper = comparison.paper
        what = {
            "regret": f"regret after {paper.question} questions" if paper.question else "regret at the start",
            "evoi": f"EVOI of {f'the best slate of {paper.size}' if paper.size else f'question {paper.question}'}",
            "questions": f"questions to regret {paper.threshold:g}",
            "seconds": "seconds for a question",
        }[paper.measure]
        whole = paper.measure == "questions"
        ours = "–" if comparison.ours is None else f"{comparison.ours:.0f}" if whole else number(comparison.ours)
        if not whole and math.isfinite(comparison.error):
            ours += (
                f" ±{number(comparison.error, 2)}" if comparison.error > ROUNDING * abs(comparison.ours or 0) else " ±0"
            )
        difference = "–"
        if comparison.ours is not None:
            gap = comparison.ours - paper.value
            difference = f"{gap:+.0f}" if whole else f"{100 * gap / paper.value:+.1f} %"
        verdict = {True: "yes", False: "no", None: "–"}[comparison.within_noise]
        if whole and comparison.ours is not None:
            verdict = "same" if comparison.ours == paper.value else "no"
        cells = [f"{what}, {paper.method}" if paper.method else what, paper.variant, f"{paper.value:g}"]
        lines.append([*cells, ours, difference, verdict])
    return ResultTable(
        "The paper's numbers beside ours",
        ["what", "setting", "paper", "ours", "difference", "within noise?"],
        lines,
    )
