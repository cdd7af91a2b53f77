"""Options that several commands share, so that one name means one thing everywhere."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rather.extras import require_extra

if TYPE_CHECKING:
    from rather.formats.opened import Opened
    from rather.model.personal_noise import PersonalNoise
    from rather.model.responses import Logistic
    from rather.strategies import Strategy


class Ask(StrEnum):
    """What to ask about."""

    ITEMS = "items"
    ATTRIBUTES = "attributes"
    AUTO = "auto"


class Noise(StrEnum):
    """How people differ in the noise of their answers."""

    FIXED = "fixed"
    PERSONAL = "personal"


def _validate_ray(address: str | None) -> str | None:
    if address is not None:
        require_extra("cluster", "`--ray`")
    return address


def _validate_retriever(kind: str) -> str:
    if kind == "approximate":
        require_extra("ann", "`--retriever approximate`")
    return kind


def _validate_plot(path: Path | None) -> Path | None:
    if path is not None:
        from rather.research.plots import validate_plot

        validate_plot(path)
    return path


CatalogName = Annotated[
    str,
    typer.Argument(
        metavar="CATALOG",
        help="'films', 'bicycle' or 'laptop' (bundled), a table (cars.csv), a product space (bike.toml), a file of "
        "vectors or scores.",
    ),
]
SlateSize = Annotated[int, typer.Option("--k", min=2, help="Options per question.")]
Attributes = Annotated[int, typer.Option("--p", min=1, help="Attributes per option, in questions about attributes.")]
Seed = Annotated[int, typer.Option("--seed", help="Random seed: the same seed gives the same results.")]
Temperature = Annotated[
    float | None,
    typer.Option(
        "--temperature",
        min=1e-9,
        help="Noise in the answers, in units of utility.",
        show_default="a tenth of the spread of utilities",
    ),
]
NoiseKind = Annotated[
    Noise,
    typer.Option(
        "--noise",
        help="fixed assumes the same noise for everybody; personal learns from the answers how consistently a person "
        "gives them.",
    ),
]
Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        help="Only the rows of a table that satisfy a filter expression: \"price < 30000 and drive == 'AWD'\".",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict", help="Reject a table with values that cannot be read, instead of taking them for missing."
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option(
        "--plot", callback=_validate_plot, help="Plot the results into this PNG, SVG or PDF file (needs rather[plots])."
    ),
]
From = Annotated[
    Path | None,
    typer.Option(
        "--from", help="Look for data sets in this folder instead of that of RATHER_DATA and your own data directory."
    ),
]
RetrieverKind = Annotated[
    str,
    typer.Option(
        "--retriever",
        callback=_validate_retriever,
        help="How to search the items: exact scans all of them, shortlist those that could be anybody's favourite, "
        "approximate an index (needs rather[ann]); auto takes a shortlist for a large catalogue if that loses almost "
        "nothing.",
    ),
]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Compute every question, even if it is cached (same as RATHER_CACHE=off).")
]
Ray = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        callback=_validate_ray,
        help="Run on a Ray cluster instead: HOST:PORT of its head node, 'auto', or 'local' to start one here "
        "(needs rather[cluster]).",
    ),
]
Workers = Annotated[int, typer.Option("--workers", min=1, help="Parallel processes.")]


PlanFile = Annotated[
    Path | None,
    typer.Option(
        "--plan", help="Ask the first questions of this plan, as `rather plan --out` wrote it.", show_default=False
    ),
]

PriorOption = Annotated[
    Path | None,
    typer.Option(
        "--prior",
        metavar="FILE",
        help="Start from what people want by their answers, as `rather learn answers --out` wrote it.",
        show_default="the catalogue's own prior",
    ),
]


def chosen_strategies(asking: Ask, text: str | None) -> "tuple[str | Strategy, str | Strategy]":
    """The strategies for items and for attributes; what was typed is the one for what is asked about."""
    from rather.cli.strategy_argument import strategy_of

    if text is None:
        return "auto", "auto"
    if asking is Ask.ATTRIBUTES:
        return "auto", strategy_of(text, "attributes")
    return strategy_of(text, "items"), "auto"


def chosen_response(source: "Opened", noise: Noise, temperature: float | None) -> "Logistic | PersonalNoise":
    """How people answer about a catalogue; under personal noise, around the temperature."""
    from rather.conversation.policy_settings import response_of_kind

    return response_of_kind(noise.value, source.catalog, source.belief, temperature)
