"""`rather learn ratings`: user and item vectors from a ratings table."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rather.cli.console import say
from rather.cli.learn_scores import learn_scores
from rather.cli.options import From, Seed
from rather.errors import InvalidInputError, UnknownNameError
from rather.extras import require_extra
from rather.nouns import counted

# The items of a list that is measured.
LISTED = 10

if TYPE_CHECKING:
    from rather.learn import Factors
    from rather.research.datasets import ItemAttributes, Ratings

UTILITIES = ("ideal-point", "network")
METHODS = ("pmf", "als", "attributes", *UTILITIES)


def learn_ratings(
    ratings: Annotated[
        str, typer.Argument(metavar="RATINGS", help="A CSV, TSV or Parquet of ratings, or a data set's name.")
    ],
    out: Annotated[Path, typer.Option(help="The vectors file to write: .npz or .parquet.")] = Path("vectors.npz"),
    method: Annotated[
        str,
        typer.Option(
            help="pmf (ratings), als (any interaction), attributes (users over given attributes), or a utility that is "
            "not linear: ideal-point, network."
        ),
    ] = "pmf",
    dimensions: Annotated[
        int | None,
        typer.Option(min=1, help="Length of a vector.", show_default="50 for als, else 10"),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            min=1, help="Passes over the data.", show_default="20 for pmf, 15 for als, 100 for attributes, else 30"
        ),
    ] = None,
    attributes: Annotated[
        Path | None, typer.Option(help="For attributes: a table with an id column and a column for each attribute.")
    ] = None,
    user: Annotated[str | None, typer.Option(help="The column of users, if its name is unusual.")] = None,
    item: Annotated[str | None, typer.Option(help="The column of items.")] = None,
    rating: Annotated[str | None, typer.Option(help="The column of ratings.")] = None,
    held_out: Annotated[
        float, typer.Option(min=0.0, max=0.9, help="Share of ratings to measure on; 0 for none.")
    ] = 0.1,
    seed: Seed = 0,
    source: From = None,
) -> None:
    """Learn vectors of users and items from ratings; every other command takes the file.

    Quality is measured on held-out ratings, beside that of recommending what is popular; then the vectors are learnt
    again from all ratings.

    Examples:
        rather learn ratings ratings.csv && rather ask vectors.npz
        rather learn ratings ml-100k --out films.npz
        rather learn ratings plays.parquet --method als --out songs.npz
        rather learn ratings ml-100k --method ideal-point --out films.npz
    """
    from rather.formats.vectors.vector_files import Vectors, save_vectors
    from rather.learn.item_attributes import matched
    from rather.learn.metrics import ranking, rmse

    if method not in METHODS:
        raise UnknownNameError(f"No method is called {method!r}. There are: {', '.join(METHODS)}.")
    if out.suffix not in (".npz", ".parquet"):
        raise InvalidInputError(f"--out must end in .npz or .parquet, got {out.name!r}.")
    if method == "als":
        require_extra("data", "Alternating least squares")
    table = read_named_ratings(ratings, user, item, rating, source)
    say(str(table))
    if method in UTILITIES:
        learn_scores(table, method, out, dimensions=dimensions or 10, epochs=epochs or 30, held_out=held_out, seed=seed)
        return
    described = None
    if method == "attributes":
        described = _attributes(ratings, attributes, source)
        table, described = matched(table, described)
    measured: dict[str, float] = {}
    seen, rest = table.split(0.0 if method == "attributes" else held_out, seed)
    if len(rest) and (not len(seen) or table.n_items <= LISTED):
        say(f"nothing is measured: that takes more ratings, and more than {LISTED} items")
    elif len(rest):
        factors = _fit(method, seen, described, dimensions, epochs, seed, "measuring")
        measured = ranking(factors, seen, rest, seed)
        if method == "pmf":
            measured["RMSE"] = rmse(factors, rest)
        _show(measured, _baselines(seen, rest, seed, method))
    factors = _fit(method, table, described, dimensions, epochs, seed, "learning")
    if method == "attributes":
        measured = {"accuracy": float(factors.notes["held-out accuracy"])}
        _show(measured, {"accuracy": float(factors.notes["popularity accuracy"])})
    about = {**factors.notes, "seed": seed, "ratings": len(table), "held out": measured}
    names = None if described is None else list(described.names)
    vectors = Vectors(
        factors.items.numpy(), factors.users.numpy(), table.item_ids, table.labels, features=names, about=about
    )
    say(f"wrote {save_vectors(vectors, out)}: {counted(table.n_items, 'item')}, {counted(table.n_users, 'user')}")
    say(f"next: rather ask {out}")


def read_named_ratings(
    name: str, user: str | None, item: str | None, rating: str | None, source: Path | None
) -> "Ratings":
    """The ratings of a data set by its name, or of a file."""
    from rather.research.datasets import DATASETS, find_dataset, read_ratings

    dataset = DATASETS.get(name)
    if dataset is not None and dataset.ratings is not None:
        return dataset.ratings(find_dataset(name, source))
    if not Path(name).exists():
        known = ", ".join(name for name, dataset in DATASETS.items() if dataset.ratings is not None)
        raise InvalidInputError(f"There is no file {name!r}, nor a data set of that name ({known}).")
    return read_ratings(Path(name), user, item, rating)


def _attributes(name: str, path: Path | None, source: Path | None) -> "ItemAttributes":
    from rather.learn.item_attributes import read_attributes
    from rather.research.datasets import DATASETS, find_dataset

    if path is not None:
        return read_attributes(path)
    dataset = DATASETS.get(name)
    if dataset is None or dataset.attributes is None:
        raise InvalidInputError("--method attributes needs a table of attributes: --attributes FILE.")
    return dataset.attributes(find_dataset(name, source))


def _fit(
    method: str,
    ratings: "Ratings",
    attributes: "ItemAttributes | None",
    dimensions: int | None,
    epochs: int | None,
    seed: int,
    what: str,
) -> "Factors":
    from rather.cli.progress import epoch_progress
    from rather.learn import als, attribute_users, pmf

    with epoch_progress(what) as on_epoch:
        if method == "pmf":
            return pmf(ratings, dimensions=dimensions or 10, epochs=epochs or 20, seed=seed, on_epoch=on_epoch)
        if method == "als":
            return als(ratings, dimensions=dimensions or 50, iterations=epochs or 15, seed=seed, on_epoch=on_epoch)
        assert attributes is not None
        return attribute_users(ratings, attributes, epochs=epochs or 100, seed=seed, on_epoch=on_epoch)


def _baselines(seen: "Ratings", rest: "Ratings", seed: int, method: str) -> dict[str, float]:
    """What popularity reaches on the same held-out ratings, and always guessing the mean."""
    import torch

    from rather.learn.metrics import ranking

    baseline = ranking(torch.from_numpy(seen.popularity).float(), seen, rest, seed)
    if method == "pmf":
        baseline["RMSE"] = float(((rest.values - seen.values.mean()) ** 2).mean() ** 0.5)
    return baseline


def _show(measured: dict[str, float], baseline: dict[str, float]) -> None:
    for name, number in measured.items():
        beside = "always the mean" if name == "RMSE" else "popularity"
        say(f"held-out {name}: {number:.4f}   ({beside}: {baseline[name]:.4f})")
