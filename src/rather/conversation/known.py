"""What policies have computed about beliefs, shared by those that search the same items."""

from rather.caching.by_identity import ByIdentity
from rather.conversation.lists import Favourites, Recommended
from rather.retrieval import Retriever
from rather.value import Objective

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
        self.favourites: ByIdentity[Favourites] = ByIdentity(CACHED_BELIEFS)
        """By the particles of a belief."""
        self.recommended: ByIdentity[dict[Objective, Recommended]] = ByIdentity(CACHED_BELIEFS)
        """By the belief."""


_shared: ByIdentity[Known] = ByIdentity(CACHED_RETRIEVERS)


def known_to(retriever: Retriever) -> Known:
    """What is known about the items that a retriever searches."""
    try:
        return _shared(retriever, Known)
    except TypeError:  # a tuple, or an object with slots, cannot be referred to weakly
        return Known()
