"""How noisy recorded answers are, learnt from people who answer no question of the experiment."""

import math
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rather.learn.ratings import Ratings
from rather.model.responses import SAME, Logistic, answer_row
from rather.numerics.threads import one_thread
from rather.research.experiments.real_people.rated_user import RatedUser

# Pairs that each person is asked about: as many as a conversation has questions, so that what fits is not the noise of
# a single answer but that of answers in a row, which tastes have in common.
PAIRS = 8

TEMPERATURES = tuple(0.1 * 1.15**step for step in range(20))  # in stars: 0.1 to 1.4
TIES = tuple(0.2 * 1.25**step for step in range(15))  # 0.2 to 4.5


def learnt_noise(items: NDArray[np.float32], particles: NDArray[np.float32], ratings: Ratings, seed: int) -> Logistic:
    """The temperature and the weight of ties under which these people's answers to random pairs are likeliest.

    Each person's answers in a row have the probability `mean_j prod_t R(answer_t | pair_t, u_j)` over particles u_j.

    Args:
        items: `(n, d)`.
        particles: `(m, d)`, the belief that conversations start from.
        ratings: Of people who are neither learnt from nor asked.
        seed: Draws the pairs.
    """
    slates, rows = _answered_pairs(ratings, seed)
    with one_thread():
        utilities = torch.from_numpy(items)[slates] @ torch.from_numpy(particles).T  # (people * pairs, 2, m)
        best = Logistic(TEMPERATURES[len(TEMPERATURES) // 2], tie=TIES[len(TIES) // 2])
        for _ in range(2):  # a second round changes the last digit
            tempered = [replace(best, temperature=temperature) for temperature in TEMPERATURES]
            best = max(tempered, key=lambda response: evidence(response, utilities, rows))
            tied = [replace(best, tie=tie) for tie in TIES]
            best = max(tied, key=lambda response: evidence(response, utilities, rows))
    return best


def evidence(response: Logistic, utilities: Tensor, rows: Tensor, pairs: int = PAIRS) -> float:
    """Mean log-probability of an answer, when the same person gives `pairs` in a row.

    Args:
        response: The model of answers.
        utilities: `(people * pairs, 2, m)`.
        rows: `(people * pairs,)`, the row of each answer.
        pairs: Answers of each person.
    """
    answers = response.log_probabilities(utilities)[torch.arange(len(rows)), rows]
    by_person = answers.view(-1, pairs, answers.shape[1]).sum(dim=1)
    return float((torch.logsumexp(by_person, dim=1) - math.log(answers.shape[1])).mean()) / pairs


def _answered_pairs(ratings: Ratings, seed: int) -> tuple[Tensor, Tensor]:
    """Random pairs of rows `(people * PAIRS, 2)` and the rows of the answers to them."""
    rng = np.random.default_rng([seed, 13])
    slates, rows = [], []
    model = Logistic(tie=1.0)
    for person in np.unique(ratings.users):
        theirs = np.flatnonzero(ratings.users == person)
        user = RatedUser(ratings.items[theirs], ratings.values[theirs], seed)
        for _ in range(PAIRS):
            slate = rng.choice(user.rows, 2, replace=False)
            choice = user.prefers(slate.tolist(), 0)
            slates.append(slate)
            rows.append(answer_row(SAME if choice is None else choice, 2, model))
    return torch.from_numpy(np.array(slates)), torch.tensor(rows)
