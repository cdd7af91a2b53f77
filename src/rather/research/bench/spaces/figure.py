"""A benchmark of product spaces as a figure: times of questions, and regret by setting."""

from pathlib import Path
from typing import TYPE_CHECKING

from rather.research.bench.spaces.measurements import SpacesReport
from rather.research.plots import new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_spaces(report: SpacesReport, path: Path) -> None:
    """Draw a report into a file."""
    save_figure(lambda: _times_and_regret(report), path)


def _times_and_regret(report: SpacesReport) -> "Figure":
    figure, [[left, right]] = new_figure(1, 2, (15, 6))
    names = [f"{each.catalog}, k = {each.k}" for each in report.questions]
    left.barh(names, [1000 * each.times.median for each in report.questions])
    left.invert_yaxis()
    left.set(xlabel="ms for a question")
    settings = [f"{each.catalog}: {each.setting.description}" for each in report.regret]
    shares, errors = [100 * each.share for each in report.regret], [100 * each.error for each in report.regret]
    right.barh(settings, shares, xerr=errors)
    right.invert_yaxis()
    right.set(xlabel="regret left, % of the start")
    return figure
