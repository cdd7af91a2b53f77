"""Options of planned questions as numbers: items by their rows, attributes by negative numbers from -1 down."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from rather.conversation.policy import Policy
from rather.model.catalog import Catalog
from rather.model.questions import Question


def numbers_of(question: Question) -> tuple[int, ...]:
    """The options of a question about items, or about single attributes."""
    return question.slate or tuple(-1 - index for (index,) in question.attributes)


def attributes_in(slate: Sequence[int]) -> tuple[int, ...]:
    """The indices of the attributes that a slate is about; none where it is about items."""
    return tuple(-1 - option for option in slate if option < 0)


def question_of(policy: Policy, number: int, slate: Sequence[int]) -> Question:
    """The question about these options, as number `number` of a conversation."""
    if attributes := attributes_in(slate):
        return policy.attribute_question(number, [[index] for index in attributes])
    return policy.item_question(number, slate)


def option_vectors(catalog: Catalog, options: Tensor) -> Tensor:
    """`(..., d)`, what options `(...)` are to a utility vector."""
    if bool((options >= 0).all()):
        return catalog.vectors(options)
    items = catalog.vectors(options.clamp_min(0))
    attributes = catalog.average + catalog.attribute_vectors[(-1 - options).clamp_min(0)]
    return torch.where((options >= 0)[..., None], items, attributes)
