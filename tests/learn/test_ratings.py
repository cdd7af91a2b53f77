"""Tables of ratings as people have them."""

import pytest

from rather.errors import InvalidInputError
from rather.learn.ratings import read_ratings


@pytest.mark.parametrize(
    "text",
    ["userId;movieId;rating\n1;2;4,5\n1;3;3\n2;2;1,5\n", "user\titem\trating\n1\t2\t4.5\n1\t3\t3\n2\t2\t1.5\n"],
)
def test_ratings_are_read_as_spreadsheets_write_them(tmp_path, text):
    (tmp_path / "ratings.csv").write_text(text)
    ratings = read_ratings(tmp_path / "ratings.csv")
    assert (ratings.n_users, ratings.n_items) == (2, 2)
    assert sorted(ratings.values.tolist()) == [1.5, 3, 4.5]


def test_a_rating_that_is_not_a_number_is_named(tmp_path):
    (tmp_path / "ratings.csv").write_text("user,item,rating\n1,2,5\n1,3,good\n")
    with pytest.raises(InvalidInputError, match=r"must be numbers, but that of data row 2 is 'good'"):
        read_ratings(tmp_path / "ratings.csv")
