"""Users held out entirely, and what was learnt from all the others.

Entries of a spec's `population`:

    source            a data set with ratings, or "generated"
    dimensions, epochs, regularisation, learn_seed
                      of the matrix factorisation; items have one more dimension, their bias
    of_item           fewest ratings, by those learnt from, of an item that may be asked about
    by_user           fewest such items that somebody who is held out has rated
    people            how many are held out to answer
    tuning            how many more are held out to learn the noise of answers from
    answering         "people", or "tuning" to choose settings on those instead
    particles         users in the belief that conversations start from, at most
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rather.errors import InvalidInputError, MissingDataError
from rather.learn.biases import biased_pmf, rating_biases
from rather.learn.ratings import Ratings
from rather.research.datasets import dataset_named, find_dataset
from rather.research.experiments.population import generated_ratings
from rather.research.experiments.real_people.noise import learnt_noise

KEYS = frozenset(
    "source dimensions epochs regularisation learn_seed of_item by_user people tuning answering particles".split()  # noqa: SIM905
)

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class People:
    """What was learnt from most users, and the ratings of those who are held out.

    Attributes:
        items: `(n, d)`, those that may be asked about; the last dimension is the item's bias.
        users: `(m, d)`, of those learnt from who are particles; 1 in the last dimension.
        mean: Of the ratings learnt from.
        generosity: Variance of users' biases.
        residual: Variance of ratings around what vectors and biases predict.
        temperature: Of answers, learnt from those held out for tuning.
        tie: Weight of "about the same", likewise.
        learnt_users: `(r,)`, with the next two: the ratings of these items that vectors were learnt from, users
            numbered from 0 without gaps.
        learnt_items: `(r,)`.
        learnt_values: `(r,)`.
        held_users: `(t,)`, with the next two: the ratings of those who answer, likewise.
        held_items: `(t,)`.
        held_values: `(t,)`.
    """

    items: Floats
    users: Floats
    mean: float
    generosity: float
    residual: float
    temperature: float
    tie: float
    learnt_users: Rows
    learnt_items: Rows
    learnt_values: Floats
    held_users: Rows
    held_items: Rows
    held_values: Floats

    def __len__(self) -> int:
        """How many are held out to answer."""
        return int(self.held_users.max()) + 1

    def ratings_of(self, person: int) -> tuple[Rows, Floats]:
        """The rows `(r,)` that somebody held out has rated, and the stars `(r,)`."""
        theirs = self.held_users == person
        return self.held_items[theirs], self.held_values[theirs]


@dataclass(frozen=True, eq=False)
class Split:
    """Ratings of those learnt from, of those the noise is learnt from, and of those who answer."""

    learnt: Ratings
    tuning: Ratings
    held: Ratings
    askable: NDArray[np.bool_]


def split_people(
    ratings: Ratings, *, people: int, tuning: int, by_user: int, of_item: int, seed: int, rounds: int = 3
) -> Split:
    """Hold users out at random among those with enough ratings of items that the others have rated enough.

    Which items that are depends on who is held out: whoever has too few by then is replaced in a few rounds.

    Args:
        ratings: Of all users.
        people: To hold out to answer.
        tuning: To hold out to learn the noise from.
        by_user: Fewest askable items of somebody held out; a few have less if the last replacement made items rare.
        of_item: Fewest ratings, by those learnt from, of an askable item.
        seed: Of the draw.
        rounds: At most so many replacements.
    """
    order = np.random.default_rng([seed, 11]).permutation(ratings.n_users)
    askable = ratings.popularity >= of_item
    for _ in range(rounds):
        enough = _counts(ratings, askable)[order] >= by_user
        chosen = order[enough][: people + tuning]
        if len(chosen) < people + tuning:
            raise InvalidInputError(
                f"`people` and `tuning` must add up to at most {len(chosen)}, the users with {by_user} rated items "
                f"that others have rated {of_item} times; got {people} and {tuning}."
            )
        learnt = ratings.subset(~np.isin(ratings.users, chosen))
        askable = learnt.popularity >= of_item
    known = ratings.subset(askable[ratings.items])
    answering, tuned = (known.subset(np.isin(known.users, part)) for part in np.split(chosen, [people]))
    return Split(learnt, tuned, answering, askable)


def _counts(ratings: Ratings, askable: NDArray[np.bool_]) -> Rows:
    return np.bincount(ratings.users[askable[ratings.items]], minlength=ratings.n_users)


def prepare_people(
    population: Mapping[str, Any],
    cache: Path,
    *,
    folder: Path | None = None,
    generate: bool = False,
    on_progress: Callable[[str], None] = print,
) -> str:
    """Hold people out and learn from the others, once, and return the file. Arguments as of `population.prepare`."""
    if unknown := set(population) - KEYS:
        raise InvalidInputError(f"A population of real people has unknown entries: {', '.join(sorted(unknown))}.")
    chosen = dict(population)
    if generate and not _is_here(chosen["source"], folder):
        on_progress(f"{chosen['source']} is not on this machine: using generated ratings, whose numbers mean nothing.")
        chosen["source"] = "generated"
    digest = hashlib.blake2b(json.dumps(chosen, sort_keys=True).encode(), digest_size=6).hexdigest()
    path = cache / f"{chosen['source']}-people-{digest}.npz"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        on_progress(f"learning from {chosen['source']} without the {chosen['people'] + chosen['tuning']} held out")
        save_people(learn_people(_ratings(chosen["source"], folder), chosen), path)
    return str(path)


def learn_people(ratings: Ratings, population: Mapping[str, Any]) -> People:
    """Vectors, biases and noise from everybody but those who answer."""
    seed = population.get("learn_seed", 0)
    limits = {name: population[name] for name in ("people", "tuning", "by_user", "of_item")}
    split = split_people(ratings, **limits, seed=seed)
    learnt_from, numbers = np.unique(split.learnt.users, return_inverse=True)
    biases = rating_biases(split.learnt)
    factors = biased_pmf(
        split.learnt,
        biases,
        dimensions=population["dimensions"],
        epochs=population["epochs"],
        regularisation=population.get("regularisation", 0.1),
        seed=seed,
    )
    users, items = factors.users.numpy()[learnt_from], factors.items.numpy()
    tastes = (users[numbers] * items[split.learnt.items]).sum(axis=1)
    errors = split.learnt.values - biases.mean - biases.users[split.learnt.users] - tastes
    drawn = np.random.default_rng([seed, 12]).permutation(len(users))[: population["particles"]]
    particles = users[np.sort(drawn)]
    held = split.tuning if population.get("answering", "people") == "tuning" else split.held
    # Nothing else is ever scored: vectors of rarely rated items only cost time.
    kept, positions = items[split.askable], np.cumsum(split.askable) - 1
    known = split.askable[split.learnt.items]
    noise = learnt_noise(items, particles, split.tuning, seed)
    return People(
        items=kept,
        users=particles,
        mean=biases.mean,
        generosity=float(biases.users[learnt_from].var()),
        residual=float(np.square(errors).mean()),
        temperature=noise.temperature,
        tie=float(noise.tie or 0.0),
        learnt_users=numbers[known],
        learnt_items=positions[split.learnt.items[known]],
        learnt_values=split.learnt.values[known],
        held_users=np.unique(held.users, return_inverse=True)[1],
        held_items=positions[held.items],
        held_values=held.values,
    )


def save_people(people: People, path: Path) -> None:
    """As a NumPy archive; written aside first, so that an interruption leaves no half file."""
    draft = path.with_name(f".{path.stem}.new.npz")
    np.savez(draft, allow_pickle=False, **{each.name: getattr(people, each.name) for each in fields(People)})
    draft.replace(path)


@lru_cache(maxsize=2)
def load_people(path: str) -> People:
    """What `save_people` wrote."""
    with np.load(path, allow_pickle=False) as arrays:
        return People(**{name: array if array.ndim else array.item() for name, array in arrays.items()})


def _is_here(source: str, folder: Path | None) -> bool:
    try:
        return source == "generated" or bool(find_dataset(source, folder))
    except MissingDataError:
        return False


def _ratings(source: str, folder: Path | None) -> Ratings:
    if source == "generated":
        return generated_ratings()[0]
    dataset = dataset_named(source)
    if dataset.ratings is None:
        raise InvalidInputError(f"{source} holds no ratings.")
    return dataset.ratings(find_dataset(source, folder))
