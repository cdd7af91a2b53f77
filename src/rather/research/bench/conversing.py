"""Sessions at work: a remembered first question, and many people at once."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rather.caching.storage import Cache
from rather.conversation.cached import Tree
from rather.conversation.many import ask_many
from rather.conversation.session import Session
from rather.research.bench.report import Remembered, Throughput, Times
from rather.research.bench.timing import timed
from rather.simulation.users import SimulatedUser

# Times that a remembered question is asked.
ASKED = 25

# People who are asked at once, and how often.
PEOPLE = 16
TURNS = 5


def remembered(session: Session) -> Remembered:
    """How long the first question takes once it has been asked, in this process and in another one.

    Args:
        session: Before its first question. What it remembers goes into a folder of its own.
    """
    with tempfile.TemporaryDirectory() as folder:
        kept = Cache(Path(folder))
        session.catalog.content_hash  # noqa: B018 - found when a catalogue is opened, not when a question is asked
        session.fork_with(_tree_in(kept)).ask()
        in_process = [timed(session.fork_with(_tree_in(kept)).ask) for _ in range(ASKED)]
        from_file = []
        if any(Path(folder).iterdir()):
            for _ in range(ASKED):
                from_file.append(timed(session.fork_with(_tree_in(Cache(Path(folder)))).ask))
    return Remembered(Times.of(in_process), Times.of(from_file) if from_file else None)


def _tree_in(kept: Cache) -> Tree:
    return Tree(lambda: kept)


def throughput(session: Session) -> Throughput:
    """Questions in a second, one person after the other and all at once, each after an answer to the first question.

    Args:
        session: Before its first question.
    """
    first, people = session.ask(), []
    for place in range(PEOPLE):
        particle = session.prior.particles[place % len(session.prior)]
        person = session.fork_with(None)
        person.seed = place
        person.tell(first, SimulatedUser(particle, session.response, place).answer(first))
        people.append(person)
    one_by_one, together, same = [], [], True
    for _ in range(TURNS):
        apart, batch = [person.fork() for person in people], [person.fork() for person in people]
        one_by_one.append(timed(partial(_ask_each, apart)))
        together.append(timed(partial(ask_many, batch)))
        same &= _ask_each(apart) == _ask_each(batch)
    return Throughput(PEOPLE, PEOPLE / statistics.median(one_by_one), PEOPLE / statistics.median(together), same)


def _ask_each(people: Sequence[Session]) -> list[Sequence[int]]:
    return [person.ask().slate for person in people]
