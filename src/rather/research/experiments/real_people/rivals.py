"""What others would do with a new user: no questions, ratings instead of comparisons, and nearest neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
import torch
from torch import Tensor

from rather.model.responses import SAME, Choice
from rather.numerics.randomness import derive_generator
from rather.research.experiments.real_people.people import People, load_people
from rather.research.experiments.real_people.rated_user import RatedUser

RatedBy = Literal["variance", "popularity-entropy", "best", "popular", "random"]
"""Which item to have rated next."""

RATING_METHODS: dict[str, RatedBy] = {f"rate-{name}": name for name in get_args(RatedBy)}


@lru_cache(maxsize=2)
def popularity(people: People) -> Tensor:
    """How often each item was rated by those learnt from, `(n,)`."""
    return torch.from_numpy(np.bincount(people.learnt_items, minlength=len(people.items))).double()


@lru_cache(maxsize=2)
def popularity_entropy(people: People) -> Tensor:
    """`log(count) * entropy of the ratings` of each item, `(n,)` (Rashid et al. 2002, "Getting to know you")."""
    levels = np.unique(people.learnt_values)
    shape = (len(levels), len(people.items))
    keys = np.searchsorted(levels, people.learnt_values) * shape[1] + people.learnt_items
    counts = torch.from_numpy(np.bincount(keys, minlength=shape[0] * shape[1]).reshape(shape)).double()
    total = counts.sum(dim=0)
    shares = counts / total.clamp_min(1)
    entropy: Tensor = -torch.special.xlogy(shares, shares).sum(dim=0)
    return total.clamp_min(1).log() * entropy


@dataclass(frozen=True, eq=False)
class StarBelief:
    """A Gaussian over a user's vector and generosity, `(d + 1,)`: Bayesian linear regression on stars.

    A rating is `mean + x_i @ u + c` with noise of variance `residual`; `features` are `(x_i, 1)`.
    """

    features: Tensor
    expected: Tensor
    covariance: Tensor
    mean: float
    residual: float

    @classmethod
    def of(cls, people: People) -> StarBelief:
        """Before the first rating: the mean and covariance of those learnt from."""
        users = torch.from_numpy(people.users).double()
        items = torch.from_numpy(people.items).double()
        d = users.shape[1]
        covariance = torch.zeros(d + 1, d + 1, dtype=torch.float64)
        covariance[:d, :d] = users.T.cov()
        covariance[d, d] = people.generosity
        expected = torch.cat([users.mean(dim=0), torch.zeros(1, dtype=torch.float64)])
        features = torch.cat([items, torch.ones(len(items), 1, dtype=torch.float64)], dim=1)
        return cls(features, expected, covariance, people.mean, people.residual)

    @property
    def scores(self) -> Tensor:
        """Expected stars of every item, `(n,)`."""
        return self.features @ self.expected + self.mean

    @property
    def variances(self) -> Tensor:
        """Variance of what every item is worth to the user, `(n,)`."""
        return ((self.features @ self.covariance) * self.features).sum(dim=1)

    def after(self, row: int, stars: float) -> StarBelief:
        """Given the rating of an item: `gain = S f / (f S f + residual)`, `u + gain error`, `S - gain (S f)^T`."""
        feature = self.features[row]
        shared = self.covariance @ feature
        gain = shared / (feature @ shared + self.residual)
        error = stars - self.mean - float(feature @ self.expected)
        covariance = self.covariance - torch.outer(gain, shared)
        return StarBelief(self.features, self.expected + gain * error, covariance, self.mean, self.residual)


def rated_scores(
    people: People, user: RatedUser, allowed: Tensor, questions: int, by: RatedBy, item_tastes: float = 0.0
) -> list[Tensor]:
    """Scores `(n,)` before the first rating and after each, of items chosen `by` a criterion among those allowed.

    What a rating is above or below expectation is in part a taste for that item, which its score then has: with a
    spread s of such tastes, `s^2 / residual` of it.
    """
    belief, left = StarBelief.of(people), allowed.clone()
    found, rated = [belief.scores], list[int]()
    own = min(1.0, item_tastes**2 / people.residual)
    for number in range(1, questions + 1):
        wanted = _criterion(by, people, belief, user.seed, number).masked_fill(~left, -torch.inf)
        row = int(wanted.argmax())
        left[row] = False
        belief = belief.after(row, user.by_row[row])
        rated.append(row)
        scores = belief.scores
        scores[rated] += own * (torch.tensor([user.by_row[each] for each in rated]) - scores[rated])
        found.append(scores)
    return found


def _criterion(by: RatedBy, people: People, belief: StarBelief, seed: int, number: int) -> Tensor:
    if by == "variance":
        return belief.variances
    if by == "best":
        return belief.scores
    if by == "popular":
        return popularity(people)
    if by == "popularity-entropy":
        return popularity_entropy(people)
    return torch.rand(len(people.items), generator=derive_generator(seed, "rate", number), dtype=torch.float64)


@lru_cache(maxsize=2)
def learnt_table(path: str) -> tuple[Tensor, Tensor]:
    """The ratings learnt from as `(m, n)` bytes, 0 where there is none, and the mean rating of each user, `(m,)`."""
    people = load_people(path)
    users, items = torch.from_numpy(people.learnt_users), torch.from_numpy(people.learnt_items)
    stars = torch.from_numpy(people.learnt_values)
    table = torch.zeros(int(users.max()) + 1, len(people.items), dtype=torch.int8)
    table[users, items] = stars.to(torch.int8)
    means = torch.bincount(users, stars.double()) / torch.bincount(users).clamp_min(1)
    return table, means


def followed_scores(path: str, user: RatedUser, answers: Sequence[tuple[Sequence[int], Choice]]) -> list[Tensor]:
    """What nearest neighbours make of answers, before the first and after each: `(n,)`, 0 if unrated."""
    table, means = learnt_table(path)
    rows = torch.from_numpy(user.rows)
    theirs, biases = table[:, rows].double(), torch.from_numpy(load_people(path).items[:, -1]).double()
    positions = {row: position for position, row in enumerate(user.rows.tolist())}
    mapped = [([positions[row] for row in slate], choice) for slate, choice in answers]
    found = []
    for count in range(len(answers) + 1):
        scores = torch.zeros_like(biases)
        scores[rows] = neighbour_scores(theirs, means, biases[rows], mapped[:count])
        found.append(scores)
    return found


def neighbour_scores(
    table: Tensor,
    means: Tensor,
    biases: Tensor,
    answers: Sequence[tuple[Sequence[int], Choice]],
    count: int = 200,
    damping: float = 5.0,
) -> Tensor:
    """What the users who would have answered most alike think of some items, `(r,)`.

    Of the `count` users who agree most often, those who agree at all count by how much. An item's score is
    `(sum_j weight_j (rating_j - mean_j) + damping bias) / (sum_j weight_j + damping)` over those who rated it.

    Args:
        table: `(m, r)` ratings of these items, 0 where there is none.
        means: `(m,)`, the mean rating of each user, of whatever items.
        biases: `(r,)`, the scores before the first answer.
        answers: Slates of columns of the table, and what was chosen.
        count: Neighbours, at most.
        damping: Weight of the bias.
    """
    agreement = torch.zeros(len(table), dtype=torch.float64)
    for slate, choice in answers:
        agreement += _agreement(table[:, list(slate)], choice)
    weights, users = agreement.clamp_min(0).topk(min(count, len(table)))
    theirs = table[users]
    rated = (theirs > 0).double()
    deviations = weights @ ((theirs - means[users, None]) * rated)
    return (deviations + damping * biases) / (weights @ rated + damping)


def _agreement(stars: Tensor, choice: Choice) -> Tensor:
    """For users with stars `(m, k)`: pairs that they would have answered alike minus others; 0 for what is unrated."""
    known = (stars > 0).double()
    if choice is SAME:
        same = 1 - 2 * (stars != stars[:, :1]).double()
        return (same * known * known[:, :1])[:, 1:].sum(dim=1)
    if not isinstance(choice, int):
        return torch.zeros(len(stars), dtype=torch.float64)
    chosen = stars[:, choice, None]
    return ((chosen - stars).sign() * known * (chosen > 0)).sum(dim=1)
