"""What a command can be pointed at: a catalogue together with the belief a conversation about it starts from."""

from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from rather.caching import user_cache
from rather.errors import InvalidInputError, UnknownNameError
from rather.formats.tables.encoded_table import encode_table
from rather.formats.vectors.file_facts import OnProgress, ReadOptions
from rather.formats.vectors.vector_files import is_vectors_file, load_vectors
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.nouns import counted


@dataclass(frozen=True)
class Source:
    """A catalogue and the belief before the first question."""

    name: str
    catalog: Catalog
    belief: Belief


def open_source(name: str, on_progress: OnProgress | None = None) -> Source:
    """The bundled catalogue of this name, what a vectors file holds, or any table.

    Args:
        name: Of the catalogue or file.
        on_progress: Called as a large vectors file is looked at for the first time.
    """
    if name == "films":
        from rather.formats.films import film_belief, film_catalog

        catalog = film_catalog()
        return Source(name, catalog, film_belief(catalog))
    if is_vectors_file(name):
        vectors = load_vectors(name, ReadOptions(user_cache(), on_progress))
        return Source(name, vectors.catalog(), vectors.belief())
    if not (Path(name).suffix or Path(name).exists()):
        raise UnknownNameError(
            f"No catalogue is called {name!r}, and no file either. There is: films (bundled); or give a table "
            "(CSV, TSV, Parquet, JSON lines) or a vectors file as `rather learn` writes it."
        )
    table = encode_table(name)
    return Source(name, table.catalog, table.belief())


def must_haves(catalog: Catalog, expression: str | None, k: int) -> Tensor | None:
    """The items that satisfy an expression such as `price < 30000`, `(n,)`; None without one.

    Refuses one that leaves fewer items than a slate holds.
    """
    if expression is None:
        return None
    allowed = catalog.where(expression)
    if (left := int(allowed.sum())) < k:
        verb = "satisfies" if left < 2 else "satisfy"
        raise InvalidInputError(
            f"Of {counted(len(catalog), catalog.name)}, {left or 'none'} {verb} {expression!r}, but a question needs "
            f"{k}. Loosen the expression."
        )
    return allowed
