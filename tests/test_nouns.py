"""Nouns as a native speaker writes them."""

import pytest

from rather.formats.tables.naming import noun_of_file
from rather.nouns import counted, large_number, plural


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("car", "cars"), ("country", "countries"), ("day", "days"), ("candy", "candies"), ("toy", "toys"),
        ("box", "boxes"), ("match", "matches"), ("dish", "dishes"), ("glass", "glasses"), ("bus", "buses"),
        ("quiz", "quizzes"), ("person", "people"), ("Person", "People"), ("woman", "women"), ("shelf", "shelves"),
        ("series", "series"), ("sheep", "sheep"), ("hero", "heroes"), ("photo", "photos"),
        ("house", "houses"), ("mouse", "mice"), ("movie", "movies"), ("phone case", "phone cases"),
        ("data set", "data sets"), ("SUV", "SUVs"), ("TV", "TVs"), ("GPS", "GPSs"), ("y", "ys"), ("roof", "roofs"),
        ("lens", "lenses"), ("café", "cafés"), ("entry", "entries"), ("human", "humans"), ("German", "Germans"),
    ],
)  # fmt: skip
def test_plurals(one, many):
    assert plural(one) == many
    assert plural(one, 0) == plural(one, 2) == many
    assert plural(one, 1) == one


def test_counts_read_well():
    assert counted(1, "country") == "1 country"
    assert counted(0, "country") == "0 countries"
    assert counted(1234, "film") == "1,234 films"


NOUNS = "bus car cookie country box film hotel laptop match movie person series wine"


@pytest.mark.parametrize("noun", NOUNS.split())
def test_a_file_that_is_named_by_the_plural_holds_the_noun(noun):
    assert noun_of_file(plural(noun)) == noun


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (999_999, "999,999"),
        (10**6, "1.0 million (1,000,000)"),
        (657_622_176, "657.6 million (657,622,176)"),
        (1_087_369_280_520, "1.1 trillion (1,087,369,280,520)"),
        (10**21 - 10**17, "999.9 quintillion (999,900,000,000,000,000,000)"),
        (3 * 10**25, "3.0e+25"),
        (10**400, "1.0e+400"),
    ],
)
def test_large_numbers_can_be_read(count, text):
    assert large_number(count) == text
