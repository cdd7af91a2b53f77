"""The tables of an experiment about noise of one's own."""

import math
from collections.abc import Iterable, Sequence

from rather.research.experiments.real_people.measures import BINS, calibration_error
from rather.research.experiments.spec import ExperimentSpec
from rather.research.experiments.summary import ExperimentSummary, MethodSummary
from rather.research.experiments.table import ResultTable

FEWEST = 10
"""Statements that a bin must have to be shown."""


def noise_tables(spec: ExperimentSpec, summary: ExperimentSummary) -> list[ResultTable]:
    """Regret, the comparison with the best fixed noise, and calibration, one setting after the other."""
    found = []
    for variant in spec.variants:
        rows = summary.of(variant.label)
        found += [
            _regret(variant.label, rows),
            _against_best(variant.label, rows, spec.reference),
            _calibration(variant.label, rows),
        ]
    return [*found, _times(summary)]


def _regret(variant: str, rows: Sequence[MethodSummary]) -> ResultTable:
    head = ["", *map(str, range(len(rows[0].mean["regret"]))), "±"]
    lines = [
        [row.method, *(f"{value:.3f}" for value in row.mean["regret"]), f"{_largest(row.error['regret']):.3f}"]
        for row in rows
    ]
    title = f"Mean regret after each question ({variant}); ± is the largest standard error of the line"
    return ResultTable(title, head, lines)


def _largest(errors: Sequence[float]) -> float:
    return max((error for error in errors if math.isfinite(error)), default=math.nan)


def _against_best(variant: str, rows: Sequence[MethodSummary], reference: str) -> ResultTable:
    """The fixed noise with the lowest regret over the whole conversation, known only afterwards, beside one's own."""
    personal = next(row for row in rows if row.method == reference)
    best = min((row for row in rows if row.method != reference), key=lambda row: row.mean["mean_regret"][0])
    lines = [
        _compared(str(question), (row.mean["regret"][question] for row in (best, personal)), -ahead, error)
        for question, (ahead, error) in enumerate(zip(best.ahead, best.ahead_error, strict=True))
        if question
    ]
    ahead, error = best.differences["mean_regret"][0], best.differences_error["mean_regret"][0]
    lines.append(_compared("mean of all", (row.mean["mean_regret"][0] for row in (best, personal)), -ahead, error))
    head = ["question", best.method, reference, "difference, paired", "behind by more than its error"]
    return ResultTable(f"Noise of one's own against the best fixed noise ({variant})", head, lines)


def _compared(what: str, means: Iterable[float], difference: float, error: float) -> list[str]:
    behind = "yes" if difference > error else "no"
    return [what, *(f"{mean:.3f}" for mean in means), f"{difference:+.3f} ±{error:.3f}", behind]


def _calibration(variant: str, rows: Sequence[MethodSummary]) -> ResultTable:
    lines = []
    for index in range(BINS):
        cells = [_bin(row, index) for row in rows]
        if any(cells):
            lines.append([f"{index / BINS:.1f} to {(index + 1) / BINS:.1f}", *cells])
    errors = [f"{100 * stated_error(row):.1f} points" for row in rows]
    head = ["stated", *(f"{row.method}: stated → true (times)" for row in rows)]
    title = f"Stated chance that one of the list is the person's best, and how often it was ({variant})"
    return ResultTable(title, head, [*lines, ["expected calibration error", *errors]])


def stated_error(row: MethodSummary) -> float:
    """The expected calibration error of a method."""
    return calibration_error(row.mean["stated"], row.mean["stated_sum"], row.mean["came_true"])


def reliability(row: MethodSummary) -> list[tuple[float, float, float]]:
    """For each bin that was stated often enough: the mean chance, how often it came true, and its standard error."""
    points = []
    for times, said, true in zip(row.mean["stated"], row.mean["stated_sum"], row.mean["came_true"], strict=True):
        count = times * row.trials
        if count >= FEWEST:
            share = true / times
            points.append((said / times, share, math.sqrt(max(share * (1 - share), 1 / count) / count)))
    return points


def _bin(row: MethodSummary, index: int) -> str:
    count = row.mean["stated"][index] * row.trials
    if count < FEWEST:
        return ""
    said, true = (row.mean[name][index] * row.trials / count for name in ("stated_sum", "came_true"))
    return f"{said:.2f} → {true:.2f} ({count:.0f})"


def _times(summary: ExperimentSummary) -> ResultTable:
    """Milliseconds, means over all settings."""
    methods = list(dict.fromkeys(row.method for row in summary.rows))
    lines = []
    for method in methods:
        rows = [row for row in summary.rows if row.method == method]
        means = [
            1000 * sum(row.mean[f"seconds:{name}"][0] for row in rows) / len(rows) for name in ("question", "answer")
        ]
        lines.append([method, *(f"{mean:.1f}" for mean in means)])
    return ResultTable("Milliseconds, in the same run", ["", "to choose a question", "to take in an answer"], lines)
