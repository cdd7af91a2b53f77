"""Where an experiment's items and users come from: drawn at random, learnt from a data set, or opened.

Entries of a spec's `population`:

    source      "gaussian" (items and users N(0, I)), a data set, or "generated" (planted tastes, for tests)
    learn       "pmf", "als" or "attributes", with `dimensions`, `epochs`, `learn_seed`; "open" learns nothing: it
                opens the bundled films or the table of a data set, and draws people from the density of the belief
    by_user     fewest ratings of a user who is kept;  of_item  likewise of an item
    tags        for attributes: how many of the most common to keep;  attributes  the data set they come from
    items       items in a trial, drawn anew for each; 0 takes all
    particles   users in the belief of a trial, drawn likewise; 0 takes all
    held_out    share of the users who are never particles; the true users are drawn from them
    smooth      whether the belief has a prior density, which rejuvenation needs
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rather.errors import InvalidInputError, MissingDataError
from rather.formats.opening import BUNDLED
from rather.formats.opening import open as open_catalog
from rather.formats.vectors.vector_files import Vectors, load_vectors, save_vectors
from rather.learn import Factors, als, attribute_users, pmf
from rather.learn.item_attributes import matched
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.numerics.randomness import derive_generator
from rather.research.datasets import ItemAttributes, Ratings, dataset_named, find_dataset

# What of a population decides the vectors that are learnt, as opposed to how a trial draws from them.
LEARNT_KEYS = ("source", "learn", "dimensions", "epochs", "learn_seed", "by_user", "of_item", "tags", "attributes")
KEYS = frozenset([*LEARNT_KEYS, "items", "particles", "held_out", "smooth"])


@dataclass(frozen=True, eq=False)
class Draw:
    """What a trial starts from: items, the belief before the first question, and `(u, d)` true users."""

    catalog: Catalog
    belief: Belief
    users: Tensor


def prepare(
    population: Mapping[str, Any],
    cache: Path,
    *,
    folder: Path | None = None,
    generate: bool = False,
    on_progress: Callable[[str], None] = print,
) -> str:
    """Learn the vectors a population needs, once, and return their file ("" for what is drawn at random).

    Args:
        population: Of a spec.
        cache: Folder of learnt vectors.
        folder: Where to look for the data set first.
        generate: Take generated ratings if the data set is not on this machine.
        on_progress: Called with a sentence before vectors are learnt.
    """
    if unknown := set(population) - KEYS:
        raise InvalidInputError(f"A population has unknown entries: {', '.join(sorted(unknown))}.")
    if population["source"] == "gaussian":
        return ""
    if population.get("learn") == "open":
        return _opened_file(population["source"], folder, generate, on_progress)
    chosen = {key: population[key] for key in LEARNT_KEYS if key in population}
    if generate and not _is_here(chosen, folder):
        on_progress(f"{chosen['source']} is not on this machine: using generated ratings, whose numbers mean nothing.")
        chosen["source"] = "generated"
    digest = hashlib.blake2b(json.dumps(chosen, sort_keys=True).encode(), digest_size=6).hexdigest()
    path = cache / f"{chosen['source']}-{chosen['learn']}-{digest}.npz"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        on_progress(f"learning {chosen['learn']} vectors from {chosen['source']}")
        save_vectors(_learnt(chosen, folder), path)
    return str(path)


def _opened_file(source: str, folder: Path | None, generate: bool, on_progress: Callable[[str], None]) -> str:
    """What `rather.open` opens for a source: the bundled films, or the table of a data set."""
    if source in BUNDLED:
        return source
    dataset = dataset_named(source)
    if not dataset.table:
        raise InvalidInputError(f"{source} holds no table to open: `learn` must be pmf, als or attributes.")
    try:
        return str(find_dataset(source, folder) / dataset.table)
    except MissingDataError:
        if not generate:
            raise
        on_progress(f"{source} is not on this machine: using the bundled films, whose numbers mean nothing here.")
        return BUNDLED[0]


def _is_here(chosen: Mapping[str, Any], folder: Path | None) -> bool:
    try:
        for name in {chosen["source"], chosen.get("attributes", chosen["source"])} - {"generated"}:
            find_dataset(name, folder)
    except MissingDataError:
        return False
    return True


def _learnt(chosen: Mapping[str, Any], folder: Path | None) -> Vectors:
    ratings, attributes = _data(chosen, folder)
    ratings = ratings.at_least(chosen.get("by_user", 1), chosen.get("of_item", 1))
    seed, method = chosen.get("learn_seed", 0), chosen["learn"]
    features = None
    if method == "pmf":
        factors = pmf(ratings, dimensions=chosen["dimensions"], epochs=chosen["epochs"], seed=seed)
    elif method == "als":
        factors = als(ratings, dimensions=chosen["dimensions"], iterations=chosen["epochs"], seed=seed)
    elif method == "attributes" and attributes is not None:
        ratings, described = _commonest(ratings, attributes, chosen["tags"])
        factors, features = attribute_users(ratings, described, seed=seed), list(described.names)
    else:
        raise InvalidInputError(f"`learn` must be pmf, als or attributes (with attributes to go by), got {method!r}.")
    return _as_vectors(factors, ratings, features, seed)


def _as_vectors(factors: Factors, ratings: Ratings, features: list[str] | None, seed: int) -> Vectors:
    return Vectors(
        factors.items.numpy(),
        factors.users.numpy(),
        ratings.item_ids,
        ratings.labels,
        features=features,
        about={**factors.notes, "seed": seed, "ratings": len(ratings)},
    )


def _commonest(ratings: Ratings, attributes: ItemAttributes, tags: int) -> tuple[Ratings, ItemAttributes]:
    """The rated items with at least one of the commonest tags among rated items."""
    _, described = matched(ratings, attributes)
    described = described.commonest(tags)
    return matched(ratings, described.subset(described.values.sum(axis=1) > 0))


def _data(chosen: Mapping[str, Any], folder: Path | None) -> tuple[Ratings, ItemAttributes | None]:
    if chosen["source"] == "generated":
        return generated_ratings()
    dataset = dataset_named(chosen["source"])
    if dataset.ratings is None:
        raise InvalidInputError(f"{dataset.name} holds no ratings.")
    attributes = None
    if chosen["learn"] == "attributes":
        tagged = dataset_named(chosen.get("attributes", dataset.name))
        if tagged.attributes is None:
            raise InvalidInputError(f"{tagged.name} holds no attributes.")
        attributes = tagged.attributes(find_dataset(tagged.name, folder))
    return dataset.ratings(find_dataset(dataset.name, folder)), attributes


def generated_ratings(
    users: int = 80, items: int = 60, tags: int = 12, seed: int = 0
) -> tuple[Ratings, ItemAttributes]:
    """Planted tastes over tags, and how users with them rate 1 to 5: small, and nobody's."""
    rng = np.random.default_rng([seed, 7])
    values = (rng.random((items, tags)) * (rng.random((items, tags)) < 0.4)).astype(np.float32)
    tastes = rng.normal(size=(users, tags))
    who, what = np.nonzero(rng.random((users, items)) < 0.5)
    utility = (tastes[who] * values[what]).sum(axis=1) + 0.3 * rng.normal(size=len(who))
    ratings = Ratings.from_columns(who, what, np.clip(np.round(3.2 + utility), 1, 5))
    return ratings, ItemAttributes(
        values, [f"tag {index}" for index in range(tags)], list(range(items)), ratings.labels
    )


@lru_cache(maxsize=4)
def _vectors(path: str) -> Vectors:
    return load_vectors(path)


def draw(population: Mapping[str, Any], path: str, seed: int, users: int) -> Draw:
    """The items, belief and users of a trial.

    Args:
        population: Of a spec.
        path: What `prepare` returned.
        seed: Of the trial: the same for all methods and variants, so that they are compared on the same draws.
        users: True users to draw; all of them if there are fewer.
    """
    generator = derive_generator(seed, "population")
    smooth = population.get("smooth", False)
    if not path:
        shape = (population["items"], population["dimensions"])
        items = torch.randn(shape, generator=generator, dtype=torch.float32)
        shape = (population["particles"], population["dimensions"])
        particles = torch.randn(shape, generator=generator, dtype=torch.float32)
        rows = torch.randperm(len(particles), generator=generator)[:users]
        return Draw(Catalog(items), Belief.from_users(particles, smooth=smooth), particles[rows])
    if population.get("learn") == "open":
        return _opened_draw(path, users, generator)
    vectors = _vectors(path)
    catalog, known = _items(vectors, population.get("items", 0), generator), torch.from_numpy(vectors.users)
    order = torch.randperm(len(known), generator=generator)
    held_out = round(population.get("held_out", 0.0) * len(known))
    others, members = order[:held_out], order[held_out:]
    if wanted := population.get("particles", 0):
        members = members[:wanted]
    true = others if held_out else members[torch.randperm(len(members), generator=generator)]
    # The order of particles must not depend on the trial: equal particles make equal questions.
    belief = Belief.from_users(known[members.sort().values], smooth=smooth)
    return Draw(catalog, belief, known[true[:users]])


def _opened_draw(path: str, users: int, generator: torch.Generator) -> Draw:
    """A catalogue with the belief that conversations about it start from, and people whom nobody knows."""
    catalog, belief = _opened(path)
    if belief.prior is None:
        raise InvalidInputError(f"{path} has no prior density to draw people from.")
    return Draw(catalog, belief, belief.prior.sample(users, generator))


@lru_cache(maxsize=4)
def _opened(path: str) -> tuple[Catalog, Belief]:
    opened = open_catalog(path)
    return opened.catalog, opened.belief


def _items(vectors: Vectors, wanted: int, generator: torch.Generator) -> Catalog:
    if not wanted or wanted >= len(vectors.items):
        return vectors.catalog()
    rows = torch.randperm(len(vectors.items), generator=generator)[:wanted].sort().values.numpy()
    ids = None if vectors.item_ids is None else [vectors.item_ids[row] for row in rows]
    labels = None if vectors.labels is None else [vectors.labels[row] for row in rows]
    return Catalog(vectors.items[rows], ids, labels, features=vectors.features, name=vectors.name)
