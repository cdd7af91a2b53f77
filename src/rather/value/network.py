"""What a question is worth: the differentiable network of the paper (its Fig. 2).

Shape law: slates `(b, k, d)` in, values `(b,)` out, whether the items come from the catalogue or are hypothetical.
Everything is differentiable in the slates; a maximum over items passes on the gradient of the item that attains it.
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
"""Directions `(b, d)` and a count in, the best of the items that may be recommended out."""

# Entries of the largest intermediate (slates x answers x particles): 1 MiB of float32 stays in the processor's cache.
# With 64 MiB the softmax of 4096 slates of 6 waited for memory and took four times as long.
BATCH_ENTRIES = 2**18


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
    """`answer_directions` from the options' utilities `(b, k, m)`, shape `(b, r, d)`."""
    return _weighted_particles(exponentials(belief.answering(response).log_probabilities(utilities)), belief)


def exponentials(logarithms: Tensor) -> Tensor:
    """exp(x), but 2e-35 for everything below -80.

    There the result would be subnormal or 0, which torch computes ten times more slowly than all other numbers, and
    softmaxes are full of them.
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

    Users get the option they choose; after an answer that chooses none of them (none, same) they get the slate's best
    item given that answer. Always at most `posterior_expected_utility`.
    """
    k = slates.shape[1]
    directions = answer_directions(slates, belief, response)
    chosen = (directions[:, :k] * slates).sum(dim=(1, 2))
    if directions.shape[1] == k:
        return chosen
    return chosen + (directions[:, k:] @ slates.mT).amax(dim=2).sum(dim=1)


def posterior_expected_utility(
    slates: Tensor, belief: Belief, response: ResponseModel, search: Search, batch_entries: int = BATCH_ENTRIES
) -> Tensor:
    """PEU = sum_r max_y y @ v_r, `(b,)`: the expected utility of the best recommendation after the answer (Eq. 3)."""
    return best_after(_directions_in_batches(slates, belief, response, batch_entries), belief, search)


def _directions_in_batches(slates: Tensor, belief: Belief, response: ResponseModel, entries: int) -> Tensor:
    batches = torch.split(slates, slates_per_batch(slates.shape[1], belief, response, entries))
    return torch.cat([answer_directions(batch, belief, response) for batch in batches])


def slates_per_batch(k: int, belief: Belief, response: ResponseModel, entries: int = BATCH_ENTRIES) -> int:
    """How many slates of k to multiply with all particles at once."""
    return max(1, entries // ((k + len(response.extras)) * len(belief)))


def best_after(directions: Tensor, belief: Belief, search: Search) -> Tensor:
    """sum_r max_y y @ v_r, `(b,)`, for the answers' directions `(b, r, d)`: one search for all of them."""
    return _best(directions.reshape(-1, directions.shape[2]), belief, search).view(directions.shape[:2]).sum(dim=1)


def _best(directions: Tensor, belief: Belief, search: Search) -> Tensor:
    """max_y y @ v `(b,)` for directions `(b, d)`."""
    best = search(directions.detach().to(belief.particles.dtype), 1).vectors[:, 0].to(directions.dtype)
    return (directions * best).sum(dim=1)


def evoi(
    slates: Tensor, belief: Belief, response: ResponseModel, search: Search, batch_entries: int = BATCH_ENTRIES
) -> Tensor:
    """EVOI = PEU - EU*: what asking is expected to add to the utility of the recommendation, `(b,)`.

    One search for the answers and for the belief as it is.
    """
    return evoi_after(_directions_in_batches(slates, belief, response, batch_entries), belief, search)


def evoi_after(directions: Tensor, belief: Belief, search: Search) -> Tensor:
    """EVOI `(b,)` from the answers' directions `(b, r, d)`, see `answer_directions`."""
    b, r, d = directions.shape
    best = _best(torch.cat([directions.reshape(b * r, d), belief.mean[None].to(directions.dtype)]), belief, search)
    return best[:-1].view(b, r).sum(dim=1) - best[-1]


def best_items(belief: Belief, search: Search) -> Found:
    """The best item of every particle: scores and rows `(m, 1)`."""
    return search(belief.particles, 1)


def nearly_best_utilities(particles: Tensor, good: Tensor, search: Search, searched: int = 32) -> Tensor:
    """About max_x x @ u `(m,)` for particles `(m, d)`, from a good item of each, `(m, d)`.

    Some particles, evenly spaced, are searched for. What the best item of such a particle adds to its good one is added
    for those that follow it, so that averages and shares over all particles are about right.
    """
    step = max(1, len(particles) // searched)
    utilities = (particles * good).sum(dim=1)
    missed = search(particles[::step], 1).scores[:, 0] - utilities[::step]
    return utilities + missed.clamp_min(0).repeat_interleave(step)[: len(particles)]


def perfect_information_value(belief: Belief, search: Search) -> Tensor:
    """VPI = E[max_x x @ u] - EU*, a scalar: no EVOI exceeds it. It is the expected regret of recommending now."""
    perfect = (belief.weights * best_items(belief, search).scores[:, 0]).sum()
    return perfect - best_expected_utility(belief, search)


def utility_spread(catalog: Catalog, belief: Belief) -> float:
    """Standard deviation of utility over a sample of the items and the belief: the scale of utility here."""
    sample = catalog.sample(512) @ belief.particles.T
    mean = (sample @ belief.weights).mean()
    # From centred utilities: E[x^2] - E[x]^2 cancels when utilities share a large offset.
    variance = ((sample - mean).square() @ belief.weights).mean()
    # A catalogue of identical items or a belief at zero still needs a scale to divide by.
    return math.sqrt(max(float(variance), 1e-12))
