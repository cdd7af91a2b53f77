"""Plots that read in black and white as well: every line has a style and a marker of its own."""

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from rather.errors import InvalidInputError
from rather.extras import require_extra

if TYPE_CHECKING:
    from rather.simulation import PolicySummary

STYLES = ("-", "--", "-.", ":")
MARKERS = "os^DvP*X<>hp"
FORMATS = (".png", ".svg", ".pdf")


def validate_plot(path: Path) -> None:
    """Complain before the work about a file that cannot be drawn into, or when nothing can be drawn."""
    if path.suffix not in FORMATS:
        raise InvalidInputError(f"`--plot` must end in {', '.join(FORMATS)}, got {path.name!r}.")
    require_extra("plots", "Drawing a plot")


def pyplot() -> ModuleType:
    """matplotlib's, drawing into files that are identical on a rerun."""
    require_extra("plots", "Drawing a plot")
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "rather"
    from matplotlib import pyplot as plt

    return plt


def plot_summaries(summaries: Sequence["PolicySummary"], path: Path) -> None:
    """Regret with its standard error, and EVOI, against the number of questions."""
    validate_plot(path)
    plt = pyplot()
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for index, summary in enumerate(summaries):
        style = {"linestyle": STYLES[index % len(STYLES)], "marker": MARKERS[index % len(MARKERS)], "markersize": 4}
        numbers = list(range(len(summary.regret)))
        low = [mean - error for mean, error in zip(summary.regret, summary.regret_error, strict=True)]
        high = [mean + error for mean, error in zip(summary.regret, summary.regret_error, strict=True)]
        left.fill_between(numbers, low, high, alpha=0.2, linewidth=0)
        left.plot(numbers, summary.regret, label=summary.policy, **style)
        right.plot(numbers[1:], summary.evoi, label=summary.policy, **style)
    left.set(xlabel="questions answered", ylabel="mean regret of the recommendation", ylim=(0, None))
    right.set(xlabel="question", ylabel="mean EVOI", ylim=(0, None))
    right.legend(frameon=False)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=160, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)
