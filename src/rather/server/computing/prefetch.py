"""Compute the next question for every likely answer while the person reads."""

import heapq
import itertools
import logging
import threading
from dataclasses import dataclass, field
from functools import partial

from rather.errors import RatherError
from rather.model.catalog import Catalog
from rather.model.responses import Choice, answer_row
from rather.numerics.threads import one_thread
from rather.server.computing.states import State, States
from rather.server.problems import ProblemError

logger = logging.getLogger("rather.server")

# Answers that are less likely are computed when they are given. Of the answers of simulated users about films, these
# were 0 to 1 % for two options and 4 % for five; likely ones are about half of those that are possible.
LEAST_CHANCE = 0.05


@dataclass(frozen=True, order=True)
class Task:
    """A state to compute; what comes first in this order is computed first.

    Attributes:
        rank: Of the answer among those to its question, the most likely first.
        number: Tells tasks of one rank apart, the oldest first.
        reading: Identifies that this question is being read in this session.
        session: The session's id.
        state: Before the answer.
        choice: The answer.
        last: Whether it is the last of its question.
    """

    rank: int
    number: int
    reading: int = field(compare=False)
    session: str = field(compare=False)
    state: State = field(compare=False)
    choice: Choice = field(compare=False)
    last: bool = field(compare=False)


class Prefetch:
    """Background threads that compute the states which likely answers lead to.

    Likely answers come first, across all sessions. The tasks of a session are dropped as soon as it is answered.

    Args:
        states: Where the results go.
        threads: How many threads; the gate admits them only when no request waits.
        most_tasks: How many tasks may wait. While requests keep all cores busy none is done, and each holds a state.
        least_chance: Answers that are less likely than this are not computed in advance.
    """

    def __init__(
        self, states: States, threads: int, most_tasks: int = 1_000, least_chance: float = LEAST_CHANCE
    ) -> None:
        self._states = states
        self._most_tasks = most_tasks
        self._least_chance = least_chance
        self._tasks: list[Task] = []
        self._reading: dict[str, int] = {}
        self._count = itertools.count()
        self._changed = threading.Condition()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, name=f"prefetch-{number}", daemon=True) for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def __len__(self) -> int:
        return len(self._tasks)

    def expect(self, session: str, state: State) -> None:
        """The question of this state is now being read in a session; forget the one before."""
        choices = [] if state.question is None else likely_choices(state, self._least_chance)
        with self._changed:
            self._reading.pop(session, None)
            if not choices or self._closed:
                return
            reading = self._reading[session] = next(self._count)
            for rank, choice in enumerate(choices):
                last = rank == len(choices) - 1
                heapq.heappush(self._tasks, Task(rank, next(self._count), reading, session, state, choice, last))
            if len(self._tasks) > self._most_tasks:
                self._tidy()
            self._changed.notify_all()

    def forget(self, session: str) -> None:
        """The question of a session is no longer being read."""
        with self._changed:
            self._reading.pop(session, None)

    def retire(self, catalog: Catalog) -> None:
        """Questions about this catalogue are no longer answered as they are."""
        with self._changed:
            retired = {task.session for task in self._tasks if task.state.session.policy.catalog is catalog}
            self._tasks = sorted(task for task in self._tasks if task.session not in retired)  # sorted, so a heap
            for session in retired:
                self._reading.pop(session, None)

    def close(self) -> None:
        """End the threads once they have finished what they are computing."""
        with self._changed:
            self._closed = True
            self._tasks.clear()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while self._did_task():  # which keeps no task: it would hold a state, and a catalogue, until the next one
            pass

    def _did_task(self) -> bool:
        """Do the next task, once there is one; False when the threads shall end."""
        task = self._take()
        if task is None:
            return False
        try:
            self._states.compute_ahead(task.state, task.choice, partial(self._is_wanted, task))
        except (RatherError, ProblemError):
            pass  # whoever gives this answer will see the error
        except Exception:
            logger.exception("prefetch failed")
        if task.last:
            self._finish(task)
        return True

    def _finish(self, task: Task) -> None:
        with self._changed:
            if self._reading.get(task.session) == task.reading:
                del self._reading[task.session]

    def _tidy(self) -> None:
        """Drop outdated tasks, and then those for the least likely answers, down to half of the most."""
        wanted = sorted(task for task in self._tasks if self._is_wanted(task))
        self._tasks = wanted[: self._most_tasks // 2]  # sorted, so a heap
        self._reading = {task.session: task.reading for task in self._tasks}

    def _take(self) -> Task | None:
        """The next task, once there is one; None when the threads shall end."""
        with self._changed:
            while not self._closed:
                while self._tasks:
                    if self._is_wanted(task := heapq.heappop(self._tasks)):
                        return task
                self._changed.wait()
            return None

    def _is_wanted(self, task: Task) -> bool:
        return not self._closed and self._reading.get(task.session) == task.reading


def likely_choices(state: State, least_chance: float = LEAST_CHANCE) -> list[Choice]:
    """The answers to the open question of such a chance, the most likely first. Nobody knows who will skip."""
    question, session = state.question, state.session
    assert question is not None
    response = session.policy.response
    with one_thread():
        belief = session.belief
        answers = belief.answering(response).log_probabilities(question.vectors @ belief.particles.T)
        chances = (answers.exp() @ belief.weights).tolist()
    choices: list[Choice] = [*range(len(question)), *response.extras]
    rows = {choice: answer_row(choice, len(question), response) for choice in choices}
    likely = [choice for choice in choices if chances[rows[choice]] >= least_chance]
    return sorted(likely, key=lambda choice: -chances[rows[choice]])
