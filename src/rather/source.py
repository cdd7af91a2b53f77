"""What a command can be pointed at: a catalogue together with the belief a conversation about it starts from."""

from dataclasses import dataclass

from rather.belief import Belief
from rather.catalog import Catalog
from rather.errors import UnknownNameError
from rather.vectors import is_vectors_file, load_vectors


@dataclass(frozen=True)
class Source:
    """A catalogue and the belief before the first question."""

    name: str
    catalog: Catalog
    belief: Belief


def open_source(name: str) -> Source:
    """The bundled catalogue of this name, or what a vectors file holds."""
    if name == "films":
        from rather.films import film_belief, film_catalog

        catalog = film_catalog()
        return Source(name, catalog, film_belief(catalog))
    if is_vectors_file(name):
        vectors = load_vectors(name)
        return Source(name, vectors.catalog(), vectors.belief())
    raise UnknownNameError(
        f"No catalogue is called {name!r}. There is: films (bundled); "
        "or give a vectors file as `rather learn` writes it."
    )
