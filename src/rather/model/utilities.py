"""Utilities that are not linear in what is known of an item, but differentiable in it.

A utility model gives what points of an input space are worth to m sampled people. In the space of people its utility is
linear (see `rather.formats.scores`); that is where the catalogue, the belief and all discrete strategies are. The
continuous strategies move hypothetical items through the input space instead, by the gradient of their vectors.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import torch
from torch import Tensor

from rather.errors import InvalidInputError
from rather.numerics.arrays import as_floats


class UtilityModel(Protocol):
    """What items are worth to m sampled people, differentiable in the inputs."""

    def utilities(self, inputs: Tensor) -> Tensor:
        """Utilities `(..., m)` of items with inputs `(..., c)`."""
        ...


@dataclass(frozen=True, eq=False)
class IdealPoints:
    """The nearer an item is to a person's ideal, the better: `u_j(x) = -sum_c w_jc (x_c - a_jc)^2` (Coombs 1950).

    Attributes:
        ideals: a, `(m, c)`; an array becomes a tensor.
        weights: w, `(m, c)` or `(m, 1)`, by default 1.
    """

    ideals: Tensor
    weights: Tensor = field(default=None)  # type: ignore[assignment]  # filled in below

    def __post_init__(self) -> None:
        for name in ("ideals", "weights"):
            given = getattr(self, name)
            if given is not None and not (isinstance(given, Tensor) and given.dim() == 2):
                object.__setattr__(self, name, as_floats(given, name, rank=2))
        if self.weights is None:
            object.__setattr__(self, "weights", torch.ones_like(self.ideals))
        if self.weights.shape not in (self.ideals.shape, (len(self.ideals), 1)):
            shape = tuple(self.ideals.shape)
            raise InvalidInputError(
                f"`weights` must be {shape} like `ideals`, or ({shape[0]}, 1), got {tuple(self.weights.shape)}."
            )

    def utilities(self, inputs: Tensor) -> Tensor:
        """See `UtilityModel`. Expanded, `-w @ x^2 + 2 (w a) @ x - w @ a^2`, so that no `(..., m, c)` is made."""
        ideals = self.ideals.to(inputs.dtype)
        weights = self.weights.to(inputs.dtype).expand_as(ideals)
        constant = (weights * ideals.square()).sum(dim=1)
        return 2 * inputs @ (weights * ideals).T - inputs.square() @ weights.T - constant

    def of_pairs(self, inputs: Tensor, people: Tensor) -> Tensor:
        """The utility `(r,)` of each item `(r, c)` for the one person beside it, `(r,)`."""
        return -(self.weights[people] * (inputs - self.ideals[people]).square()).sum(dim=1)


@dataclass(frozen=True, eq=False)
class NeuralUtility:
    """A network that all people share, and a vector for each: `u_j(x) = p_j @ h(x)`, with tanh between layers.

    Attributes:
        layers: Weights `(width, inputs)` and biases `(width,)` of each layer; tanh follows each of them. Without layers
            it is the linear model.
        people: p, `(m, width)`.
    """

    layers: Sequence[tuple[Tensor, Tensor]] = field(repr=False)
    people: Tensor

    def utilities(self, inputs: Tensor) -> Tensor:
        """See `UtilityModel`."""
        return self._hidden(inputs) @ self.people.T.to(inputs.dtype)

    def of_pairs(self, inputs: Tensor, people: Tensor) -> Tensor:
        """The utility `(r,)` of each item `(r, c)` for the one person beside it, `(r,)`."""
        return (self._hidden(inputs) * self.people[people]).sum(dim=1)

    def _hidden(self, inputs: Tensor) -> Tensor:
        for weight, bias in self.layers:
            inputs = torch.tanh(inputs @ weight.T.to(inputs.dtype) + bias.to(inputs.dtype))
        return inputs


@dataclass(frozen=True, eq=False)
class Embedding:
    """Item vectors as a differentiable function of inputs: `z(x) = u(x) V`.

    Attributes:
        model: u, from inputs `(..., c)` to the utilities `(..., m)` of sampled people.
        people: V, `(m, d)`, the people as particles; None where their d = m vectors are unit vectors.
        inputs: `(n, c)`, those of the items.
    """

    model: UtilityModel = field(repr=False)
    people: Tensor | None = field(repr=False)
    inputs: Tensor = field(repr=False)

    def __call__(self, points: Tensor) -> Tensor:
        """The vectors `(..., d)` of hypothetical items `(..., c)`."""
        utilities = self.model.utilities(points)
        return utilities if self.people is None else utilities @ self.people.to(utilities.dtype)

    def pulled_back(self, points: Tensor, gradient: Tensor) -> tuple[Tensor, Tensor]:
        """The vectors of points `(..., c)`, and the gradient `(..., d)` with respect to these as one `(..., c)`."""
        leaf = points.detach().requires_grad_()
        with torch.enable_grad():
            vectors = self(leaf)
        (slopes,) = torch.autograd.grad(vectors, leaf, gradient)
        return vectors.detach(), slopes

    @cached_property
    def bounds(self) -> tuple[Tensor, Tensor]:
        """The lowest and the highest value of each input, `(c,)`: the box in which hypothetical items may move."""
        return self.inputs.amin(dim=0), self.inputs.amax(dim=0)

    @cached_property
    def spread(self) -> Tensor:
        """The standard deviation of each input, `(c,)`."""
        return self.inputs.std(dim=0, correction=0)
