"""Which retriever serves a catalogue: chosen by its size, or by hand."""

from __future__ import annotations

import threading
from typing import Literal, get_args
from weakref import WeakKeyDictionary

from rather.errors import UnknownNameError
from rather.formats.vectors.file_facts import cache_directory
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.retrieval.exact import ExactRetriever
from rather.retrieval.protocol import Retriever
from rather.retrieval.shortlist import ShortlistRetriever

RetrieverKind = Literal["auto", "exact", "shortlist", "approximate"]

# From so many items on a question on a shortlist is faster than on all of them, and the shortlist is built in the time
# of some ten questions.
SHORTLIST_FROM = 50_000

# Retrievers kept for each catalogue, one for each kind and population.
MOST_KEPT = 8

_kept: WeakKeyDictionary[Catalog, dict[tuple[str, str], Retriever]] = WeakKeyDictionary()
_lock = threading.Lock()


def choose_retriever(
    catalog: Catalog, belief: Belief, kind: RetrieverKind | str = "auto", *, remembered: bool = True
) -> Retriever:
    """The retriever for conversations about a catalogue that start from a belief.

    Built once for the same catalogue and belief; later calls in this process return the same one.

    Args:
        catalog: Where to search.
        belief: Where conversations start.
        kind: "exact"; "shortlist"; "approximate", an index that is built once and then mapped from the user's cache
            directory (needs the extra `ann`); or "auto": exact for small catalogues, and for large ones a shortlist if
            its measured loss is within its bound, else exact.
        remembered: Whether a shortlist that another process built may be taken (see `rather.conversation.cached`).
    """
    if kind not in get_args(RetrieverKind):
        raise UnknownNameError(f"No retriever is called {kind!r}. There are: {', '.join(get_args(RetrieverKind))}.")
    if kind == "auto" and len(catalog) < SHORTLIST_FROM:
        return ExactRetriever(catalog)
    key = (kind, belief.content_hash)
    with _lock:  # two sessions that start at the same time share one build
        kept = _kept.setdefault(catalog, {})
        if key not in kept:
            while len(kept) >= MOST_KEPT:
                del kept[next(iter(kept))]
            kept[key] = _build(catalog, belief, kind, remembered)
        return kept[key]


def _build(catalog: Catalog, belief: Belief, kind: str, remembered: bool) -> Retriever:
    exact = ExactRetriever(catalog, people=belief)
    if kind == "exact":
        return exact
    if kind == "approximate":
        return _approximate(catalog, belief)
    if remembered:
        from rather.conversation.shortlists import recalled_shortlist

        shortlist = recalled_shortlist(exact, belief)
    else:
        shortlist = ShortlistRetriever.build(exact, belief)
    return shortlist if kind == "shortlist" or shortlist.report.trusted else exact


def _approximate(catalog: Catalog, belief: Belief) -> Retriever:
    from rather.retrieval.approximate import ApproximateRetriever

    if len(catalog) < SHORTLIST_FROM:  # built in less time than it takes to remember it
        return ApproximateRetriever.build(catalog, belief)
    return ApproximateRetriever.kept(catalog, belief, cache_directory() / "indexes" / f"{catalog.content_hash}.faiss")
