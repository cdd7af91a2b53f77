"""Which retriever serves a catalogue: chosen by its size, or by name."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Literal, get_args
from weakref import WeakKeyDictionary

from rather.caching import Cache
from rather.errors import InvalidInputError, UnknownNameError
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.configured_items import ConfiguredItems
from rather.retrieval.cached_shortlists import cached_shortlist
from rather.retrieval.exact import ExactRetriever
from rather.retrieval.paths import PathRetriever
from rather.retrieval.protocol import Retriever
from rather.retrieval.screening import ScreeningRetriever
from rather.retrieval.shortlist import ShortlistRetriever

RetrieverKind = Literal["auto", "exact", "shortlist", "approximate"]

# From this many items on, a question on a shortlist is faster than on all items, and building the shortlist takes no
# longer than some ten questions.
SHORTLIST_FROM = 50_000


class RetrieverCache:
    """The retrievers of each catalogue, for as long as the catalogue lives.

    Args:
        max_per_catalog: How many to keep; then the oldest is dropped.
    """

    def __init__(self, max_per_catalog: int = 8) -> None:
        self._max = max_per_catalog
        self._lock = threading.Lock()
        self._cached: WeakKeyDictionary[Catalog, dict[tuple[str, str], Retriever]] = WeakKeyDictionary()

    def get_or_build(self, catalog: Catalog, key: tuple[str, str], build: Callable[[], Retriever]) -> Retriever:
        """The retriever cached under a key; if there is none, the result of `build`, which runs once."""
        with self._lock:  # sessions that start at the same time share one build
            cached = self._cached.setdefault(catalog, {})
            if key not in cached:
                while len(cached) >= self._max:
                    del cached[next(iter(cached))]
                cached[key] = build()
            return cached[key]


_cache = RetrieverCache()


def choose_retriever(
    catalog: Catalog,
    belief: Belief,
    kind: RetrieverKind | str = "auto",
    *,
    cache: Cache | None = None,
    shortlist_from: int = SHORTLIST_FROM,
) -> Retriever:
    """The retriever for conversations about a catalogue that start from a belief.

    Built once per process for the same catalogue and belief; later calls return the same one.

    Args:
        catalog: Where to search.
        belief: Where conversations start.
        kind: "exact"; "shortlist"; "approximate", an index (needs the extra `ann`); or "auto": exact for small
            catalogues, and for large ones a shortlist if its measured loss is within its bound; else exact, with the
            shortlist for a first look.
        cache: Keeps shortlists and indexes between processes; an index is then memory-mapped from there. By default
            they are built in every process.
        shortlist_from: How many items a catalogue must have to count as large.
    """
    if isinstance(catalog.storage, ConfiguredItems):
        return _path_retriever(catalog, kind)
    if kind not in get_args(RetrieverKind):
        raise UnknownNameError(f"No retriever is called {kind!r}. There are: {', '.join(get_args(RetrieverKind))}.")
    is_large = len(catalog) >= shortlist_from
    if kind == "auto" and not is_large:
        return ExactRetriever(catalog)

    def build() -> Retriever:
        if kind == "approximate":
            # Building a small one takes no longer than reading it from the cache.
            return _approximate(catalog, belief, cache if is_large else None)
        exact = ExactRetriever(catalog, population=belief)
        if kind == "exact":
            return exact
        shortlist = (
            cached_shortlist(exact, belief, cache) if cache is not None else ShortlistRetriever.build(exact, belief)
        )
        return shortlist if kind == "shortlist" or shortlist.report.trusted else ScreeningRetriever(shortlist)

    return _cache.get_or_build(catalog, (kind, belief.content_hash), build)


def exact_retriever(catalog: Catalog) -> Retriever:
    """The retriever that finds the best items of a catalogue for certain."""
    return PathRetriever(catalog) if isinstance(catalog.storage, ConfiguredItems) else ExactRetriever(catalog)


def _path_retriever(catalog: Catalog, kind: str) -> Retriever:
    if kind not in ("auto", "exact"):
        raise InvalidInputError(
            f"`retriever` must be 'auto' or 'exact' for a product space, got {kind!r}: its searches are exact and do "
            "not look at every item."
        )
    # The same one for the same catalogue: what is known about beliefs is kept by the retriever.
    return _cache.get_or_build(catalog, ("exact", ""), lambda: PathRetriever(catalog))


def _approximate(catalog: Catalog, belief: Belief, cache: Cache | None) -> Retriever:
    from rather.retrieval.approximate import ApproximateRetriever

    folder = None if cache is None else cache.subfolder("indexes")
    if folder is None:
        return ApproximateRetriever.build(catalog, belief)
    return ApproximateRetriever.load_or_build(catalog, belief, folder / f"{catalog.content_hash}.faiss")
