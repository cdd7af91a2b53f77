"""Options that several commands share, so that one name means one thing everywhere."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rather.extras import require_extra


class Ask(StrEnum):
    """What to ask about."""

    ITEMS = "items"
    ATTRIBUTES = "attributes"
    AUTO = "auto"


def _known_to_ray(address: str | None) -> str | None:
    if address is not None:
        require_extra("cluster", "`--ray`")
    return address


def _available(kind: str) -> str:
    if kind == "approximate":
        require_extra("ann", "`--retriever approximate`")
    return kind


def _drawable(path: Path | None) -> Path | None:
    if path is not None:
        from rather.research.plots import validate_plot

        validate_plot(path)
    return path


CatalogName = Annotated[
    str, typer.Argument(metavar="CATALOG", help="What to ask about: 'films', a table (cars.csv) or vectors.")
]
SlateSize = Annotated[int, typer.Option("--k", min=2, help="Options of a question.")]
Attributes = Annotated[
    int, typer.Option("--p", min=1, help="Attributes that each option of a question about attributes makes.")
]
Seed = Annotated[int, typer.Option("--seed", help="Of all randomness: the same seed asks the same questions.")]
Temperature = Annotated[
    float | None,
    typer.Option(
        "--temperature",
        min=1e-9,
        help="Noise in answers, in units of utility.  [default: a tenth of the spread of utilities]",
        show_default=False,
    ),
]
Where = Annotated[
    str | None,
    typer.Option("--where", help="Must-haves, for tables: \"price < 30000 and drive == 'AWD'\".", show_default=False),
]
Plot = Annotated[
    Path | None, typer.Option("--plot", callback=_drawable, help="Draw the results into this PNG, SVG or PDF file.")
]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]
From = Annotated[
    Path | None,
    typer.Option(
        "--from", help="Look for data sets in this folder first (see also the environment variable RATHER_DATA)."
    ),
]
RetrieverKind = Annotated[
    str,
    typer.Option(
        "--retriever",
        callback=_available,
        help="How items are found: exact looks at all of them, shortlist at those that matter to anybody, "
        "approximate at an index (needs rather[ann]); auto takes a shortlist for large catalogues if it loses next to "
        "nothing.",
    ),
]
NoCache = Annotated[
    bool,
    typer.Option(
        "--no-cache",
        help="Compute every question, also those that were remembered (the same as RATHER_CACHE=off).",
    ),
]
Ray = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        callback=_known_to_ray,
        help="Spread the work over a Ray cluster instead: HOST:PORT of its head, 'auto', or 'local' to start one here.",
        show_default=False,
    ),
]
Workers = Annotated[int, typer.Option("--workers", min=1, help="Processes to spread the work over.")]


def strategy_names(asking: Ask, name: str | None) -> tuple[str, str]:
    """The strategies for items and for attributes; a name means one for what is asked about."""
    if name is None:
        return "auto", "auto-partial"
    return ("auto", name) if asking is Ask.ATTRIBUTES else (name, "auto-partial")
