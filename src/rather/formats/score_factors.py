"""A matrix of scores as a product of two thin ones, where that loses nothing but rounding.

Models whose last layer is a product of vectors, and many others nearly, give an `(n, m)` matrix of low rank r. Its
right singular vectors V `(m, r)` are an isometry between rows of scores and item vectors of r numbers:

    S = A V',  A = S V,  V' V = I

Every norm, distance and product is the same in both, so that every strategy does the same, m / r times faster.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from rather.numerics.threads import one_thread

# Rows whose singular vectors are computed: a matrix with more independent rows than half of these is left as it is.
SAMPLED_ROWS = 1024

# What float32 loses, relative: the rounding of one number, and what has come together in scores that were summed up.
ROUNDING = 2.0**-24
SUMMED = 8 * ROUNDING

# Entries that are multiplied at a time, in float64: 16 MiB.
BLOCK_ENTRIES = 2**21


class ScoreFactors(NamedTuple):
    """S = A V': items A `(n, r)` and people V `(m, r)`, float32."""

    items: Tensor
    people: Tensor


def low_rank_factors(scores: Tensor, sampled_rows: int = SAMPLED_ROWS) -> ScoreFactors | None:
    """The thin factors of scores `(n, m)`; None where the rank is above half of m, or the product is not exact.

    The right singular vectors are those of a sample of rows. Then every row is checked against its product, so that a
    sample which missed something costs a pass over the matrix, and no precision.

    Args:
        scores: Finite float32, possibly memory-mapped.
        sampled_rows: Size of the sample, evenly spaced.
    """
    n, m = scores.shape
    with one_thread():
        sample = torch.linspace(0, n - 1, min(n, sampled_rows)).long()
        people = _right_vectors(scores[sample].double())
        if people is None or 2 * people.shape[1] > m:
            return None
        largest = max(float(block.abs().max()) for block in _blocks(scores))
        items = torch.empty(n, people.shape[1], dtype=torch.float32)
        start = 0
        for block in _blocks(scores):
            part = block.double() @ people
            if float((part @ people.T - block).abs().max()) > 2 * SUMMED * largest:
                return None
            items[start : start + len(block)] = part
            start += len(block)
    return ScoreFactors(items, people.float())


def _right_vectors(sample: Tensor) -> Tensor | None:
    """The right singular vectors `(m, r)` of rows `(s, m)` that are more than rounding; None if all rows are zero.

    Errors of size e in every entry are a matrix with singular values of up to `e (sqrt(s) + sqrt(m))`.
    """
    s, m = sample.shape
    _, sizes, right = torch.linalg.svd(sample, full_matrices=False)
    root_mean_square = float(sample.square().mean().sqrt())
    rank = int((sizes > SUMMED * root_mean_square * (s**0.5 + m**0.5)).sum())
    if rank == 0:
        return None
    vectors = right[:rank].T
    # Of v and -v the one whose largest entry is positive: the same on every machine.
    largest = vectors.gather(0, vectors.abs().argmax(dim=0, keepdim=True))
    signed: Tensor = vectors * largest.sign()
    return signed


def _blocks(scores: Tensor) -> tuple[Tensor, ...]:
    return torch.split(scores, max(1, BLOCK_ENTRIES // scores.shape[1]))
