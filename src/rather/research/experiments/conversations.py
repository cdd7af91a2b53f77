"""Experiments in which simulated users are asked questions: regret, EVOI and ranking metrics after each.

Entries of a spec's `parameters`:

    k, questions, users        items on a slate, questions in a conversation, users in a trial
    temperature                of the answers, as the policy assumes; without it, as the library usually assumes
    actual_temperature         of the answers, as users really give them, if that differs
    rejuvenation               whether particles are rejuvenated (needs a population with `smooth`)

A method `plan` plans the first questions of `auto` and follows the plan; its settings are those of `rather.plan`, with
`leaving` as a list of numbers of questions after which equally many people leave.
"""

import json
import statistics
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import torch

from rather.conversation.plans import Plan
from rather.conversation.policy import Policy
from rather.errors import InvalidInputError
from rather.model.rejuvenation import Rejuvenation
from rather.model.responses import Logistic
from rather.planning import plan
from rather.research.experiments.engine import Job, Outcome
from rather.research.experiments.floor import floor_regret
from rather.research.experiments.jobs import job_of
from rather.research.experiments.population import Draw, draw
from rather.research.experiments.spec import ExperimentSpec, Method
from rather.simulation.conversations import simulate
from rather.strategies import Strategy, strategy_named
from rather.strategies.initialisers import INITIALISERS

KEYS = frozenset(["k", "questions", "users", "temperature", "actual_temperature", "rejuvenation"])


def jobs(spec: ExperimentSpec, files: Mapping[str, str]) -> list[Job]:
    """A job for each variant, trial and method; the trials first, so that an interrupted run has something of all."""
    return [
        job_of(spec, variant, method, trial, files, **_limits(method))
        for trial in range(spec.trials)
        for variant in spec.variants
        for method in variant.methods
        if method.trials is None or trial < method.trials
    ]


def _limits(method: Method) -> dict[str, int]:
    limits = {"questions": method.questions, "users": method.users}
    return {name: limit for name, limit in limits.items() if limit is not None}


def work(job: Job) -> Outcome:
    """Means over the users of a trial of everything that is measured, question by question."""
    settings = dict(job.parameters)
    population, strategy, options = (settings.pop(name) for name in ("population", "strategy", "settings"))
    del settings["vectors"]  # its name decides the result, its folder does not
    if unknown := set(settings) - KEYS:
        raise InvalidInputError(f"{job.experiment} has unknown parameters: {', '.join(sorted(unknown))}.")
    trial = draw(population, job.files["vectors"], job.seed, settings["users"])
    if strategy == "floor":
        regret = floor_regret(trial.catalog, trial.belief, settings["k"], settings["questions"], job.seed)
        return {"regret": regret}
    if strategy == "plan":
        policy = _planned(settings, trial, options)
    else:
        policy = _policy(settings, trial, _strategy(strategy, options))
    conversations = simulate(
        {strategy: policy},
        trial.users,
        settings["questions"],
        seed=job.seed,
        response=Logistic(settings["actual_temperature"]) if "actual_temperature" in settings else None,
        users_per_seed=len(trial.users),
    )
    outcome: Outcome = {}
    for measure in ("regret", "ndcg", "hit", "evoi"):
        values = torch.tensor([getattr(conversation, measure) for conversation in conversations], dtype=torch.float64)
        outcome[measure] = values.mean(dim=0).tolist()
    outcome["seconds"] = {
        "question": statistics.fmean(seconds for each in conversations for seconds in each.question_seconds),
        "answer": statistics.fmean(seconds for each in conversations for seconds in each.answer_seconds),
    }
    return outcome


def _policy(settings: Mapping[str, Any], trial: Draw, strategy: Strategy, plan: Plan | None = None) -> Policy:
    return Policy(
        trial.catalog,
        trial.belief,
        settings["k"],
        strategy=strategy,
        response=Logistic(settings["temperature"]) if "temperature" in settings else None,
        retriever="exact",  # as in the paper, and as earlier results were
        rejuvenation=Rejuvenation() if settings.get("rejuvenation", False) else None,
        plan=plan,
    )


def _planned(settings: Mapping[str, Any], trial: Draw, options: Mapping[str, Any]) -> Policy:
    """`auto` after its planned first questions."""
    usual = _policy(settings, trial, strategy_named("auto"))
    made = _made_plan(_Planned(usual), json.dumps(dict(options)))
    return _policy(settings, trial, strategy_named("auto"), made)


class _Planned:
    """A policy to plan for: equal to another whose catalogue, belief and answers are equal, as in another trial."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._key = (policy.catalog.content_hash, policy.prior.content_hash, policy.k, str(policy.response))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Planned) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@lru_cache(maxsize=32)
def _made_plan(start: _Planned, options: str) -> Plan:
    settings = json.loads(options)
    if "leaving" in settings:
        settings["leaving"] = dict.fromkeys(settings["leaving"], 1.0)
    return plan(start.policy, **settings)


def _strategy(name: str, options: Mapping[str, Any]) -> Strategy:
    """The strategy with its settings; an initialiser is given by name."""
    settings = dict(options)
    if "initialiser" in settings:
        settings["initialiser"] = INITIALISERS[settings["initialiser"]]
    return strategy_named(name, **settings)
