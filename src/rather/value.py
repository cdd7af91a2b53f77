"""What a question is worth: the differentiable network of the paper (its Fig. 2).

Shape law: slates `(b, k, d)` in, values `(b,)` out, whether the items are of the catalogue or hypothetical.
Everything is differentiable in the slates; a maximum over items passes the gradient of the item that attains it.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.responses import ResponseModel
from rather.retrieval import Found

Search = Callable[[Tensor, int], Found]
"""Directions `(b, d)` and a count in, the best items of whatever may be recommended out."""

# Largest intermediate (slates x answers x particles) in numbers: 1 MiB of float32 stays in the cache. With 64 MiB the
# softmax of 4096 slates of 6 waited for memory and took four times as long.
CHUNK_NUMBERS = 2**18


def expected_utility(items: Tensor, belief: Belief) -> Tensor:
    """EU(x) = E[x @ u] for items `(..., d)`, shape `(...)` (Eq. 1)."""
    return items @ belief.mean.to(items.dtype)


def best_expected_utility(belief: Belief, search: Search) -> Tensor:
    """EU* = max_x EU(x): the value of recommending now, a scalar (Eq. 2)."""
    return _best(belief.mean[None], belief, search)[0]


def utilities(slates: Tensor, belief: Belief) -> Tensor:
    """x_i @ u_j for slates `(b, k, d)`, shape `(b, k, m)`."""
    b, k, d = slates.shape
    return (slates.reshape(b * k, d) @ belief.particles.T.to(slates.dtype)).view(b, k, -1)


def answer_directions(slates: Tensor, belief: Belief, response: ResponseModel) -> Tensor:
    """v_r = sum_j w_j R(r | slate, u_j) u_j for every answer r, shape `(b, r, d)`.

    These are posterior means, each scaled by the probability of its answer.
    """
    return directions_after(utilities(slates, belief), belief, response)


def directions_after(utilities: Tensor, belief: Belief, response: ResponseModel) -> Tensor:
    """The same from the options' utilities `(b, k, m)`, shape `(b, r, d)`."""
    return _weighted_particles(exponentials(response.log_probabilities(utilities)), belief)


def exponentials(logarithms: Tensor) -> Tensor:
    """exp(x), but 2e-35 for everything below -80.

    There the result would be a number too small for full precision, or 0. Those take the mathematical library behind
    torch ten times longer than all others, and softmaxes are full of them.
    """
    return logarithms.clamp_min(-80.0).exp()


def _weighted_particles(probabilities: Tensor, belief: Belief) -> Tensor:
    b, r, m = probabilities.shape
    dtype = probabilities.dtype
    weighted = (probabilities * belief.weights.to(dtype)).view(b * r, m)
    return (weighted @ belief.particles.to(dtype)).view(b, r, -1)


def deep_retrieval(slates: Tensor, belief: Belief, response: ResponseModel, search: Search, count: int = 1) -> Found:
    """The best items after each answer: rows `(b, r, count)`, scores likewise, vectors `(b, r, count, d)`."""
    directions = answer_directions(slates.detach(), belief, response)
    b, r, d = directions.shape
    found = search(directions.reshape(b * r, d).to(belief.particles.dtype), count)
    return Found(found.scores.view(b, r, count), found.rows.view(b, r, count), found.vectors.view(b, r, count, d))


def slate_expected_utility(slates: Tensor, belief: Belief, response: ResponseModel) -> Tensor:
    """EUS: the expected utility when the recommendation must come from the slate, shape `(b,)` (Eq. 5).

    The person gets what they choose; after an answer that chooses nothing (none, same), the slate's best item by
    then. Always at most `posterior_expected_utility`.
    """
    k = slates.shape[1]
    directions = answer_directions(slates, belief, response)
    chosen = (directions[:, :k] * slates).sum(dim=(1, 2))
    if directions.shape[1] == k:
        return chosen
    return chosen + (directions[:, k:] @ slates.mT).amax(dim=2).sum(dim=1)


def posterior_expected_utility(slates: Tensor, belief: Belief, response: ResponseModel, search: Search) -> Tensor:
    """PEU = sum_r max_y y @ v_r, `(b,)`: the expected utility of the best recommendation after the answer (Eq. 3)."""
    return best_after(_directions_in_parts(slates, belief, response), belief, search)


def _directions_in_parts(slates: Tensor, belief: Belief, response: ResponseModel) -> Tensor:
    at_a_time = slates_at_a_time(slates.shape[1], belief, response)
    return torch.cat([answer_directions(part, belief, response) for part in torch.split(slates, at_a_time)])


def slates_at_a_time(k: int, belief: Belief, response: ResponseModel) -> int:
    """How many slates of k to take through the particles at once."""
    return max(1, CHUNK_NUMBERS // ((k + len(response.extras)) * len(belief)))


def best_after(directions: Tensor, belief: Belief, search: Search) -> Tensor:
    """sum_r max_y y @ v_r, `(b,)`, for the answers' directions `(b, r, d)`: one search for all of them."""
    return _best(directions.reshape(-1, directions.shape[2]), belief, search).view(directions.shape[:2]).sum(dim=1)


def _best(directions: Tensor, belief: Belief, search: Search) -> Tensor:
    """max_y y @ v `(b,)` for directions `(b, d)`."""
    best = search(directions.detach().to(belief.particles.dtype), 1).vectors[:, 0].to(directions.dtype)
    return (directions * best).sum(dim=1)


def evoi(slates: Tensor, belief: Belief, response: ResponseModel, search: Search) -> Tensor:
    """EVOI = PEU - EU*: what asking is expected to add to the utility of the recommendation, `(b,)`.

    One search for the answers and for the belief as it is.
    """
    return evoi_after(_directions_in_parts(slates, belief, response), belief, search)


def evoi_after(directions: Tensor, belief: Belief, search: Search) -> Tensor:
    """EVOI `(b,)` from the answers' directions `(b, r, d)`, see `answer_directions`."""
    b, r, d = directions.shape
    best = _best(torch.cat([directions.reshape(b * r, d), belief.mean[None].to(directions.dtype)]), belief, search)
    return best[:-1].view(b, r).sum(dim=1) - best[-1]


def best_items(belief: Belief, search: Search) -> Found:
    """For every particle its best item: scores, rows `(m, 1)`."""
    return search(belief.particles, 1)


def perfect_information_value(belief: Belief, search: Search) -> Tensor:
    """VPI = E[max_x x @ u] - EU*: bounds every EVOI, and is the expected regret of recommending now. A scalar."""
    perfect = (belief.weights * best_items(belief, search).scores[:, 0]).sum()
    return perfect - best_expected_utility(belief, search)


def utility_spread(catalog: Catalog, belief: Belief) -> float:
    """Standard deviation of utility over a sample of the items and the belief: the scale of utility here."""
    sample = catalog.sample(512) @ belief.particles.T
    mean = (sample @ belief.weights).mean()
    # Of the differences, not of the squares: those cancel when utilities share a large offset.
    variance = ((sample - mean).square() @ belief.weights).mean()
    # A catalogue of identical items or a belief at zero still needs a scale to divide by.
    return math.sqrt(max(float(variance), 1e-12))
