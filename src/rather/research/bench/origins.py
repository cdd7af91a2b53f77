"""Where the vectors of a benchmark come from: learnt from real ratings where possible, and always said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from rather.caching.folder import cache_directory
from rather.errors import InvalidInputError, MissingDataError, MissingExtraError
from rather.formats.vectors.vector_files import Vectors, load_vectors, save_vectors
from rather.learn import als, pmf
from rather.learn.ratings import Ratings
from rather.numerics.arrays import as_floats
from rather.numerics.randomness import derive_generator
from rather.research.datasets import dataset_named, find_dataset

DIMENSIONS = 50

# Most ratings first: more items to resample.
RATED = ("book-crossing", "goodbooks-10k")

# People with fewer ratings have next to no taste that could be learnt.
LEAST_RATINGS = 20

# Rows made at a time, each block from a generator of its own: a larger catalogue begins with the smaller one.
BLOCK = 65_536

# Noise of a resampled item, relative to its norm.
NOISE = 0.3

# Longer catalogues are resampled from the large origin, shorter ones may be a real one.
SMALL = 10_000


@dataclass(frozen=True, eq=False)
class Origin:
    """Vectors to draw from.

    Attributes:
        items: `(n, d)`.
        people: `(p, d)`.
        words: What they are.
    """

    items: Tensor
    people: Tensor
    words: str

    def resampled(self, n: int) -> Tensor:
        """`(n, d)` items: those of the origin, drawn with replacement, each with noise of 0.3 times its length."""
        d = self.items.shape[1]
        made = torch.empty(n, d)
        for start in range(0, n, BLOCK):
            generator = derive_generator(0, "bench items", start)
            drawn = self.items[torch.randint(len(self.items), (BLOCK,), generator=generator)]
            noise = torch.randn(BLOCK, d, generator=generator, dtype=torch.float32)
            lengths = torch.linalg.vector_norm(drawn, dim=1, keepdim=True)
            block = drawn + NOISE * lengths / d**0.5 * noise
            made[start : start + BLOCK] = block[: n - start]
        return made

    def drawn_people(self, m: int, others: int) -> tuple[Tensor, Tensor]:
        """`(m, d)` people for the belief and `(others, d)` to talk to; the same ones where there are too few."""
        order = torch.randperm(len(self.people), generator=derive_generator(0, "bench people"))
        if m > len(order):
            raise InvalidInputError(f"There are vectors of {len(order):,} people, but {m:,} particles are wanted.")
        members = order[:m].sort().values
        strangers = order[m:] if len(order) >= m + others else order
        return self.people[members], self.people[strangers[:others]]


def named_origin(path: Path) -> Origin:
    """What a vectors file holds."""
    vectors = load_vectors(path)
    if vectors.users is None:
        raise InvalidInputError(f"{path} holds no vectors of people; a benchmark needs them for its beliefs.")
    return _origin(vectors, f"the vectors of {path.name}")


def small_origin() -> Origin | None:
    """The catalogue of the paper's first columns, MovieLens-100k, if its ratings are on this machine."""
    return _learnt("ml-100k", "pmf-10", _films, "films and people of MovieLens-100k (PMF, 10 dimensions)")


def large_origin(quick: bool, on_progress: Callable[[str], None]) -> Origin:
    """Books and their readers, learnt once and then kept; without their ratings, random vectors like learnt ones.

    Args:
        quick: Take what lies in the cache, and do not spend the time to learn.
        on_progress: Told what is being learnt.
    """
    for name in RATED:
        words = f"books and readers of {name} (ALS, {DIMENSIONS} dimensions)"
        origin = _learnt(name, f"als-{DIMENSIONS}", None if quick else _books(name, on_progress), words)
        if origin is not None:
            return origin
    return random_origin()


def random_origin(n: int = 200_000, people: int = 5_000, dimensions: int = DIMENSIONS) -> Origin:
    """Vectors whose dimensions matter less and less and whose lengths spread, as those of learnt ones do."""
    generator = derive_generator(0, "bench origin")
    spectrum = torch.arange(1, dimensions + 1, dtype=torch.float32).rsqrt()
    items = torch.randn(n, dimensions, generator=generator, dtype=torch.float32) * spectrum
    lengths = torch.randn(n, 1, generator=generator, dtype=torch.float32).exp()
    tastes = torch.randn(people, dimensions, generator=generator, dtype=torch.float32) * spectrum
    words = f"random vectors like learnt ones ({dimensions} dimensions, falling spectrum, log-normal lengths)"
    return Origin(items * lengths, tastes, words)


Learn = Callable[[Ratings], Vectors]


def _learnt(name: str, method: str, learn: Learn | None, words: str) -> Origin | None:
    """Vectors from the cache or, if the data set is here and `learn` is given, learnt and kept there."""
    folder = cache_directory("bench")
    kept = None if folder is None else folder / f"{name}-{method}.npz"
    vectors = _kept(kept)
    if vectors is None:
        if learn is None:
            return None
        try:
            where, reader = find_dataset(name), dataset_named(name).ratings
            assert reader is not None
            vectors = learn(reader(where))
        except (MissingDataError, MissingExtraError):
            return None
        _keep(vectors, kept)
    return _origin(vectors, words)


def _origin(vectors: Vectors, words: str) -> Origin:
    return Origin(as_floats(vectors.items, "items", 2), as_floats(vectors.users, "users", 2), words)


def _kept(path: Path | None) -> Vectors | None:
    if path is None or not path.exists():
        return None
    try:
        return load_vectors(path)
    except (InvalidInputError, OSError, ValueError, KeyError):  # damaged: learn again
        return None


def _keep(vectors: Vectors, path: Path | None) -> None:
    if path is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_vectors(vectors, path)
    except OSError:  # a full or read-only disk only costs the time to learn again
        return


def _films(ratings: Ratings) -> Vectors:
    factors = pmf(ratings)
    return Vectors(factors.items.numpy(), factors.users.numpy(), about=dict(factors.notes))


def _books(name: str, on_progress: Callable[[str], None]) -> Learn:
    def learn(ratings: Ratings) -> Vectors:
        on_progress(f"learning vectors from the ratings of {name}, once")
        # The confidence that the authors of the method use; the regularisation keeps rarely rated books short.
        factors = als(ratings, dimensions=DIMENSIONS, iterations=4, regularisation=10.0, confidence=40.0)
        readers = np.bincount(ratings.users, minlength=ratings.n_users) >= LEAST_RATINGS
        return Vectors(factors.items.numpy(), factors.users.numpy()[readers], about=dict(factors.notes))

    return learn
