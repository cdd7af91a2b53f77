"""Where optimisation starts: `restarts` slates of item vectors `(b, k, d)`, possibly hypothetical."""

from collections.abc import Callable

import torch
from torch import Tensor

from rather import value
from rather.strategies.problem import Problem
from rather.strategies.projection import first_not_taken

Initialiser = Callable[[Problem, int], Tensor]

# Draws of which `balanced` keeps the most balanced one.
BALANCED_DRAWS = 8


def random_vectors(problem: Problem, restarts: int) -> Tensor:
    """Random: Gaussian vectors scaled to the largest item norm."""
    return _gaussian(problem, restarts)


def rand_user_top_item(problem: Problem, restarts: int) -> Tensor:
    """RandUserTopItem: the best items of k particles drawn from the belief."""
    return problem.vectors(top_items_of_random_particles(problem, restarts))


def top_items_of_random_particles(problem: Problem, restarts: int) -> Tensor:
    """The same as rows `(restarts, k)`, distinct in each slate."""
    k = problem.k
    particles = problem.belief.particles[problem.draw_particles(restarts * k)]
    lists = problem.search(particles, k).rows.view(restarts, k, k)
    return first_not_taken(lists)


def balanced(problem: Problem, restarts: int) -> Tensor:
    """Balanced: hypothetical items that split the particles into k groups of about equal weight.

    Options orthogonal to the mean utility vector have the same expected utility, so none is the favourite; of several
    such random slates the one with the most even split is kept.
    """
    draws = _gaussian(problem, BALANCED_DRAWS * restarts)
    mean = torch.nn.functional.normalize(problem.belief.mean, dim=0)
    if problem.catalog.dimensions > 1:
        draws = draws - (draws @ mean)[..., None] * mean
    winner = value.utilities(draws, problem.belief).argmax(dim=1)
    shares = torch.stack(
        [((winner == option) * problem.belief.weights).sum(dim=1) for option in range(problem.k)], dim=1
    )
    evenness = -torch.special.xlogy(shares, shares).sum(dim=1).view(BALANCED_DRAWS, restarts)
    kept = evenness.argmax(dim=0) * restarts + torch.arange(restarts)
    return draws[kept]


def mixed(problem: Problem, restarts: int) -> Tensor:
    """Half RandUserTopItem, half Balanced: each repairs what the other misses."""
    half = restarts // 2
    return (
        torch.cat([rand_user_top_item(problem, restarts - half), balanced(problem, half)])
        if half
        else (rand_user_top_item(problem, restarts))
    )


def _gaussian(problem: Problem, count: int) -> Tensor:
    shape = (count, problem.k, problem.catalog.dimensions)
    draws = torch.randn(shape, generator=problem.generator, dtype=torch.float32)
    return torch.nn.functional.normalize(draws, dim=2) * problem.catalog.largest_norm


INITIALISERS: dict[str, Initialiser] = {
    "random": random_vectors,
    "rand-user-top-item": rand_user_top_item,
    "balanced": balanced,
    "mixed": mixed,
}
"""By the names the paper gives them; `mixed` is ours."""
