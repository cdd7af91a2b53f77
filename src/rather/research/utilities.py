"""Utilities of different shapes on real ratings: who predicts them better, and who asks better.

People are held out, not ratings of people who are known. Each of them answers by their own ratings, is asked only about
what they have rated, and is recommended one of these: no model of a person stands in for the truth.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from rather.conversation.policy import Policy
from rather.conversation.session import Session
from rather.errors import InvalidInputError
from rather.formats.utility_models import from_utility
from rather.learn.metrics import rmse
from rather.learn.ratings import Ratings
from rather.learn.utility_models import LearntUtility, learn_utility
from rather.model.questions import Question
from rather.model.responses import SAME, Choice
from rather.numerics.randomness import derive_generator

# Particles: of more people than this, as many are drawn.
MOST_PEOPLE = 1000


@dataclass(frozen=True)
class ComparedUtility:
    """What was found for one method.

    Attributes:
        method: Of `rather.learn.utility_models.METHODS`.
        rmse: Root mean square error on held-out ratings of people who were learnt from.
        regrets: `(people, questions + 1)`, the person's highest rating minus that of the first recommendation, before
            the first question and after each.
    """

    method: str
    rmse: float
    regrets: NDArray[np.float64]


def compare_utilities(
    ratings: Ratings,
    methods: Sequence[str] = ("linear", "ideal-point", "network"),
    *,
    people: int = 200,
    questions: int = 8,
    least: int = 40,
    smooth: bool | None = None,
    seed: int = 0,
    on_done: Callable[[], None] | None = None,
) -> list[ComparedUtility]:
    """Learn each utility from the ratings of most people, and hold conversations with the others.

    Args:
        ratings: Who rated what.
        methods: What to compare.
        people: To hold conversations with, at most half of those who qualify.
        questions: In each conversation.
        least: Ratings that such a person must have given, and that an item must have got.
        smooth: Whether new people may be blends of those learnt from; see `from_utility`.
        seed: Draws people and ratings.
        on_done: Called after each conversation.
    """
    active = ratings.at_least(least, least)
    if active.n_users < 4:
        raise InvalidInputError(
            f"`ratings` must have at least 4 people with {least} ratings of items that got as many, "
            f"got {active.n_users}."
        )
    order = torch.randperm(active.n_users, generator=derive_generator(seed, "people")).numpy()
    tested = order[: min(people, active.n_users // 2)]
    known = active.subset(~np.isin(active.users, tested))
    seen, rest = known.split(0.1, seed)
    truths = [_ratings_of(active, int(person)) for person in tested]
    particles = order[len(tested) :][:MOST_PEOPLE]
    found = []
    for method in methods:
        learnt = learn_utility(seen, method, seed=seed)
        regrets = _regrets(learnt, particles, truths, questions, smooth, on_done)
        found.append(ComparedUtility(method, rmse(learnt, rest), regrets))
    return found


def _ratings_of(ratings: Ratings, person: int) -> NDArray[np.float64]:
    """`(n,)`, what a person rated each item; NaN where they did not."""
    own = ratings.users == person
    truth = np.full(ratings.n_items, np.nan)
    truth[ratings.items[own]] = ratings.values[own]
    return truth


def _regrets(
    learnt: LearntUtility,
    people: NDArray[np.int64],
    truths: Sequence[NDArray[np.float64]],
    questions: int,
    smooth: bool | None,
    on_done: Callable[[], None] | None,
) -> NDArray[np.float64]:
    model = learnt.of_people(torch.from_numpy(people))
    policy = Policy(*from_utility(model, learnt.inputs, smooth=smooth))
    found = []
    for number, truth in enumerate(truths):
        session = Session(policy.restricted(~np.isnan(truth)).with_seed(number))
        regrets = [_regret(session, truth)]
        for _ in range(questions):
            question = session.ask()
            session.tell(question, _answer(question, truth))
            regrets.append(_regret(session, truth))
        found.append(regrets)
        if on_done is not None:
            on_done()
    return np.array(found)


def _answer(question: Question, truth: NDArray[np.float64]) -> Choice:
    """The option with the highest rating; "about the same" where several have it."""
    own = truth[list(question.slate)]
    best = np.flatnonzero(own == own.max())
    return int(best[0]) if len(best) == 1 else SAME


def _regret(session: Session, truth: NDArray[np.float64]) -> float:
    return float(np.nanmax(truth) - truth[session.recommend(1)[0].row])
