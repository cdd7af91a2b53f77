"""Items and people of a utility model as a catalogue and a belief."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from rather.errors import InvalidInputError
from rather.formats.opened import Opened
from rather.formats.scores import Scores
from rather.formats.vectors.vector_files import Vectors
from rather.model.catalog import Catalog, ItemId
from rather.model.utilities import Embedding, UtilityModel
from rather.numerics.arrays import as_floats
from rather.numerics.threads import one_thread

# Items that a model is asked about at a time.
BATCH_ROWS = 16_384


def from_utility(
    model: UtilityModel,
    inputs: Any,
    *,
    weights: Any = None,
    ids: Sequence[ItemId] | None = None,
    labels: Sequence[str] | None = None,
    name: str = "item",
    smooth: bool | None = None,
) -> Opened:
    """A catalogue and a belief from a utility that is differentiable in what is known of an item.

    The items are worth what `model` says: `from_scores` of its utilities. The catalogue also keeps the model, through
    which the continuous strategies move hypothetical items by their inputs.

    Example:
        >>> from rather.model.utilities import IdealPoints
        >>> towns = IdealPoints(torch.tensor([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]]))
        >>> catalog, belief = from_utility(towns, [[0.0, 0.0], [1.0, 0.0], [4.0, 4.0]])
        >>> (catalog.vectors([1]) @ belief.particles.T).round().tolist()
        [[-1.0, -9.0, -17.0]]

    Args:
        model: From inputs `(..., c)` to utilities `(..., m)` of m sampled people.
        inputs: `(n, c)`, a row for each item.
        weights: m non-negative weights of the people, by default equal.
        ids: See `from_scores`, and so are the others.
        labels: n texts to show.
        name: What to call an item.
        smooth: Let a new person be a blend of the sampled ones; by default where the utilities have a low rank.
    """
    points = as_floats(inputs, "inputs", rank=2)
    scores = _scores(model, points)
    table = Scores(Vectors(as_floats(scores, "model.utilities(inputs)", rank=2).numpy()))
    catalog, belief = table.described(name=name, weights=weights, ids=ids, labels=labels).opened(smooth=smooth)
    people = None if catalog.dimensions == scores.shape[1] else belief.particles
    embedding = Embedding(model, people, points)
    _reject_constant(embedding)
    described = Catalog(catalog.storage, catalog.ids, catalog.labels or None, name=name, embedding=embedding)
    return Opened(described, belief)


def _scores(model: UtilityModel, points: Tensor) -> Tensor:
    if isinstance(model, type) or not callable(getattr(model, "utilities", None)):
        raise InvalidInputError(
            f"`model` must have a method `utilities(inputs)`, as rather.IdealPoints(ideals) has, got {model!r}."
        )
    try:
        with one_thread(), torch.no_grad():
            parts = [model.utilities(batch) for batch in torch.split(points, BATCH_ROWS)]
    except RuntimeError as error:
        shape = tuple(points[:BATCH_ROWS].shape)
        raise InvalidInputError(f"`model.utilities` must take inputs of shape {shape}: {error}.") from error
    for part in parts[:1]:
        if not isinstance(part, Tensor) or part.dim() != 2 or len(part) != min(len(points), BATCH_ROWS):
            shape = tuple(part.shape) if isinstance(part, Tensor) else type(part).__name__
            raise InvalidInputError(
                f"`model.utilities` must return a tensor of a row for each of the items and a column for each person, "
                f"got {shape} for inputs of shape {tuple(points[:BATCH_ROWS].shape)}."
            )
    return torch.cat(parts)


def _reject_constant(embedding: Embedding) -> None:
    """Raise unless the gradient passes through the model."""
    point = embedding.inputs[:1]
    try:
        embedding.pulled_back(point, torch.ones_like(embedding(point)))
    except RuntimeError as error:
        raise InvalidInputError(
            f"`model.utilities` must be differentiable in its inputs by torch: {error}. For a model that is not, pass "
            "its utilities to `rather.from_scores`."
        ) from None
