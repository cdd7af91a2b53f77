"""The publishers' own formats, in miniature, and the table of ratings they become."""

import gzip
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rather.errors import InvalidInputError
from rather.learn.item_attributes import matched, read_attributes
from rather.research.datasets import DATASETS, Ratings, read_ratings

ZEROS = "|0" * 19


def triples(ratings):
    """The ratings as a set of (user, item, value) by name."""
    users, items = np.array(ratings.user_ids, dtype=object), np.array(ratings.item_ids, dtype=object)
    return set(zip(users[ratings.users], items[ratings.items], ratings.values.tolist(), strict=True))


def test_movielens_100k_in_both_forms(tmp_path):
    (tmp_path / "u.data").write_text("196\t242\t3\t881250949\n7\t242\t5\t1\n7\t10\t1\t2\n")
    films = f"10|Café (1990)|||{ZEROS}\n242|Kolya (1996)|24-Jan-1997||http://x{ZEROS}\n"
    (tmp_path / "u.item").write_text(films, encoding="latin-1")
    ratings = DATASETS["ml-100k"].ratings(tmp_path)
    assert triples(ratings) == {(196, 242, 3.0), (7, 242, 5.0), (7, 10, 1.0)}
    assert ratings.labels == ["Café (1990)", "Kolya (1996)"]
    other = tmp_path / "parquet"
    other.mkdir()
    pq.write_table(
        pa.table({"user_id": [196, 7, 7], "item_id": [242, 242, 10], "rating": [3, 5, 1], "timestamp": [1, 2, 3]}),
        other / "ratings.parquet",
    )
    pq.write_table(pa.table({"item_id": [10, 242], "title": ratings.labels}), other / "items.parquet")
    again = DATASETS["ml-100k"].ratings(other)
    assert triples(again) == triples(ratings)
    assert again.labels == ratings.labels


def test_movielens_1m_has_two_colons_between_fields(tmp_path):
    (tmp_path / "ratings.dat").write_text("1::1193::5::978300760\n2::661::3::978302109\n")
    (tmp_path / "movies.dat").write_text('661::James: and "I" (1996)::Drama\n1193::É (1975)::Drama\n', "latin-1")
    ratings = DATASETS["ml-1m"].ratings(tmp_path)
    assert triples(ratings) == {(1, 1193, 5.0), (2, 661, 3.0)}
    assert ratings.labels == ['James: and "I" (1996)', "É (1975)"]


def test_movielens_25m_and_the_tag_genome(tmp_path):
    (tmp_path / "ratings.csv").write_text("userId,movieId,rating,timestamp\n1,5,3.5,9\n2,3,4.0,9\n")
    (tmp_path / "movies.csv").write_text('movieId,title,genres\n3,"Up, Up (2009)",Drama\n5,Go (1999),Comedy\n')
    (tmp_path / "genome-tags.csv").write_text("tagId,tag\n2,dark\n1,funny\n")
    scores = "movieId,tagId,relevance\n5,1,0.25\n5,2,0.5\n3,1,0.75\n3,2,1.0\n"
    (tmp_path / "genome-scores.csv").write_text(scores)
    dataset = DATASETS["ml-25m"]
    assert dataset.is_in(tmp_path)
    assert triples(dataset.ratings(tmp_path)) == {(1, 5, 3.5), (2, 3, 4.0)}
    genome = dataset.attributes(tmp_path)
    assert genome.names == ["dark", "funny"]
    assert genome.item_ids == [3, 5]
    assert genome.labels == ["Up, Up (2009)", "Go (1999)"]
    np.testing.assert_array_equal(genome.values, np.array([[1.0, 0.75], [0.5, 0.25]], np.float32))


def test_the_top_tags_become_relevances_by_rank(tmp_path):
    top = {"movieId": [1, 1, 2], "tagId": [7, 9, 9], "rank": [1, 5, 2], "tag": ["a", "b", "b"]}
    pq.write_table(pa.table(top), tmp_path / "ml25m_top5_tags.parquet")
    pq.write_table(pa.table({"tagId": [7, 9], "tag": ["a", "b"]}), tmp_path / "genome_tags.parquet")
    pq.write_table(pa.table({"movieId": [1, 2], "title": ["One", "Two"]}), tmp_path / "ml25m_movies.parquet")
    genome = DATASETS["tag-genome"].attributes(tmp_path)
    np.testing.assert_allclose(genome.values, [[1.0, 0.6], [0.0, 0.9]], rtol=1e-6)
    assert genome.labels == ["One", "Two"]


def test_goodbooks(tmp_path):
    (tmp_path / "ratings.csv").write_text("user_id,book_id,rating\n1,258,5\n2,4081,4\n")
    (tmp_path / "books.csv").write_text('book_id,title\n258,"The Shadow, of"\n4081,Icebound\n')
    ratings = DATASETS["goodbooks-10k"].ratings(tmp_path)
    assert triples(ratings) == {(1, 258, 5.0), (2, 4081, 4.0)}
    assert ratings.labels == ["The Shadow, of", "Icebound"]


def test_book_crossing_escapes_quotes_its_own_way(tmp_path):
    (tmp_path / "BX-Book-Ratings.csv").write_text(
        '"User-ID";"ISBN";"Book-Rating"\n"276725";"034545104X";"0"\n"276726";"0155061224";"5"\n"1";"unknown";"9"\n',
        encoding="latin-1",
    )
    books = '"ISBN";"Title";"Author"\n"034545104X";"Flesh \\"T\\" &amp; Bloß";"X"\n"0155061224";"Rites; of";"Y"\n'
    (tmp_path / "BX-Books.csv").write_text(books, encoding="latin-1")
    ratings = DATASETS["book-crossing"].ratings(tmp_path)
    assert triples(ratings) == {(276725, "034545104X", 0.0), (276726, "0155061224", 5.0)}
    assert dict(zip(ratings.item_ids, ratings.labels, strict=True))["034545104X"] == 'Flesh "T" & Bloß'


def test_goodreads_keeps_what_was_read(tmp_path):
    rows = "user_id,book_id,is_read,rating,is_reviewed\n0,948,1,5,0\n0,947,1,0,1\n1,946,0,0,0\n"
    (tmp_path / "goodreads_interactions.csv").write_text(rows)
    assert triples(DATASETS["goodreads"].ratings(tmp_path)) == {(0, 948, 5.0), (0, 947, 1.0)}
    (tmp_path / "book_id_map.csv").write_text("book_id_csv,book_id\n948,77\n")
    with gzip.open(tmp_path / "goodreads_books.json.gz", "wt") as file:
        file.write(json.dumps({"book_id": "77", "title": "Found"}) + "\n")
    assert DATASETS["goodreads"].ratings(tmp_path).labels == ["947", "Found"]


def test_any_table_of_ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("Rating,who,Title,Item_ID\n3,ann,Up,b\n5,bob,Go,a\n4,ann,Up,b\n")
    ratings = read_ratings(path, user="who")
    assert triples(ratings) == {("ann", "b", 4.0), ("bob", "a", 5.0)}  # the last of a repeated pair counts
    assert ratings.labels == ["Go", "Up"]
    with pytest.raises(InvalidInputError, match=r"no column of a usual name for users.*--user"):
        read_ratings(path)
    with pytest.raises(InvalidInputError, match="no column 'x'"):
        read_ratings(path, user="who", item="x")


def test_rare_users_and_items_can_be_left_out():
    ratings = Ratings.from_columns([1, 1, 2, 2, 3], ["a", "b", "a", "b", "c"], [1, 2, 3, 4, 5])
    kept = ratings.at_least(by_user=2, of_item=2)
    assert triples(kept) == {(1, "a", 1.0), (1, "b", 2.0), (2, "a", 3.0), (2, "b", 4.0)}
    assert kept.item_ids == ["a", "b"]
    with pytest.raises(InvalidInputError, match="No rating is left"):
        ratings.at_least(of_item=9)


def test_a_split_loses_nothing_and_repeats():
    ratings = Ratings.from_columns(np.arange(1000) % 10, np.arange(1000) // 10, np.ones(1000))
    seen, held_out = ratings.split(0.2, seed=3)
    assert triples(seen) | triples(held_out) == triples(ratings)
    assert not triples(seen) & triples(held_out)
    assert abs(len(held_out) - 200) < 60  # five standard deviations
    assert triples(ratings.split(0.2, seed=3)[1]) == triples(held_out)


def test_attributes_of_rated_items(tmp_path):
    path = tmp_path / "attributes.csv"
    path.write_text("id,title,funny,dark\nb,Bee,0.5,1\na,Ay,0,0.25\nc,See,1,1\n")
    ratings = Ratings.from_columns([1, 1, 2], ["a", "b", "z"], [1, 2, 3])
    kept, attributes = matched(ratings, read_attributes(path))
    assert kept.item_ids == attributes.item_ids == ["a", "b"]
    assert attributes.labels == ["Ay", "Bee"]
    np.testing.assert_array_equal(attributes.values, np.array([[0, 0.25], [0.5, 1]], np.float32))
    assert attributes.commonest(1).names == ["dark"]


def test_every_data_set_states_its_terms():
    for dataset in DATASETS.values():
        assert len(dataset.licence) > 20
        assert len(dataset.citation) > 20
        assert dataset.ratings is not None or dataset.attributes is not None or dataset.table
