"""Books and their readers: goodbooks-10k, Book-Crossing, the UCSD Goodreads interactions."""

import gzip
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rather.learn.item_attributes import ItemAttributes
from rather.learn.ratings import Ratings
from rather.learn.table_files import read_table
from rather.model.catalog import ItemId


def read_goodbooks(folder: Path) -> Ratings:
    """goodbooks-10k from `ratings.csv` and `books.csv`, or Parquet (there, the ratings of 5 % of the readers)."""
    if (folder / "ratings.csv").exists():
        table = read_table(folder / "ratings.csv")
        books = read_table(folder / "books.csv", columns=["book_id", "title"])
    else:
        table = read_table(folder / "ratings_5pct_users.parquet")
        books = read_table(folder / "books.parquet", columns=["book_id", "title"])
    titles = dict(zip(books["book_id"].to_pylist(), books["title"].to_pylist(), strict=True))
    return Ratings.from_columns(table["user_id"], table["book_id"], table["rating"], titles)


def read_book_attributes(folder: Path) -> ItemAttributes:
    """117 attributes of the goodbooks, merged from readers' shelves (`derived_book_attributes.parquet`)."""
    table = read_table(folder / "derived_book_attributes.parquet")
    books = read_table(folder / "books.parquet", columns=["book_id", "title"])
    titles = dict(zip(books["book_id"].to_pylist(), books["title"].to_pylist(), strict=True))
    names = [name for name in table.column_names if name != "book_id"]
    values = np.stack([table[name].to_numpy() for name in names], axis=1).astype(np.float32)
    ids: list[ItemId] = table["book_id"].to_pylist()
    return ItemAttributes(values, names, ids, [titles.get(id, str(id)) for id in ids])


def read_book_crossing(folder: Path) -> Ratings:
    """Book-Crossing from `BX-Book-Ratings.csv` and `BX-Books.csv`, or Parquet.

    A rating of 0 is an interaction without a rating. Only books that the book table knows are kept.
    """
    if (folder / "BX-Book-Ratings.csv").exists():
        table = read_table(folder / "BX-Book-Ratings.csv", delimiter=";", encoding="latin-1")
        table = table.rename_columns(["user_id", "isbn", "rating"])
        titles = _crossing_titles(folder / "BX-Books.csv")
    else:
        table = read_table(folder / "ratings.parquet")
        books = read_table(folder / "books.parquet", columns=["isbn", "title"])
        titles = dict(zip(books["isbn"].to_pylist(), books["title"].to_pylist(), strict=True))
    table = table.filter(pc.is_in(table["isbn"].cast(pa.string()), pa.array(list(titles), pa.string())))
    return Ratings.from_columns(table["user_id"], table["isbn"], table["rating"], titles)


def _crossing_titles(path: Path) -> dict[ItemId, str]:
    """The dump escapes quotes by a backslash, which tables do not know: split by its own quoted separator."""
    titles: dict[ItemId, str] = {}
    with path.open(encoding="latin-1") as lines:
        next(lines)
        for line in lines:
            fields = line.rstrip("\r\n").strip('"').split('";"')
            if len(fields) > 1:
                titles[fields[0]] = fields[1].replace('\\"', '"').replace("&amp;", "&")
    return titles


def read_goodreads(folder: Path) -> Ratings:
    """The UCSD Goodreads interactions: books that were read count 1 without a rating, else their rating.

    Titles come from `goodreads_books.json.gz` where it was downloaded too; without it, from the ids.
    """
    table = read_table(folder / "goodreads_interactions.csv", columns=["user_id", "book_id", "is_read", "rating"])
    read = table["is_read"].to_numpy() > 0
    values = np.maximum(table["rating"].to_numpy()[read], 1)
    ids = table["book_id"].to_numpy()[read]
    return Ratings.from_columns(table["user_id"].to_numpy()[read], ids, values, _goodreads_titles(folder))


def _goodreads_titles(folder: Path) -> dict[ItemId, str]:
    if not (folder / "goodreads_books.json.gz").exists() or not (folder / "book_id_map.csv").exists():
        return {}
    table = read_table(folder / "book_id_map.csv")
    numbers = dict(zip(map(str, table["book_id"].to_pylist()), table["book_id_csv"].to_pylist(), strict=True))
    titles: dict[ItemId, str] = {}
    with gzip.open(folder / "goodreads_books.json.gz", "rt", encoding="utf8") as lines:
        for line in lines:
            book = json.loads(line)
            if book["book_id"] in numbers:
                titles[numbers[book["book_id"]]] = book["title"]
    return titles
