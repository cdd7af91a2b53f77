"""Results of many trials in a few lines: what tables, figures and pages are made of, and what is kept."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rather.errors import InvalidInputError
from rather.research.experiments.engine import JobResult, rounded
from rather.research.experiments.spec import ExperimentSpec, PaperNumber

# Beside regret, what of experiments with real people and about noise is compared likewise.
PAIRED = ("mean_regret", "list_regret", "ranking_regret", "unasked_regret", "unasked_ndcg", "unasked_hit")


@dataclass(frozen=True)
class MethodSummary:
    """A method in a variant, over its trials.

    Attributes:
        variant: Label of the setting.
        method: Label of the method.
        trials: How many.
        mean: For each measure one number per question (or a single one).
        error: Its standard error over trials.
        ahead: For regret, how much lower that of the spec's reference is, trial by trial on the same draws: mean per
            question.
        ahead_error: Its standard error.
        kept: What is not a number: an outcome of the first trial as it was.
        differences: For each measure of `PAIRED`, how much higher it is than the reference's, as for `ahead`.
        differences_error: Their standard errors.
    """

    variant: str
    method: str
    trials: int
    mean: Mapping[str, list[float]]
    error: Mapping[str, list[float]]
    ahead: list[float] = field(default_factory=list)
    ahead_error: list[float] = field(default_factory=list)
    kept: Mapping[str, Any] = field(default_factory=dict)
    differences: Mapping[str, list[float]] = field(default_factory=dict)
    differences_error: Mapping[str, list[float]] = field(default_factory=dict)


@dataclass(frozen=True)
class ExperimentSummary:
    """An experiment's results.

    Attributes:
        experiment: Its name.
        command: What to type to get them.
        trials: Asked for.
        quick: Whether they are from a quick run, whose numbers mean nothing.
        provenance: Distinct versions and commits the results come from.
        rows: One for each variant and method.
        seed: Of everything.
    """

    experiment: str
    command: str
    trials: int
    quick: bool
    provenance: Sequence[Mapping[str, str]]
    rows: Sequence[MethodSummary]
    seed: int = 0

    def row(self, variant: str, method: str) -> MethodSummary | None:
        """The row of a variant and method."""
        return next((row for row in self.rows if (row.variant, row.method) == (variant, method)), None)

    def of(self, variant: str) -> list[MethodSummary]:
        """The rows of a variant."""
        return [row for row in self.rows if row.variant == variant]


def summarise(spec: ExperimentSpec, results: Sequence[JobResult], command: str, quick: bool) -> ExperimentSummary:
    """Means and standard errors over trials."""
    rows = []
    for variant in spec.variants:
        groups = {
            method.label: [r for r in results if (r.variant, r.method) == (variant.label, method.label)]
            for method in variant.methods
        }
        reference = {result.trial: result for result in groups.get(spec.reference, [])}
        rows += [_row(variant.label, label, group, reference) for label, group in groups.items() if group]
    stamps = list({json.dumps(dict(result.provenance)): dict(result.provenance) for result in results}.values())
    return ExperimentSummary(spec.name, command, spec.trials, quick, stamps, rows, spec.seed)


def _row(variant: str, method: str, results: Sequence[JobResult], reference: Mapping[int, JobResult]) -> MethodSummary:
    mean, error, kept = {}, {}, {}
    for measure, first in results[0].outcome.items():
        if measure == "seconds":
            for name in first:
                values = _stacked([result.outcome["seconds"][name] for result in results])
                mean[f"seconds:{name}"], error[f"seconds:{name}"] = _mean(values), _error(values)
        elif isinstance(first, int | float) or (isinstance(first, list) and first and not isinstance(first[0], list)):
            values = _stacked([result.outcome[measure] for result in results])
            mean[measure], error[measure] = _mean(values), _error(values)
        else:
            kept[measure] = first
    if "sizes" in mean and len(results) > 3:
        values = _stacked([result.outcome["evoi"] for result in results])
        kept["quartiles"] = np.quantile(values, [0.25, 0.75], axis=0).tolist()
    ahead, ahead_error = _difference("regret", results, reference)
    compared = {name: _difference(name, results, reference) for name in PAIRED if name in mean and reference}
    return MethodSummary(
        variant,
        method,
        len(results),
        mean,
        error,
        ahead,
        ahead_error,
        kept,
        {name: difference for name, (difference, _) in compared.items()},
        {name: uncertain for name, (_, uncertain) in compared.items()},
    )


def _difference(
    measure: str, results: Sequence[JobResult], reference: Mapping[int, JobResult]
) -> tuple[list[float], list[float]]:
    """A measure minus the reference's, over the trials and questions that both have."""
    pairs = [
        (result.outcome[measure], reference[result.trial].outcome[measure])
        for result in results
        if measure in result.outcome and result.trial in reference
    ]
    if not pairs:
        return [], []
    length = min(len(side) for pair in pairs for side in pair)
    values = np.array([[a - b for a, b in zip(ours[:length], theirs[:length], strict=True)] for ours, theirs in pairs])
    return _mean(values), _error(values)


def _stacked(values: Sequence[Any]) -> NDArray[np.float64]:
    """`(trials, questions)`; None stands for what could not be measured."""
    return np.array([value if isinstance(value, list) else [value] for value in values], dtype=np.float64)


def _mean(values: NDArray[np.float64]) -> list[float]:
    return [float(value) for value in values.mean(axis=0)]


def _error(values: NDArray[np.float64]) -> list[float]:
    if len(values) < 2:
        return [math.nan] * values.shape[1]
    return [float(value) for value in values.std(axis=0, ddof=1) / math.sqrt(len(values))]


def panels(
    summary: ExperimentSummary, methods: Sequence[str] = (), *, apart: bool = False
) -> list[tuple[str, list[tuple[str, MethodSummary]]]]:
    """Rows to be seen side by side, each with a label: those of a variant, or all when there are more variants.

    Args:
        summary: Of an experiment with conversations.
        methods: Which to take; all when empty.
        apart: Whether variants are seen side by side however many there are: their numbers cannot be compared.
    """
    shown = [row for row in summary.rows if "regret" in row.mean and (not methods or row.method in methods)]
    names = list(dict.fromkeys(row.method for row in shown))
    variants = list(dict.fromkeys(row.variant for row in shown))
    if len(names) < len(variants) and not apart:
        several = len(names) > 1
        return [("", [(f"{row.variant}: {row.method}" if several else row.variant, row) for row in shown])]
    return [(variant, [(row.method, row) for row in shown if row.variant == variant]) for variant in variants]


def write_summary(summary: ExperimentSummary, path: Path) -> None:
    """A line for the run, then one for each row."""
    head = {key: value for key, value in asdict(summary).items() if key != "rows"}
    lines = [json.dumps(rounded(line)) for line in (head, *(asdict(row) for row in summary.rows))]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf8")


def read_summary(path: Path) -> ExperimentSummary:
    """What `write_summary` wrote."""
    try:
        head, *rows = (json.loads(line) for line in path.read_text(encoding="utf8").splitlines())
        return ExperimentSummary(rows=[MethodSummary(**row) for row in _without_none(rows)], **head)
    except (OSError, ValueError, TypeError) as error:
        raise InvalidInputError(f"{path} is not a summary of an experiment: {error}.") from None


def _without_none(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """JSON has no NaN; it was written as null."""
    for row in rows:
        for part in ("mean", "error", "differences", "differences_error"):
            by_measure = row.get(part, {})
            row[part] = {key: [math.nan if v is None else v for v in values] for key, values in by_measure.items()}
        for part in ("ahead", "ahead_error"):
            row[part] = [math.nan if v is None else v for v in row[part]]
    return rows


@dataclass(frozen=True)
class PaperComparison:
    """A number of the paper beside ours.

    Attributes:
        paper: The paper's number.
        ours: Ours; None when it was not measured or never reached.
        error: Its standard error over trials (NaN if there is none).
    """

    paper: PaperNumber
    ours: float | None
    error: float

    @property
    def within_noise(self) -> bool | None:
        """Whether they differ by no more than two standard errors of a difference between two such runs.

        The paper gives no errors; a run of its size has about ours. None if ours has no error.
        """
        if self.ours is None or not math.isfinite(self.error):
            return None
        return abs(self.ours - self.paper.value) <= 2 * math.sqrt(2) * self.error


def paper_numbers(spec: ExperimentSpec, summary: ExperimentSummary) -> tuple[PaperNumber, ...]:
    """The paper's numbers that ours can be compared with: none if ours are from a quick run."""
    return () if summary.quick else spec.paper


def compare(spec: ExperimentSpec, summary: ExperimentSummary) -> list[PaperComparison]:
    """Every number of the paper beside ours."""
    return [_compared(number, summary) for number in paper_numbers(spec, summary)]


def _compared(number: PaperNumber, summary: ExperimentSummary) -> PaperComparison:
    rows = [row for row in summary.rows if row.variant == number.variant]
    row = next((row for row in rows if row.method == number.method or not number.method), None)
    if row is None:
        return PaperComparison(number, None, math.nan)
    if number.measure == "questions":
        reached = questions_to(row, number.threshold)
        return PaperComparison(number, None if reached is None else float(reached), math.nan)
    # Regret is measured before the first question too, everything else at the question.
    index = number.question if number.measure == "regret" else number.question - 1
    if number.size:
        sizes = row.mean["sizes"]
        index = sizes.index(number.size) if number.size in sizes else len(sizes)
    measure = "seconds:mean" if number.measure == "seconds" else number.measure
    values = row.mean.get(measure, [])
    if index >= len(values):
        return PaperComparison(number, None, math.nan)
    return PaperComparison(number, values[index], row.error[measure][index])


def questions_to(row: MethodSummary, threshold: float) -> int | None:
    """After how many questions the mean regret is at most the threshold."""
    return next((question for question, regret in enumerate(row.mean["regret"]) if regret <= threshold), None)
