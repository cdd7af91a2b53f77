"""The best items for given utility directions: the only code that touches every item of a catalogue."""

from rather.retrieval.exact import ExactRetriever, ExactSettings
from rather.retrieval.nearest import nearest_items
from rather.retrieval.protocol import Adapting, Found, Retriever, Shortlisting
from rather.retrieval.selection import RetrieverKind, choose_retriever
from rather.retrieval.shortlist import ShortlistRetriever
from rather.retrieval.shortlist_settings import ShortlistSettings

__all__ = [
    "Adapting",
    "ExactRetriever",
    "ExactSettings",
    "Found",
    "Retriever",
    "RetrieverKind",
    "ShortlistRetriever",
    "ShortlistSettings",
    "Shortlisting",
    "choose_retriever",
    "nearest_items",
]
