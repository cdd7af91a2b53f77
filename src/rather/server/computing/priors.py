"""The priors that conversations start from: what a catalogue supposes by itself, and what was learnt from answers."""

import logging
import threading
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rather.errors import CatalogChangedError
from rather.formats.opened import Opened
from rather.formats.prior_files import LearntPrior
from rather.model.belief import Belief

logger = logging.getLogger("rather.server")

# Earlier versions whose conversations may still be running.
MOST_EARLIER = 50


class Beliefs(NamedTuple):
    """Where conversations about a version of a catalogue start.

    Attributes:
        current: New ones.
        earlier: Those that began with an earlier version of the prior, by the hash of their belief.
    """

    current: Belief
    earlier: Mapping[str, Belief]


class Priors:
    """The learnt priors of each catalogue, the newest last; a catalogue without one has its own.

    Attributes:
        switching: Held from reading what is served until something else is. Otherwise a prior that is learnt while a
            file is opened again would bring the old items back.

    Args:
        learnt: Those to begin with, by the name of the catalogue.
    """

    def __init__(self, learnt: Mapping[str, Iterable[LearntPrior]] | None = None) -> None:
        self._learnt = {name: list(versions) for name, versions in (learnt or {}).items()}
        self._own: dict[str, Opened] = {}
        self._lock = threading.Lock()
        self.switching = threading.Lock()

    def own(self, name: str) -> Opened:
        """The catalogue of this name with its own prior, in the version that is served."""
        with self._lock:
            return self._own[name]

    def serve(self, name: str, opened: Opened) -> None:
        """Note which version of a catalogue is served from now on, with its own prior."""
        with self._lock:
            self._own[name] = opened

    def versions(self, name: str) -> list[LearntPrior]:
        """The learnt priors of a catalogue, the newest last."""
        with self._lock:
            return list(self._learnt.get(name, ()))

    def add(self, name: str, learnt: LearntPrior) -> None:
        """Use another one from now on."""
        with self._lock:
            self._learnt.setdefault(name, []).append(learnt)

    def beliefs(self, name: str, opened: Opened, *, strict: bool = False) -> Beliefs:
        """Where conversations start: with the newest learnt prior, or the own one where columns have changed since.

        Args:
            name: Of the catalogue.
            opened: The catalogue with its own prior.
            strict: Raise `CatalogChangedError` where the newest prior has another meaning.
        """
        current, earlier = opened.belief, dict[str, Belief]()
        for learnt in self.versions(name)[-MOST_EARLIER:]:
            earlier[current.content_hash] = current
            try:
                current = learnt.applied(opened).belief
            except CatalogChangedError as error:
                if strict:
                    raise
                fields = {"catalog": name, "reason": str(error)}
                logger.warning("a learnt prior is not used", extra={"fields": fields})
        return Beliefs(current, earlier)
