"""Probabilistic matrix factorisation (Salakhutdinov & Mnih 2008), as the paper trains its MovieLens vectors."""

import torch

from rather.errors import InvalidInputError
from rather.learn.factors import Factors, OnEpoch
from rather.learn.ratings import Ratings
from rather.numerics.randomness import derive_generator
from rather.numerics.threads import one_thread


def pmf(
    ratings: Ratings,
    *,
    dimensions: int = 10,
    epochs: int = 20,
    regularisation: float = 0.1,
    learning_rate: float = 1.0,
    momentum: float = 0.8,
    batch: int = 1000,
    seed: int = 0,
    on_epoch: OnEpoch | None = None,
) -> Factors:
    """Minimise `sum (u @ x - (rating - mean))^2 + regularisation / 2 (|u|^2 + |x|^2)` over the observed pairs.

    Stochastic gradient descent with momentum on mean-centred ratings. Utilities grow with the number of epochs: on
    MovieLens-100k the regret before the first question is 0.30 after 20 epochs and 0.63 after 50.

    Args:
        ratings: Who rated what.
        dimensions: Length d of the vectors.
        epochs: Passes over the ratings.
        regularisation: The paper's lambda.
        learning_rate: Step along the mean gradient of a batch.
        momentum: Share of the previous step that is repeated.
        batch: Ratings per step.
        seed: For the initial vectors and the order of ratings.
        on_epoch: Called after each epoch, for a progress bar.
    """
    if dimensions < 1 or epochs < 1 or batch < 1:
        raise InvalidInputError(
            f"`dimensions`, `epochs` and `batch` must be at least 1, got {dimensions}, {epochs} and {batch}."
        )
    generator = derive_generator(seed, "pmf")
    rated_by, rated = torch.from_numpy(ratings.users), torch.from_numpy(ratings.items)
    values = torch.from_numpy(ratings.values)
    mean = float(values.mean())
    centred = values - mean
    # Initial vectors of size 0.1 break the symmetry between dimensions and predict next to nothing.
    users = 0.1 * torch.randn(ratings.n_users, dimensions, generator=generator, dtype=torch.float32)
    items = 0.1 * torch.randn(ratings.n_items, dimensions, generator=generator, dtype=torch.float32)
    user_step, item_step = torch.zeros_like(users), torch.zeros_like(items)
    with one_thread():
        for epoch in range(1, epochs + 1):
            squares = 0.0
            for rows in torch.split(torch.randperm(len(values), generator=generator), batch):
                who, what = rated_by[rows], rated[rows]
                u, x = users[who], items[what]
                error = (u * x).sum(dim=1) - centred[rows]
                squares += float(error.square().sum())
                rate = learning_rate / len(rows)
                user_step.mul_(momentum).index_add_(0, who, 2 * error[:, None] * x + regularisation * u, alpha=rate)
                item_step.mul_(momentum).index_add_(0, what, 2 * error[:, None] * u + regularisation * x, alpha=rate)
                users -= user_step
                items -= item_step
            if on_epoch is not None:
                on_epoch(epoch, epochs, f"training RMSE {(squares / len(values)) ** 0.5:.4f}")
    if not (users.isfinite().all() and items.isfinite().all()):
        raise InvalidInputError(
            f"`learning_rate` must be lower for these ratings: with {learning_rate} the vectors diverged. "
            "There may be too few of them; `--method als` has no such setting."
        )
    return Factors(
        users, items, mean, {"method": "pmf", "dimensions": dimensions, "epochs": epochs, "lambda": regularisation}
    )
