"""`rather vectors`: take vectors that another program learnt."""

from pathlib import Path
from typing import Annotated

import typer

from rather.errors import InvalidInputError


def vectors(
    items: Annotated[
        Path,
        typer.Argument(
            metavar="ITEMS", help="Item vectors: .npy, .npz (also of `implicit`), .parquet, .arrow, word2vec text."
        ),
    ],
    users: Annotated[Path | None, typer.Option(help="User vectors, in any of the same forms.")] = None,
    labels: Annotated[Path | None, typer.Option(help="What to show: a text with one line for each item.")] = None,
    out: Annotated[Path, typer.Option(help="The vectors file to write: .npz or .parquet.")] = Path("vectors.npz"),
) -> None:
    """Put item and user vectors you already have into one file that every other command takes.

    Examples:
        rather vectors als-model.npz --labels titles.txt

        rather vectors items.npy --users users.npy --out vectors.parquet
    """
    from dataclasses import replace

    from rather.formats.vectors.vector_files import load_vectors, save_vectors

    both = load_vectors(items)
    if users is not None:
        people = load_vectors(users)
        both = replace(both, users=people.items if people.users is None else people.users)
    if labels is not None:
        both = replace(both, labels=_lines(labels, len(both.items)))
    n, d = both.items.shape
    known = "no users" if both.users is None else f"{len(both.users):,} users"
    print(f"wrote {save_vectors(both, out)}: {n:,} items, {known}, {d} dimensions")
    if both.users is None:
        print("Without --users the first question rests on a Gaussian prior; people's vectors make it better.")


def _lines(path: Path, count: int) -> list[str]:
    try:
        lines = path.read_text(encoding="utf8").splitlines()
    except OSError as error:
        raise InvalidInputError(f"Cannot read {path}: {error.strerror}.") from None
    if len(lines) != count:
        raise InvalidInputError(f"{path} must have a line for each of the {count} items, got {len(lines)}.")
    return lines
