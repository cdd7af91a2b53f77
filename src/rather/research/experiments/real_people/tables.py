"""What questions save real people, in stars: the tables of an experiment with recorded ratings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

from rather.research.experiments.real_people.measures import BINS, calibration_error
from rather.research.experiments.spec import REFERENCE, ExperimentSpec
from rather.research.experiments.summary import ExperimentSummary, MethodSummary
from rather.research.experiments.table import ResultTable
from rather.strategies import STRATEGIES

COMPARED = (2, 6)
"""Questions after which methods are compared."""

SAVED = (0.1, 0.2, 0.3, 0.4, 0.5)
"""Stars whose price in questions is stated."""

INTERVAL = 1.96  # standard errors on either side of a mean: 95 % of normal draws

Difference = tuple[float, float]
"""A mean over people and its standard error."""


def people_tables(spec: ExperimentSpec, summary: ExperimentSummary) -> list[ResultTable]:
    """All tables, one data set after the other."""
    found = []
    for variant in spec.variants:
        rows = summary.of(variant.label)
        title = f" ({variant.label}, {max(row.trials for row in rows)} people)"
        found += [
            _by_question(f"Stars that the recommended item loses after each question{title}", rows, "regret"),
            _by_question(f"Stars that the best of five recommended items loses{title}", rows, "list_regret"),
            _by_question(f"Stars that the best of the five of highest mean loses{title}", rows, "ranking_regret"),
            _against_others(f"Stars by which `{REFERENCE}` is ahead, paired{title}", rows, _stars_ahead),
            _against_best(f"`{REFERENCE}` against the best of the paper's strategies{title}", rows),
            _prices(f"Questions until a mean number of stars is saved{title}", rows),
            _ranking(f"Items never asked about: NDCG@10 / hit rate@10 / stars lost{title}", rows),
            _against_others(f"NDCG@10 by which `{REFERENCE}` is ahead, paired{title}", rows, _ndcg_ahead),
            _calibration(f"Stated probability of an answer, and how often it was given{title}", rows),
        ]
    return [table for table in found if table.rows]


def _by_question(title: str, rows: Sequence[MethodSummary], measure: str) -> ResultTable:
    length = max(len(row.mean[measure]) for row in rows)
    lines = [
        [row.method, *(f"{value:.3f}" for value in row.mean[measure]), f"{_largest(row.error[measure]):.3f}"]
        for row in rows
    ]
    head = ["", *map(str, range(length)), "±"]
    return ResultTable(f"{title}; ± is the largest standard error of the line", head, lines)


def _largest(errors: Sequence[float]) -> float:
    return max((error for error in errors if math.isfinite(error)), default=math.nan)


def _stars_ahead(row: MethodSummary, question: int) -> list[Difference]:
    return [
        (row.ahead[question], row.ahead_error[question]),
        (row.differences["list_regret"][question], row.differences_error["list_regret"][question]),
    ]


def _ndcg_ahead(row: MethodSummary, question: int) -> list[Difference]:
    return [(-row.differences["unasked_ndcg"][question], row.differences_error["unasked_ndcg"][question])]


def _against_others(
    title: str, rows: Sequence[MethodSummary], ahead: Callable[[MethodSummary, int], list[Difference]]
) -> ResultTable:
    """How far the reference is ahead of each other method, person by person, with 95 % intervals."""
    others = [row for row in rows if row.method != REFERENCE and row.ahead]
    length = min((len(row.ahead) for row in others), default=0)
    shown = [question for question in COMPARED if question < length]
    lines = [[row.method, *(interval(*each) for q in shown for each in ahead(row, q))] for row in others]
    several = len(ahead(others[0], shown[0])) > 1 if others and shown else False
    what = ["item", "best of five"] if several else [""]
    head = ["", *(f"after {question}{': ' * bool(name)}{name}" for question in shown for name in what)]
    return ResultTable(f"{title}, with 95 % intervals", head, lines if shown else [])


def interval(mean: float, error: float) -> str:
    """A mean with its 95 % interval."""
    return f"{mean:+.3f} ({mean - INTERVAL * error:+.3f} to {mean + INTERVAL * error:+.3f})"


def is_papers(method: str) -> bool:
    """Whether a method is a strategy of the paper that chooses its questions."""
    return method in STRATEGIES and bool(STRATEGIES[method].paper) and method != "random"


def _against_best(title: str, rows: Sequence[MethodSummary]) -> ResultTable:
    """After each question, the strategy of the paper with the lowest regret, known only afterwards."""
    papers = [row for row in rows if is_papers(row.method) and row.ahead]
    reference = next((row for row in rows if row.method == REFERENCE), None)
    if not papers or reference is None:
        return ResultTable(title, [], [])
    lines = []
    picked = NormalDist().inv_cdf(
        1 - 0.025 / len(papers)
    )  # the best of several is often only the luckiest (Bonferroni)
    for question in range(1, len(reference.mean["regret"])):
        best = min(papers, key=lambda row: row.mean["regret"][question])
        ahead, error = best.ahead[question], best.ahead_error[question]
        means = [f"{best.method} {best.mean['regret'][question]:.3f}", f"{reference.mean['regret'][question]:.3f}"]
        verdicts = [verdict(ahead, error, errors) for errors in (INTERVAL, picked)]
        lines.append([str(question), *means, interval(ahead, error), *verdicts])
    chosen = f"and as the best of {len(papers)}?"
    head = ["question", "best of the paper's", REFERENCE, "stars ahead, paired", "significant?", chosen]
    return ResultTable(title, head, lines)


def verdict(ahead: float, error: float, errors: float) -> str:
    """Whether a difference is more than so many standard errors, and which way."""
    return "behind" if ahead + errors * error < 0 else "ahead" if ahead - errors * error > 0 else "no"


def _prices(title: str, rows: Sequence[MethodSummary]) -> ResultTable:
    """After how many questions the mean regret has fallen by so many stars."""
    lines = []
    for row in rows:
        saved = [row.mean["regret"][0] - regret for regret in row.mean["regret"]]
        reached = [next((str(q) for q, stars in enumerate(saved) if stars >= wanted), "–") for wanted in SAVED]
        if saved[-1] != 0 or row.method == REFERENCE:  # what asks nothing saves nothing
            lines.append([row.method, *reached, f"{saved[-1]:.3f}"])
    return ResultTable(title, ["", *(f"{stars:g} stars" for stars in SAVED), "saved in the end"], lines)


def _ranking(title: str, rows: Sequence[MethodSummary]) -> ResultTable:
    shown = [question for question in (0, 1, 2, 4, 6) if question < len(rows[0].mean["unasked_ndcg"])]
    lines = [[row.method, *(_ranked(row, question) for question in shown)] for row in rows]
    return ResultTable(f"{title}, after some questions", ["", *map(str, shown)], lines)


def _ranked(row: MethodSummary, question: int) -> str:
    ndcg, hit, regret = (row.mean[f"unasked_{name}"][question] for name in ("ndcg", "hit", "regret"))
    return f"{ndcg:.3f} / {hit:.3f} / {regret:.3f}"


def _calibration(title: str, rows: Sequence[MethodSummary]) -> ResultTable:
    """A line for each bin of probability, and the expected calibration error last; not for the paper's strategies."""
    stating = [row for row in rows if "stated" in row.mean and not is_papers(row.method)]
    lines = []
    for index in range(BINS):
        cells = [_bin(row, index) for row in stating]
        if any(cells):
            lines.append([f"{index / BINS:.1f} to {(index + 1) / BINS:.1f}", *cells])
    errors = [f"{100 * stated_error(row):.1f} points" for row in stating]
    head = ["stated", *(f"{row.method}: stated → given (answers)" for row in stating)]
    return ResultTable(title, head, [*lines, ["expected calibration error", *errors]] if lines else [])


def stated_error(row: MethodSummary) -> float:
    """The expected calibration error of a method."""
    return calibration_error(row.mean["stated"], row.mean["stated_sum"], row.mean["came_true"])


def _bin(row: MethodSummary, index: int) -> str:
    count = row.mean["stated"][index]
    if not count:
        return ""
    said, true = row.mean["stated_sum"][index] / count, row.mean["came_true"][index] / count
    return f"{said:.2f} → {true:.2f} ({count * row.trials:.0f})"
