"""The bundled table and tastes hold what they promise."""

import csv
import re
import tomllib
from importlib.resources import files

import pytest
import torch

from rather.formats.films import FACTS, film_belief, film_catalog, taste_prior

GENRES = """action, adventure, animation, biography, comedy, crime, documentary, drama, family, fantasy, history,
horror, musical, mystery, romance, science fiction, sport, thriller, war, western""".replace("\n", " ").split(", ")


@pytest.fixture(scope="module")
def rows():
    with files("rather.formats.films").joinpath("films.csv").open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def tastes():
    return tomllib.loads(files("rather.formats.films").joinpath("tastes.toml").read_text(encoding="utf-8"))["tastes"]


@pytest.fixture(scope="module")
def catalog():
    return film_catalog()


def qualities(row):
    return {name: text for name, text in row.items() if name not in ("id", "title", *FACTS)}


def test_there_are_at_least_300_films_from_many_decades_and_countries(rows):
    assert len(rows) >= 300
    assert len({int(row["year"]) // 10 for row in rows}) >= 10
    assert len({country for row in rows for country in row["country"].split(" / ")}) >= 25


def test_ids_are_distinct_slugs_that_end_in_the_year(rows):
    assert len({row["id"] for row in rows}) == len(rows)
    assert all(re.fullmatch(rf"[a-z0-9-]+-{row['year']}", row["id"]) for row in rows)


def test_qualities_are_steps_of_a_tenth(rows):
    assert {len(qualities(row)) for row in rows} == {25}
    steps = {f"{step / 10:g}" for step in range(11)}
    assert all(text in steps for row in rows for text in qualities(row).values())


def test_genres_come_from_a_closed_list(rows):
    assert {genre for row in rows for genre in row["genres"].split("|")} <= set(GENRES)


def test_every_film_has_a_line_of_one_sentence(rows):
    assert all(8 <= len(row["line"].split()) <= 16 and row["line"].endswith(".") for row in rows)


def test_no_two_films_are_alike(rows):
    assert len({tuple(qualities(row).values()) for row in rows}) == len(rows)


def test_an_average_film_has_utility_zero(catalog):
    assert torch.allclose(catalog.items.mean(dim=0), torch.zeros(25), atol=1e-6)


def test_a_taste_is_a_component_of_the_prior_with_its_likes_and_its_share(catalog, tastes):
    prior = taste_prior(catalog)
    columns = [feature.replace(" ", "_") for feature in catalog.features]
    shares = torch.tensor([float(taste["share"]) for taste in tastes.values()])
    assert torch.allclose(prior.log_weights.exp(), shares / shares.sum())
    for centre, taste in zip(prior.centres.tolist(), tastes.values(), strict=True):
        liked = {name: value for name, value in zip(columns, centre, strict=True) if value}
        assert liked == pytest.approx(taste["likes"])
        assert len(liked) >= 4


@pytest.mark.parametrize(
    ("taste", "genre"),
    [("horror", "horror"), ("song_and_dance", "musical"), ("ideas_of_the_future", "science fiction")],
)
def test_a_taste_likes_the_films_one_would_expect(catalog, tastes, taste, genre):
    centre = taste_prior(catalog).centres[list(tastes).index(taste)]
    best = (catalog.items @ centre).topk(5).indices.tolist()
    assert all(genre in catalog.facts_of(row)["genres"] for row in best)


def test_the_belief_is_the_same_in_every_process(catalog):
    assert film_belief(catalog).content_hash == film_belief(film_catalog()).content_hash


def test_tastes_spread_over_many_best_films(catalog):
    best = (film_belief(catalog).particles @ catalog.items.T).argmax(dim=1)
    assert len(best.unique()) > 100
