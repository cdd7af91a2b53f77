"""From any slate, hypothetical or not, to one of k distinct items of the catalogue."""

import torch
from torch import Tensor

from rather import value
from rather.model.responses import ResponseModel
from rather.strategies.problem import Problem


def deep_retrieval_unique(slates: Tensor, problem: Problem, response: ResponseModel | None = None) -> Tensor:
    """DeepRetrUniq (Alg. 1): after each of the k choices its best item not yet taken.

    Args:
        slates: `(b, k, d)` item vectors, possibly hypothetical.
        problem: Where to search.
        response: Splits the particles among the options; by default the problem's.

    Returns:
        `(b, k)` rows, distinct in each slate.
    """
    found = value.deep_retrieval(slates, problem.belief, response or problem.response, problem.search, count=problem.k)
    return first_not_taken(found.rows[:, : problem.k])


def first_not_taken(lists: Tensor) -> Tensor:
    """For ranked lists `(b, k, count >= k)` of rows: from each the first that no earlier list gave, `(b, k)`."""
    chosen = lists[:, 0, :1]
    for slot in range(1, lists.shape[1]):
        candidates = lists[:, slot]
        taken = (candidates[:, :, None] == chosen[:, None, :]).any(dim=2)
        first = (~taken).to(torch.uint8).argmax(dim=1, keepdim=True)
        chosen = torch.cat([chosen, candidates.gather(1, first)], dim=1)
    return chosen
