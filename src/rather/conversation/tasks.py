"""Tasks: questions that everybody is asked at a given number, among those that are chosen for each person.

The answer to a fixed task teaches like any other. That to a hold-out teaches nothing: it is kept to see how well the
other answers predict it, as in conjoint studies.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from rather.errors import InvalidInputError
from rather.model.belief import Belief
from rather.model.catalog import Catalog, ItemId
from rather.model.responses import ResponseModel


@dataclass(frozen=True)
class Task:
    """A question that everybody is asked.

    Attributes:
        number: The number of the question, from 1.
        items: The ids of the items that it compares.
        holdout: Whether its answer is held out.
    """

    number: int
    items: tuple[ItemId, ...]
    holdout: bool = False

    def __post_init__(self) -> None:
        if type(self.number) is not int or self.number < 1:
            raise InvalidInputError(f"`number` of a task must be a number from 1, got {self.number!r}.")
        if len(self.items) < 2 or len(set(self.items)) != len(self.items):
            raise InvalidInputError(f"`items` of a task must be at least two different ids, got {list(self.items)}.")

    def rows(self, catalog: Catalog) -> list[int] | None:
        """The rows of its items; None when one of them is not in the catalogue (any more)."""
        found = [catalog.find(id) for id in self.items]
        rows = [row for row in found if row is not None]
        return rows if len(rows) == len(found) else None


def ordered_tasks(tasks: Iterable[Task]) -> tuple[Task, ...]:
    """Tasks by their numbers, each of which has one at most."""
    ordered = tuple(sorted(tasks, key=lambda task: task.number))
    for first, second in pairwise(ordered):
        if first.number == second.number:
            raise InvalidInputError(f"`tasks` must be about different questions, got two for question {first.number}.")
    return ordered


def task_at(tasks: Sequence[Task], number: int) -> Task | None:
    """The task for the question of this number."""
    return next((task for task in tasks if task.number == number), None)


def predicted_shares(vectors: Tensor, belief: Belief, response: ResponseModel) -> tuple[float, ...]:
    """For each of k options the probability that it is chosen, given that one of them is.

    Args:
        vectors: `(k, d)`, the options.
        belief: What we hold about the person.
        response: How people answer.
    """
    logs = belief.answering(response).log_probabilities(vectors @ belief.particles.T)[: len(vectors)]
    chances = torch.exp(logs) @ belief.weights
    total = float(chances.sum())
    return tuple(float(chance) / total for chance in chances) if total > 0 else (1 / len(vectors),) * len(vectors)


def dump_tasks(tasks: Sequence[Task]) -> dict[str, Any]:
    """The tasks as a log holds them; a log without any is the same as ever."""
    listed = [{"number": task.number, "items": list(task.items), "holdout": task.holdout} for task in tasks]
    return {"tasks": listed} if listed else {}


def load_tasks(log: Mapping[str, Any]) -> tuple[Task, ...]:
    """What `dump_tasks` wrote."""
    listed = log.get("tasks", [])
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise InvalidInputError("This session log is damaged: its `tasks` must be a list of tasks.")
    return tuple(_task(each) for each in listed)


def _task(record: Mapping[str, Any]) -> Task:
    items = record.get("items")
    if not isinstance(items, list) or not all(type(id) in (str, int) for id in items):
        raise InvalidInputError("This session log is damaged: `items` of a task must be a list of ids.")
    return Task(record.get("number", 0), tuple(items), record.get("holdout") is True)
