"""A benchmark as a figure: time against the number of items, and EVOI against time."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rather.research.bench.measurements import BenchReport, MethodMeasurement, SizeMeasurement
from rather.research.plots import MARKERS, STYLES, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SCAN = "one scan of k directions"


def plot_report(report: BenchReport, path: Path) -> None:
    """Draw a report into a file."""
    save_figure(lambda: _times_and_evoi(report), path)


def _times_and_evoi(report: BenchReport) -> "Figure":
    """A row of panels for each origin of vectors: what holds for one need not hold for another."""
    origins = list(dict.fromkeys(size.name for size in report.sizes))
    figure, axes = new_figure(len(origins), 2, (13, 0.7 + 3.8 * len(origins)))
    names = list(dict.fromkeys(method.name for size in report.sizes for method in size.methods))
    looks = {
        name: {"marker": MARKERS[index % len(MARKERS)], "color": f"C{index}", "markersize": 5}
        for index, name in enumerate([*names, SCAN])
    }
    for (left, right), origin in zip(axes, origins, strict=True):
        _draw([size for size in report.sizes if size.name == origin], looks, left, right)
        left.set_title(origin, loc="left")
    handles = {label: handle for row in axes for handle, label in zip(*row[0].get_legend_handles_labels(), strict=True)}
    labels = [name for name in looks if name in handles]
    figure.legend([handles[label] for label in labels], labels, loc="outside right center", frameon=False, fontsize=8)
    return figure


def _draw(
    sizes: Sequence[SizeMeasurement], looks: Mapping[str, Mapping[str, Any]], left: "Axes", right: "Axes"
) -> None:
    """The sizes of one origin: solid marks for the fewest options on a slate, hollow ones for more."""
    fewest, most = min(size.k for size in sizes), max(size.k for size in sizes)
    for name, look in looks.items():
        for number, (k, points) in enumerate(_lines(sizes, name)):
            label, fill = name if number == 0 else None, "full" if k == fewest else "none"
            style = STYLES[number % len(STYLES)]
            left.plot(*zip(*points, strict=True), linestyle=style, fillstyle=fill, label=label, **look)
        for size, method in _named(sizes, name):
            found = 1000 * method.times.median, 100 * method.evoi
            right.plot(*found, linestyle="none", fillstyle="full" if size.k == fewest else "none", **look)
    hollow = "" if fewest == most else f" (hollow: k > {fewest})"
    left.set(xlabel="items", ylabel=f"ms for a question{hollow}", xscale="log", yscale="log")
    right.set(xlabel="ms for a question", ylabel="EVOI, % of the best found", xscale="log")


def _named(sizes: Sequence[SizeMeasurement], name: str) -> list[tuple[SizeMeasurement, MethodMeasurement]]:
    return [(size, method) for size in sizes for method in size.methods if method.name == name]


def _lines(sizes: Sequence[SizeMeasurement], name: str) -> list[tuple[int, list[tuple[int, float]]]]:
    """Slate size, with items and milliseconds: a line for each number of particles and slate size."""
    lines: dict[tuple[int, int], list[tuple[int, float]]] = {}
    if name == SCAN:
        for size in sizes:
            lines.setdefault((size.m, size.k), []).append((size.n, 1000 * size.scan.median))
    for size, method in _named(sizes, name):
        lines.setdefault((size.m, size.k), []).append((size.n, 1000 * method.times.median))
    longest = sorted(lines.items(), key=lambda line: len(line[1]), reverse=True)
    return [(k, sorted(points)) for (_, k), points in longest]
