"""What policies have computed about beliefs, shared by those that search the same items."""

from torch import Tensor

from rather.caching.by_identity import ByIdentity
from rather.retrieval import Found, Retriever

# Beliefs for which the fitted retriever and the best items are cached. A conversation looks at one or two at a time;
# a service at those of the people who answer at the moment.
CACHED_BELIEFS = 256

# Retrievers for which they are cached.
CACHED_RETRIEVERS = 16


class Known:
    """What was computed about beliefs and the items that may be recommended.

    In a large catalogue this takes a search for every particle. Policies that search all items with the same retriever
    share it, so that only the first session about a catalogue and a prior computes it.
    """

    def __init__(self) -> None:
        self.best_utilities: ByIdentity[Tensor] = ByIdentity(CACHED_BELIEFS)
        self.regrets: ByIdentity[float] = ByIdentity(CACHED_BELIEFS)
        self.rankings: ByIdentity[Found] = ByIdentity(CACHED_BELIEFS)


_shared: ByIdentity[Known] = ByIdentity(CACHED_RETRIEVERS)


def known_to(retriever: Retriever) -> Known:
    """What is known about the items that a retriever searches."""
    try:
        return _shared(retriever, Known)
    except TypeError:  # a tuple, or an object with slots, cannot be referred to weakly
        return Known()
