"""The best items for given utility directions: the only code that touches every item of a catalogue."""

from rather.retrieval.exact import ExactRetriever
from rather.retrieval.nearest import nearest_items
from rather.retrieval.protocol import Found, Retriever

__all__ = ["ExactRetriever", "Found", "Retriever", "nearest_items"]
