"""Where the vectors of a benchmark come from: learnt from real ratings if those are here, else random."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from rather.caching import user_cache
from rather.errors import InvalidInputError, MissingDataError, MissingExtraError
from rather.formats.vectors.vector_files import Vectors, load_vectors, save_vectors
from rather.learn import als, pmf
from rather.learn.ratings import Ratings
from rather.numerics.arrays import as_floats
from rather.numerics.randomness import derive_generator
from rather.research.datasets import dataset_named, find_dataset

DIMENSIONS = 50
FILM_DIMENSIONS = 32

# Most ratings first: more items to resample.
RATED = ("book-crossing", "goodbooks-10k")

# Users with fewer ratings have next to no taste that could be learnt.
LEAST_RATINGS = 20

# Noise of a resampled item, relative to its norm.
NOISE = 0.3

# Longer catalogues are resampled from the large origin, shorter ones may be a real one.
SMALL = 10_000


@dataclass(frozen=True, eq=False)
class Origin:
    """Vectors to draw from.

    Attributes:
        items: `(n, d)`.
        users: `(u, d)`.
        description: What they are.
        name: In a word.
    """

    items: Tensor
    users: Tensor
    description: str
    name: str = "vectors"

    @property
    def resampled_description(self) -> str:
        """What resampled items are."""
        return f"{self.description}, items resampled with noise"

    def resampled(self, n: int, block: int = 65_536) -> Tensor:
        """`(n, d)` items: those of the origin, drawn with replacement, each with noise of 0.3 times its length.

        They are made in blocks, each from a generator of its own: a larger catalogue begins with the smaller one.
        """
        d = self.items.shape[1]
        made = torch.empty(n, d)
        for start in range(0, n, block):
            generator = derive_generator(0, "bench items", start)
            drawn = self.items[torch.randint(len(self.items), (block,), generator=generator)]
            noise = torch.randn(block, d, generator=generator, dtype=torch.float32)
            lengths = torch.linalg.vector_norm(drawn, dim=1, keepdim=True)
            made[start : start + block] = (drawn + NOISE * lengths / d**0.5 * noise)[: n - start]
        return made

    def draw_users(self, m: int, others: int) -> tuple[Tensor, Tensor]:
        """`(m, d)` users for the belief and `(others, d)` to ask; some of the same if there are too few."""
        order = torch.randperm(len(self.users), generator=derive_generator(0, "bench people"))
        if m > len(order):
            raise InvalidInputError(
                f"A size has {m:,} particles, but there are vectors of {len(order):,} users only. "
                "Choose fewer particles, or another vectors file."
            )
        members = order[:m].sort().values
        strangers = order[m:] if len(order) >= m + others else order
        return self.users[members], self.users[strangers[:others]]


class NormalOrigin(Origin):
    """Vectors from N(0, I): nothing can be learnt about items from other items, the hardest case."""

    @property
    def resampled_description(self) -> str:
        """What the items are: new ones each."""
        return self.description

    def resampled(self, n: int, block: int = 65_536) -> Tensor:
        """`(n, d)` items, each drawn by itself."""
        made = torch.empty(n, self.items.shape[1])
        for start in range(0, n, block):
            generator = derive_generator(0, "bench normal items", start)
            drawn = torch.randn(block, made.shape[1], generator=generator, dtype=torch.float32)
            made[start : start + block] = drawn[: n - start]
        return made


def normal_origin(users: int = 5_000, dimensions: int = DIMENSIONS) -> Origin:
    """Items and users from N(0, I)."""
    drawn = torch.randn(users, dimensions, generator=derive_generator(0, "bench normal"), dtype=torch.float32)
    return NormalOrigin(drawn[:1], drawn, f"items and users from N(0, I) ({dimensions} dimensions)", "normal")


def film_origin(quick: bool, on_progress: Callable[[str], None]) -> Origin | None:
    """Films and users of MovieLens-1M, learnt once and then kept; None without its ratings."""

    def learn(ratings: Ratings) -> Vectors:
        on_progress("learning vectors from the ratings of ml-1m, once")
        return _films(ratings, FILM_DIMENSIONS)

    description = f"films and users of MovieLens-1M (PMF, {FILM_DIMENSIONS} dimensions)"
    return _learnt("ml-1m", f"pmf-{FILM_DIMENSIONS}", None if quick else learn, description, "films")


def named_origin(path: Path) -> Origin:
    """What a vectors file holds."""
    vectors = load_vectors(path)
    if vectors.users is None:
        raise InvalidInputError(f"{path} holds no user vectors; a benchmark needs them for its beliefs.")
    return _origin(vectors, f"the vectors of {path.name}", path.stem)


def small_origin() -> Origin | None:
    """The catalogue of the paper's first columns, MovieLens-100k, if its ratings are on this machine."""
    return _learnt("ml-100k", "pmf-10", _films, "films and users of MovieLens-100k (PMF, 10 dimensions)", "films")


def large_origin(quick: bool, on_progress: Callable[[str], None], users: int = 0) -> Origin:
    """Books and their readers, learnt once and then kept; without their ratings, random vectors like learnt ones.

    Args:
        quick: Take what lies in the cache, and do not spend the time to learn.
        on_progress: Called with a sentence before vectors are learnt.
        users: How many readers it must have.
    """
    for name in RATED:
        description = f"books and readers of {name} (ALS, {DIMENSIONS} dimensions)"
        origin = _learnt(name, f"als-{DIMENSIONS}", None if quick else _books(name, on_progress), description, "books")
        if origin is not None and len(origin.users) >= users:
            return origin
    return random_origin()


def random_origin(n: int = 200_000, users: int = 5_000, dimensions: int = DIMENSIONS) -> Origin:
    """Vectors with a decaying spectrum and log-normal lengths, as learnt ones have."""
    generator = derive_generator(0, "bench origin")
    spectrum = torch.arange(1, dimensions + 1, dtype=torch.float32).rsqrt()
    items = torch.randn(n, dimensions, generator=generator, dtype=torch.float32) * spectrum
    lengths = torch.randn(n, 1, generator=generator, dtype=torch.float32).exp()
    tastes = torch.randn(users, dimensions, generator=generator, dtype=torch.float32) * spectrum
    description = f"random vectors like learnt ones ({dimensions} dimensions, decaying spectrum, log-normal lengths)"
    return Origin(items * lengths, tastes, description, "random")


Learn = Callable[[Ratings], Vectors]


def _learnt(name: str, method: str, learn: Learn | None, description: str, noun: str) -> Origin | None:
    """Vectors from the cache or, if the data set is here and `learn` is given, learnt and kept there."""
    cache = user_cache()
    folder = None if cache is None else cache.subfolder("bench")
    kept = None if folder is None else folder / f"{name}-{method}.npz"
    vectors = _kept(kept)
    if vectors is None:
        if learn is None:
            return None
        try:
            folder_of_ratings, reader = find_dataset(name), dataset_named(name).ratings
            assert reader is not None
            vectors = learn(reader(folder_of_ratings))
        except (MissingDataError, MissingExtraError):
            return None
        _keep(vectors, kept)
    return _origin(vectors, description, noun)


def _origin(vectors: Vectors, description: str, noun: str) -> Origin:
    return Origin(as_floats(vectors.items, "items", 2), as_floats(vectors.users, "users", 2), description, noun)


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


def _films(ratings: Ratings, dimensions: int = 10) -> Vectors:
    factors = pmf(ratings, dimensions=dimensions)
    return Vectors(factors.items.numpy(), factors.users.numpy(), about=dict(factors.notes))


def _books(name: str, on_progress: Callable[[str], None]) -> Learn:
    def learn(ratings: Ratings) -> Vectors:
        on_progress(f"learning vectors from the ratings of {name}, once")
        # The confidence that the authors of the method use; the regularisation keeps rarely rated books short.
        factors = als(ratings, dimensions=DIMENSIONS, iterations=4, regularisation=10.0, confidence=40.0)
        readers = np.bincount(ratings.users, minlength=ratings.n_users) >= LEAST_RATINGS
        return Vectors(factors.items.numpy(), factors.users.numpy()[readers], about=dict(factors.notes))

    return learn
