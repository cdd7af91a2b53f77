"""One person, one method: the questions, the answers of their ratings, and what the recommendations are worth to them.

Entries of a spec's `parameters`: `k` items on a slate, `questions` in a conversation, `list` recommended items of which
the best counts, `noise`: the temperature that policies assume as a multiple of the one learnt (by default 1), or
"everyday" for the library's default response model, and `item_tastes`: how far a person's taste for a single item is
assumed to spread, in stars (by default 0: vectors explain everything). A method may have a `noise` and `item_tastes` of
its own among its settings.

A trial is a person. A random half of what they rated may be asked about and recommended; the rest judges
recommendations of items that were never asked about. A method is a strategy or one of `METHODS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rather.conversation.policy import Policy
from rather.conversation.policy_settings import everyday_response
from rather.errors import InvalidInputError
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.item_tastes import with_item_tastes
from rather.model.questions import Question
from rather.model.responses import Choice, Logistic, answer_row
from rather.numerics.threads import one_thread
from rather.research.experiments.engine import Job, Outcome
from rather.research.experiments.jobs import job_of
from rather.research.experiments.real_people import measures
from rather.research.experiments.real_people.people import People, load_people
from rather.research.experiments.real_people.rated_user import RatedUser
from rather.research.experiments.real_people.rivals import (
    RATING_METHODS,
    followed_scores,
    popularity,
    rated_scores,
)
from rather.research.experiments.spec import ExperimentSpec
from rather.research.experiments.summary import PAIRED
from rather.strategies import strategy_named

METHODS = ("popularity", "best-rated", "nearest-neighbours", *RATING_METHODS)
"""What takes part beside the strategies."""

NEIGHBOURS_ASK = "auto"
"""Whose questions nearest neighbours are given the answers to."""


def jobs(spec: ExperimentSpec, files: Mapping[str, str]) -> list[Job]:
    """A job for each variant, person and method; the people first, so that an interrupted run has something of all."""
    for variant in spec.variants:
        answering = variant.population.get("answering", "people")
        if spec.trials > (held_out := variant.population[answering]):
            raise InvalidInputError(
                f"`trials` must be at most {held_out}, the people that {spec.name} holds out ({variant.label}), "
                f"got {spec.trials}. Raise `{answering}` in a spec of your own."
            )
    return [
        job_of(spec, variant, method, trial, files)
        for trial in range(spec.trials)
        for variant in spec.variants
        for method in variant.methods
        if method.trials is None or trial < method.trials
    ]


@dataclass(frozen=True, eq=False)
class Told:
    """What a method had learnt before the first question and after each.

    Attributes:
        scores: `(n,)` each.
        lists: The rows of what is recommended together; where there are none, the items of the highest scores.
        stated: The probability of every possible answer, and whether it was given.
        evoi: Of each question.
    """

    scores: Sequence[Tensor]
    lists: Sequence[Sequence[int]] = ()
    stated: Sequence[tuple[float, bool]] = ()
    evoi: Sequence[float] = field(default_factory=list)


def work(job: Job) -> Outcome:
    """Everything that is measured of one person and method, question by question."""
    with one_thread():  # everything here is small
        people = load_people(job.files["vectors"])
        user = RatedUser(*people.ratings_of(job.trial), job.seed)
        asked, unasked = user.halves(len(people.items))
        told = _told(job.files["vectors"], people, user, asked, job.parameters)
        outcome: Outcome = {name: [] for name in ("regret", *PAIRED)}
        for index, scores in enumerate(told.scores):
            mine, new = (measures.ranked(scores, mask, user.by_row) for mask in (asked, unasked))
            outcome["regret"].append(measures.star_regret(mine, 1))
            outcome["ranking_regret"].append(measures.star_regret(mine, job.parameters["list"]))
            listed = [user.by_row[row] for row in told.lists[index]] if told.lists else mine[: job.parameters["list"]]
            outcome["list_regret"].append(max(mine) - max(listed))
            outcome["unasked_regret"].append(measures.star_regret(new, 1))
            outcome["unasked_ndcg"].append(measures.star_ndcg(new))
            outcome["unasked_hit"].append(measures.favourite_hit(new))
        if told.stated:
            outcome |= {"evoi": list(told.evoi), **measures.binned(told.stated)}
    return outcome


def _told(path: str, people: People, user: RatedUser, allowed: Tensor, settings: Mapping[str, Any]) -> Told:
    name, questions = settings["strategy"], settings["questions"]
    if name == "popularity":
        return Told([popularity(people)] * (questions + 1))
    if name == "best-rated":
        return Told([torch.from_numpy(people.items[:, -1])] * (questions + 1))
    if name in RATING_METHODS:
        tastes = settings.get("item_tastes", 0.0)
        return Told(rated_scores(people, user, allowed, questions, RATING_METHODS[name], tastes))
    strategy = NEIGHBOURS_ASK if name == "nearest-neighbours" else name
    options = {"noise": settings.get("noise", 1.0), **settings["settings"]}
    tastes = options.pop("item_tastes", settings.get("item_tastes", 0.0))
    policy = _policy(path, settings["k"], strategy, tuple(sorted(options.items()))).with_seed(user.seed)
    if tastes:
        turns, told = converse_with_tastes(policy, user, allowed, tastes, questions, settings["list"])
    else:
        asked, told = converse(policy.restricted(allowed), user, questions, settings["list"])
        turns = [(question.slate, answer) for question, answer in asked]
    return told if name != "nearest-neighbours" else Told(followed_scores(path, user, turns))


def converse_with_tastes(
    policy: Policy, user: RatedUser, allowed: Tensor, spread: float, questions: int, length: int = 5
) -> tuple[list[tuple[tuple[int, ...], Choice]], Told]:
    """Ask a person who has a taste of their own for each allowed item; the slates and answers, and what was learnt.

    Args:
        policy: For all items, without such tastes.
        user: The person.
        allowed: `(n,)`, the items to ask about and recommend.
        spread: Of a taste, in stars.
        questions: How many.
        length: Items on a list.
    """
    rows = allowed.nonzero()[:, 0]
    vectors, belief = with_item_tastes(policy.catalog.vectors(rows), policy.prior, spread, seed=policy.seed)
    own = Policy(
        Catalog(vectors),
        belief,
        policy.k,
        policy.seed,
        strategy=policy.strategy,
        response=policy.response,
        retriever="exact",
    )
    known = policy.catalog.vectors(torch.arange(len(policy.catalog)))
    everything = torch.cat([known, known.new_zeros(len(known), len(rows))], dim=1)
    everything[rows] = vectors
    person = RatedUser(np.arange(len(rows)), np.array([user.by_row[row] for row in rows.tolist()]), user.seed)
    turns, told = converse(own, person, questions, length, everything)
    lists = [rows[list(found)].tolist() for found in told.lists]
    return [(tuple(rows[list(asked.slate)].tolist()), answer) for asked, answer in turns], replace(told, lists=lists)


def converse(
    policy: Policy, user: RatedUser, questions: int, length: int = 5, scored: Tensor | None = None
) -> tuple[list[tuple[Question, Choice]], Told]:
    """Ask a person, and return the turns and what was learnt.

    Args:
        policy: For the items that may be asked about.
        user: The person.
        questions: How many.
        length: Items on a list.
        scored: `(n, d)` vectors of the items whose scores to keep, also of some that are never asked about; by default
            those of the catalogue.
    """
    if scored is None:
        scored = policy.catalog.vectors(torch.arange(len(policy.catalog)))
    belief, turns = policy.prior, list[tuple[Question, Choice]]()
    scores, stated = [scored @ belief.mean], list[tuple[float, bool]]()
    lists = [_list(policy, belief, length)]
    for _ in range(questions):
        question = policy.question(belief, [question for question, _ in turns])
        answer = user.answer(question, policy.response)
        stated += _stated(policy, belief, question, answer)
        belief = policy.after(belief, question, answer)
        turns.append((question, answer))
        scores.append(scored @ belief.mean)
        lists.append(_list(policy, belief, length))
    return turns, Told(scores, lists, stated, [question.evoi for question, _ in turns])


def _list(policy: Policy, belief: Belief, length: int) -> list[int]:
    """The rows of what is recommended together."""
    return [item.row for item in policy.recommend(belief, length)]


def _stated(policy: Policy, belief: Belief, question: Question, answer: Choice) -> list[tuple[float, bool]]:
    """The probability of each possible answer before it was given, and whether it was."""
    answers = belief.answering(policy.response).log_probabilities(question.vectors @ belief.particles.T)
    probabilities = answers.exp() @ belief.weights
    given = answer_row(answer, len(question), policy.response)
    return [(probability, row == given) for row, probability in enumerate(probabilities.tolist())]


@lru_cache(maxsize=32)
def _policy(path: str, k: int, strategy: str, options: tuple[tuple[str, Any], ...]) -> Policy:
    """The policy of a method, before anything is known of the person: the same for all people."""
    people, settings = load_people(path), dict(options)
    catalog, belief = Catalog(people.items), Belief.from_users(people.users)
    noise = settings.pop("noise")
    return Policy(
        catalog,
        belief,
        k,
        strategy=strategy_named(strategy, **settings),
        response=everyday_response(catalog, belief)
        if noise == "everyday"
        else Logistic(noise * people.temperature, tie=people.tie),
        retriever="exact",
    )
