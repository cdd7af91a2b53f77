"""The computer configurator of Teso, Passerini & Viappiani (IJCAI 2016), and its simulated users.

An item vector has a dimension for every value of every decision, 1 if it was chosen. Of the two distributions of users
that the paper used for it, these are the sparse uniform ones: of each decision's values a fifth, at least one, has a
weight between 1 and 100, the others have none. Users answer by the logistic model with a temperature of 1.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import torch
from torch import Tensor

from rather.formats.spaces.definition import ProductSpace
from rather.formats.spaces.space_files import parse_space
from rather.formats.spaces.valid import ValidConfigurations
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.configured_items import Configurations, ConfiguredItems
from rather.numerics.randomness import derive_generator

# Weights that are not 0, and the share of a decision's values that have one.
LEAST, MOST, SHARE = 1.0, 100.0, 0.2

# Users in a belief that knows a population of them.
KNOWN_USERS = 1000


def computer_space() -> ProductSpace:
    """What can be chosen."""
    name = "computer.toml"
    return parse_space(files(__package__).joinpath(name).read_text(encoding="utf8"), name)


@cache
def computer_catalog() -> Catalog:
    """All valid computers."""
    valid = ValidConfigurations(computer_space())
    compiled, sizes = valid.compiled, valid.problem.sizes
    starts = [sum(sizes[:decision]) for decision in range(len(sizes))]
    effects = []
    for decision, settled in zip(compiled.order, compiled.settled, strict=True):
        chosen = torch.tensor([starts[decision] + each.value for each in settled])
        effects.append(torch.nn.functional.one_hot(chosen, sum(sizes)).float())
    return Catalog(ConfiguredItems(Configurations(compiled.diagram, tuple(effects))), name="computer")


def sparse_users(count: int, generator: torch.Generator) -> Tensor:
    """Weights `(count, d)` of users, a block of dimensions for each decision."""
    blocks = []
    for size in _sizes():
        kept = torch.rand(count, size, generator=generator).argsort(dim=1) < weighted(size)
        weights = LEAST + (MOST - LEAST) * torch.rand(count, size, generator=generator)
        blocks.append(torch.where(kept, weights, 0.0))
    return torch.cat(blocks, dim=1)


def weighted(size: int) -> int:
    """How many values of a decision have a weight."""
    return max(1, int(size * SHARE))


def computer_belief(about: str) -> Belief:
    """What is believed before the first question.

    Args:
        about: "moments" knows the mean and the spread of every weight; "users" knows the weights of some users, none of
            whom is ever asked.
    """
    if about == "users":
        return Belief.from_users(sparse_users(KNOWN_USERS, derive_generator(0, "known users")))
    shares = torch.cat([torch.full((size,), weighted(size) / size) for size in _sizes()])
    mean = shares * (LEAST + MOST) / 2
    square = (MOST**3 - LEAST**3) / (3 * (MOST - LEAST))
    return Belief.gaussian(mean, torch.diag(shares * square - mean.square()))


def _sizes() -> tuple[int, ...]:
    return tuple(len(each.values) for each in computer_space().decisions)
