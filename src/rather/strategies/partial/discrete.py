"""The reference methods for partial comparisons: random, greedy, exhaustive."""

import itertools
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from rather.errors import TooManySlatesError
from rather.strategies.discrete import SLATES_AT_A_TIME, TIMED_SLATES, duration
from rather.strategies.partial.problem import PartialProblem


@dataclass(frozen=True)
class RandomPartial:
    """k random partial items."""

    def __call__(self, problem: PartialProblem) -> Tensor:
        """See `PartialStrategy`."""
        return problem.random_slates(1)


@dataclass(frozen=True)
class GreedyPartial:
    """Start with the attribute of highest utility variance, then add the attribute that gives the highest EVOI.

    Attributes are dealt out in turn: the first round gives each of the k items its first attribute, the second its
    second, up to p. Until an item has all of its attributes it is compared with those it has, so that every addition
    is judged by the EVOI of a question that could be asked.
    """

    def __call__(self, problem: PartialProblem) -> Tensor:
        """See `PartialStrategy`."""
        items: list[list[int]] = [[int(problem.attribute_variance.argmax())]]
        for turn in range(1, problem.k * problem.p):
            place = turn % problem.k
            if turn < problem.k:
                items.append([])
            items[place] += self._best_addition(items, place, problem)
        # Where the attributes run out, two items may say the same or one too little; the projection mends that.
        scores = torch.zeros(1, problem.k, len(problem.attributes), dtype=torch.float32)
        for place, item in enumerate(items):
            scores[0, place, item] = 1.0
        return problem.space.projected(scores)

    def _best_addition(self, items: list[list[int]], place: int, problem: PartialProblem) -> list[int]:
        """The attribute that, added to the item in `place`, gives the highest EVOI; none where none fits."""
        fitting = (~problem.space.clash[items[place]].any(dim=0)).nonzero()[:, 0].tolist()
        if not fitting:
            return []
        others = [set(item) for item in items[:place] + items[place + 1 :]]
        candidates = [attribute for attribute in fitting if {*items[place], attribute} not in others] or fitting
        said = torch.stack([problem.attributes[item].sum(dim=0) for item in items]) + problem.catalog.average
        slates = said.repeat(len(candidates), 1, 1)
        slates[:, place] += problem.attributes[candidates]
        return [candidates[problem.best_of(slates)]]


@dataclass(frozen=True)
class ExhaustivePartial:
    """Every slate of partial items: the optimum, where it can be had.

    Attributes:
        most_slates: Refuse more slates than this, with their number and an estimate of the time.
    """

    most_slates: int = 2_000_000

    def __call__(self, problem: PartialProblem) -> Tensor:
        """See `PartialStrategy`."""
        slates = problem.space.slates
        if slates > self.most_slates:
            raise TooManySlatesError(
                f"Exhaustive search over {problem.space.items:,} partial items would evaluate {slates:,} slates of "
                f"{problem.k}, about {duration(slates * _seconds_per_slate(problem))} here; the limit is "
                f"{self.most_slates:,}. Choose another strategy, a smaller k or p, or raise `most_slates`."
            )
        best, best_value = problem.random_slates(1)[0], -math.inf
        for part in all_slates(problem):
            fresh = part[~problem.was_asked(part)]
            if not len(fresh):
                continue
            values = problem.evoi(fresh)
            top = int(values.argmax())
            if float(values[top]) > best_value:
                best, best_value = fresh[top], float(values[top])
        return best[None]


def _seconds_per_slate(problem: PartialProblem) -> float:
    sample = problem.fork().random_slates(TIMED_SLATES)
    start = time.perf_counter()
    problem.evoi(sample)
    return (time.perf_counter() - start) / len(sample)


def all_slates(problem: PartialProblem) -> Iterator[Tensor]:
    """All slates, in parts."""
    items = torch.tensor(list(problem.space.every_item()))
    slates = itertools.combinations(range(len(items)), problem.k)
    while part := list(itertools.islice(slates, SLATES_AT_A_TIME)):
        yield items[torch.tensor(part)]
