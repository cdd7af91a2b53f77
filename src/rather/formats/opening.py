"""Whatever one has, as a catalogue together with the belief that conversations about it start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from torch import Tensor

from rather.caching import Cache, user_cache
from rather.errors import InvalidInputError, UnknownNameError
from rather.formats.folders import VectorFolder, find_in_folder, readable_files
from rather.formats.opened import Opened as Opened
from rather.formats.prior_files import LearntPrior, load_prior
from rather.formats.scores import is_scores_file, load_scores
from rather.formats.spaces.definition import ProductSpace
from rather.formats.spaces.encoding import encode_space
from rather.formats.spaces.space_files import BUNDLED_SPACES, SPACE_ENDINGS, bundled_space, names_space, read_space
from rather.formats.tables.encoded_table import describe_items, encode_table
from rather.formats.tables.reading import TABLE_ENDINGS
from rather.formats.tables.settings import settings_path, suggestion
from rather.formats.vectors.file_facts import OnProgress, ReadOptions
from rather.formats.vectors.vector_files import VECTOR_ENDINGS, Vectors, is_vectors_file, load_vectors
from rather.model.allowed import Allowed, count_allowed
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.nouns import counted
from rather.numerics.arrays import as_floats

if TYPE_CHECKING:
    from rather.formats.tables.settings import TableSettings

BUNDLED = ("films", *BUNDLED_SPACES)


@dataclass(frozen=True)
class Options:
    """The keyword arguments of `open`."""

    settings: TableSettings | Mapping[str, Any] | str | Path | None
    ignore: Sequence[str]
    users: Any
    particles: int | None
    seed: int
    strict: bool
    read: ReadOptions

    def reject(self, source: str, *names: str) -> None:
        """Raise if one of these was given, which has no meaning for such a source."""
        given = {
            "settings": self.settings is not None,
            "ignore": len(self.ignore) > 0,
            "users": self.users is not None,
            "particles": self.particles is not None,
        }
        for name in names:
            if given[name]:
                raise InvalidInputError(f"`{name}` must be left out: it has no meaning for {source}.")

    @property
    def drawn(self) -> int:
        """How many particles to draw."""
        return 1000 if self.particles is None else self.particles


def open(
    source: Any,
    *,
    settings: TableSettings | Mapping[str, Any] | str | Path | None = None,
    ignore: Sequence[str] = (),
    users: Any = None,
    particles: int | None = None,
    seed: int = 0,
    strict: bool = False,
    prior: str | Path | LearntPrior | None = None,
    cache: Cache | None = None,
    on_progress: OnProgress | None = None,
) -> Opened:
    """A catalogue and the belief that conversations about it start from.

    ```python
    catalog, belief = rather.open("cars.csv")
    catalog, belief = rather.open("items.npy", users="users.npy")
    catalog, belief = rather.open(dataframe, ignore=["margin"])
    ```

    A folder is opened by what is in it:

    * item vectors (`items.npy`, or a single vectors file of any name), beside them user vectors (`users.npy`) if there
      are any, and a table with a row for each item (`items.csv`) if labels, facts and filters are to be taken from it;
    * scores of all items for sampled people (`scores.npy`, see `from_scores`) in place of vectors;
    * else a single table, with its settings beside it.

    Args:
        source: "films", the bundled catalogue; "bicycle" or "laptop", the bundled product spaces; a product space: a
            `ProductSpace` or the path of its `.toml` file; a table: the path of a CSV, TSV, Parquet or JSON lines
            file, a pandas or polars DataFrame, an Arrow table, or a mapping of column names to lists; vectors: the
            path of an `.npz`, `.npy`, `.parquet`, `.arrow`, `.feather` or `.vec` (word2vec text) file, or a matrix
            `(n, d)` with a row for each item; scores: the path of `scores.npy`, or of an `.npz` file with an array
            `scores`; or the path of a folder.
        settings: Settings of a table: a path, a mapping or `TableSettings`. By default those beside its file
            (`cars.toml` beside `cars.csv`), if there are any.
        ignore: Columns of a table neither to learn from nor to show.
        users: User vectors `(m, d)`, a matrix or a path, for item vectors that come without. Each user becomes a
            particle of the belief; without users, the belief is a Gaussian around indifference.
        particles: How many particles to draw where the belief is a density, by default 1000.
        seed: Of these draws.
        strict: Reject a table with values that cannot be read; by default they count as missing, and `Catalog.notes`
            says which.
        prior: What was learnt from people's answers, the path of a file that `rather learn answers` wrote, in place of
            the prior that the catalogue has by itself. Then `particles` people are drawn from it.
        cache: Where facts about large files and converted files are kept, such as `rather.caching.user_cache()`. By
            default nothing is written.
        on_progress: Called while a large file is processed: with what is being done, how much of it is done, and how
            much there is.
    """
    options = Options(
        settings,
        [ignore] if isinstance(ignore, str) else ignore,
        users,
        particles,
        seed,
        strict,
        ReadOptions(cache, on_progress),
    )
    if prior is not None:
        learnt = prior if isinstance(prior, LearntPrior) else load_prior(prior)
        own = replace(options, particles=None) if users is not None else options
        return learnt.applied(_open(source, own), particles=options.drawn, seed=seed)
    return _open(source, options)


def _open(source: Any, options: Options) -> Opened:
    if isinstance(source, str) and source in BUNDLED_SPACES:
        return _open_space(bundled_space(source), options)
    if isinstance(source, str) and source in BUNDLED:
        return _open_films(options)
    if isinstance(source, ProductSpace):
        return _open_space(source, options)
    if isinstance(source, str | Path):
        return _open_path(Path(source), options)
    if isinstance(source, Vectors):
        return _open_vectors(source, "vectors", options)
    if isinstance(source, Tensor | np.ndarray) or _is_nested_list(source):
        items = as_floats(source, "source", rank=2).numpy()
        return _open_vectors(Vectors(items), "a matrix of item vectors", options)
    return _open_table(source, "a table", options)


def files_of(source: str | Path) -> list[Path]:
    """The files on which depends what `open` makes of a path, whether they exist or not; none for the bundled films."""
    if source in BUNDLED:
        return []
    path = Path(source)
    if names_space(path):
        return [path]
    return readable_files(path) if path.is_dir() else [path, settings_path(path)]


def _open_films(options: Options) -> Opened:
    from rather.formats.films import film_belief, film_catalog

    options.reject("the bundled films", "settings", "ignore", "users")
    catalog = film_catalog()
    return Opened(catalog, film_belief(catalog, particles=options.drawn, seed=options.seed))


def _open_space(space: ProductSpace, options: Options) -> Opened:
    options.reject("a product space", "settings", "ignore", "users")
    encoded = encode_space(space)
    return Opened(encoded.catalog, encoded.belief(particles=options.drawn, seed=options.seed))


def _open_path(path: Path, options: Options) -> Opened:
    if not path.exists():
        raise _no_such_path(path)
    if path.is_dir():
        found = find_in_folder(path)
        if isinstance(found, VectorFolder):
            return _open_vector_folder(found, options)
        path = found
    if path.suffix.lower() in SPACE_ENDINGS:
        return _open_space(read_space(path), options)
    if is_scores_file(path):
        return _open_scores(path, options)
    if is_vectors_file(path):
        return _open_vectors(load_vectors(path, options.read), path.name, options)
    return _open_table(path, path.name, options)


def _no_such_path(path: Path) -> Exception:
    if not path.suffix and len(path.parts) == 1:
        return UnknownNameError(
            f"No catalogue, file or folder is called {str(path)!r}. Bundled is: {', '.join(BUNDLED)}. Otherwise name a "
            f"table ({', '.join(TABLE_ENDINGS)}), vectors ({', '.join(VECTOR_ENDINGS)}), a product space "
            f"({', '.join(SPACE_ENDINGS)}) or a folder."
        )
    names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    return InvalidInputError(f"There is no file or folder {str(path)!r}{suggestion(path.name, names)}")


def _open_table(source: Any, name: str, options: Options) -> Opened:
    options.reject(f"{name}, which is a table", "users")
    table = encode_table(source, options.settings, ignore=options.ignore, strict=options.strict)
    return Opened(table.catalog, table.belief(particles=options.drawn, seed=options.seed))


def _open_vectors(vectors: Vectors, name: str, options: Options) -> Opened:
    options.reject(f"{name}, which holds vectors and no table", "settings", "ignore")
    vectors = _with_users(vectors, name, options)
    return Opened(vectors.catalog(), _belief(vectors, options))


def _open_scores(path: Path, options: Options) -> Opened:
    options.reject(f"{path.name}, which holds scores and no table", "settings", "ignore")
    options.reject(f"{path.name}, in which each person is a particle", "users", "particles")
    return load_scores(path, options.read).opened()


def _open_vector_folder(folder: VectorFolder, options: Options) -> Opened:
    if is_scores_file(folder.items):
        bare = replace(options, settings=None, ignore=(), users=folder.users or options.users)
        catalog, belief = _open_scores(folder.items, bare)
        return Opened(_described(catalog, folder, options), belief)
    vectors = load_vectors(folder.items, options.read)
    if folder.users is not None:
        options.reject(f"{folder.items.parent}, which holds {folder.users.name}", "users")
        vectors = _with_users(vectors, folder.items.name, replace(options, users=folder.users))
    else:
        vectors = _with_users(vectors, folder.items.name, options)
    return Opened(_described(vectors.catalog(), folder, options), _belief(vectors, options))


def _described(catalog: Catalog, folder: VectorFolder, options: Options) -> Catalog:
    """With what the table of the folder says about the items, if there is one."""
    if folder.table is None:
        options.reject(f"{folder.items.parent}, which holds no table", "settings", "ignore")
        return catalog
    return describe_items(catalog, folder.table, options.settings, ignore=options.ignore, strict=options.strict)


def _with_users(vectors: Vectors, name: str, options: Options) -> Vectors:
    if options.users is None:
        return vectors
    if vectors.users is not None:
        raise InvalidInputError(f"`users` must be left out: {name} holds user vectors of its own.")
    users = options.users
    if isinstance(users, str | Path):
        loaded = load_vectors(users, options.read)
        users = loaded.items if loaded.users is None else loaded.users
    return replace(vectors, users=as_floats(users, "users", rank=2).numpy())


def _belief(vectors: Vectors, options: Options) -> Belief:
    if vectors.users is not None:
        options.reject(f"a population of {len(vectors.users):,} users, each of them a particle", "particles")
    return vectors.belief(particles=options.drawn, seed=options.seed)


def _is_nested_list(source: Any) -> bool:
    return isinstance(source, list | tuple) and len(source) > 0 and all(isinstance(row, list | tuple) for row in source)


@dataclass(frozen=True)
class Source:
    """A catalogue and its belief under a name, as commands and the service take them."""

    name: str
    catalog: Catalog
    belief: Belief


def open_source(name: str, on_progress: OnProgress | None = None, *, strict: bool = False) -> Source:
    """What a command was pointed at, opened with the user's cache."""
    return Source(name, *open(name, strict=strict, cache=user_cache(), on_progress=on_progress))


def filtered_items(catalog: Catalog, expression: str | None, k: int) -> Allowed | None:
    """The items that satisfy a filter expression such as `price < 30000`; None without one.

    Rejects an expression that leaves fewer items than a slate holds.
    """
    if expression is None:
        return None
    allowed = catalog.where(expression)
    if (left := count_allowed(allowed, len(catalog))) < k:
        verb = "satisfies" if left < 2 else "satisfy"
        raise InvalidInputError(
            f"Of {counted(len(catalog), catalog.name)}, {left or 'none'} {verb} {expression!r}, but a question needs "
            f"{k}. Loosen the expression."
        )
    return allowed
