"""The next question for every answer, computed while the person reads."""

import heapq
import itertools
import logging
import threading
from collections.abc import Callable

from rather.errors import RatherError
from rather.model.responses import SKIP, Choice, answer_row
from rather.numerics.threads import one_thread
from rather.server.computing.states import State, States
from rather.server.http.problems import ProblemError

logger = logging.getLogger("rather.server")


# Tasks that may wait. When people keep all cores busy none is done, and each holds a state.
MOST_TASKS = 1_000


class Prefetch:
    """Background threads that compute what the likeliest answers lead to.

    Likely answers come first, across all people; a person's tasks are dropped as soon as they have answered.

    Args:
        states: Where the results go.
        threads: How many threads; the gate lets them in only when nobody waits.
    """

    def __init__(self, states: States, threads: int) -> None:
        self._states = states
        self._tasks: list[tuple[int, int, str, int, State, Choice]] = []
        self._turn: dict[str, int] = {}
        self._count = itertools.count()
        self._changed = threading.Condition()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, name=f"prefetch-{number}", daemon=True) for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def expect(self, person: str, state: State) -> None:
        """Somebody now reads the question of this state; forget what they were reading before."""
        choices = [] if state.question is None else likely_choices(state)
        with self._changed:
            self._turn.pop(person, None)
            if not choices or self._closed:
                return
            turn = self._turn[person] = next(self._count)
            for rank, choice in enumerate(choices):
                heapq.heappush(self._tasks, (rank, next(self._count), person, turn, state, choice))
            if len(self._tasks) > MOST_TASKS:
                self._tidy()
            self._changed.notify_all()

    def forget(self, person: str) -> None:
        """Somebody has answered or left."""
        with self._changed:
            self._turn.pop(person, None)

    def close(self) -> None:
        """End the threads; what is being computed is finished first."""
        with self._changed:
            self._closed = True
            self._tasks.clear()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while (task := self._take()) is not None:
            person, turn, state, choice = task
            try:
                self._states.ahead(state, choice, self._wanted(person, turn))
            except (RatherError, ProblemError):
                pass  # whoever gives this answer is told why it cannot be
            except Exception:
                logger.exception("prefetch failed")
            if choice is SKIP:  # the last of this turn
                self._done(person, turn)

    def _done(self, person: str, turn: int) -> None:
        with self._changed:
            if self._turn.get(person) == turn:
                del self._turn[person]

    def _tidy(self) -> None:
        """Drop what nobody waits for any more, and then the least likely answers, down to half of what may be kept."""
        wanted = sorted(task for task in self._tasks if self._turn.get(task[2]) == task[3])
        self._tasks = wanted[: MOST_TASKS // 2]  # sorted, so a heap
        self._turn = {person: turn for _, _, person, turn, _, _ in self._tasks}

    def _take(self) -> tuple[str, int, State, Choice] | None:
        with self._changed:
            while not self._closed:
                while self._tasks:
                    _, _, person, turn, state, choice = heapq.heappop(self._tasks)
                    if self._turn.get(person) == turn:
                        return person, turn, state, choice
                self._changed.wait()
            return None

    def _wanted(self, person: str, turn: int) -> Callable[[], bool]:
        return lambda: not self._closed and self._turn.get(person) == turn


def likely_choices(state: State) -> list[Choice]:
    """All answers to the open question, the likeliest first; skip, which says nothing, last."""
    question, session = state.question, state.session
    assert question is not None
    with one_thread():
        utilities = question.vectors @ session.belief.particles.T
        chances = session.policy.response.log_probabilities(utilities).exp() @ session.belief.weights
    choices: list[Choice] = [*range(len(question)), *session.policy.response.extras]
    choices.sort(key=lambda choice: -float(chances[answer_row(choice, len(question), session.policy.response)]))
    return [*choices, SKIP]
