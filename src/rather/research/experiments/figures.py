"""Results as figures that read in black and white: every line has a style and a marker of its own, and a band."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rather.extras import require_extra
from rather.research.experiments.spec import Spec
from rather.research.experiments.summary import Row, Summary, panels
from rather.research.plots import MARKERS, STYLES

INK = "#222222"


def draw_figure(spec: Spec, summary: Summary, path: Path) -> Path | None:
    """The figure of an experiment, by its kind; None where there is nothing to draw."""
    require_extra("plots", "Drawing a figure")
    drawing = {"conversations": _conversations, "partial": _partial, "wallclock": _wallclock}.get(spec.kind)
    if drawing is None:
        return None
    import matplotlib as mpl

    mpl.use("Agg")
    settings: Any = {
        "svg.hashsalt": "rather",  # identical bytes on a rerun
        "svg.fonttype": "none",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.alpha": 0.3,
    }
    with mpl.rc_context(settings):
        figure = drawing(spec, summary)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=160, metadata={"Date": None} if path.suffix == ".svg" else None)
        from matplotlib import pyplot as plt

        plt.close(figure)
    return path


def _style(place: int) -> dict[str, Any]:
    return {
        "linestyle": STYLES[place % len(STYLES)],
        "marker": MARKERS[place % len(MARKERS)],
        "markersize": 4,
        "linewidth": 1.2,
        "color": f"C{place % 10}",
    }


def _line(axes: Any, xs: Sequence[float], row: Row, measure: str, place: int, label: str) -> None:
    means, errors = row.mean[measure], row.error[measure]
    xs = xs[: len(means)]
    axes.plot(xs, means, label=label, **_style(place))
    if all(math.isfinite(error) for error in errors):
        low = [mean - error for mean, error in zip(means, errors, strict=True)]
        high = [mean + error for mean, error in zip(means, errors, strict=True)]
        axes.fill_between(xs, low, high, alpha=0.2, linewidth=0, color=f"C{place % 10}")


def _conversations(spec: Spec, summary: Summary) -> Any:
    from matplotlib import pyplot as plt

    parts = panels(summary, spec.plotted)
    figure, grid = plt.subplots(len(parts), 2, figsize=(9, 3.4 * len(parts)), layout="constrained", squeeze=False)
    for (title, rows), (left, right) in zip(parts, grid, strict=True):
        longest = max(len(row.mean["regret"]) for _, row in rows)
        numbers = list(range(longest))
        for place, (label, row) in enumerate(rows):
            _line(left, numbers, row, "regret", place, label)
            if "evoi" in row.mean:
                _line(right, numbers[1:], row, "evoi", place, label)
        _paper_marks(left, right, spec, rows)
        left.set(xlabel="questions answered", ylabel="mean regret", ylim=(0, None), title=title)
        right.set(xlabel="question", ylabel="mean EVOI", ylim=(0, None), title=title)
        for axes in (left, right):
            axes.xaxis.get_major_locator().set_params(integer=True)
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    return figure


def _paper_marks(left: Any, right: Any, spec: Spec, rows: Sequence[tuple[str, Row]]) -> None:
    """The paper's numbers, as hollow marks of the shape its method has here."""
    shapes = {(row.variant, row.method): _style(place)["marker"] for place, (_, row) in enumerate(rows)}
    variants = {row.variant for _, row in rows}
    told = False
    for number in spec.paper:
        if number.variant not in variants:
            continue
        shape = shapes.get((number.variant, number.method), "s" if not number.method else None)
        if shape is None:
            continue
        axes, x, y = {
            "regret": (left, number.question, number.value),
            "questions": (left, number.value, number.threshold),
            "evoi": (right, number.question, number.value),
        }[number.measure]
        label = None if told or axes is right else "the paper's numbers (hollow)"
        told = told or label is not None
        axes.plot([x], [y], marker=shape, markersize=9, mfc="none", mec=INK, linestyle="none", label=label)


def _partial(spec: Spec, summary: Summary) -> Any:
    from matplotlib import pyplot as plt

    variants = [variant.label for variant in spec.variants]
    size = (4.6 * len(variants), 4)
    figure, grid = plt.subplots(1, len(variants), figsize=size, layout="constrained", squeeze=False)
    for variant, axes in zip(variants, grid[0], strict=True):
        for place, row in enumerate(summary.of(variant)):
            sizes = row.mean["sizes"]
            axes.plot(sizes, row.mean["evoi"], label=row.method, **_style(place))
            if "quartiles" in row.kept:
                axes.fill_between(sizes, *row.kept["quartiles"], alpha=0.2, linewidth=0, color=f"C{place % 10}")
        axes.set(xlabel="slate size", ylabel="EVOI of the first question", ylim=(0, None), title=variant)
        axes.xaxis.get_major_locator().set_params(integer=True)
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    return figure


def _wallclock(spec: Spec, summary: Summary) -> Any:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
    variants = [variant.label for variant in spec.variants]
    methods = list(dict.fromkeys(row.method for row in summary.rows))
    for place, method in enumerate(methods):
        rows = [summary.row(variant, method) for variant in variants]
        xs = [x for x, row in enumerate(rows) if row is not None]
        axes.plot(xs, [row.mean["seconds:median"][0] for row in rows if row is not None], label=method, **_style(place))
    for number in spec.paper:
        if number.measure == "seconds" and number.method in methods:
            shape = _style(methods.index(number.method))["marker"]
            x = variants.index(number.variant)
            axes.plot([x], [number.value], marker=shape, markersize=9, mfc="none", mec=INK, linestyle="none")
    axes.plot([], [], marker="o", markersize=9, mfc="none", mec=INK, linestyle="none", label="the paper's (hollow)")
    axes.set(yscale="log", ylabel="seconds for a question", xticks=range(len(variants)))
    axes.set_xticklabels(variants, fontsize=8)
    axes.legend(frameon=False, fontsize=8)
    return figure
