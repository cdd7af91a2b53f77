"""Simulated people of a population that the catalogue's own prior does not know.

A trial is a population. With `u ~ N(m, L L')` by the catalogue's own prior, its groups have the means `m + b^(1/2) L z`
(b is `between`, z standard normal) and the covariance `(1 - b) L Q diag(v) Q' L'` with a random rotation Q and
log-normal variances v of mean 1: people agree about some things and not about others. Averaged over populations, a
person is as the own prior says.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch

from rather.conversation.policy import Policy
from rather.conversation.policy_settings import everyday_response
from rather.formats.opening import open as open_catalog
from rather.learn import Conversation
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.priors import Prior
from rather.model.questions import Question
from rather.model.responses import ResponseModel
from rather.numerics.randomness import derive_generator, derive_seed
from rather.numerics.threads import one_thread
from rather.research.experiments.engine import Job, Outcome
from rather.research.experiments.learnt_priors.priors import conversations_wanted, learnt, policy_with
from rather.simulation.conversations import simulate
from rather.simulation.users import SimulatedUser


@dataclass(frozen=True, eq=False)
class World:
    """A catalogue, the belief that everybody would start from, the population, and how its people answer."""

    catalog: Catalog
    belief: Belief
    population: Prior
    response: ResponseModel

    @property
    def own(self) -> Prior:
        """The catalogue's own prior."""
        assert self.belief.prior is not None
        return self.belief.prior


def work(job: Job) -> Outcome:
    """The mean regret of new people before the first question and after each."""
    settings = dict(job.parameters)
    with one_thread():
        world = _world(job.files["vectors"], job.seed, settings["groups"], settings["between"])
        prior, seconds = world.own, 0.0
        if settings["strategy"] == "best":
            prior = world.population
        if wanted := conversations_wanted(settings):
            told = _told(
                world, job.seed, settings["conversations"], settings["answers"], settings["k"], settings["asking"]
            )
            prior, seconds = learnt(told[:wanted], world.own, job.seed)
        belief = world.belief if prior is world.own else Belief.from_prior(prior, particles=len(world.belief))
        policy = policy_with(
            world.catalog, belief, settings, world.response if settings["strategy"] != "learnt" else None
        )
        users = world.population.sample(settings["users"], derive_generator(job.seed, "new people"))
        found = simulate(
            {job.method: policy},
            users,
            settings["questions"],
            seed=derive_seed(job.seed, "new people"),
            response=world.response,
            users_per_seed=len(users),
        )
    regret = torch.tensor([each.regret for each in found], dtype=torch.float64).mean(dim=0).tolist()
    return {"regret": regret, "seconds": {"learning": seconds}}


@lru_cache(maxsize=2)
def _world(path: str, seed: int, groups: int, between: float) -> World:
    opened = open_catalog(path)
    assert opened.belief.prior is not None
    response = everyday_response(*opened)
    return World(*opened, drawn_population(opened.belief.prior, seed, groups, between), response)


def drawn_population(own: Prior, seed: int, groups: int = 1, between: float = 0.5) -> Prior:
    """A population that is one of those the own prior stands for.

    Args:
        own: The catalogue's own prior.
        seed: Of the draw.
        groups: How many groups of people there are, each half as large as the one before.
        between: Share of the own prior's variance that is between populations.
    """
    generator = derive_generator(seed, "population")
    mean, covariance = own.moments
    root, d = torch.linalg.cholesky(covariance), len(mean)
    white = torch.randn(groups, d, generator=generator, dtype=torch.float64)
    rotation = torch.linalg.qr(torch.randn(d, d, generator=generator, dtype=torch.float64)).Q
    variances = torch.randn(d, generator=generator, dtype=torch.float64).exp()
    variances = variances / variances.mean()
    within = (1 - between) * (root @ (rotation * variances) @ rotation.T @ root.T)
    weights = 0.5 ** torch.arange(groups, dtype=torch.float64)
    return Prior(
        (mean + math.sqrt(between) * white @ root.T).float(),
        (weights / weights.sum()).log().float(),
        torch.linalg.cholesky(within).float(),
    )


@lru_cache(maxsize=1)
def _told(world: World, seed: int, people: int, answers: int, k: int, asking: str) -> tuple[Conversation, ...]:
    """Conversations of people of the population, held with the own prior."""
    policy = policy_with(world.catalog, world.belief, {"k": k, "asking": asking}, world.response)
    users = world.population.sample(people, derive_generator(seed, "people who answered"))
    return tuple(
        converse(
            policy.with_seed(index), SimulatedUser(user, world.response, derive_seed(seed, "answers", index)), answers
        )
        for index, user in enumerate(users)
    )


def converse(policy: Policy, user: Any, answers: int) -> Conversation:
    """What somebody answered to the questions of a policy."""
    belief, asked = policy.prior, list[Question]()
    for _ in range(answers):
        question = policy.question(belief, asked)
        belief = policy.after(belief, question, user.answer(question))
        asked.append(question)
    return Conversation(belief.evidence)
