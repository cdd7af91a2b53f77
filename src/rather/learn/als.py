"""Alternating least squares for implicit feedback (Hu, Koren & Volinsky 2008), by the `implicit` library."""

import numpy as np
import torch

from rather.extras import require_extra
from rather.learn.factors import Factors, OnEpoch
from rather.learn.ratings import Ratings


def als(
    ratings: Ratings,
    *,
    dimensions: int = 50,
    iterations: int = 15,
    regularisation: float = 0.01,
    confidence: float = 1.0,
    seed: int = 0,
    on_epoch: OnEpoch | None = None,
) -> Factors:
    """Every rated pair counts as 1 with confidence `1 + confidence * rating`, every other pair as 0.

    Each half-step solves for all users or all items by a few steps of conjugate gradient (Takács et al. 2011). A rating
    of 0 (an interaction without a rating) counts as 1.

    Args:
        ratings: Who rated what.
        dimensions: Length d of the vectors.
        iterations: Rounds of users and items.
        regularisation: L2.
        confidence: What a rating adds to the confidence in a pair.
        seed: For the initial vectors.
        on_epoch: Called after each iteration, for a progress bar.
    """
    require_extra("data", "Alternating least squares")
    from implicit.cpu.als import AlternatingLeastSquares
    from scipy.sparse import csr_matrix
    from threadpoolctl import threadpool_limits

    weights = np.maximum(ratings.values, 1).astype(np.float32)
    table = csr_matrix((weights, (ratings.users, ratings.items)), shape=(ratings.n_users, ratings.n_items))

    def report(iteration: int, seconds: float, loss: float) -> None:
        if on_epoch is not None:
            on_epoch(iteration + 1, iterations, "")

    # Threads of the BLAS would compete with those of `implicit`, which warns about it.
    with threadpool_limits(1, "blas"):
        model = AlternatingLeastSquares(
            factors=dimensions,
            regularization=regularisation,
            alpha=confidence,
            iterations=iterations,
            random_state=seed % 2**32,
            num_threads=1,
        )
        model.fit(table, show_progress=False, callback=report)
    return Factors(
        torch.from_numpy(np.ascontiguousarray(model.user_factors)),
        torch.from_numpy(np.ascontiguousarray(model.item_factors)),
        0.0,
        {"method": "als", "dimensions": dimensions, "iterations": iterations, "lambda": regularisation},
    )
