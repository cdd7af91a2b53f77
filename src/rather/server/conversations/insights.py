"""Insights for the operator: computed beside the requests, and kept for a while."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotReadyError

from rather.insights.progress import Progress, progress
from rather.insights.report import Insights, Wants, wants_of
from rather.insights.respondents import Respondent, sampled
from rather.server.computing.catalogs import ServedCatalog, ServedCatalogs
from rather.server.sessions.records import StoredSession, now
from rather.server.sessions.store import Store

# Conversations that what people want is estimated from.
MOST_SAMPLED = 2_000
# How long a request waits for numbers; then it says that they are being computed.
WAIT_SECONDS = 3.0
# How long a report is shown before it is computed again.
KEPT_SECONDS = 600.0


def respondent_of(stored: StoredSession, number: int) -> Respondent:
    """A stored session as a respondent, without what would let a reader of the report answer in it."""
    return Respondent(stored.study.get("respondent", f"conversation {number}"), stored.log)


class InsightReports:
    """Reports about the catalogues of a server.

    One thread computes them, one after the other, so that people who answer are not slowed down by more than a core.

    Args:
        catalogs: What is served.
        store: Stores sessions.
        kept_seconds: How long a report is shown before it is computed again.
        clock: Seconds that only grow.
    """

    def __init__(
        self,
        catalogs: ServedCatalogs,
        store: Store,
        kept_seconds: float = KEPT_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._catalogs, self._store = catalogs, store
        self._kept_seconds, self._clock = kept_seconds, clock
        self._lock = threading.Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="insights")
        self._reports: dict[str, _Report] = {}
        self._closed = threading.Event()

    def report(self, name: str, wait_seconds: float = WAIT_SECONDS) -> tuple[Insights | None, bool]:
        """The report about a catalogue as far as it is computed, and whether there is more to come.

        None where not even the progress of conversations could be counted in time.
        """
        served = self._catalogs.find(name)
        with self._lock:
            known = self._reports.get(name)
            if known is None or known.is_over(self._clock() - self._kept_seconds):
                known = self._reports[name] = self._begin(served)
        known.wait(wait_seconds)
        return known.insights(name, served.catalog.name), not known.wants.done()

    def close(self) -> None:
        """Stop computing."""
        self._closed.set()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _go_on(self) -> None:
        if self._closed.is_set():
            raise CancelledError

    def _begin(self, served: ServedCatalog) -> "_Report":
        made = now().strftime("%Y-%m-%d %H:%M")
        counted = self._thread.submit(lambda: progress(self._store.courses(served.name)))
        return _Report(made, self._clock(), counted, self._thread.submit(self._wants, served))

    def _wants(self, served: ServedCatalog) -> Wants | None:
        found, answering = self._store.sample(served.name, MOST_SAMPLED, seed=0)
        respondents = [respondent_of(stored, number) for number, stored in enumerate(found, 1)]
        people = sampled(respondents, served.catalog, served.belief, on_step=self._go_on)
        if not len(people.draws):
            return None
        return wants_of(people, served.catalog, served.belief, answering=answering, retriever=served.retriever)


class _Report:
    """A report that is being computed, or was."""

    def __init__(self, made: str, begun: float, counted: Future[Progress], wants: Future[Wants | None]) -> None:
        self.made, self.begun = made, begun
        self.counted, self.wants = counted, wants

    def is_over(self, oldest: float) -> bool:
        """Whether it is finished and older than this, or has failed."""
        failed = any(each.done() and each.exception() is not None for each in (self.counted, self.wants))
        return failed or (self.wants.done() and self.begun < oldest)

    def wait(self, seconds: float) -> None:
        """Wait for the counts, which come first, and in the time that is left for the rest."""
        deadline = time.monotonic() + seconds
        for future in (self.counted, self.wants):
            try:
                future.result(timeout=max(0.0, deadline - time.monotonic()))
            except NotReadyError:
                return

    def insights(self, catalog: str, noun: str) -> Insights | None:
        """What is computed by now."""
        if not self.counted.done():
            return None
        wants = self.wants.result() if self.wants.done() else None
        return Insights(catalog, noun, self.made, self.counted.result(), wants)
