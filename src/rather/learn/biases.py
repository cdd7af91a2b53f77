"""How well liked every item is by everybody, and how generous every user is: what tastes come on top of.

Without it the first dimensions of learnt vectors are spent on quality, and the vectors of rarely rated items say that
they are average. With an item's bias as one more dimension, in which all users have 1, utilities are stars again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from rather.learn.factors import Factors
from rather.learn.pmf import pmf
from rather.learn.ratings import Ratings


@dataclass(frozen=True, eq=False)
class Biases:
    """A rating is about `mean + users[u] + items[i]`.

    Attributes:
        mean: Of all ratings.
        users: `(m,)`, how generous each user is.
        items: `(n,)`, how well liked each item is.
    """

    mean: float
    users: NDArray[np.float32]
    items: NDArray[np.float32]

    def residuals(self, ratings: Ratings) -> Ratings:
        """The ratings less what the biases explain, among the same users and items."""
        explained = self.mean + self.users[ratings.users] + self.items[ratings.items]
        return replace(ratings, values=(ratings.values - explained).astype(np.float32))


def rating_biases(ratings: Ratings, damping: float = 10.0, sweeps: int = 10) -> Biases:
    """Damped means, of items and of users in turn: `sum (rating - mean - other bias) / (count + damping)`.

    Args:
        ratings: Who rated what.
        damping: Ratings of 0 that everybody and everything starts with, so that one rating does not make a bias.
        sweeps: How often users and items take turns.
    """
    mean = float(ratings.values.mean(dtype=np.float64))
    centred = ratings.values.astype(np.float64) - mean
    users, items = np.zeros(ratings.n_users), np.zeros(ratings.n_items)
    by_user = np.bincount(ratings.users, minlength=ratings.n_users) + damping
    of_item = ratings.popularity + damping
    for _ in range(sweeps):
        items = np.bincount(ratings.items, centred - users[ratings.users], ratings.n_items) / of_item
        users = np.bincount(ratings.users, centred - items[ratings.items], ratings.n_users) / by_user
    return Biases(mean, users.astype(np.float32), items.astype(np.float32))


def biased_pmf(
    ratings: Ratings, biases: Biases, *, dimensions: int, epochs: int, regularisation: float = 0.1, seed: int = 0
) -> Factors:
    """Matrix factorisation of what biases leave unexplained, with the items' biases as the last of d + 1 dimensions.

    Every user has 1 there. How generous users are is left out: it does not change what they prefer.

    Args:
        ratings: Who rated what.
        biases: Of these ratings.
        dimensions: Length d of the learnt part.
        epochs: See `pmf`.
        regularisation: See `pmf`.
        seed: See `pmf`.
    """
    tastes = pmf(
        biases.residuals(ratings), dimensions=dimensions, epochs=epochs, regularisation=regularisation, seed=seed
    )
    users = torch.cat([tastes.users, torch.ones(len(tastes.users), 1, dtype=torch.float32)], dim=1)
    items = torch.cat([tastes.items, torch.from_numpy(biases.items)[:, None]], dim=1)
    return Factors(users, items, biases.mean, {**tastes.notes, "method": "pmf with item biases"})
