"""The bundled catalogue: some 350 well-known films with 25 qualities each, and invented tastes as a population.

Both were written for this package from common knowledge. The tastes are a prior to start from, not measurements.
"""

import csv
import tomllib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

import torch
from torch import Tensor

from rather.model.attributes import Attribute, unit_attributes
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.comparatives import FeatureComparatives
from rather.model.items import TensorItems
from rather.model.priors import Prior

# Qualities that do not read well after "a film that is" with their underscores as hyphens.
SPELLED = {
    "based_on_a_book": "based on a book",
    "character_study": "a character study",
    "musical": "a musical",
    "visually_stunning": "visually stunning",
}

# Less and more of a quality, where that is a word of its own; all others are "less …" and "more …".
COMPARED = {
    "funny": ("less funny", "funnier"),
    "dark": ("less dark", "darker"),
    "scary": ("less scary", "scarier"),
    "slow burning": ("faster", "slower"),
    "based on a book": ("not based on a book", "based on a book"),
    "character study": ("less of a character study", "more of a character study"),
    "musical": ("less of a musical", "more of a musical"),
}

FACTS = ("year", "director", "genres", "runtime", "country", "line")


def film_catalog() -> Catalog:
    """The films, each as its qualities minus their average over all films: an average film has utility 0."""
    rows = list(_rows())
    names = [name for name in rows[0] if name not in ("id", "title", *FACTS)]
    qualities = torch.tensor([[float(row[name]) for name in names] for row in rows], dtype=torch.float32)
    storage = TensorItems(qualities - qualities.mean(dim=0))
    features = [name.replace("_", " ") for name in names]
    return Catalog(
        storage,
        ids=[row["id"] for row in rows],
        labels=[row["title"] for row in rows],
        facts=[_facts(row) for row in rows],
        features=features,
        name="film",
        attributes=film_attributes(names),
        together=_together(qualities),
        comparatives=FeatureComparatives(storage, features, _compared(features)),
    )


def _compared(features: Sequence[str]) -> dict[str, tuple[str, str]]:
    words = {name: name if name == "visually stunning" else name.replace(" ", "-") for name in features}
    return {name: (f"less {word}", f"more {word}") for name, word in words.items()} | COMPARED


def film_attributes(names: Sequence[str]) -> tuple[Attribute, ...]:
    """What can be said of a film: that it has one of the qualities, at full strength."""
    words = [SPELLED.get(name, name.replace("_", "-")) for name in names]
    return unit_attributes(words, "that is **{}**")


def _together(qualities: Tensor) -> Tensor:
    """Which two qualities some film has both of, each at 0.5 or more: nobody is asked about films that do not exist."""
    marked = (qualities >= 0.5).float()
    return marked.T @ marked > 0


def taste_prior(catalog: Catalog) -> Prior:
    """A mixture of Gaussians over the qualities, one component for each taste of `tastes.toml`."""
    population = _population()
    columns = {feature.replace(" ", "_"): column for column, feature in enumerate(catalog.features)}
    centres = torch.zeros(len(population["tastes"]), catalog.dimensions, dtype=torch.float32)
    for row, taste in enumerate(population["tastes"].values()):
        for quality, weight in taste["likes"].items():
            centres[row, columns[quality]] = weight
    shares = torch.tensor([float(taste["share"]) for taste in population["tastes"].values()], dtype=torch.float32)
    spread = population["spread"] * torch.eye(catalog.dimensions, dtype=torch.float32)
    return Prior(centres, (shares / shares.sum()).log(), spread)


def film_belief(catalog: Catalog, *, particles: int = 1000, seed: int = 0) -> Belief:
    """The belief about a person before the first question: `particles` draws from the tastes."""
    return Belief.from_prior(taste_prior(catalog), particles=particles, seed=seed)


def _rows() -> Iterator[dict[str, str]]:
    with files(__package__).joinpath("films.csv").open(encoding="utf-8") as lines:
        yield from csv.DictReader(lines)


def _population() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("tastes.toml").read_text(encoding="utf-8"))


def _facts(row: dict[str, str]) -> dict[str, str]:
    shown = {name: row[name] for name in FACTS}
    return {**shown, "genres": row["genres"].replace("|", ", "), "runtime": f"{row['runtime']} min"}
