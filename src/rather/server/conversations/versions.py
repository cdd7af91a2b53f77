"""The versions of catalogues that a server serves: prepared before anybody waits for them, replaced while they do."""

import logging
import threading
import time
from collections.abc import Iterable, Mapping
from typing import Any

from rather.errors import RatherError
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.catalog_changes import CatalogChanges, catalog_changes
from rather.server.computing.catalogs import ServedCatalog, ServedCatalogs
from rather.server.computing.prefetch import Prefetch
from rather.server.computing.states import States
from rather.server.conversations.opening import Opening
from rather.server.requests import NewSession
from rather.server.sessions.store import LostRaceError, Store

logger = logging.getLogger("rather.server")


class Versions:
    """Prepares and replaces catalogues.

    Args:
        catalogs: Those that are served.
        states: Computes states of conversations about them.
        prefetch: Computes states in advance, if at all.
        opening: Makes the first conversation about each.
    """

    def __init__(self, catalogs: ServedCatalogs, states: States, prefetch: Prefetch | None, opening: Opening) -> None:
        self._catalogs = catalogs
        self._states = states
        self._prefetch = prefetch
        self._opening = opening
        self._replacing = threading.Lock()

    def prepare(self) -> None:
        """Prepare every catalogue, so that the first person does not wait for it."""
        for served in self._catalogs:
            self._prepare(served)

    def replace(
        self, name: str, opened: tuple[Catalog, Belief], earlier: Mapping[str, Belief] | None = None
    ) -> CatalogChanges:
        """Prepare another version of a catalogue beside the one that is served, then switch.

        Args:
            name: The name that it is served under.
            opened: What `rather.open` returned.
            earlier: Beliefs that running conversations started from, by their hash.
        """
        with self._replacing:
            old = self._catalogs.find(name)
            new = old.next_version(*opened, earlier)
            try:
                with self._states.gate.exempt():
                    self._prepare(new)
                changes = catalog_changes(old.catalog, new.catalog)
                self._catalogs.switch(new)
            finally:
                self._retire((old, new))
        return changes

    def _prepare(self, served: ServedCatalog) -> None:
        """Make what a catalogue needs for searches, and choose its first question."""
        about = {"catalog": served.name, "items": len(served.catalog)}
        logger.info("preparing", extra={"fields": about})
        for note in served.catalog.notes:
            logger.warning("reading", extra={"fields": {"catalog": served.name, "note": note}})
        start = time.perf_counter()
        self._opening.begin(served, NewSession())
        took: dict[str, Any] = {"seconds": round(time.perf_counter() - start, 2), "search": served.retriever_text}
        if served.plans:
            took["plans"] = [plan.key for plan in served.plans]
        elif served.settings.plans:
            text = "No plan was made for what this catalogue holds now: questions are chosen one by one."
            logger.warning("no plan", extra={"fields": {"catalog": served.name, "note": text}})
        logger.info("prepared", extra={"fields": about | took})

    def _retire(self, versions: Iterable[ServedCatalog]) -> None:
        """Forget what was computed about those versions that are not served, so that their memory is free again."""
        for catalog in {version.catalog for version in versions} - {served.catalog for served in self._catalogs}:
            self._states.retire(catalog)
            if self._prefetch is not None:
                self._prefetch.retire(catalog)


def upgrade(catalogs: ServedCatalogs, store: Store) -> None:
    """Add what was shown to answers that an older version stored, so that they outlive their catalogue.

    Only a catalogue that has not changed since can tell.
    """
    upgraded = 0
    for served in catalogs:
        for id in store.of_first_log_version(served.catalog.content_hash):
            stored = store.load(id)
            if stored is None or stored.catalog != served.name or not served.is_about(stored.settings):
                continue
            try:
                store.upgrade(stored, served.upgraded(stored.log))
                upgraded += 1
            except LostRaceError:
                continue  # another process changed or upgraded it
            except RatherError as error:
                logger.warning("a stored session cannot be upgraded", extra={"fields": {"reason": str(error)}})
    if upgraded:
        logger.info("upgraded stored sessions", extra={"fields": {"sessions": upgraded}})
