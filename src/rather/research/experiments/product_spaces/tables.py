"""How many questions the computer configurator takes, beside what was published about it."""

from __future__ import annotations

from rather.research.experiments.spec import ExperimentSpec
from rather.research.experiments.summary import ExperimentSummary, questions_to
from rather.research.experiments.table import ResultTable

# "A solution which is only 10 % worse than the optimal one": what the published numbers of questions are for.
WORSE = 10.0

# Teso, Passerini & Viappiani (IJCAI 2016), section 4: comparisons of two computers, by the sparse uniform users.
PUBLISHED = ("SetMargin (Teso, Passerini & Viappiani 2016)", "comparisons of two", "50 to 70", "")


def published_table(spec: ExperimentSpec, summary: ExperimentSummary) -> list[ResultTable]:
    """Questions until the mean regret is at most a tenth of the optimum; none without the configurator."""
    lines = []
    for variant in spec.variants:
        if variant.population.get("source") != "computer":
            continue
        for row in summary.of(variant.label):
            reached, last = questions_to(row, WORSE), len(row.mean["regret"]) - 1
            shown = f"more than {last}" if reached is None else str(reached)
            left = f"{row.mean['regret'][last]:.1f} ±{row.error['regret'][last]:.1f} after {last}"
            lines.append([f"`{row.method}`", variant.label, shown, left])
    if not lines:
        return []
    title = f"Questions until the mean regret is at most {WORSE:.0f} % of the optimum, and the regret in the end"
    return [ResultTable(title, ["method", "setting", "questions", "% left"], [list(PUBLISHED), *lines])]
