"""Many people at once: the next questions of many sessions, with one look at the catalogue for all of them."""

from __future__ import annotations

import contextvars
import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from rather.conversation.session import Session
from rather.model.questions import Question
from rather.numerics.threads import allowed_threads
from rather.retrieval import ExactRetriever, Found, Retriever
from rather.strategies.auto import Auto

# Sessions that choose at the same time: their searches go into one scan, which for 64 directions takes some four times
# as long as for two.
AT_A_TIME = 32

# From so many items on a search waits for those of the other sessions; a smaller catalogue is searched faster than
# sessions wait for each other.
SHARED_FROM = 50_000


def ask_many(sessions: Sequence[Session]) -> list[Question]:
    """The open question of each session: what `[session.ask() for session in sessions]` returns, in less time.

    Where sessions search a whole large catalogue, the directions of all that are under way go into one scan. Questions
    that take longer than those of `auto` about items are chosen on all cores. Sessions with the same settings and
    answers choose once.

    An error that one of them raises is raised when all others have their question.
    """
    groups: dict[object, list[Session]] = {}
    for session in sessions:
        groups.setdefault(session.state_key() or id(session), []).append(session)
    first = [group[0] for group in groups.values()]
    cores = allowed_threads()
    free = threading.Semaphore(max(1, cores))
    alone, sharing = _who_share(first)
    # Who waits for nobody needs no more threads than there are cores.
    asked = _on_threads(Session.ask, [session for session in alone if _is_quick(session)], 1)
    asked += _on_threads(Session.ask, [session for session in alone if not _is_quick(session)], cores)
    for members in sharing:
        scans = SharedScans(members[0].retriever, len(members))
        asked += _on_threads(partial(_ask_sharing, scans, free), members, AT_A_TIME)
    for future in asked:
        future.result()
    for group in groups.values():
        for session in group[1:]:
            session.share_question(group[0])
    return [session.ask() for session in sessions]


def _is_quick(session: Session) -> bool:
    """Whether a question is a few milliseconds of small kernels: two at a time wait for the interpreter."""
    return session.ask_kind == "items" and isinstance(session.strategy, Auto)


def _on_threads(ask: Callable[[Session], Question], sessions: Sequence[Session], most: int) -> list[Future[Question]]:
    """Ask for every session, so many at a time; returns when all are done."""
    with ThreadPoolExecutor(max(1, min(most, len(sessions)))) as pool:
        return [pool.submit(contextvars.copy_context().run, ask, session) for session in sessions]


@dataclass
class _Search:
    """What one session looks for, and what was found."""

    directions: Tensor
    count: int
    allowed: Tensor | None
    found: Found | None = None
    error: BaseException | None = None


class SharedScans:
    """An exact retriever for several sessions at a time: searches wait until every session under way has one.

    Args:
        exact: Searches for all of them.
        sessions: How many there will be, of which up to `AT_A_TIME` are under way.
    """

    def __init__(self, exact: Retriever, sessions: int) -> None:
        self.exact = exact
        self._left = sessions
        self._waiting: list[_Search] = []
        self._turn = threading.Condition()

    @contextmanager
    def member(self) -> Iterator[None]:
        """One of the sessions, until it is done."""
        try:
            yield
        finally:
            with self._turn:
                self._left -= 1
                self._scan_if_all_wait()

    def top(self, directions: Tensor, count: int, allowed: Tensor | None = None) -> Found:
        """See `Retriever.top`."""
        search = _Search(directions, count, allowed)
        with self._turn:
            self._waiting.append(search)
            self._scan_if_all_wait()
            self._turn.wait_for(lambda: search.found is not None or search.error is not None)
        if search.error is not None:
            raise search.error
        assert search.found is not None
        return search.found

    def _scan_if_all_wait(self) -> None:
        """With the lock held: whoever comes last searches for all."""
        if not self._waiting or len(self._waiting) < min(AT_A_TIME, self._left):
            return
        searches, self._waiting = self._waiting, []
        for _, alike in itertools.groupby(sorted(searches, key=_kind), key=_kind):
            self._search(list(alike))
        self._turn.notify_all()

    def _search(self, alike: list[_Search]) -> None:
        try:
            found = self.exact.top(torch.cat([search.directions for search in alike]), alike[0].count, alike[0].allowed)
        except BaseException as error:  # each session raises it
            for search in alike:
                search.error = error
            return
        sizes = [len(search.directions) for search in alike]
        parts = zip(*(torch.split(part, sizes) for part in (found.scores, found.rows, found.vectors)), strict=True)
        for search, (scores, rows, vectors) in zip(alike, parts, strict=True):
            search.found = Found(scores, rows, vectors)


def _kind(search: _Search) -> tuple[int, int]:
    return search.count, 0 if search.allowed is None else id(search.allowed)


def _ask_sharing(scans: SharedScans, free: threading.Semaphore, session: Session) -> Question:
    """Choose the question of one session on a free core."""
    with scans.member(), free:
        return session.ask_through(_Waiting(scans.top, free))


@dataclass(frozen=True)
class _Waiting:
    """Searches without holding a core while it waits."""

    search: Callable[[Tensor, int, Tensor | None], Found]
    core: threading.Semaphore

    def top(self, directions: Tensor, count: int, allowed: Tensor | None = None) -> Found:
        """See `Retriever.top`."""
        self.core.release()
        try:
            return self.search(directions, count, allowed)
        finally:
            self.core.acquire()


def _who_share(sessions: Sequence[Session]) -> tuple[list[Session], list[list[Session]]]:
    """Those who search alone, and those who share the exact retriever of a large catalogue."""
    having: dict[int, list[Session]] = {}
    for session in sessions:
        shares = isinstance(session.retriever, ExactRetriever) and len(session.catalog) >= SHARED_FROM
        having.setdefault(id(session.retriever) if shares else -1, []).append(session)
    alone = having.pop(-1, [])
    alone += [members[0] for members in having.values() if len(members) == 1]
    return alone, [members for members in having.values() if len(members) > 1]
