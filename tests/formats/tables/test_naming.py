"""What one row of a table is called."""

import pytest

from rather.formats.tables import encode_table
from rather.formats.tables.naming import noun_of_file


@pytest.mark.parametrize(
    ("stem", "noun"),
    [
        ("cars", "car"),
        ("cars_2025_2026", "car"),
        ("countries_core", "country"),
        ("candy-data", "candy"),
        ("derived_book_attributes", "book"),
        ("usedPhones", "phone"),
        ("my_top_100_movies", "movie"),
        ("watches", "watch"),
        ("houses", "house"),
        ("People", "person"),
        ("export", None),
        ("shop", None),
        ("data", None),
        ("analysis", None),
        ("2024", None),
        ("as", None),
    ],
)
def test_the_noun_of_a_file_is_a_plural_made_singular(stem, noun):
    assert noun_of_file(stem) == noun


def test_questions_about_a_file_use_its_noun_and_the_settings_overrule_it(tmp_path):
    path = tmp_path / "used_cars.csv"
    path.write_text("name,hp,red\n" + "".join(f"n{row},{row * 10},{'yes' if row % 2 else 'no'}\n" for row in range(12)))
    assert encode_table(path).catalog.name == "car"
    path.with_suffix(".toml").write_text('[table]\nname = "vehicle"\n')
    assert encode_table(path).catalog.name == "vehicle"
