"""Results as figures that read in black and white: every line has a style and a marker of its own, and a band."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rather.research.experiments.personal_noise.tables import reliability
from rather.research.experiments.spec import ExperimentSpec, PaperNumber
from rather.research.experiments.summary import ExperimentSummary, MethodSummary, panels, paper_numbers
from rather.research.plots import answered, line_style, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#222222"


def draw_figures(spec: ExperimentSpec, summary: ExperimentSummary, folder: Path) -> list[Path]:
    """Draw all figures of an experiment into a folder: that of its kind, and what its methods drew."""
    paths = [folder / drawing_name(summary, row) for row in summary.rows if "svg" in row.kept]
    for path, row in zip(paths, (row for row in summary.rows if "svg" in row.kept), strict=True):
        path.write_text(row.kept["svg"], encoding="utf8")
    if (draw := DRAWINGS.get(spec.kind)) is not None:
        paths.append(save_figure(lambda: draw(spec, summary), folder / f"{spec.name}.svg"))
    return paths


def drawing_name(summary: ExperimentSummary, row: MethodSummary) -> str:
    """The file of what a method drew, such as an elicitation tree."""
    return f"{summary.experiment}-{row.variant}-{row.method}.svg".replace(" ", "-").lower()


def _line(axes: Any, xs: Sequence[float], row: MethodSummary, measure: str, index: int, label: str) -> None:
    means, errors = row.mean[measure], row.error[measure]
    xs = xs[: len(means)]
    axes.plot(xs, means, label=label, **line_style(index))
    if all(math.isfinite(error) for error in errors):
        low = [mean - error for mean, error in zip(means, errors, strict=True)]
        high = [mean + error for mean, error in zip(means, errors, strict=True)]
        axes.fill_between(xs, low, high, alpha=0.2, linewidth=0, color=f"C{index % 10}")


def _conversations(spec: ExperimentSpec, summary: ExperimentSummary) -> "Figure":
    parts = panels(summary, spec.plotted, apart=spec.kind == "spaces")
    names = list(dict.fromkeys(label for _, rows in parts for label, _ in rows))
    figure, grid = new_figure(len(parts), 2, (9, 3.4 * len(parts)))
    for (title, rows), (left, right) in zip(parts, grid, strict=True):
        longest = max(len(row.mean["regret"]) for _, row in rows)
        numbers = list(range(longest))
        for label, row in rows:
            index = names.index(label)
            _line(left, numbers, row, "regret", index, label)
            if "evoi" in row.mean:
                _line(right, numbers[1:], row, "evoi", index, label)
        _paper_marks(left, right, paper_numbers(spec, summary), rows, names)
        asked = max((len(row.mean["evoi"]) for _, row in rows if "evoi" in row.mean), default=longest)
        left.set(xlabel=answered(longest - 1, asked), ylabel="mean regret", ylim=(0, None), title=title)
        right.set(xlabel="question", ylabel="mean EVOI", ylim=(0, None), title=title)
        for axes in (left, right):
            axes.xaxis.get_major_locator().set_params(integer=True)
    # Panels may have other methods; a later panel's handle of the same name looks the same.
    shown = [axes[0].get_legend_handles_labels() for axes in grid]
    found = {
        label: handle for handles, labels in reversed(shown) for handle, label in zip(handles, labels, strict=True)
    }
    ordered = [*(name for name in names if name in found), *(label for label in found if label not in names)]
    handles = [found[label] for label in ordered]
    figure.legend(handles, ordered, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    return figure


def _paper_marks(
    left: Any,
    right: Any,
    numbers: Sequence[PaperNumber],
    rows: Sequence[tuple[str, MethodSummary]],
    names: Sequence[str],
) -> None:
    """The paper's numbers, as hollow marks of the shape its method has here."""
    shapes = {(row.variant, row.method): line_style(names.index(label))["marker"] for label, row in rows}
    variants = {row.variant for _, row in rows}
    labelled = False
    for number in numbers:
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
        label = None if labelled or axes is right else "the paper's numbers (hollow)"
        labelled = labelled or label is not None
        axes.plot([x], [y], marker=shape, markersize=9, mfc="none", mec=INK, linestyle="none", label=label)


def _first_questions(spec: ExperimentSpec, summary: ExperimentSummary) -> "Figure":
    variants = [variant.label for variant in spec.variants]
    figure, grid = new_figure(1, len(variants), (4.6 * len(variants), 4))
    for variant, axes in zip(variants, grid[0], strict=True):
        for index, row in enumerate(summary.of(variant)):
            sizes = row.mean["sizes"]
            axes.plot(sizes, row.mean["evoi"], label=row.method, **line_style(index))
            if "quartiles" in row.kept:
                axes.fill_between(sizes, *row.kept["quartiles"], alpha=0.2, linewidth=0, color=f"C{index % 10}")
        axes.set(xlabel="slate size", ylabel="EVOI of the first question", ylim=(0, None), title=variant)
        axes.xaxis.get_major_locator().set_params(integer=True)
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    return figure


def _wallclock(spec: ExperimentSpec, summary: ExperimentSummary) -> "Figure":
    figure, [[axes]] = new_figure(1, 1, (8, 3.6))
    variants = [variant.label for variant in spec.variants]
    methods = list(dict.fromkeys(row.method for row in summary.rows))
    for index, method in enumerate(methods):
        rows = ((x, summary.row(variant, method)) for x, variant in enumerate(variants))
        points = [(x, row.mean["seconds:median"][0]) for x, row in rows if row is not None]
        axes.plot(*zip(*points, strict=True), label=method, **line_style(index))
    hollow = {"markersize": 9, "mfc": "none", "mec": INK, "linestyle": "none"}
    for number in paper_numbers(spec, summary):
        if number.measure == "seconds" and number.method in methods:
            shape = line_style(methods.index(number.method))["marker"]
            axes.plot([variants.index(number.variant)], [number.value], marker=shape, **hollow)
    if paper_numbers(spec, summary):
        axes.plot([], [], marker="o", label="the paper's (hollow)", **hollow)
    axes.set(yscale="log", ylabel="seconds for a question", xticks=range(len(variants)))
    axes.set_xticklabels(variants, fontsize=8)
    axes.legend(frameon=False, fontsize=8)
    return figure


def _real_people(spec: ExperimentSpec, summary: ExperimentSummary) -> "Figure":
    variants = [variant.label for variant in spec.variants]
    figure, grid = new_figure(len(variants), 2, (9, 3.4 * len(variants)))
    for variant, (left, right) in zip(variants, grid, strict=True):
        shown = [row for row in summary.of(variant) if not spec.plotted or row.method in spec.plotted]
        for index, row in enumerate(shown):
            numbers = list(range(len(row.mean["regret"])))
            _line(left, numbers, row, "regret", index, row.method)
            _line(right, numbers, row, "unasked_ndcg", index, row.method)
        left.set(xlabel="questions answered", ylabel="stars lost", ylim=(0, None), title=variant)
        right.set(xlabel="questions answered", ylabel="NDCG@10, items never asked about", title=variant)
        for axes in (left, right):
            axes.xaxis.get_major_locator().set_params(integer=True)
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    return figure


def _learnt_priors(spec: ExperimentSpec, summary: ExperimentSummary) -> "Figure":
    variants = [variant.label for variant in spec.variants]
    figure, grid = new_figure(1, len(variants), (3.6 * len(variants), 3.6))
    for variant, axes in zip(variants, grid[0], strict=True):
        for index, row in enumerate(summary.of(variant)):
            _line(axes, list(range(len(row.mean["regret"]))), row, "regret", index, row.method)
        axes.set(xlabel="questions answered", ylabel="mean regret", ylim=(0, None))
        axes.set_title(variant, fontsize=9)
        axes.xaxis.get_major_locator().set_params(integer=True)
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False, fontsize=8)
    return figure


def _personal_noise(spec: ExperimentSpec, summary: ExperimentSummary) -> "Figure":
    """Regret on the left, and on the right how often stated chances came true."""
    variants = [variant.label for variant in spec.variants]
    figure, grid = new_figure(len(variants), 2, (9, 3.4 * len(variants)))
    for variant, (left, right) in zip(variants, grid, strict=True):
        for index, row in enumerate(summary.of(variant)):
            _line(left, list(range(len(row.mean["regret"]))), row, "regret", index, row.method)
            if points := reliability(row):
                said, true, errors = zip(*points, strict=True)
                right.errorbar(said, true, errors, label=row.method, capsize=2, elinewidth=0.8, **line_style(index))
        right.plot([0, 1], [0, 1], color=INK, linewidth=0.8)
        left.set(xlabel="questions answered", ylabel="mean regret", ylim=(0, None), title=variant)
        right.set(xlabel="stated chance", ylabel="came true", xlim=(0, 1), ylim=(0, 1), title=variant)
        left.xaxis.get_major_locator().set_params(integer=True)
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=8)
    return figure


DRAWINGS: dict[str, Callable[[ExperimentSpec, ExperimentSummary], "Figure"]] = {
    "conversations": _conversations,
    "first-questions": _first_questions,
    "learnt-priors": _learnt_priors,
    "personal-noise": _personal_noise,
    "real-people": _real_people,
    "spaces": _conversations,
    "wallclock": _wallclock,
}
"""How the kinds of experiments that have a figure are drawn."""
