"""Recorded ratings answer: of some people to learn a prior from, of others to measure it on.

The items have vectors that were learnt from everybody else (see `real_people.people`), and no user vectors: the
catalogue's own prior is a Gaussian around indifference. The first `conversations` people held out answer questions
about all that they rated. A trial is one of the others: a random half of what they rated may be asked about and
recommended, and regret is what the recommended item loses of the best of that half, in stars.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import torch

from rather.conversation.policy import Policy
from rather.conversation.policy_settings import everyday_response
from rather.formats.opened import Opened
from rather.formats.opening import open as open_catalog
from rather.learn import Conversation
from rather.model.belief import Belief
from rather.model.priors import Prior
from rather.model.questions import Question
from rather.model.responses import Choice, ResponseModel
from rather.numerics.threads import one_thread
from rather.research.experiments.engine import Job, Outcome
from rather.research.experiments.learnt_priors.priors import conversations_wanted, learnt, policy_with
from rather.research.experiments.learnt_priors.simulated import converse
from rather.research.experiments.real_people import measures
from rather.research.experiments.real_people.conversations import converse as converse_with_scores
from rather.research.experiments.real_people.people import load_people
from rather.research.experiments.real_people.rated_user import RatedUser


@dataclass(frozen=True, eq=False)
class Answering:
    """Somebody whose ratings answer, under a response model."""

    user: RatedUser
    response: ResponseModel

    def answer(self, question: Question) -> Choice:
        """What their ratings say."""
        return self.user.answer(question, self.response)


def work(job: Job) -> Outcome:
    """The stars that one person loses before the first question and after each."""
    settings, path = job.parameters, job.files["vectors"]
    with one_thread():
        people = load_people(path)
        belief, seconds = _belief(path, tuple(sorted(_of_belief(settings).items())))
        user = RatedUser(*people.ratings_of(settings["conversations"] + job.trial), job.seed)
        asked, _ = user.halves(len(people.items))
        policy = _policy(path, belief, settings["k"], settings["asking"]).with_seed(user.seed).restricted(asked)
        _, told = converse_with_scores(policy, user, settings["questions"])
        regret = [measures.star_regret(measures.ranked(scores, asked, user.by_row), 1) for scores in told.scores]
    return {"regret": regret, "seconds": {"learning": seconds}}


def _of_belief(settings: Any) -> dict[str, Any]:
    """What of a job's parameters decides the belief."""
    names = ("strategy", "conversations", "answers", "k", "asking")
    return {**{name: settings[name] for name in names}, "wanted": conversations_wanted(settings)}


@lru_cache(maxsize=2)
def _opened(path: str) -> Opened:
    return open_catalog(load_people(path).items)


@lru_cache(maxsize=16)
def _belief(path: str, parts: tuple[tuple[str, Any], ...]) -> tuple[Belief, float]:
    """Where conversations start, the same for all people, and the seconds of processor time that learning it took."""
    settings, opened = dict(parts), _opened(path)
    if settings["strategy"] == "best":
        return Belief.from_users(load_people(path).users), 0.0
    if not settings["wanted"]:
        return opened.belief, 0.0
    told = _told(path, settings["conversations"], settings["answers"], settings["k"], settings["asking"])
    prior, seconds = learnt(told[: settings["wanted"]], _own(opened), seed=0)
    return Belief.from_prior(prior, particles=len(opened.belief)), seconds


def _policy(path: str, belief: Belief, k: int, asking: str) -> Policy:
    """Without "none of these", which stars do not say."""
    catalog = _opened(path).catalog
    response = replace(everyday_response(catalog, belief), none_utility=None)
    return policy_with(catalog, belief, {"k": k, "asking": asking}, response)


def _own(opened: Opened) -> Prior:
    assert opened.belief.prior is not None
    return opened.belief.prior


@lru_cache(maxsize=2)
def _told(path: str, people: int, answers: int, k: int, asking: str) -> tuple[Conversation, ...]:
    """Conversations held with the own prior."""
    held, opened = load_people(path), _opened(path)
    policy = _policy(path, opened.belief, k, asking)
    found = []
    for person in range(people):
        user = RatedUser(*held.ratings_of(person), person)
        allowed = torch.zeros(len(opened.catalog), dtype=torch.bool)
        allowed[torch.from_numpy(user.rows)] = True
        asking_them = policy.with_seed(person).restricted(allowed)
        found.append(converse(asking_them, Answering(user, policy.response), answers))
    return tuple(found)
