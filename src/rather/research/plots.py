"""Figures that read in black and white as well: every line has a style and a marker of its own."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rather.errors import InvalidInputError
from rather.extras import require_extra

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from rather.simulation import PolicySummary

STYLES = ("-", "--", "-.", ":")
MARKERS = "os^DvP*X<>hp"
FORMATS = (".png", ".svg", ".pdf")

LOOK: Any = {
    "svg.hashsalt": "rather",  # identical bytes on a rerun
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
}


def validate_plot(path: Path) -> None:
    """Reject a file that cannot be drawn into, or any if nothing can be drawn, before the work starts."""
    if path.suffix not in FORMATS:
        raise InvalidInputError(f"`--plot` must end in {', '.join(FORMATS)}, got {path.name!r}.")
    require_extra("plots", "Drawing a figure")


def save_figure(draw: Callable[[], "Figure"], path: Path) -> Path:
    """Draw a figure into a file, identical on a rerun. Leaves matplotlib's settings and windows alone.

    Args:
        draw: Makes the figure, see `new_figure`.
        path: Where to; its folder is made if need be.
    """
    require_extra("plots", "Drawing a figure")
    import matplotlib as mpl

    with mpl.rc_context(LOOK):
        path.parent.mkdir(parents=True, exist_ok=True)
        draw().savefig(path, dpi=160, metadata={"Date": None} if path.suffix == ".svg" else None)
    return path


def new_figure(rows: int, columns: int, size: tuple[float, float]) -> tuple["Figure", Any]:
    """A figure of `size` inches, and its `(rows, columns)` axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def line_style(index: int) -> dict[str, Any]:
    """The look of a figure's line of this index."""
    return {
        "linestyle": STYLES[index % len(STYLES)],
        "marker": MARKERS[index % len(MARKERS)],
        "markersize": 4,
        "linewidth": 1.2,
        "color": f"C{index % 10}",
    }


def answered(answers: int, questions: int) -> str:
    """What an axis counts: answers to questions, the last of which may be adjustments of what is recommended."""
    return "questions answered" if answers <= questions else f"{questions} questions answered, then adjustments"


def plot_summaries(summaries: Sequence["PolicySummary"], path: Path) -> None:
    """Regret with its standard error, and EVOI, against the number of questions."""
    validate_plot(path)
    save_figure(lambda: _regret_and_evoi(summaries), path)


def _regret_and_evoi(summaries: Sequence["PolicySummary"]) -> "Figure":
    figure, [[left, right]] = new_figure(1, 2, (10, 4))
    questions = len(summaries[0].evoi)
    for index, summary in enumerate(summaries):
        numbers, style = list(range(len(summary.regret))), line_style(index)
        low = [mean - error for mean, error in zip(summary.regret, summary.regret_error, strict=True)]
        high = [mean + error for mean, error in zip(summary.regret, summary.regret_error, strict=True)]
        left.fill_between(numbers, low, high, alpha=0.2, linewidth=0, color=style["color"])
        left.plot(numbers, summary.regret, label=summary.policy, **style)
        right.plot(numbers[1 : questions + 1], summary.evoi, label=summary.policy, **style)
    answers = len(summaries[0].regret) - 1
    left.set(xlabel=answered(answers, questions), ylabel="mean regret of the recommendation", ylim=(0, None))
    right.set(xlabel="question", ylabel="mean EVOI", ylim=(0, None))
    right.legend(frameon=False)
    for axes in (left, right):
        axes.xaxis.get_major_locator().set_params(integer=True)
    return figure
