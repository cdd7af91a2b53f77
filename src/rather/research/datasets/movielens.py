"""MovieLens and its Tag Genome, in GroupLens' own formats or as Parquet."""

from pathlib import Path

import numpy as np

from rather.learn.item_attributes import ItemAttributes
from rather.learn.ratings import Ratings
from rather.learn.table_files import read_table
from rather.model.catalog import ItemId


def read_ml100k(folder: Path) -> Ratings:
    """MovieLens-100k from `u.data` and `u.item`, or `ratings.parquet` and `items.parquet`."""
    if (folder / "u.data").exists():
        names = ["user_id", "item_id", "rating", "timestamp"]
        table = read_table(folder / "u.data", delimiter="\t", names=names)
        columns = ["item_id", "title", *(f"column {index}" for index in range(22))]
        films = read_table(folder / "u.item", delimiter="|", names=columns, encoding="latin-1")
    else:
        table = read_table(folder / "ratings.parquet")
        films = read_table(folder / "items.parquet", columns=["item_id", "title"])
    titles = dict(zip(films["item_id"].to_pylist(), films["title"].to_pylist(), strict=True))
    return Ratings.from_columns(table["user_id"], table["item_id"], table["rating"], titles)


def read_ml1m(folder: Path) -> Ratings:
    """MovieLens-1M from `ratings.dat` and `movies.dat`, or Parquet."""
    if (folder / "ratings.dat").exists():
        names = ["user_id", "movie_id", "rating", "timestamp"]
        table = read_table(folder / "ratings.dat", delimiter="::", names=names)
        films = read_table(
            folder / "movies.dat", delimiter="::", names=["movie_id", "title", "genres"], encoding="latin-1"
        )
    else:
        table = read_table(folder / "ratings.parquet")
        films = read_table(folder / "movies.parquet", columns=["movie_id", "title"])
    titles = dict(zip(films["movie_id"].to_pylist(), films["title"].to_pylist(), strict=True))
    return Ratings.from_columns(table["user_id"], table["movie_id"], table["rating"], titles)


def read_ml_csv(folder: Path) -> Ratings:
    """MovieLens-20M, 25M and later from `ratings.csv` and `movies.csv`."""
    table = read_table(folder / "ratings.csv", columns=["userId", "movieId", "rating"])
    return Ratings.from_columns(table["userId"], table["movieId"], table["rating"], _titles(folder / "movies.csv"))


def read_genome(folder: Path) -> ItemAttributes:
    """The Tag Genome: relevance of every tag to every film, from `genome-scores.csv` and `genome-tags.csv`."""
    scores = read_table(folder / "genome-scores.csv")
    tags = read_table(folder / "genome-tags.csv")
    films, rows = np.unique(scores["movieId"].to_numpy(), return_inverse=True)
    tag_ids = tags["tagId"].to_numpy()
    values = np.zeros((len(films), len(tag_ids)), dtype=np.float32)
    order = np.argsort(tag_ids)
    columns = order[np.searchsorted(tag_ids, scores["tagId"].to_numpy(), sorter=order)]
    values[rows, columns] = scores["relevance"].to_numpy()
    ids = films.tolist()
    titles = _titles(folder / "movies.csv") if (folder / "movies.csv").exists() else {}
    return ItemAttributes(values, tags["tag"].to_pylist(), ids, [titles.get(id, str(id)) for id in ids])


def read_top_tags(folder: Path) -> ItemAttributes:
    """The five strongest Tag Genome tags of every film, as relevances.

    The file ranks a film's tags but does not hold the relevance itself: rank 1 to 5 becomes 1.0 to 0.6, all other tags
    of the film 0.
    """
    top = read_table(folder / "ml25m_top5_tags.parquet")
    tags = read_table(folder / "genome_tags.parquet")
    films = read_table(folder / "ml25m_movies.parquet", columns=["movieId", "title"])
    titles = dict(zip(films["movieId"].to_pylist(), films["title"].to_pylist(), strict=True))
    ids, rows = np.unique(top["movieId"].to_numpy(), return_inverse=True)
    tag_ids = tags["tagId"].to_numpy()
    values = np.zeros((len(ids), len(tag_ids)), dtype=np.float32)
    values[rows, np.searchsorted(tag_ids, top["tagId"].to_numpy())] = 1.1 - 0.1 * top["rank"].to_numpy()
    names = ids.tolist()
    return ItemAttributes(values, tags["tag"].to_pylist(), names, [titles.get(id, str(id)) for id in names])


def _titles(path: Path) -> dict[ItemId, str]:
    table = read_table(path, columns=["movieId", "title"])
    return dict(zip(table["movieId"].to_pylist(), table["title"].to_pylist(), strict=True))
