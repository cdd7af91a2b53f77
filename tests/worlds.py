"""Small catalogues and beliefs to ask about, drawn from seeds, and what brute force says of them."""

import itertools
from dataclasses import dataclass

import torch
from hypothesis import strategies as st
from torch import Tensor

from rather import Belief, Catalog, ExactRetriever, Logistic, Noiseless, Problem
from rather.numerics.randomness import derive_generator

TINY = 1e-4
"""What float32 may lose in a sum of a few products of numbers around 1."""


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float32)


def brute_force(directions: Tensor, items: Tensor, count: int, allowed: Tensor | None = None) -> Tensor:
    """Rows `(b, count)` of the best items by Python's own sort, which keeps the order of equals."""
    rows = range(len(items)) if allowed is None else allowed.nonzero()[:, 0].tolist()
    # Item by item: matrix products may round equal items differently.
    scores = (directions.double()[:, None] * items.double()).sum(dim=2).tolist()
    return torch.tensor([sorted(rows, key=lambda row, line=line: -line[row])[:count] for line in scores])


@dataclass(frozen=True)
class World:
    catalog: Catalog
    belief: Belief
    allowed: Tensor | None = None

    def problem(self, response=None, k=2, seed=0, **parts) -> Problem:
        response = response if response is not None else Logistic(0.2)
        generator = derive_generator(seed, "test")
        return Problem(self.catalog, self.belief, response, k, generator, **{"allowed": self.allowed, **parts})

    def search(self, directions, count):
        return ExactRetriever(self.catalog).top(directions, count, self.allowed)

    @property
    def rows(self) -> list[int]:
        return list(range(len(self.catalog))) if self.allowed is None else self.allowed.nonzero()[:, 0].tolist()

    def slates(self, k=2) -> Tensor:
        """All slates of allowed items, `(b, k)` rows."""
        return torch.tensor(list(itertools.combinations(self.rows, k)))


def world(n=12, m=20, d=3, seed=0, smooth=False) -> World:
    return World(
        Catalog(normal(n, d, seed=2 * seed)), Belief.from_users(normal(m, d, seed=2 * seed + 1) + 0.3, smooth=smooth)
    )


@st.composite
def worlds(draw, n=(3, 10), m=(1, 15), d=(1, 4), whole=None, filtered=None) -> World:
    """Random worlds; `whole` ones have few small whole coordinates, so that items and scores are often equal."""
    size, people, dimensions = draw(st.integers(*n)), draw(st.integers(*m)), draw(st.integers(*d))
    seed = draw(st.integers(0, 2**16))
    items, users = normal(size, dimensions, seed=seed), normal(people, dimensions, seed=seed + 1) + 0.3
    if draw(st.booleans()) if whole is None else whole:
        items, users = items.round(), users.round()
    uneven = draw(st.booleans())
    weights = torch.rand(people, generator=torch.Generator().manual_seed(seed)) + 0.01 if uneven else None
    allowed = None
    if draw(st.booleans()) if filtered is None else filtered:
        allowed = torch.ones(size, dtype=torch.bool)
        allowed[draw(st.sets(st.integers(0, size - 1), max_size=size - n[0]).map(sorted))] = False
    return World(Catalog(items), Belief.from_users(users, weights, smooth=False), allowed)


temperatures = st.sampled_from([0.02, 0.1, 0.5, 3.0])

plain_models = st.one_of(st.just(Noiseless()), st.builds(Logistic, temperatures))
"""Models whose only answers are the options."""

models = st.one_of(
    plain_models,
    st.builds(Logistic, temperatures, st.none() | st.sampled_from([-0.5, 0.0, 1.0]), st.none() | st.just(0.5)),
    st.builds(Noiseless, st.none() | st.sampled_from([-0.5, 0.0, 1.0]), st.none() | st.sampled_from([0.0, 0.3])),
)

ALL_MODELS = [
    Logistic(0.1),
    Logistic(2.0),
    Logistic(0.3, none_utility=0.4),
    Logistic(0.3, tie=0.5),
    Logistic(0.3, none_utility=-1.0, tie=2.0),
    Noiseless(),
    Noiseless(none_utility=0.2),
    Noiseless(tie=0.25),
    Noiseless(none_utility=0.2, tie=0.25),
]
