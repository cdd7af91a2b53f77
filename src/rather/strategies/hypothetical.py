"""Slates of hypothetical items that climb: in the space of item vectors, or in the input space of a utility model."""

from typing import Protocol

import torch
from torch import Tensor

from rather.model.utilities import Embedding
from rather.strategies.problem import Problem
from rather.strategies.projection import deep_retrieval_unique


class Adam:
    """Directions of ascent from successive gradients (Kingma & Ba 2015, with their defaults).

    `torch.optim.Adam` would import the compiler of torch on first use: 1 to 3 seconds before the first question.
    """

    def __init__(self, variable: Tensor) -> None:
        self._steps = 0
        self._mean = torch.zeros_like(variable)
        self._square = torch.zeros_like(variable)

    def __call__(self, gradient: Tensor) -> Tensor:
        """The next step at unit learning rate, of the gradient's shape."""
        self._steps += 1
        self._mean.lerp_(gradient, 0.1)
        self._square.lerp_(gradient.square(), 0.001)
        root = (self._square / (1 - 0.999**self._steps)).sqrt_().add_(1e-8)
        return self._mean / (1 - 0.9**self._steps) / root


class HypotheticalSlates(Protocol):
    """Slates of items that need not exist."""

    @property
    def vectors(self) -> Tensor:
        """Their item vectors `(b, k, d)`."""
        ...

    def climb(self, gradient: Tensor, rate: float) -> None:
        """Take a step along a gradient `(b, k, d)` with respect to the vectors; `rate` is relative to the scale."""
        ...


class VectorSlates:
    """Item vectors that move freely inside the ball of the largest item norm.

    Args:
        vectors: `(b, k, d)`.
        radius: Of the ball.
    """

    def __init__(self, vectors: Tensor, radius: float) -> None:
        self._radius = radius
        self._scale = radius / vectors.shape[-1] ** 0.5
        self.vectors = in_ball(vectors, radius)
        self._adam = Adam(self.vectors)

    def climb(self, gradient: Tensor, rate: float) -> None:
        """See `HypotheticalSlates`."""
        self.vectors = in_ball(self.vectors + rate * self._scale * self._adam(gradient), self._radius)


class InputSlates:
    """Points in the input space of a utility model, inside the box of the items' inputs.

    The gradient with respect to the vectors passes through the model by automatic differentiation.

    Args:
        points: `(b, k, c)`.
        embedding: From points to vectors.
    """

    def __init__(self, points: Tensor, embedding: Embedding) -> None:
        self.points = points
        self.vectors = embedding(points).detach()
        self._embedding = embedding
        self._adam = Adam(points)

    def climb(self, gradient: Tensor, rate: float) -> None:
        """See `HypotheticalSlates`."""
        _, slopes = self._embedding.pulled_back(self.points, gradient)
        # Adam's steps are of size 1 in every input: relative to its spread, as if all inputs were standardised.
        spread, (low, high) = self._embedding.spread, self._embedding.bounds
        moved = self.points + rate * spread * self._adam(slopes * spread)
        self.points = torch.minimum(torch.maximum(moved, low), high)
        self.vectors = self._embedding(self.points).detach()


def hypothetical_slates(vectors: Tensor, problem: Problem) -> HypotheticalSlates:
    """Slates that start at item vectors `(b, k, d)`, or with a utility model at the items they project to."""
    embedding = problem.catalog.embedding
    if embedding is None:
        return VectorSlates(vectors, problem.catalog.largest_norm)
    return hypothetical_items(deep_retrieval_unique(vectors, problem), problem)


def hypothetical_items(rows: Tensor, problem: Problem) -> HypotheticalSlates:
    """Slates that start at items of the catalogue, given by their rows `(b, k)`."""
    embedding = problem.catalog.embedding
    if embedding is None:
        return VectorSlates(problem.catalog.vectors(rows), problem.catalog.largest_norm)
    return InputSlates(embedding.inputs[rows], embedding)


def in_ball(points: Tensor, radius: float) -> Tensor:
    """Points `(..., d)`, those outside a ball around 0 moved to its surface."""
    norms: Tensor = torch.linalg.vector_norm(points, dim=-1, keepdim=True)
    return points * (radius / norms.clamp_min(1e-12)).clamp_max(1.0)
