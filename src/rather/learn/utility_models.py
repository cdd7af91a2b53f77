"""Utility models from ratings: what each item is in c numbers, and what these are worth to each person.

The squared error of `rating = mean + level_j + u_j(x_i)` is minimised over items x, people and, for a network, its
layers, all together. Nothing but u differs between the methods:

    linear        p_j @ x                      (probabilistic matrix factorisation, but for the levels)
    ideal-point   -w_j |x - a_j|^2, w_j > 0    (as in Khoshneshin & Street 2010)
    network       p_j @ tanh(W x + b)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from rather.errors import InvalidInputError, UnknownNameError
from rather.learn.factors import OnEpoch
from rather.learn.ratings import Ratings
from rather.model.utilities import IdealPoints, NeuralUtility
from rather.numerics.randomness import derive_generator
from rather.numerics.threads import one_thread

# Units of the network's only layer.
WIDTH = 20

# The best of a few on MovieLens-100k, by held-out error. People have more numbers in a network than in an ideal point.
REGULARISATION = {"linear": 0.1, "ideal-point": 0.07, "network": 0.4}


@dataclass(frozen=True, eq=False)
class LearntUtility:
    """A utility model of m people, and the inputs of n items.

    Attributes:
        model: What items are worth to people.
        inputs: `(n, c)`.
        levels: `(m,)`, what is added to a person's utilities to predict their ratings.
        notes: Settings of the training, as plain data.
    """

    model: IdealPoints | NeuralUtility
    inputs: Tensor
    levels: Tensor
    notes: dict[str, float | int | str] = field(default_factory=dict)

    def predict(self, users: Tensor, items: Tensor) -> Tensor:
        """Predicted ratings `(r,)` of the given pairs."""
        with torch.no_grad():
            return self.levels[users] + self.model.of_pairs(self.inputs[items], users)

    def of_people(self, people: Tensor) -> IdealPoints | NeuralUtility:
        """The model of some of the people only, given by their rows."""
        if isinstance(self.model, IdealPoints):
            return IdealPoints(self.model.ideals[people], self.model.weights[people])
        return NeuralUtility(self.model.layers, self.model.people[people])

    def scores(self, most_people: int, seed: int = 0) -> Tensor:
        """The utilities `(n, m)` of all items for all people, or for `most_people` who are drawn, in their order."""
        drawn = torch.randperm(len(self.levels), generator=derive_generator(seed, "people"))[:most_people]
        with torch.no_grad():
            return self.of_people(drawn.sort().values).utilities(self.inputs)


@dataclass(frozen=True)
class _Start:
    """Parameters to start from, and the model that they make."""

    parameters: Sequence[Tensor]
    model: Callable[[], IdealPoints | NeuralUtility]


def learn_utility(
    ratings: Ratings,
    method: str = "ideal-point",
    *,
    dimensions: int = 10,
    epochs: int = 30,
    regularisation: float | None = None,
    learning_rate: float = 0.01,
    batch: int = 1000,
    seed: int = 0,
    on_epoch: OnEpoch | None = None,
) -> LearntUtility:
    """Minimise `sum (mean + level_j + u_j(x_i) - rating)^2 + regularisation (|x_i|^2 + |p_j|^2)`, by Adam.

    Args:
        ratings: Who rated what.
        method: "linear", "ideal-point" or "network".
        dimensions: Inputs c of an item.
        epochs: Passes over the ratings; the learning rate falls linearly to 0.
        regularisation: L2, of the item and the person of each rating; by default that of `REGULARISATION`.
        learning_rate: Of Adam.
        batch: Ratings in a step.
        seed: For the initial numbers and the order of ratings.
        on_epoch: Called after each epoch, for a progress bar.
    """
    if method not in METHODS:
        raise UnknownNameError(f"No utility is called {method!r}. There are: {', '.join(METHODS)}.")
    if dimensions < 1 or epochs < 1 or batch < 1:
        raise InvalidInputError(
            f"`dimensions`, `epochs` and `batch` must be at least 1, got {dimensions}, {epochs} and {batch}."
        )
    if regularisation is None:
        regularisation = REGULARISATION[method]
    generator = derive_generator(seed, "utility")
    start = METHODS[method](ratings.n_users, dimensions, generator)
    inputs = _small(generator, ratings.n_items, dimensions)
    levels = torch.zeros(ratings.n_users, dtype=torch.float32)
    # Adam of torch over all rows: those without a rating in the batch keep moving a little, as their moments decay.
    adam = torch.optim.Adam([parameter.requires_grad_() for parameter in (inputs, levels, *start.parameters)])
    who, what = torch.from_numpy(ratings.users), torch.from_numpy(ratings.items)
    mean = float(ratings.values.mean())
    centred = torch.from_numpy(ratings.values) - mean
    people = start.parameters[0]
    with one_thread():
        for epoch in range(1, epochs + 1):
            adam.param_groups[0]["lr"] = learning_rate * (1 - (epoch - 1) / epochs)
            squares = 0.0
            for rows in torch.split(torch.randperm(len(centred), generator=generator), batch):
                x, user = inputs[what[rows]], who[rows]
                error = levels[user] + start.model().of_pairs(x, user) - centred[rows]
                size = x.square().sum() + people[user].square().sum() + levels[user].square().sum()
                adam.zero_grad()
                ((error.square().sum() + regularisation * size) / len(rows)).backward()  # type: ignore[no-untyped-call]
                adam.step()
                squares += float(error.detach().square().sum())
            if on_epoch is not None:
                on_epoch(epoch, epochs, f"training RMSE {(squares / len(centred)) ** 0.5:.4f}")
    notes: dict[str, float | int | str] = {"method": method, "dimensions": dimensions, "epochs": epochs}
    return _learnt(start.model(), inputs, levels + mean, {**notes, "lambda": regularisation})


def _learnt(
    model: IdealPoints | NeuralUtility, inputs: Tensor, levels: Tensor, notes: dict[str, float | int | str]
) -> LearntUtility:
    """Without the graph that led there."""
    detached: IdealPoints | NeuralUtility
    if isinstance(model, IdealPoints):
        detached = IdealPoints(model.ideals.detach(), model.weights.detach())
    else:
        layers = [(weight.detach(), bias.detach()) for weight, bias in model.layers]
        detached = NeuralUtility(layers, model.people.detach())
    return LearntUtility(detached, inputs.detach(), levels.detach(), notes)


def _small(generator: torch.Generator, *shape: int) -> Tensor:
    """Numbers of size 0.1, which break the symmetry between dimensions and predict next to nothing."""
    return 0.1 * torch.randn(*shape, generator=generator, dtype=torch.float32)


def _linear(people: int, dimensions: int, generator: torch.Generator) -> _Start:
    vectors = _small(generator, people, dimensions)
    return _Start([vectors], lambda: NeuralUtility((), vectors))


def _ideal_points(people: int, dimensions: int, generator: torch.Generator) -> _Start:
    ideals, sharpness = _small(generator, people, dimensions), torch.zeros(people, 1, dtype=torch.float32)
    return _Start([ideals, sharpness], lambda: IdealPoints(ideals, torch.nn.functional.softplus(sharpness)))


def _network(people: int, dimensions: int, generator: torch.Generator) -> _Start:
    vectors = _small(generator, people, WIDTH)
    weight = torch.randn(WIDTH, dimensions, generator=generator, dtype=torch.float32) / dimensions**0.5
    bias = torch.zeros(WIDTH, dtype=torch.float32)
    return _Start([vectors, weight, bias], lambda: NeuralUtility([(weight, bias)], vectors))


METHODS: dict[str, Callable[[int, int, torch.Generator], _Start]] = {
    "linear": _linear,
    "ideal-point": _ideal_points,
    "network": _network,
}
"""How a utility starts, by the name of its method."""
