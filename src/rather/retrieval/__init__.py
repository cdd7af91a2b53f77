"""The best items for given utility directions: the only code that touches every item of a catalogue."""

from rather.retrieval.exact import ExactRetriever
from rather.retrieval.nearest import nearest_items
from rather.retrieval.protocol import Adapting, Found, Retriever, Shortlisting
from rather.retrieval.selection import choose_retriever
from rather.retrieval.shortlist import ShortlistRetriever

__all__ = [
    "Adapting",
    "ExactRetriever",
    "Found",
    "Retriever",
    "ShortlistRetriever",
    "Shortlisting",
    "choose_retriever",
    "nearest_items",
]
