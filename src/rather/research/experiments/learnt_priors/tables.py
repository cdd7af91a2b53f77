"""What a learnt prior saves new people: the tables."""

import math
from collections.abc import Sequence

from rather.research.experiments.real_people.tables import interval
from rather.research.experiments.spec import ExperimentSpec
from rather.research.experiments.summary import ExperimentSummary, MethodSummary
from rather.research.experiments.table import ResultTable

SHOWN = (0, 1, 3, 5)
"""Questions after which regret is stated."""


def prior_tables(spec: ExperimentSpec, summary: ExperimentSummary) -> list[ResultTable]:
    """All tables, one setting after the other, and last how long learning takes."""
    found = []
    for variant in spec.variants:
        rows = summary.of(variant.label)
        if not rows:
            continue  # quick runs leave out some settings
        trials = max(row.trials for row in rows)
        rated = variant.parameters["people"] == "rated"
        unit = "Stars lost" if rated else "Regret"
        title = f" ({variant.label}, {trials} {'people' if rated else 'populations'})"
        found += [_regret(f"{unit} of new people after some questions{title}; ± is a standard error", rows)]
        found += [_saved(f"{unit}, less than with the {spec.reference}{title}, with 95 % intervals", rows, spec)]
        if not rated:
            found += [_closed(f"Share of the way to the truth{title}", rows, spec)]
    return [*found, _seconds(summary)]


def _shown(rows: Sequence[MethodSummary]) -> list[int]:
    return [question for question in SHOWN if all(question < len(row.mean["regret"]) for row in rows)]


def _regret(title: str, rows: Sequence[MethodSummary]) -> ResultTable:
    shown = _shown(rows)
    lines = [
        [row.method, *(f"{row.mean['regret'][q]:.3f} ±{row.error['regret'][q]:.3f}" for q in shown)] for row in rows
    ]
    return ResultTable(title, ["", *(f"after {question}" for question in shown)], lines)


def _saved(title: str, rows: Sequence[MethodSummary], spec: ExperimentSpec) -> ResultTable:
    """Paired: each trial meets all priors."""
    shown = _shown(rows)
    others = [row for row in rows if row.method != spec.reference and row.ahead]
    lines = [[row.method, *(interval(-row.ahead[q], row.ahead_error[q]) for q in shown)] for row in others]
    return ResultTable(title, ["", *(f"after {question}" for question in shown)], lines)


def _closed(title: str, rows: Sequence[MethodSummary], spec: ExperimentSpec) -> ResultTable:
    """Of the regret that knowing the population would save, how much a learnt prior saves."""
    by_name = {row.method: row for row in rows}
    own, best = by_name[spec.reference], rows[-1]
    shown = _shown(rows)
    lines = [
        [row.method, *(closed_share(own, row, best, question) for question in shown)]
        for row in rows
        if row not in (own, best)
    ]
    return ResultTable(title, ["", *(f"after {question}" for question in shown)], lines)


def closed_share(own: MethodSummary, row: MethodSummary, best: MethodSummary, question: int) -> str:
    """`(own - learnt) / (own - best)` in percent; a dash where there is no gap to speak of."""
    gap = own.mean["regret"][question] - best.mean["regret"][question]
    if not gap > 2 * best.ahead_error[question]:
        return "–"
    return f"{100 * (own.mean['regret'][question] - row.mean['regret'][question]) / gap:.0f} %"


def _seconds(summary: ExperimentSummary) -> ResultTable:
    """Learning is timed in every trial: by processor time, whatever else the machine does."""
    methods = list(dict.fromkeys(row.method for row in summary.rows if row.mean["seconds:learning"][0] > 0))
    variants = list(dict.fromkeys(row.variant for row in summary.rows))
    lines = []
    for variant in variants:
        rows = {row.method: row for row in summary.of(variant)}
        seconds = [rows[method].mean["seconds:learning"][0] if method in rows else math.nan for method in methods]
        lines.append([variant, *(f"{each:.1f}" if math.isfinite(each) else "" for each in seconds)])
    return ResultTable("Seconds of processor time to learn a prior, on one thread", ["", *methods], lines)
