"""Learning from stored answers while the server runs: a new prior is used once it has proved better.

A thread learns a population from the conversations that people had, holding the newest out, and compares how probable
their answers are under it and under the prior that is in use. Only a prior that is clearly better is switched to. It is
kept as a numbered file, and conversations go on with the prior that they started from.
"""

import logging
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Literal

from rather.errors import RatherError
from rather.formats.prior_files import LearntPrior, learnt_prior, load_prior, save_prior
from rather.learn import Conversation, conversations_of, population
from rather.learn.held_out import HeldOut, compared
from rather.model.catalog import Catalog
from rather.server.computing.priors import MOST_EARLIER, Priors
from rather.server.conversations import Conversations
from rather.server.sessions.records import now
from rather.server.sessions.store import StoreUnavailableError

logger = logging.getLogger("rather.server")

# Conversations that a prior is learnt from, at most, and at least.
MOST_CONVERSATIONS = 5_000
FEWEST_CONVERSATIONS = 50

# The newest of them are held out, and a prior is used that is better by so many standard errors.
HELD_OUT = 0.2
CLEARLY = 2.0

# What the file of a prior is called, before its ending.
NUMBER = re.compile(r"[0-9]{1,18}")

CHECK_SECONDS = 60.0
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Learnt:
    """What came of learning.

    Attributes:
        catalog: The name of the catalogue.
        outcome: "too few" conversations; "kept" the prior in use, as the new one is not clearly better; or "switched".
        conversations: That could be learnt from.
        measured: How probable the held-out answers were, before and after.
        version: The number of the new prior.
    """

    catalog: str
    outcome: Literal["too few", "kept", "switched"]
    conversations: int
    measured: HeldOut | None = None
    version: int | None = None


class PriorFolder:
    """Learnt priors in files, by catalogue and number.

    Args:
        path: A folder; it is created with the first prior.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def versions(self, name: str) -> list[LearntPrior]:
        """The last ones of a catalogue, the newest last; a file that cannot be read is left out."""
        found = []
        for path in self._files(name)[-MOST_EARLIER:]:
            try:
                found.append(load_prior(path))
            except RatherError as error:
                logger.warning("a learnt prior cannot be read", extra={"fields": {"reason": str(error)}})
        return found

    def add(self, name: str, learnt: LearntPrior) -> int:
        """Keep another one; returns its number."""
        files = self._files(name)
        number = int(files[-1].stem) + 1 if files else 1
        folder = self._folder(name)
        folder.mkdir(parents=True, exist_ok=True)
        save_prior(learnt, folder / f"{number:05}.npz")
        return number

    def _files(self, name: str) -> list[Path]:
        found = (path for path in self._folder(name).glob("*.npz") if NUMBER.fullmatch(path.stem))
        return sorted(found, key=lambda path: int(path.stem))

    def _folder(self, name: str) -> Path:
        # Two catalogues never share a folder, and no name leads out of it.
        return self._path / re.sub(r"[^\w-]", lambda found: f"%{ord(found[0]):X}", name)


class Learning:
    """Learns a prior for each catalogue of a server, again and again.

    Args:
        conversations: Whose answers are learnt from, and who start from what was learnt.
        priors: Those in use.
        folder: Where new ones are kept.
        every: After how many new conversations; None for once a day.
        clock: The time in UTC without a zone.
        fewest: With fewer conversations nothing is learnt.
    """

    def __init__(
        self,
        conversations: Conversations,
        priors: Priors,
        folder: PriorFolder,
        every: int | None,
        clock: Callable[[], datetime] = now,
        fewest: int = FEWEST_CONVERSATIONS,
    ) -> None:
        self._conversations, self._priors, self._folder = conversations, priors, folder
        self._every, self._clock, self._fewest = every, clock, fewest
        self._tried: dict[str, datetime] = {}
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Learn in the background from now on."""
        self._thread = threading.Thread(target=self._learn_repeatedly, name="learning", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Learn no more. What is being learnt is given up."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(5.0)

    def check(self) -> list[Learnt]:
        """Learn for every catalogue for which it is time, and use what another server has learnt meanwhile."""
        for served in self._conversations.catalogs:
            self._adopt(served.name)
        return [self.learn(served.name) for served in self._conversations.catalogs if self._is_due(served.name)]

    def learn(self, name: str) -> Learnt:
        """Learn a prior for a catalogue now, and use it if it is clearly better than the one in use.

        Args:
            name: Of the catalogue.
        """
        started, start = self._clock(), time.perf_counter()
        self._tried[name] = started
        opened, used = self._priors.own(name), self._conversations.catalogs.find(name).belief.prior
        own = opened.belief.prior
        told = self._told(name, opened.catalog) if own is not None else []
        if own is None or used is None or len(told) < self._fewest:
            return Learnt(name, "too few", len(told))
        count = round(HELD_OUT * len(told))
        found = population(told[:-count], own, on_progress=self._go_on)
        measured = compared(told[-count:], used, found.prior)
        fields = {"catalog": name, "conversations": len(told), "gain": round(measured.gain, 4)}
        fields["seconds"] = round(time.perf_counter() - start, 1)
        if not measured.gain > CLEARLY * measured.error:
            logger.info("kept the prior: a new one is not clearly better", extra={"fields": fields})
            return Learnt(name, "kept", len(told), measured)
        about = {**found.about, "learnt at": started.isoformat(timespec="seconds"), "held out": vars(measured)}
        version = self._use(name, learnt_prior(found.prior, opened.catalog, about))
        logger.info("switched to a learnt prior", extra={"fields": {**fields, "version": version}})
        return Learnt(name, "switched", len(told), measured, version)

    def _use(self, name: str, learnt: LearntPrior) -> int:
        version = self._folder.add(name, learnt)
        self._priors.add(name, learnt)
        self._switch(name)
        return version

    def _adopt(self, name: str) -> None:
        """Switch to what another server of the same folder has learnt."""
        known = {learnt.version for learnt in self._priors.versions(name)}
        new = [learnt for learnt in self._folder.versions(name) if learnt.version not in known]
        for learnt in new:
            self._priors.add(name, learnt)
        if new:
            self._switch(name)
            logger.info("switched to a prior that another server learnt", extra={"fields": {"catalog": name}})

    def _switch(self, name: str) -> None:
        """Start new conversations from the newest prior."""
        with self._priors.switching:
            own = self._priors.own(name)
            beliefs = self._priors.beliefs(name, own)
            self._conversations.replace(name, (own.catalog, beliefs.current), beliefs.earlier)

    def _told(self, name: str, catalog: Catalog) -> list[Conversation]:
        """What people answered, oldest first."""
        stored, _ = self._conversations.store.sample(name, MOST_CONVERSATIONS, seed=0)
        stored = sorted(stored, key=lambda session: session.created_at)
        return list(conversations_of((("", session.log) for session in stored), catalog).used)

    def _is_due(self, name: str) -> bool:
        last = self._tried.get(name) or self._learnt_at(name)
        if self._every is None:
            return last is None or self._clock() - last >= DAY
        opened = self._conversations.store.stream(catalog=name, since=last)
        new = (session for session in opened if session.answers)
        return sum(1 for _ in islice(new, self._every)) >= self._every

    def _learnt_at(self, name: str) -> datetime | None:
        """When the newest prior was learnt, by this process or another."""
        times = [learnt.about["learnt at"] for learnt in self._priors.versions(name) if "learnt at" in learnt.about]
        return datetime.fromisoformat(times[-1]) if times else None

    def _learn_repeatedly(self) -> None:
        while not self._stop.is_set():
            try:
                self.check()
            except _StoppedError:
                return
            except StoreUnavailableError:
                pass  # it is tried again the next time
            except Exception:
                logger.exception("learning failed")
            self._stop.wait(CHECK_SECONDS)

    def _go_on(self, done: int, total: int) -> None:
        if self._stop.is_set():
            raise _StoppedError


class _StoppedError(Exception):
    """The server shuts down."""
