"""`rather vectors`: import vectors that another program learnt."""

from pathlib import Path
from typing import Annotated

import typer

from rather.cli.console import say
from rather.errors import InvalidInputError
from rather.nouns import counted


def vectors(
    items: Annotated[
        Path,
        typer.Argument(
            metavar="ITEMS",
            help="Item vectors: .npy, .npz (also those of `implicit`), .parquet, .arrow or word2vec text.",
        ),
    ],
    users: Annotated[Path | None, typer.Option(help="User vectors, in any of the same formats.")] = None,
    labels: Annotated[Path | None, typer.Option(help="A text file with the label of each item, one per line.")] = None,
    out: Annotated[Path, typer.Option(help="The vectors file to write: .npz or .parquet.")] = Path("vectors.npz"),
) -> None:
    """Put the item and user vectors you already have into one file that every other command accepts.

    Vectors of known users make the first questions better; without them, conversations start from a Gaussian prior.

    Examples:
        rather vectors als-model.npz --labels titles.txt
        rather vectors items.npy --users users.npy --out vectors.parquet
    """
    from dataclasses import replace

    from rather.cli.progress import spinner
    from rather.formats.vectors.vector_files import load_vectors, save_vectors

    with spinner(f"reading {items}"):
        both = load_vectors(items)
    if users is not None:
        with spinner(f"reading {users}"):
            found = load_vectors(users)
        both = replace(both, users=found.items if found.users is None else found.users)
    if labels is not None:
        both = replace(both, labels=_lines(labels, len(both.items)))
    n, d = both.items.shape
    known = "no users" if both.users is None else counted(len(both.users), "user")
    with spinner(f"writing {out}"):
        written = save_vectors(both, out)
    say(f"wrote {written}: {counted(n, 'item')}, {known}, {counted(d, 'dimension')}")
    if both.users is None:
        say("Without --users, questions start from a Gaussian prior; vectors of known users make them better.")


def _lines(path: Path, count: int) -> list[str]:
    try:
        lines = path.read_text(encoding="utf8").splitlines()
    except OSError as error:
        raise InvalidInputError(f"Cannot read {path}: {error.strerror}.") from None
    if len(lines) != count:
        raise InvalidInputError(
            f"{path} must have one line for each of the {count} items, got {counted(len(lines), 'line')}."
        )
    return lines
