"""Every way of choosing a question, for the same beliefs about the same catalogue, taking turns.

Taking turns lets a machine that is busy for a while slow all of them down alike.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from torch import Tensor

from rather import value
from rather.conversation.policy import Policy
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.questions import Question
from rather.model.responses import ResponseModel
from rather.numerics.threads import one_thread
from rather.research.bench.measurements import EvoiShare, MethodMeasurement, Times
from rather.retrieval import AdaptiveRetriever, ExactRetriever, HasCandidates, Retriever
from rather.simulation.users import SimulatedUser
from rather.strategies import Strategy, strategy_named

AUTO_FIRST = "auto, first question"
AUTO = "auto, later questions"
CONT_FREE = "cont-free, exact"
CONT_ALTER = "cont-alter, exact"
ITERATION = "query-iteration x20, exact"
ITERATION_USUAL = "query-iteration x20"
GREEDY = "greedy, exact"
GREEDY_USUAL = "greedy"


@dataclass(frozen=True, eq=False)
class Situation:
    """What is believed before a question, and what has been asked."""

    belief: Belief
    asked: tuple[Question, ...] = ()


@dataclass(frozen=True, eq=False)
class Setting:
    """Where questions are chosen.

    Attributes:
        catalog: All items.
        belief: Before the first question.
        response: How users answer.
        k: Items on a slate.
        usual: The retriever that conversations about this catalogue have by default.
    """

    catalog: Catalog
    belief: Belief
    response: ResponseModel
    k: int
    usual: Retriever

    def policy(self, strategy: str | Strategy = "auto", retriever: Retriever | None = None, seed: int = 0) -> Policy:
        """A policy that chooses questions by a strategy, by default with the usual retriever."""
        usual = self.usual if retriever is None else retriever
        return Policy(
            self.catalog, self.belief, self.k, seed, strategy=strategy, response=self.response, retriever=usual
        )

    def situations(self, users: Tensor) -> tuple[Situation, list[Situation]]:
        """Before the first question, and after the answer to it of each user `(u, d)`."""
        question = self.policy().question(self.belief, ())
        later = []
        for seed, utility in enumerate(users):
            answer = SimulatedUser(utility, self.response, seed).answer(question)
            later.append(Situation(self.policy(seed=seed).after(self.belief, question, answer), (question,)))
        return Situation(self.belief), later

    def evoi(self, question: Question, situation: Situation, exact: ExactRetriever) -> float:
        """Exact EVOI of a question over the whole catalogue."""
        with one_thread():
            return float(value.evoi(question.vectors[None], situation.belief, self.response, exact.top)[0])


@dataclass
class Contender:
    """A way of choosing, and what it took so far."""

    name: str
    strategy: Strategy
    retriever: Retriever
    situations: Sequence[Situation]
    seconds: list[float] = field(default_factory=list)
    found: list[tuple[Situation, Question]] = field(default_factory=list)

    def turn(self, setting: Setting, number: int, most_seconds: float) -> None:
        """Choose once more, unless it has had that much time already. A short first turn only warms up."""
        if sum(self.seconds) > most_seconds:
            return
        situation = self.situations[number % len(self.situations)]
        policy = setting.policy(self.strategy, self.retriever, seed=number)
        belief = unknown(situation.belief, setting.belief)
        start = time.perf_counter()
        question = policy.question(belief, situation.asked)
        elapsed = time.perf_counter() - start
        self.found.append((situation, question))
        if number or elapsed > most_seconds / 4:
            self.seconds.append(elapsed)


def unknown(belief: Belief, prior: Belief) -> Belief:
    """A copy that no cache knows, for what a question costs includes fitting the retriever to its belief.

    It also includes the search for the best items of new particles, but not of the prior's: those are known since the
    first session was opened.
    """
    if belief.particles is prior.particles:
        return replace(belief)
    return replace(belief, particles=belief.particles.clone())


def contenders(
    setting: Setting, first: Situation, later: Sequence[Situation], exact: ExactRetriever
) -> list[Contender]:
    """All that take part: on the whole catalogue, and on the shortlist if conversations have one by default."""
    iteration = strategy_named("query-iteration", restarts=20)
    greedy = strategy_named("greedy")
    both = (*later, first)
    part = [
        Contender(AUTO, strategy_named("auto"), setting.usual, later),
        Contender(AUTO_FIRST, strategy_named("auto"), setting.usual, (first,)),
        Contender(CONT_FREE, strategy_named("cont-free"), exact, both),
        Contender(CONT_ALTER, strategy_named("cont-alter"), exact, both),
        Contender(ITERATION, iteration, exact, both),
        Contender(GREEDY, greedy, exact, both),
    ]
    if isinstance(setting.usual, HasCandidates | AdaptiveRetriever):
        part += [
            Contender(ITERATION_USUAL, iteration, setting.usual, both),
            Contender(GREEDY_USUAL, greedy, setting.usual, both),
        ]
    return part


def measured(
    setting: Setting, part: list[Contender], exact: ExactRetriever, scan: Times
) -> tuple[MethodMeasurement, ...]:
    """What came of it, each question valued over the whole catalogue."""
    values = {
        contender.name: [
            (situation, setting.evoi(question, situation, exact)) for situation, question in contender.found
        ]
        for contender in part
    }
    best: dict[Situation, float] = {}
    for found in values.values():
        for situation, evoi in found:
            best[situation] = max(best.get(situation, 0.0), evoi)
    slow = next(statistics.median(contender.seconds) for contender in part if contender.name == GREEDY)
    made = []
    for contender in part:
        times, found = Times.of(contender.seconds), values[contender.name]
        shares = [evoi / max(best[situation], 1e-12) for situation, evoi in found]
        made.append(
            MethodMeasurement(
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


def evoi_beside_iteration(setting: Setting, users: Tensor, exact: ExactRetriever) -> EvoiShare:
    """How `auto` compares with query iteration from 20 starts on all items, after one to three answers by each user."""
    iteration = strategy_named("query-iteration", restarts=20)
    first = setting.policy().question(setting.belief, ())
    shares = []
    for seed, utility in enumerate(users):
        usual, user = setting.policy(seed=seed), SimulatedUser(utility, setting.response, seed)
        situation, question = Situation(setting.belief), first
        for _ in range(1 + seed % 3):
            belief = usual.after(situation.belief, question, user.answer(question))
            situation = Situation(belief, (*situation.asked, question))
            question = usual.question(situation.belief, situation.asked)
        rival = setting.policy(iteration, exact, seed).question(situation.belief, situation.asked)
        least = max(setting.evoi(rival, situation, exact), 1e-12)
        shares.append(setting.evoi(question, situation, exact) / least)
    return EvoiShare.of(shares)


def _relative(found: list[tuple[Situation, float]], rivals: list[tuple[Situation, float]]) -> float | None:
    """Mean share of a rival's EVOI in the same situations; None if they never met."""
    shares = []
    for situation, evoi in found:
        rival = [other for met, other in rivals if met is situation]
        if rival:
            shares.append(evoi / max(statistics.fmean(rival), 1e-12))
    return statistics.fmean(shares) if shares else None
