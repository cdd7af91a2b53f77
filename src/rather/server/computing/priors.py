"""The learnt priors that new conversations start from, by catalogue."""

import logging
import threading
from collections.abc import Mapping

from rather.errors import CatalogChangedError
from rather.formats.opened import Opened
from rather.formats.prior_files import LearntPrior

logger = logging.getLogger("rather.server")


class Priors:
    """Which learnt prior is used for each catalogue; a catalogue without one has its own.

    Args:
        learnt: Those to begin with, by the name of the catalogue.
    """

    def __init__(self, learnt: Mapping[str, LearntPrior] | None = None) -> None:
        self._learnt = dict(learnt or {})
        self._lock = threading.Lock()

    def find(self, name: str) -> LearntPrior | None:
        """That of the catalogue of this name."""
        with self._lock:
            return self._learnt.get(name)

    def use(self, name: str, learnt: LearntPrior) -> None:
        """Use another one from now on."""
        with self._lock:
            self._learnt[name] = learnt

    def applied(self, name: str, opened: Opened) -> Opened:
        """A new version of a catalogue with its learnt prior, or with its own where columns have changed since."""
        learnt = self.find(name)
        if learnt is None:
            return opened
        try:
            return learnt.applied(opened)
        except CatalogChangedError as error:
            logger.warning("the learnt prior is not used", extra={"fields": {"catalog": name, "reason": str(error)}})
            return opened
