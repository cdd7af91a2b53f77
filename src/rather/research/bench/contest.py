"""Every way of choosing a question, for the same beliefs about the same catalogue, taking turns.

Taking turns lets a machine that is busy for a while slow all of them down alike.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field

import torch

from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.rejuvenation import Rejuvenation
from rather.model.responses import Choice, ResponseModel
from rather.numerics.randomness import derive_generator
from rather.numerics.threads import one_thread
from rather.research.bench.report import Cell, Times
from rather.retrieval import Adapting, ExactRetriever, Retriever
from rather.simulation.users import SimulatedUser
from rather.strategies import Problem, Strategy, choose, strategy_named

AUTO_FIRST = "auto, first question"
AUTO = "auto, later questions"
CONT_FREE = "cont-free, exact"
CONT_ALTER = "cont-alter, exact"
ITERATION = "query-iteration x20, exact"
ITERATION_USUAL = "query-iteration x20"
GREEDY = "greedy, exact"
GREEDY_USUAL = "greedy"


@dataclass(frozen=True)
class Situation:
    """What is believed before a question, and what has been asked."""

    belief: Belief
    asked: frozenset[frozenset[int]] = frozenset()


@dataclass(frozen=True, eq=False)
class Setting:
    """Where questions are chosen.

    Attributes:
        catalog: All items.
        response: How people answer.
        k: Items on a slate.
        usual: The retriever that sessions about this catalogue have by default.
        first: Before the first question.
        later: After an answer to it, from several people.
    """

    catalog: Catalog
    response: ResponseModel
    k: int
    usual: Retriever
    first: Situation
    later: tuple[Situation, ...]

    @classmethod
    def met(
        cls, catalog: Catalog, belief: Belief, response: ResponseModel, k: int, usual: Retriever, people: torch.Tensor
    ) -> Setting:
        """The situations that arise with these people `(p, d)`."""
        first = Situation(belief)
        start = cls(catalog, response, k, usual, first, ())
        slate = start.chosen(strategy_named("auto"), usual, first, 0)
        vectors, later = catalog.vectors(slate), []
        for place, person in enumerate(people):
            answer = SimulatedUser(person, response, place).choose(vectors, 1)
            later.append(Situation(answered(belief, vectors, answer, response, place), frozenset([frozenset(slate)])))
        return cls(catalog, response, k, usual, first, tuple(later))

    def problem(self, retriever: Retriever, situation: Situation, seed: int) -> Problem:
        """What a strategy is given; the retriever is fitted to the belief, which is part of a question's cost."""
        if isinstance(retriever, Adapting):
            retriever = retriever.fitted(situation.belief, None)
        generator = derive_generator(seed, "bench")
        parts = (self.catalog, situation.belief, self.response, self.k, generator, retriever, None)
        return Problem(*parts, situation.asked)

    def chosen(self, strategy: Strategy, retriever: Retriever, situation: Situation, seed: int) -> tuple[int, ...]:
        """The question that is asked, as rows."""
        with one_thread():
            return choose(strategy, self.problem(retriever, situation, seed)).slate

    def evoi(self, slate: tuple[int, ...], situation: Situation, exact: ExactRetriever) -> float:
        """Exact EVOI of a slate over the whole catalogue."""
        with one_thread():
            return float(self.problem(exact, situation, 0).evoi(torch.tensor([slate]))[0])


def answered(belief: Belief, vectors: torch.Tensor, answer: Choice, response: ResponseModel, seed: int) -> Belief:
    """The belief after an answer, as a session has it."""
    with one_thread():
        return Rejuvenation()(belief.update(vectors, answer, response), derive_generator(seed, "renew", 1))


@dataclass
class Contender:
    """A way of choosing, and what it took so far."""

    name: str
    strategy: Strategy
    retriever: Retriever
    situations: tuple[Situation, ...]
    seconds: list[float] = field(default_factory=list)
    found: list[tuple[Situation, tuple[int, ...]]] = field(default_factory=list)

    def turn(self, setting: Setting, number: int, most_seconds: float) -> None:
        """Choose once more, unless it has had so much time already. The first turn is to warm up if it is short."""
        if sum(self.seconds) > most_seconds:
            return
        situation = self.situations[number % len(self.situations)]
        start = time.perf_counter()
        slate = setting.chosen(self.strategy, self.retriever, situation, number)
        elapsed = time.perf_counter() - start
        self.found.append((situation, slate))
        if number or elapsed > most_seconds / 4:
            self.seconds.append(elapsed)


def contenders(setting: Setting, exact: ExactRetriever) -> list[Contender]:
    """All that take part: on the whole catalogue, and on the shortlist where sessions have one."""
    iteration = strategy_named("query-iteration", restarts=20)
    greedy = strategy_named("greedy")
    both = (*setting.later, setting.first)
    part = [
        Contender(AUTO, strategy_named("auto"), setting.usual, setting.later),
        Contender(AUTO_FIRST, strategy_named("auto"), setting.usual, (setting.first,)),
        Contender(CONT_FREE, strategy_named("cont-free"), exact, both),
        Contender(CONT_ALTER, strategy_named("cont-alter"), exact, both),
        Contender(ITERATION, iteration, exact, both),
        Contender(GREEDY, greedy, exact, both),
    ]
    if not isinstance(setting.usual, ExactRetriever):
        part += [
            Contender(ITERATION_USUAL, iteration, setting.usual, both),
            Contender(GREEDY_USUAL, greedy, setting.usual, both),
        ]
    return part


def cells(setting: Setting, part: list[Contender], exact: ExactRetriever, scan: Times) -> tuple[Cell, ...]:
    """What came of it, each question valued over the whole catalogue."""
    values = {
        contender.name: [(situation, setting.evoi(slate, situation, exact)) for situation, slate in contender.found]
        for contender in part
    }
    best: dict[int, float] = {}
    for found in values.values():
        for situation, evoi in found:
            best[id(situation)] = max(best.get(id(situation), 0.0), evoi)
    slow = next(statistics.median(contender.seconds) for contender in part if contender.name == GREEDY)
    made = []
    for contender in part:
        times, found = Times.of(contender.seconds), values[contender.name]
        shares = [evoi / max(best[id(situation)], 1e-12) for situation, evoi in found]
        made.append(
            Cell(
                contender.name,
                times,
                times.median / scan.median,
                slow / times.median,
                statistics.fmean(shares),
                min(shares),
                _relative(found, values[ITERATION]),
                _relative(found, values[GREEDY]),
            )
        )
    return tuple(made)


def _relative(found: list[tuple[Situation, float]], rivals: list[tuple[Situation, float]]) -> float | None:
    """Mean share of a rival's EVOI in the same situations; None where they never met."""
    shares = []
    for situation, evoi in found:
        rival = [other for met, other in rivals if met is situation]
        if rival:
            shares.append(evoi / max(statistics.fmean(rival), 1e-12))
    return statistics.fmean(shares) if shares else None
