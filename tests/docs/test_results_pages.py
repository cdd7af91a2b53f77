"""The results pages are what `rather reproduce report` writes from the summaries beside them."""

import json
import re
from pathlib import Path

import pytest

from rather.research.experiments.results_pages import kept_experiments, report_pages

DOCS = Path(__file__).parents[2] / "docs"
PAGES = report_pages(kept_experiments(DOCS / "results"))


def summary_row(name, **wanted):
    lines = (DOCS / "results" / f"{name}.jsonl").read_text(encoding="utf8").splitlines()[1:]
    return next(row for row in map(json.loads, lines) if all(row[key] == value for key, value in wanted.items()))


def overview_cells(start):
    line = next(line for line in PAGES["results.md"].splitlines() if line.startswith(f"| {start}"))
    return [cell.strip() for cell in line.strip("|").split(" | ")]


@pytest.mark.parametrize("path", PAGES)
def test_a_committed_page_is_up_to_date(path):
    assert (DOCS / path).read_text(encoding="utf8") == PAGES[path], "run `rather reproduce report`"


def test_no_page_is_left_over_and_every_experiment_has_a_finding():
    written = {f"results/{path.name}" for path in (DOCS / "results").glob("*.md")}
    assert written == PAGES.keys() - {"results.md"} | {"results/index.md"}
    assert all(spec.finding for spec, _ in kept_experiments(DOCS / "results"))


def test_the_regret_left_is_a_share_of_the_regret_at_the_start():
    row = summary_row("movielens", variant="k = 2", method="auto")
    start, fifth = row["mean"]["regret"][0], row["mean"]["regret"][5]
    cells = overview_cells("[MovieLens-100k](results/movielens.md), k = 2")
    assert cells[3].startswith(f"{100 * fifth / start:.1f} ±")
    assert cells[-1] == "`rather reproduce movielens`"


def test_the_best_of_the_papers_methods_is_no_baseline_of_ours():
    table = PAGES["results.md"].partition("## How fast regret falls")[2].partition("\n## ")[0]
    best = re.findall(r"\(([a-z0-9-]+)[^()]*\) \| ", table)
    assert best
    assert not set(best) & {"auto", "floor", "random", "mutual-information", "thompson", "qeubo"}


def test_the_overview_counts_the_numbers_that_were_reproduced():
    rows = [line for line in PAGES["results/synthetic.md"].splitlines() if re.search(r"\| (yes|same|no) \|$", line)]
    table = [line for line in rows if line.startswith(("| EVOI", "| regret", "| questions"))]
    reproduced = sum(line.endswith(("| yes |", "| same |")) for line in table)
    assert overview_cells("[Synthetic data]")[-1] == f"{reproduced} of {len(table)}"
