"""How well vectors predict and rank ratings that they were not learnt from."""

import math
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from rather.learn.factors import Factors
from rather.learn.ratings import Ratings
from rather.numerics.randomness import derive_generator

# Users on whom rankings are measured, at most: each costs a scan of all items.
MAX_USERS = 2000


class Predicts(Protocol):
    """Whatever predicts ratings."""

    def predict(self, users: Tensor, items: Tensor) -> Tensor:
        """Predicted ratings `(r,)` of pairs of users and items, `(r,)` each."""
        ...


def rmse(learnt: Predicts, ratings: Ratings) -> float:
    """Root mean square error of predicted ratings."""
    predicted = learnt.predict(torch.from_numpy(ratings.users), torch.from_numpy(ratings.items))
    return math.sqrt(float((predicted - torch.from_numpy(ratings.values)).square().mean()))


def ranking(
    scores: Factors | Tensor, seen: Ratings, held_out: Ratings, seed: int, length: int = 10
) -> dict[str, float]:
    """Hit rate and NDCG of lists of `length` items that a user has not seen; held-out items are relevant.

    Args:
        scores: Factors, or one score `(n,)` for all users (popularity).
        seen: What the vectors were learnt from; never recommended.
        held_out: The relevant pairs.
        seed: Draws the users if there are more than `MAX_USERS`.
        length: Of the lists.
    """
    users = np.unique(held_out.users)
    if len(users) > MAX_USERS:
        order = torch.randperm(len(users), generator=derive_generator(seed, "ranking"))
        users = np.sort(users[order[:MAX_USERS].numpy()])
    relevant, known = _items_of(held_out), _items_of(seen)
    discount = 1 / torch.log2(torch.arange(length, dtype=torch.float64) + 2)
    hits, gains = 0.0, 0.0
    for user in users.tolist():
        utility = scores.clone() if isinstance(scores, Tensor) else scores.items @ scores.users[user]
        utility[known[user]] = -math.inf
        found = torch.isin(utility.topk(length).indices, relevant[user])
        hits += float(found.any())
        gains += float(discount[found].sum() / discount[: len(relevant[user])].sum())
    return {f"hit rate@{length}": hits / len(users), f"NDCG@{length}": gains / len(users)}


def _items_of(ratings: Ratings) -> list[Tensor]:
    """For each user the items they rated."""
    order = np.argsort(ratings.users, kind="stable")
    ends = np.cumsum(np.bincount(ratings.users, minlength=ratings.n_users))[:-1]
    return [torch.from_numpy(part) for part in np.split(ratings.items[order], ends)]
