"""User vectors over given item attributes, from what users liked: the prior of the experiments with attributes."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from rather.errors import InvalidInputError
from rather.learn.factors import Factors, OnEpoch
from rather.learn.item_attributes import ItemAttributes
from rather.learn.ratings import Ratings
from rather.numerics.randomness import derive_generator
from rather.numerics.threads import one_thread


@dataclass(frozen=True, eq=False)
class Likes:
    """Liked pairs of users `(r,)` and items `(r,)`, and the pairs that are held out."""

    users: Tensor
    items: Tensor
    held_out_users: Tensor
    held_out_items: Tensor


def attribute_users(
    ratings: Ratings,
    attributes: ItemAttributes,
    *,
    liked: float = 4.0,
    epochs: int = 100,
    patience: int = 3,
    learning_rate: float = 0.01,
    regularisation: float = 1e-6,
    batch: int = 10_000,
    held_out: float = 0.2,
    seed: int = 0,
    on_epoch: OnEpoch | None = None,
) -> Factors:
    """Maximise `sum log sigmoid(u @ (p - n)) - regularisation |u|^2` over liked items p and others n.

    The paper prints the objective without the logarithm; we assume that it means the usual pairwise logistic loss. A
    liked item is one rated at least `liked`. An item n is drawn from all ratings, so that popular items are as common
    among the n as among the p: only then does ranking by popularity reach the paper's 54 %. Adam at the paper's rate
    of 0.001 arrives at the same result in ten times as many steps.

    Args:
        ratings: Who rated what, among items that all have attributes.
        attributes: `(n, a)`, in the order of the ratings' items.
        liked: Lowest rating of a liked item.
        epochs: Passes over the liked items, at most.
        patience: Stop after this many passes without a better accuracy on held-out items.
        learning_rate: Of Adam.
        regularisation: L2, the paper's alpha.
        batch: Pairs in a step.
        held_out: Share of each user's liked items that is held out.
        seed: For the held-out items and everything else that is drawn.
        on_epoch: Called after each pass, for a progress bar.

    Returns:
        Users, and the attributes as item vectors. The notes hold the accuracy on held-out pairs (the share in which
        the liked item has the higher utility) and that of ranking by popularity on the same pairs.
    """
    if list(attributes.item_ids) != list(ratings.item_ids):
        raise InvalidInputError(
            "`attributes` must describe the items of `ratings` in the same order. Put them in it with "
            "`rather.learn.item_attributes.matched`."
        )
    items = torch.from_numpy(attributes.values)
    likes = _likes(ratings, liked, held_out, derive_generator(seed, "held out"))
    drawn_from = torch.from_numpy(ratings.items)
    generator = derive_generator(seed, "pairs")
    check = drawn_from[torch.randint(len(drawn_from), likes.held_out_items.shape, generator=generator)]
    users = torch.zeros(ratings.n_users, items.shape[1], dtype=torch.float32)
    best, best_accuracy, since = users.clone(), 0.0, 0
    adam = torch.optim.Adam([users], lr=learning_rate, maximize=True)
    with one_thread():
        for epoch in range(1, epochs + 1):
            for rows in torch.split(torch.randperm(len(likes.users), generator=generator), batch):
                who, what = likes.users[rows], likes.items[rows]
                others = drawn_from[torch.randint(len(drawn_from), what.shape, generator=generator)]
                difference = items[what] - items[others]
                u = users[who]
                slope = torch.sigmoid(-(u * difference).sum(dim=1, keepdim=True)) * difference - 2 * regularisation * u
                users.grad = torch.zeros_like(users).index_add_(0, who, slope)
                adam.step()
            accuracy = _accuracy(users, items, likes, check)
            if on_epoch is not None:
                on_epoch(epoch, epochs, f"held-out accuracy {accuracy:.4f}")
            since += 1
            if accuracy > best_accuracy:
                best, best_accuracy, since = users.clone(), accuracy, 0
            if since >= patience:
                break
    counts = torch.from_numpy(ratings.popularity)
    notes: dict[str, float | int | str] = {
        "method": "pairwise logistic",
        "epochs": epoch,
        "held-out accuracy": best_accuracy,
        "popularity accuracy": _share_above(counts[likes.held_out_items], counts[check]),
    }
    return Factors(best, items, 0.0, notes)


def _likes(ratings: Ratings, liked: float, held_out: float, generator: torch.Generator) -> Likes:
    """The liked pairs, with a share of each user's pairs, rounded down, held out."""
    rows = np.flatnonzero(ratings.values >= liked)
    if not len(rows):
        raise InvalidInputError(f"`liked` must be at most {ratings.values.max():g}, the highest rating, got {liked:g}.")
    order = torch.rand(len(rows), generator=generator, dtype=torch.float64).numpy()
    users = ratings.users[rows]
    by_user = np.lexsort((order, users))
    counts = np.bincount(users, minlength=ratings.n_users)
    position = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)  # among the user's own
    is_held_out = np.zeros(len(rows), dtype=bool)
    is_held_out[by_user] = position < np.floor(held_out * counts[users[by_user]])
    parts = [rows[~is_held_out], rows[is_held_out]]
    if not len(parts[1]):
        raise InvalidInputError(
            f"`held_out` must be large enough to hold out an item of at least one user, got {held_out:g}. "
            "Raise it, or add ratings."
        )
    tensors = [torch.from_numpy(column[part]) for part in parts for column in (ratings.users, ratings.items)]
    return Likes(*tensors)


def _accuracy(users: Tensor, items: Tensor, likes: Likes, others: Tensor) -> float:
    u = users[likes.held_out_users]
    return _share_above((u * items[likes.held_out_items]).sum(dim=1), (u * items[others]).sum(dim=1))


def _share_above(higher: Tensor, lower: Tensor) -> float:
    """How often the first is above the second; equal pairs count one half."""
    return float(((higher > lower).double() + 0.5 * (higher == lower).double()).mean())
