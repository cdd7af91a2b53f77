"""A benchmark as a picture: time against the number of items, and EVOI against time."""

from pathlib import Path

from rather.research.bench.report import Cell, Report, Row
from rather.research.plots import MARKERS, STYLES, pyplot

SCAN = "one scan of k directions"


def plot_report(report: Report, path: Path) -> None:
    """Draw it into a file."""
    plt = pyplot()
    figure, (left, right) = plt.subplots(1, 2, figsize=(13, 4.5), layout="constrained")
    names = list(dict.fromkeys(cell.name for row in report.rows for cell in row.cells))
    for place, name in enumerate([*names, SCAN]):
        look = {"marker": MARKERS[place % len(MARKERS)], "color": f"C{place}", "markersize": 5}
        lines = _lines(report.rows, name)
        for number, points in enumerate(lines):
            style = STYLES[number % len(STYLES)]
            left.plot(*zip(*points, strict=True), style, label=name if number == 0 else None, **look)
        found = [(1000 * cell.times.median, 100 * cell.evoi) for _, cell in _cells(report.rows, name)]
        if found:
            right.plot(*zip(*found, strict=True), linestyle="none", **look)
    left.set(xlabel="items", ylabel="ms for a question", xscale="log", yscale="log")
    right.set(xlabel="ms for a question", ylabel="EVOI, % of the best found", xscale="log")
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", frameon=False, fontsize=8)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=160, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)


def _cells(rows: tuple[Row, ...], name: str) -> list[tuple[Row, Cell]]:
    return [(row, cell) for row in rows for cell in row.cells if cell.name == name]


def _lines(rows: tuple[Row, ...], name: str) -> list[list[tuple[int, float]]]:
    """Items and milliseconds, a line for each number of particles and slate size."""
    lines: dict[tuple[int, int], list[tuple[int, float]]] = {}
    if name == SCAN:
        for row in rows:
            lines.setdefault((row.m, row.k), []).append((row.n, 1000 * row.scan.median))
    for row, cell in _cells(rows, name):
        lines.setdefault((row.m, row.k), []).append((row.n, 1000 * cell.times.median))
    return [sorted(points) for points in sorted(lines.values(), key=len, reverse=True)]
