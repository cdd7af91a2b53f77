"""The regret that no way of asking can beat.

After q noiseless questions with k options there are at most k^q different recommendations. However the questions are
chosen, the mean regret is therefore at least that of the best set of k^q items, when every user gets the best item
of the set: a facility location problem over the particles.
"""

import torch
from torch import Tensor

from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.numerics.randomness import derive_generator
from rather.retrieval.scan import every_score


def floor_regret(catalog: Catalog, belief: Belief, k: int, questions: int, seed: int, restarts: int = 4) -> list[float]:
    """Mean regret of the best set of k^q items over the particles, for q = 0..questions.

    Each set is the best that local search finds (a greedy start and `restarts` random ones, then single exchanges until
    none helps), so the true floor may lie a little lower.
    """
    utilities = every_score(catalog, belief.particles)  # (n, m)
    best = utilities.amax(dim=0)
    floors = []
    for question in range(questions + 1):
        size = k**question
        if size >= min(len(belief), len(catalog)):  # everybody's best item fits in
            floors.append(0.0)
            continue
        generator = derive_generator(seed, "floor", question)
        value = max(
            _local_search(start, utilities, belief.weights)
            for start in _starts(size, utilities, belief.weights, restarts, generator)
        )
        floors.append(max(0.0, float(best @ belief.weights) - value))
    return floors


def _starts(size: int, utilities: Tensor, weights: Tensor, restarts: int, generator: torch.Generator) -> list[Tensor]:
    """Sets of item rows `(size,)`: greedy, and the best items of random particles."""
    m = len(weights)
    covered = torch.full_like(weights, -torch.inf)
    greedy = []
    for _ in range(size):
        gains = torch.maximum(utilities, covered) @ weights
        row = int(gains.argmax())
        greedy.append(row)
        covered = torch.maximum(covered, utilities[row])
    favourites = utilities.argmax(dim=0)
    drawn = [favourites[torch.randperm(m, generator=generator)[:size]] for _ in range(restarts)]
    return [torch.tensor(greedy), *drawn]


def _local_search(rows: Tensor, utilities: Tensor, weights: Tensor) -> float:
    """Value of the set after single exchanges, each the best for its slot, until none helps."""
    rows = rows.clone()
    value = float(utilities[rows].amax(dim=0) @ weights)
    while True:
        before = value
        for slot in range(len(rows)):
            others = torch.cat([rows[:slot], rows[slot + 1 :]])
            covered = utilities[others].amax(dim=0) if len(others) else torch.full_like(weights, -torch.inf)
            # Only who would gain matters; the others keep what they have.
            values = torch.maximum(utilities, covered) @ weights
            if float(values.max()) > value * (1 + 1e-6):
                rows[slot], value = values.argmax(), float(values.max())
        if value <= before:
            return value
