"""A benchmark as a figure: time against the number of items, and EVOI against time."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rather.research.bench.measurements import BenchReport, MethodMeasurement, SizeMeasurement
from rather.research.plots import MARKERS, STYLES, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCAN = "one scan of k directions"


def plot_report(report: BenchReport, path: Path) -> None:
    """Draw a report into a file."""
    save_figure(lambda: _times_and_evoi(report), path)


def _times_and_evoi(report: BenchReport) -> "Figure":
    figure, [[left, right]] = new_figure(1, 2, (13, 4.5))
    names = list(dict.fromkeys(method.name for size in report.sizes for method in size.methods))
    for index, name in enumerate([*names, SCAN]):
        look = {"marker": MARKERS[index % len(MARKERS)], "color": f"C{index}", "markersize": 5}
        for number, points in enumerate(_lines(report.sizes, name)):
            style = STYLES[number % len(STYLES)]
            left.plot(*zip(*points, strict=True), style, label=name if number == 0 else None, **look)
        found = [(1000 * method.times.median, 100 * method.evoi) for _, method in _named(report.sizes, name)]
        if found:
            right.plot(*zip(*found, strict=True), linestyle="none", **look)
    left.set(xlabel="items", ylabel="ms for a question", xscale="log", yscale="log")
    right.set(xlabel="ms for a question", ylabel="EVOI, % of the best found", xscale="log")
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", frameon=False, fontsize=8)
    return figure


def _named(sizes: Sequence[SizeMeasurement], name: str) -> list[tuple[SizeMeasurement, MethodMeasurement]]:
    return [(size, method) for size in sizes for method in size.methods if method.name == name]


def _lines(sizes: Sequence[SizeMeasurement], name: str) -> list[list[tuple[int, float]]]:
    """Items and milliseconds, a line for each origin of vectors, number of particles and slate size."""
    lines: dict[tuple[str, int, int], list[tuple[int, float]]] = {}
    if name == SCAN:
        for size in sizes:
            lines.setdefault((size.name, size.m, size.k), []).append((size.n, 1000 * size.scan.median))
    for size, method in _named(sizes, name):
        lines.setdefault((size.name, size.m, size.k), []).append((size.n, 1000 * method.times.median))
    return [sorted(points) for points in sorted(lines.values(), key=len, reverse=True)]
