"""Insights for the operator: computed beside the requests, and kept for a while."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from concurrent.futures import TimeoutError as NotReadyError
from dataclasses import dataclass, field, replace

from rather.insights.progress import Progress, progress
from rather.insights.report import Insights, Wants, Wishes, people_of, wants_of, with_wishes
from rather.insights.respondents import Respondent, Sampled, effects_of, sampled
from rather.server.computing.catalogs import ServedCatalog, ServedCatalogs
from rather.server.sessions.records import StoredSession, now
from rather.server.sessions.store import Store

# Conversations that what people want is estimated from.
MOST_SAMPLED = 1_000
# How long a request waits for counts, and for the rest; then it says that they are being computed.
WAIT_SECONDS, MOMENT_SECONDS = 3.0, 0.3
# How long a report is shown before it is computed again.
KEPT_SECONDS = 600.0


def respondent_of(stored: StoredSession, number: int) -> Respondent:
    """A stored session as a respondent, without what would let a reader of the report answer in it."""
    return Respondent(stored.study.get("respondent", f"conversation {number}"), stored.log)


class InsightReports:
    """Reports about the catalogues of a server.

    One thread computes what people want, one catalogue after the other, so that people who answer are not slowed down
    by more than a core. Another one counts, which takes seconds, so that counts never wait for the rest.

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
        self._counting = ThreadPoolExecutor(1, thread_name_prefix="counting")
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="insights")
        self._reports: dict[str, _Report] = {}
        self._following: dict[str, _Report] = {}
        self._closed = threading.Event()

    def report(
        self, name: str, wishes: Wishes | None = None, wait_seconds: float = WAIT_SECONDS
    ) -> tuple[Insights | None, bool]:
        """The report about a catalogue as far as it is computed, and whether there is more to come.

        None where not even the progress of conversations could be counted in time.

        Args:
            name: Of the catalogue.
            wishes: What the operator wants to know besides.
            wait_seconds: How long to wait for what is not computed yet.
        """
        known = self._known(name)
        known.wait(wait_seconds)
        return known.insights(wishes), not known.wants.done()

    def with_people(self, name: str, wait_seconds: float = WAIT_SECONDS) -> Insights | None:
        """The same with every respondent; None where it is not computed yet."""
        known = self._known(name)
        known.wait(wait_seconds)
        return known.with_people()

    def _known(self, name: str) -> "_Report":
        """The report to show: an old one until the one that follows it is complete."""
        served = self._catalogs.find(name)
        with self._lock:
            if name in self._following and self._following[name].wants.done():
                self._reports[name] = self._following.pop(name)
            known = self._reports.get(name)
            if known is None or known.has_failed:
                known = self._reports[name] = self._begin(served)
            elif name not in self._following and known.is_over(self._clock() - self._kept_seconds):
                self._following[name] = self._begin(served)
        return known

    def close(self) -> None:
        """Stop computing."""
        self._closed.set()
        for thread in (self._counting, self._thread):
            thread.shutdown(wait=False, cancel_futures=True)

    def _go_on(self) -> None:
        if self._closed.is_set():
            raise CancelledError

    def _begin(self, served: ServedCatalog) -> "_Report":
        made = now().strftime("%Y-%m-%d %H:%M")
        counted = self._counting.submit(lambda: progress(self._store.courses(served.name)))
        return _Report(served, made, self._clock(), counted, self._thread.submit(self._wants, served, counted))

    def _wants(self, served: ServedCatalog, counted: Future[Progress]) -> "_Wanted | None":
        wait([counted])  # which the first page shows: nothing else is to slow it down
        found, answering = self._store.sample(served.name, MOST_SAMPLED, seed=0)
        respondents = [respondent_of(stored, number) for number, stored in enumerate(found, 1)]
        opened = served.catalog, served.belief
        people = sampled(respondents, *opened, on_progress=lambda *_: self._go_on())
        if not len(people.draws):
            return None
        effects = effects_of(respondents, *opened, on_step=self._go_on)
        retriever = served.retriever
        wants = wants_of(people, *opened, effects=effects, answering=answering, retriever=retriever, people=False)
        return _Wanted(people, wants)


@dataclass(frozen=True, eq=False)
class _Wanted:
    """What people want, and what it was computed from: further questions are answered from that."""

    people: Sampled = field(repr=False)
    wants: Wants


@dataclass(frozen=True, eq=False)
class _Report:
    """A report that is being computed, or was, about a catalogue as it was then."""

    served: ServedCatalog
    made: str
    begun: float
    counted: Future[Progress]
    wants: "Future[_Wanted | None]"

    @property
    def has_failed(self) -> bool:
        """Whether it could not be computed."""
        return any(each.done() and each.exception() is not None for each in (self.counted, self.wants))

    def is_over(self, oldest: float) -> bool:
        """Whether it is finished and older than this."""
        return self.wants.done() and self.begun < oldest

    def wait(self, seconds: float) -> None:
        """Wait for the counts, which come first, and a moment for the rest, which takes longer."""
        for future, most in ((self.counted, seconds), (self.wants, min(seconds, MOMENT_SECONDS))):
            try:
                future.result(timeout=most)
            except NotReadyError:
                return

    def insights(self, wishes: Wishes | None) -> Insights | None:
        """What is computed by now."""
        if not self.counted.done():
            return None
        found = self.wants.result() if self.wants.done() else None
        wants = None if found is None else found.wants
        if found is not None and wishes is not None:
            wants = with_wishes(found.wants, found.people, self.served.catalog, wishes)
        return Insights(self.served.name, self.served.catalog.name, self.made, self.counted.result(), wants)

    def with_people(self) -> Insights | None:
        """All of it, with every respondent; None while it is computed."""
        known = self.insights(None)
        if known is None or not self.wants.done():
            return None
        found = self.wants.result()
        if found is None:
            return known
        people = people_of(found.people, self.served.catalog, found.wants.segments)
        return replace(known, wants=replace(found.wants, people=people))
