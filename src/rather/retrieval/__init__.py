"""The best items for given utility directions: the only code that touches every item of a catalogue."""

from rather.retrieval.exact import ExactRetriever, ExactSettings
from rather.retrieval.nearest import nearest_items
from rather.retrieval.paths import PathRetriever
from rather.retrieval.protocol import AdaptiveRetriever, Found, HasCandidates, HasFavourites, Retriever, Screening
from rather.retrieval.screening import ScreeningRetriever
from rather.retrieval.selection import RetrieverKind, choose_retriever, exact_retriever
from rather.retrieval.shortlist import ShortlistRetriever
from rather.retrieval.shortlist_settings import ShortlistSettings

__all__ = [
    "AdaptiveRetriever",
    "ExactRetriever",
    "ExactSettings",
    "Found",
    "HasCandidates",
    "HasFavourites",
    "PathRetriever",
    "Retriever",
    "RetrieverKind",
    "Screening",
    "ScreeningRetriever",
    "ShortlistRetriever",
    "ShortlistSettings",
    "choose_retriever",
    "exact_retriever",
    "nearest_items",
]
