"""A prior over the utility vectors of an earlier space, carried over to a space of today."""

import torch
from torch import Tensor

from rather.model.priors import Prior
from rather.model.spaces import Translation

# Smallest variance of a direction against the largest. Where columns were merged, the covariance would be singular.
LEAST_VARIANCE = 1e-8


def carried_prior(prior: Prior, translation: Translation, own: Prior) -> Prior:
    """The prior in the dimensions of today: what it knows comes from it, everything else from the catalogue's own.

    Item vectors x of then are `M x` now, so that `w = M.T u` is the part of a utility vector u of today that had a
    meaning then. With `u ~ N(m, S)` by the catalogue's own prior, u given w is `m + A (w - M.T m)` and noise of
    covariance `S - A M.T S`, where `A = S M (M.T S M)^-1`; the carried prior draws w from the learnt one. A value that
    is new is as the catalogue's own prior expects, given the values that were known.

    Args:
        prior: Over `(c,)`.
        translation: From these c dimensions to the d of today.
        own: The catalogue's own, over `(d,)`.
    """
    if translation.matrix is None:
        return prior
    mean, covariance = own.moments
    matrix = translation.matrix.double()
    crossed = covariance @ matrix
    gain = crossed @ torch.linalg.pinv(matrix.T @ crossed, rtol=1e-7, hermitian=True)
    centres = mean + (prior.centres.double() - matrix.T @ mean) @ gain.T
    spread = gain @ prior.cholesky.double()
    carried = spread @ spread.T + covariance - gain @ crossed.T
    return Prior(centres.float(), prior.log_weights, _cholesky(carried), prior.scales, prior.temperature)


def _cholesky(covariance: Tensor) -> Tensor:
    values, vectors = torch.linalg.eigh((covariance + covariance.T) / 2)
    values = values.clamp_min(LEAST_VARIANCE * float(values[-1]))
    factor: Tensor = torch.linalg.cholesky((vectors * values) @ vectors.T)
    return factor.float()
