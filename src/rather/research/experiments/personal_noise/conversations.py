"""Simulated users who answer with a noise of their own: regret after each question, and whether chances come true.

Noise is in multiples of that of `everyday_response`. Entries of a spec's `parameters`:

    k, questions, users        options of a question, questions in a conversation, users in a trial
    actual                     the noise that users really answer with: each keeps one of these, drawn alike

Of a method's `settings`:

    noise                      the noise that is assumed of everybody, or "personal"

A population of source "gaussian" has users and items from N(0, I); the belief knows no more than that.
"""

import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from rather.conversation.policy import Policy
from rather.conversation.policy_settings import everyday_response
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.personal_noise import PersonalNoise
from rather.model.questions import Question
from rather.model.responses import Choice, Logistic, ResponseModel
from rather.numerics.randomness import derive_generator, derive_seed
from rather.numerics.threads import one_thread
from rather.research.experiments.engine import Job, Outcome
from rather.research.experiments.population import Draw, draw
from rather.research.experiments.real_people.measures import binned
from rather.simulation.users import SimulatedUser
from rather.strategies import strategy_named


def work(job: Job) -> Outcome:
    """Means over the users of a trial, and how often chances were stated and came true.

    `mean_regret` is that of all recommendations after the first question.
    """
    parameters = job.parameters
    trial = _trial(parameters["population"], job.files["vectors"], job.seed, parameters["users"])
    everyday = everyday_response(trial.catalog, trial.belief)
    settings = dict(parameters["settings"])
    policy = Policy(
        trial.catalog,
        trial.belief,
        parameters["k"],
        job.seed,
        response=_assumed(everyday, settings.pop("noise")),
        strategy=strategy_named(parameters["strategy"], **settings),
        retriever="exact",
    )
    tree = _Tree(policy)
    with one_thread():
        for index, utility in enumerate(trial.users):
            user = SimulatedUser(utility, _actual(everyday, parameters["actual"]), derive_seed(job.seed, "user", index))
            tree.converse(user, parameters["questions"])
    regrets = torch.tensor(tree.regrets, dtype=torch.float64)
    return {
        "regret": regrets.mean(dim=0).tolist(),
        "mean_regret": [float(regrets[:, 1:].mean())],
        **binned(tree.stated),
        "seconds": {
            "question": statistics.fmean(tree.question_seconds),
            "answer": statistics.fmean(tree.answer_seconds),
        },
    }


def _trial(population: Mapping[str, Any], vectors: str, seed: int, users: int) -> Draw:
    if population["source"] != "gaussian":
        return draw(population, vectors, seed, users)
    generator, d = derive_generator(seed, "population"), population["dimensions"]
    items = torch.randn(population["items"], d, generator=generator, dtype=torch.float32)
    true = torch.randn(users, d, generator=generator, dtype=torch.float32)
    belief = Belief.gaussian(torch.zeros(d), torch.eye(d), particles=population["particles"], seed=seed)
    return Draw(Catalog(items), belief, true)


def _assumed(everyday: Logistic, noise: float | str) -> ResponseModel:
    if noise == "personal":
        return PersonalNoise.around(everyday.temperature, everyday.none_utility, everyday.tie)
    return replace(everyday, temperature=float(noise) * everyday.temperature)


def _actual(everyday: Logistic, factors: list[float]) -> PersonalNoise:
    """Each user keeps one of these levels."""
    levels = tuple(factor * everyday.temperature for factor in factors)
    return PersonalNoise(levels, (1 / len(levels),) * len(levels), everyday.none_utility, everyday.tie)


@dataclass
class _Tree:
    """The conversations of a policy: those who have answered alike so far share the next question."""

    policy: Policy
    regrets: list[list[float]] = field(default_factory=list)
    stated: list[tuple[float, bool]] = field(default_factory=list)
    question_seconds: list[float] = field(default_factory=list)
    answer_seconds: list[float] = field(default_factory=list)
    _known: dict[tuple[Choice, ...], tuple[Belief, Question | None]] = field(default_factory=dict)

    def converse(self, user: SimulatedUser, questions: int) -> None:
        """Ask a user, and note what is recommended and stated before the first question and after each."""
        answers: tuple[Choice, ...] = ()
        asked: list[Question] = []
        belief = self.policy.prior
        best = float(self._best(user.utility) @ user.utility)
        regrets = [self._regret(belief, user.utility, best)]
        for _ in range(questions):
            question = self._question(belief, asked, answers)
            answer = user.answer(question)
            belief = self._after(belief, question, answer, answers)
            answers, asked = (*answers, answer), [*asked, question]
            regrets.append(self._regret(belief, user.utility, best))
            self.stated.append(self._stated(belief, user.utility, best))
        self.regrets.append(regrets)

    def _question(self, belief: Belief, asked: list[Question], answers: tuple[Choice, ...]) -> Question:
        known = self._known.get(answers)
        if known is None or known[1] is None:
            start = time.perf_counter()
            question = self.policy.question(belief, asked)
            self.question_seconds.append(time.perf_counter() - start)
            self._known[answers] = belief, question
            return question
        return known[1]

    def _after(self, belief: Belief, question: Question, answer: Choice, answers: tuple[Choice, ...]) -> Belief:
        given = (*answers, answer)
        if given not in self._known:
            start = time.perf_counter()
            after = self.policy.after(belief, question, answer)
            self.answer_seconds.append(time.perf_counter() - start)
            self._known[given] = after, None
        return self._known[given][0]

    def _regret(self, belief: Belief, utility: Tensor, best: float) -> float:
        """Of the item of highest expected utility."""
        return max(0.0, best - float(self._best(belief.mean) @ utility))

    def _best(self, direction: Tensor) -> Tensor:
        """The vector of the best item in a direction, `(d,)`."""
        return self.policy.retriever.top(direction[None], 1).vectors[0, 0]

    def _stated(self, belief: Belief, utility: Tensor, best: float) -> tuple[float, bool]:
        """The chance that one of the recommended list is the person's best, and whether it is."""
        listed = self.policy.recommend(belief, self.policy.objective.size)
        found = float((self.policy.catalog.vectors([item.row for item in listed]) @ utility).max())
        return self.policy.probability_best(belief, listed), found >= best - 1e-5 * abs(best)
